/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the server answers about a text that was read (document_read). Each function writes one JSON
 * value, the result of a request, under `key`; null where there is nothing to say.
 */
#ifndef TSR_LSP_ANSWERS_H
#define TSR_LSP_ANSWERS_H

#include "lsp/document.h"

/* The list of the protocol's Diagnostic. */
void answer_diagnostics(const document *d, json *j, const char *key);
/* The type of a value and where it comes from; the manual's page of an operation, of a type; what
 * an alias stands for. As Markdown, or as plain text. */
void answer_hover(const document *d, json *j, const char *key, uint32_t offset, bool markdown);
void answer_definition(const document *d, json *j, const char *key, uint32_t offset);
/* All places that mean what the name at `offset` does; with `declaration` its definition, too. */
void answer_references(const document *d, json *j, const char *key, uint32_t offset,
                       bool declaration);
/* Kernels and globals. */
void answer_symbols(const document *d, json *j, const char *key);
void answer_completion(const document *d, json *j, const char *key, uint32_t offset);
/* An edit of what `tessera fmt` would change. */
void answer_formatting(const document *d, json *j, const char *key, unsigned flags);

/* The text of a token. */
static inline str token_text(const document *d, const text_token *t) {
  return (str){d->text.data + t->offset, t->length};
}
/* The operation that a word names where an operation stands; OP_NONE. */
op_code operation_at(const document *d, const text_token *t);

#endif
