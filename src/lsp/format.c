/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The layout that `tessera fmt` gives a text, as an edit of the lines that it changes.
 */
#include <tessera/module.h>

#include "lsp/answers.h"

static void put_edit(const document *d, json *j, str to) {
  str from = d->text;
  size_t same = 0, tail = 0, shorter = MIN(from.len, to.len);
  while (same < shorter && from.data[same] == to.data[same]) same++;
  while (same > 0 && from.data[same - 1] != '\n') same--;
  while (tail < shorter - same && from.data[from.len - 1 - tail] == to.data[to.len - 1 - tail])
    tail++;
  while (tail > 0 && tail < from.len && from.data[from.len - tail - 1] != '\n') tail--;
  if (same == from.len && same == to.len) return;
  json_open(j, NULL, '{');
  document_put_range(d, j, "range", (uint32_t)same, (uint32_t)(from.len - tail));
  json_str(j, "newText", (str){to.data + same, to.len - tail - same});
  json_close(j, '}');
}

/* The text laid out; NULL when it has errors, of which the editor knows. */
static char *laid_out(const document *d, unsigned flags, size_t *length) {
  tsr_diagnostic_fn callback = d->ctx->on_diagnostic;
  d->ctx->on_diagnostic = NULL;
  tsr_module *m = tsr_module_parse(d->ctx, d->text.data, d->text.len, d->path,
                                   flags | TSR_PARSE_KEEP_COMMENTS | TSR_PARSE_NO_VERIFY);
  char *text = m ? tsr_module_print(m, length) : NULL;
  tsr_module_destroy(m);
  d->ctx->on_diagnostic = callback;
  return text;
}

void answer_formatting(const document *d, json *j, const char *key, unsigned flags) {
  size_t length;
  char *text = d->is_tile ? laid_out(d, flags, &length) : NULL;
  if (!text) {
    json_text(j, key, NULL);
    return;
  }
  json_open(j, key, '[');
  put_edit(d, j, (str){text, length});
  json_close(j, ']');
  tsr_string_free(d->ctx, text);
}
