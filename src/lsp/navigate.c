/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Diagnostics, and from one place of a text to others.
 */
#include "lsp/answers.h"

/* ---- diagnostics ---------------------------------------------------------------------------- */

static void put_location(const document *d, json *j, const char *key, uint32_t begin,
                         uint32_t end) {
  json_open(j, key, '{');
  json_str(j, "uri", d->uri);
  document_put_range(d, j, "range", begin, end);
  json_close(j, '}');
}

static void put_note(const document *d, json *j, const lsp_message *note) {
  json_open(j, NULL, '{');
  put_location(d, j, "location", note->begin, note->end);
  json_text(j, "message", note->text);
  json_close(j, '}');
}

void answer_diagnostics(const document *d, json *j, const char *key) {
  static const uint8_t severities[] = {
      [TSR_ERROR] = 1, [TSR_WARNING] = 2, [TSR_REMARK] = 3, [TSR_NOTE] = 3};
  json_open(j, key, '[');
  for (uint32_t i = 0; i < d->messages.len; i += 1 + d->messages.data[i].notes) {
    const lsp_message *m = &d->messages.data[i];
    json_open(j, NULL, '{');
    document_put_range(d, j, "range", m->begin, m->end);
    json_count(j, "severity", severities[m->severity]);
    json_text(j, "source", "tessera");
    json_text(j, "message", m->text);
    json_open(j, "relatedInformation", '[');
    for (uint32_t k = 1; k <= m->notes; k++) put_note(d, j, &m[k]);
    json_close(j, ']');
    json_close(j, '}');
  }
  json_close(j, ']');
}

/* ---- definitions and references ------------------------------------------------------------- */

/* The token that defines what a symbol or an alias names; NULL for other tokens. */
static const text_token *named_at(const document *d, uint32_t offset) {
  const text_token *t = text_token_at(&d->index, offset);
  if (!t || (t->kind != TEXT_SYMBOL && t->kind != TEXT_ALIAS)) return NULL;
  return text_find_name(&d->index, d->text.data, token_text(d, t));
}

void answer_definition(const document *d, json *j, const char *key, uint32_t offset) {
  const ir_value *v;
  const text_definition *value = text_definition_at(&d->index, offset, &v);
  const text_token *name = value ? NULL : named_at(d, offset);
  if (value)
    put_location(d, j, key, value->offset, value->offset + value->length);
  else if (name)
    put_location(d, j, key, name->offset, name->offset + name->length);
  else
    json_text(j, key, NULL);
}

static void put_uses(const document *d, json *j, const text_definition *value) {
  uint32_t number = (uint32_t)(value - d->index.definitions.data);
  for (uint32_t i = 0; i < d->index.uses.len; i++) {
    const text_use *u = &d->index.uses.data[i];
    if (u->definition == number) put_location(d, j, NULL, u->offset, u->offset + u->length);
  }
}

static void put_alike(const document *d, json *j, const text_token *name) {
  for (uint32_t i = 0; i < d->index.tokens.len; i++) {
    const text_token *t = &d->index.tokens.data[i];
    if (t != name && t->kind == name->kind && str_eq(token_text(d, t), token_text(d, name)))
      put_location(d, j, NULL, t->offset, t->offset + t->length);
  }
}

void answer_references(const document *d, json *j, const char *key, uint32_t offset,
                       bool declaration) {
  const ir_value *v;
  const text_definition *value = text_definition_at(&d->index, offset, &v);
  const text_token *name = value ? NULL : named_at(d, offset);
  json_open(j, key, '[');
  if (value && declaration) put_location(d, j, NULL, value->offset, value->offset + value->length);
  if (value) put_uses(d, j, value);
  if (name && declaration) put_location(d, j, NULL, name->offset, name->offset + name->length);
  if (name) put_alike(d, j, name);
  json_close(j, ']');
}

/* ---- symbols -------------------------------------------------------------------------------- */

/* Where an operation with a body ends that the token is the name of: at its '}', or with its line
 * when it has none. */
static uint32_t end_of(const document *d, const text_token *t) {
  const text_token *end = d->index.tokens.data + d->index.tokens.len, *last = t;
  int depth = 0;
  for (const text_token *x = t + 1; x < end; x++) {
    char c = d->text.data[x->offset];
    if (x->kind == TEXT_MARK && c == '{') depth++;
    if (x->kind == TEXT_MARK && c == '}' && --depth <= 0)
      return depth ? last->offset + last->length : x->offset + 1;
    if (depth == 0 && x->first && x->kind == TEXT_WORD) break;
    last = x;
  }
  return last->offset + last->length;
}

static void put_symbol(const document *d, json *j, op_code op, const text_token *name) {
  enum { FUNCTION = 12, VARIABLE = 13 };
  json_open(j, NULL, '{');
  json_str(j, "name", token_text(d, name));
  json_text(j, "detail", op_table[op].name);
  json_count(j, "kind", op == OP_entry ? FUNCTION : VARIABLE);
  document_put_range(d, j, "range", name[-1].offset, end_of(d, name));
  document_put_range(d, j, "selectionRange", name->offset, name->offset + name->length);
  json_close(j, '}');
}

void answer_symbols(const document *d, json *j, const char *key) {
  json_open(j, key, '[');
  for (uint32_t i = 1; i < d->index.tokens.len; i++) {
    const text_token *t = &d->index.tokens.data[i];
    op_code op = t->kind == TEXT_SYMBOL ? operation_at(d, t - 1) : OP_NONE;
    if (op == OP_entry || op == OP_global) put_symbol(d, j, op, t);
  }
  json_close(j, ']');
}
