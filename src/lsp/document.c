/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lsp/document.h"

#include <tessera/module.h>

/* ---- memory --------------------------------------------------------------------------------- */

/* "file:///a%20b.mlir" is the path "/a b.mlir"; other URIs stay as they are. */
static const char *path_of(arena *a, str uri) {
  static const char scheme[] = "file://";
  if (!str_starts(uri, scheme)) return arena_str(a, uri).data;
  sbuf out = SBUF(a);
  sbuf_puts(&out, "");
  for (size_t i = sizeof scheme - 1; i < uri.len; i++) {
    bool escape = uri.data[i] == '%' && i + 2 < uri.len;
    int high = escape ? hex_digit(uri.data[i + 1]) : -1;
    int low = escape ? hex_digit(uri.data[i + 2]) : -1;
    bool decoded = high >= 0 && low >= 0 && (high || low);
    sbuf_putc(&out, decoded ? (char)(high << 4 | low) : uri.data[i]);
    if (decoded) i += 2;
  }
  return out.data;
}

document *document_open(tsr_context *ctx, str uri, lsp_encoding encoding) {
  arena names;
  arena_init(&names, ctx);
  document *d = arena_new(&names, document);
  d->ctx = ctx;
  d->encoding = encoding;
  d->uri = arena_str(&names, uri);
  d->path = path_of(&names, uri);
  arena_init(&d->memory, ctx);
  d->names = names;
  return d;
}

static void forget(document *d) {
  ir_module_destroy(d->index.module);
  d->index = (text_index){.arena = &d->memory};
  d->messages.data = NULL;
  d->messages.len = d->messages.cap = 0;
  d->known = d->told = false;
}

void document_close(document *d) {
  forget(d);
  arena names = d->names; /* where the document itself lies */
  arena_free(&d->memory);
  arena_free(&names);
}

/* ---- the text ------------------------------------------------------------------------------- */

static void find_lines(document *d) {
  d->lines.data = NULL;
  d->lines.len = d->lines.cap = 0;
  vec_push(&d->memory, d->lines, 0);
  for (size_t i = 0; i < d->text.len; i++)
    if (d->text.data[i] == '\n') vec_push(&d->memory, d->lines, (uint32_t)i + 1);
}

/* The text is `before`, `middle`, `after`, which may be pieces of the one before. */
static void set_parts(document *d, str before, str middle, str after, double version) {
  arena fresh;
  arena_init(&fresh, d->ctx);
  TSR_GUARD(d->ctx, arena_free(&fresh); ctx_unwind(d->ctx));
  sbuf text = SBUF(&fresh);
  sbuf_str(&text, before);
  sbuf_str(&text, middle);
  sbuf_str(&text, after);
  TSR_UNGUARD(d->ctx);
  forget(d);
  arena_free(&d->memory);
  d->memory = fresh;
  d->text = (str){text.data, text.len};
  d->version = version;
  find_lines(d);
}

void document_set(document *d, str text, double version) {
  set_parts(d, text, STR(""), STR(""), version);
}

void document_change(document *d, const json_value *change, double version) {
  str text = json_string_in(change, "text");
  const json_value *range = json_member(change, "range");
  if (!range) {
    document_set(d, text, version);
    return;
  }
  uint32_t begin = document_offset(d, json_member(range, "start"));
  uint32_t end = MAX(begin, document_offset(d, json_member(range, "end")));
  set_parts(d, (str){d->text.data, begin}, text, (str){d->text.data + end, d->text.len - end},
            version);
}

/* ---- places --------------------------------------------------------------------------------- */

/* How many units of the encoding a character has, of which `bytes` say the length in UTF-8. */
static uint32_t units_of(const document *d, size_t bytes) {
  return d->encoding == LSP_UTF8 ? (uint32_t)bytes : d->encoding == LSP_UTF16 && bytes == 4 ? 2 : 1;
}

static size_t character_bytes(const document *d, uint32_t offset) {
  size_t bytes = json_character(d->text.data + offset, d->text.len - offset);
  return bytes ? bytes : 1;
}

/* A column beyond the line's end is its end, as the protocol says; so is one within a character its
 * beginning. */
uint32_t document_offset(const document *d, const json_value *position) {
  double line = json_number_in(position, "line", 0),
         column = json_number_in(position, "character", 0);
  if (!(line >= 0)) return 0;
  if (line >= d->lines.len) return (uint32_t)d->text.len;
  uint32_t at = d->lines.data[(uint32_t)line];
  for (double units = 0; at < d->text.len && d->text.data[at] != '\n';) {
    size_t bytes = character_bytes(d, at);
    units += units_of(d, bytes);
    if (units > column) break;
    at += (uint32_t)bytes;
  }
  return at;
}

static uint32_t line_of(const document *d, uint32_t offset) {
  uint32_t low = 0, high = d->lines.len;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (d->lines.data[middle] <= offset)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void document_put_position(const document *d, json *j, const char *key, uint32_t offset) {
  uint32_t line = line_of(d, offset), units = 0;
  for (uint32_t at = d->lines.data[line]; at < offset && at < d->text.len;) {
    size_t bytes = character_bytes(d, at);
    units += units_of(d, bytes);
    at += (uint32_t)bytes;
  }
  json_open(j, key, '{');
  json_count(j, "line", line);
  json_count(j, "character", units);
  json_close(j, '}');
}

void document_put_range(const document *d, json *j, const char *key, uint32_t begin, uint32_t end) {
  json_open(j, key, '{');
  document_put_position(d, j, "start", begin);
  document_put_position(d, j, "end", end);
  json_close(j, '}');
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The place of a message: its file's beginning, a line's text, or a piece of a line. */
static void place_message(const document *d, const tsr_diagnostic *m, lsp_message *out) {
  out->begin = out->end = 0;
  bool here = m->file && strcmp(m->file, d->path) == 0;
  if (!here || m->line == 0 || m->line > d->lines.len) return;
  uint32_t line = d->lines.data[m->line - 1], column = m->column ? m->column - 1 : 0;
  uint32_t end = m->line < d->lines.len ? d->lines.data[m->line] - 1 : (uint32_t)d->text.len;
  out->begin = MIN(line + column, end);
  out->end = m->column ? MIN(out->begin + MAX(m->length, 1u), end) : end;
}

static void keep_message(void *user, const tsr_diagnostic *m) {
  document *d = user;
  lsp_message kept = {.severity = m->severity};
  kept.text = arena_strndup(&d->memory, m->message, strlen(m->message));
  place_message(d, m, &kept);
  for (uint32_t i = d->messages.len; m->severity == TSR_NOTE && i > 0; i--)
    if (d->messages.data[i - 1].severity != TSR_NOTE) {
      d->messages.data[i - 1].notes++;
      break;
    }
  vec_push(&d->memory, d->messages, kept);
}

static void read_text(document *d, unsigned flags) {
  d->is_tile = !tsr_is_ttir(d->text.data, d->text.len);
  if (d->is_tile)
    text_index_read(d->ctx, d->text, d->path, flags, &d->index);
  else
    tsr_module_destroy(tsr_module_read_ttir(d->ctx, d->text.data, d->text.len, d->path, flags));
}

void document_read(document *d, unsigned flags) {
  if (d->known) return;
  tsr_diagnostic_fn callback = d->ctx->on_diagnostic;
  void *user = d->ctx->diagnostic_user;
  d->ctx->on_diagnostic = keep_message;
  d->ctx->diagnostic_user = d;
  forget(d);
  read_text(d, flags);
  d->ctx->on_diagnostic = callback;
  d->ctx->diagnostic_user = user;
  d->known = true;
}
