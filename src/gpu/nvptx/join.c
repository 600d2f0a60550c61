/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gpu/nvptx/join.h"

/* What stands at the top of a module, up to where it ends: a directive, a declaration, or a
 * definition with the braces around its body alone in their lines. Comments and empty lines in
 * front belong to it. */
typedef struct item {
  str text;
  str key; /* what is before the body or the value; what isn't defined has its ';' in it */
} item;

/* These have no ';' after them. */
static bool is_directive(str line) {
  return str_starts(line, ".version") || str_starts(line, ".target") ||
         str_starts(line, ".address_size");
}

/* An empty line is one too. */
static bool is_comment(str line) {
  size_t blanks = 0;
  while (blanks < line.len && (line.data[blanks] == ' ' || line.data[blanks] == '\t')) blanks++;
  str rest = {line.data + blanks, line.len - blanks};
  return rest.len == 0 || str_starts(rest, "//");
}

/* The line at `*at`, without its end; moves after it. */
static str next_line(str text, size_t *at) {
  const char *from = text.data + *at, *end = memchr(from, '\n', text.len - *at);
  size_t length = end ? (size_t)(end - from) : text.len - *at;
  *at += length + (end != NULL);
  return (str){from, length};
}

/* The item at `*at`; moves after it. False when there are only comments. */
static bool next_item(str text, size_t *at, item *out) {
  const char *begin = text.data + *at, *key = NULL, *key_end = NULL;
  while (*at < text.len) {
    str line = next_line(text, at);
    if (!key && is_comment(line)) continue;
    if (!key) key = line.data;
    if (!key_end && str_is(line, "{")) key_end = line.data;
    if (!key_end) key_end = memchr(line.data, '=', line.len);
    bool in_body = key_end && *key_end == '{';
    bool ends = in_body ? str_is(line, "}")
                        : is_directive(line) || (line.len && line.data[line.len - 1] == ';');
    if (!ends) continue;
    const char *end = text.data + *at;
    if (!key_end) key_end = line.data + line.len;
    out->text = (str){begin, (size_t)(end - begin)};
    out->key = (str){key, (size_t)(key_end - key)};
    return true;
  }
  return false;
}

/* "{ // callseq 7, 0" begins a call, and another comment of the kind ends it. */
static void add_body(sbuf *out, str text) {
  static const char comment[] = " // callseq ";
  size_t at = 0;
  while (at < text.len) {
    str line = next_line(text, &at);
    const char *found = memmem(line.data, line.len, comment, sizeof comment - 1);
    if (found) line.len = (size_t)(found - line.data);
    sbuf_str(out, line);
    sbuf_putc(out, '\n');
  }
}

void ptx_join(sbuf *out, strmap *known, str module) {
  item x;
  bool added;
  for (size_t at = 0; next_item(module, &at, &x);) {
    strmap_put(out->arena, known, arena_str(out->arena, x.key), &added);
    if (added) add_body(out, x.text);
  }
}

/* ---- the version ---------------------------------------------------------------------------- */

static bool has(str line, const char *word) {
  return memmem(line.data, line.len, word, strlen(word)) != NULL;
}

/* Products of FP8 by mma.sync, and of integers of different signs by wgmma, are in PTX since 8.4,
 * and conversions of FP8 on an sm_89 and asynchronous stores since 8.1. */
static bool needs_version(str line, bool ada) {
  bool fp8 = has(line, ".e4m3") || has(line, ".e5m2");
  if (fp8 && (ada || has(line, "mma.sync"))) return true;
  if (has(line, "st.async.")) return true;
  return has(line, "wgmma.mma_async") && (has(line, ".s8.u8") || has(line, ".u8.s8"));
}

void ptx_name_version(sbuf *text) {
  static const char named[] = "\n.version 8.4\n";
  str all = {text->data, text->len};
  char *at = memmem(text->data, text->len, named, sizeof named - 1);
  bool ada = has(all, "\n.target sm_89");
  for (size_t k = 0; at && k < all.len;)
    if (needs_version(next_line(all, &k), ada)) return;
  if (at) at[sizeof "\n.version 8." - 1] = '0';
}
