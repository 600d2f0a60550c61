/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What can be written at the cursor.
 */
#include "ir/explain.h"
#include "lsp/answers.h"

/* Kinds of the protocol. */
enum { KIND_FUNCTION = 3, KIND_VARIABLE = 6, KIND_CLASS = 7, KIND_VALUE = 12, KIND_OPERATION = 14 };

typedef struct completion {
  const document *d;
  json *j;
  uint32_t begin, end; /* what is written so far of the word */
} completion;

/* An item that replaces what is written so far; what does not begin like it is left to the editor
 * to leave out, which also knows about letters left out. */
static void put_item(completion *c, str label, unsigned kind, const char *detail) {
  json *j = c->j;
  json_open(j, NULL, '{');
  json_str(j, "label", label);
  json_count(j, "kind", kind);
  if (detail) json_text(j, "detail", detail);
  json_open(j, "textEdit", '{');
  document_put_range(c->d, j, "range", c->begin, c->end);
  json_str(j, "newText", label);
  json_close(j, '}');
  json_close(j, '}');
}

/* ---- names ---------------------------------------------------------------------------------- */

static void put_values(completion *c) {
  const document *d = c->d;
  for (uint32_t i = 0; i < d->index.definitions.len; i++) {
    const text_definition *v = &d->index.definitions.data[i];
    if (!text_is_visible(v, c->begin)) continue;
    bool typed = v->count && v->first && v->first->type;
    put_item(c, (str){d->text.data + v->offset, v->length}, KIND_VARIABLE,
             typed ? ir_type_text(c->j->out->arena, v->first->type) : NULL);
  }
}

/* Symbols and aliases where they are defined. */
static void put_names(completion *c, char sigil) {
  const document *d = c->d;
  for (uint32_t i = 0; i < d->index.tokens.len; i++) {
    const text_token *t = &d->index.tokens.data[i];
    str name = token_text(d, t);
    if (t->offset == c->begin || name.data[0] != sigil) continue;
    if (text_find_name(&d->index, d->text.data, name) == t) put_item(c, name, KIND_VARIABLE, NULL);
  }
}

/* ---- words ---------------------------------------------------------------------------------- */

static void put_operations(completion *c) {
  for (unsigned op = 1; op < OP_BLOCK_END; op++)
    if (op_table[op].name)
      put_item(c, str_of(op_table[op].name), KIND_OPERATION, op_table[op].summary);
}

static void put_types(completion *c) {
  const char *name;
  for (unsigned i = 0; (name = ir_explain_name(i)); i++)
    if (op_by_name(name, (unsigned)strlen(name)) == OP_NONE)
      put_item(c, str_of(name), KIND_CLASS, NULL);
}

/* The named values that attributes of the operation take. */
static void put_enumerators(completion *c, op_code op) {
  for (unsigned i = 0; i < OP_MAX_ATTRS && op_table[op].attrs[i].id != ATTR_NONE; i++) {
    unsigned n = 0;
    attr_kind kind = (attr_kind)op_table[op].attrs[i].kind;
    const enum_row *rows = enum_rows(kind, &n);
    for (unsigned k = 0; k < n; k++)
      put_item(c, str_of(rows[k].spelling), KIND_VALUE, rows[k].meaning);
  }
}

/* The operation of the cursor's line, and whether the cursor is where one begins. */
static op_code line_operation(const document *d, uint32_t offset, bool *begins) {
  op_code op = OP_NONE;
  const text_token *end = d->index.tokens.data + d->index.tokens.len, *t = d->index.tokens.data;
  const text_token *before = NULL;
  uint32_t line = offset;
  while (line > 0 && d->text.data[line - 1] != '\n') line--;
  for (; t < end && t->offset < offset; t++) {
    if (t->offset < line) continue;
    if (operation_at(d, t) != OP_NONE) op = operation_at(d, t);
    before = t;
  }
  char last = before ? d->text.data[before->offset] : '{';
  *begins = last == '{' || last == '}' || last == '=';
  return op;
}

static void put_words(completion *c) {
  bool begins;
  op_code op = line_operation(c->d, c->begin, &begins);
  if (begins) {
    put_operations(c);
    return;
  }
  if (op != OP_NONE) put_enumerators(c, op);
  put_types(c);
}

/* ---- */

static bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '.';
}

void answer_completion(const document *d, json *j, const char *key, uint32_t offset) {
  completion c = {.d = d, .j = j, .begin = offset, .end = offset};
  while (c.begin > 0 && in_word(d->text.data[c.begin - 1])) c.begin--;
  char sigil = c.begin > 0 ? d->text.data[c.begin - 1] : 0;
  bool named = sigil && strchr("%@#!", sigil);
  if (named) c.begin--;
  json_open(j, key, '[');
  if (!d->is_tile)
    ;
  else if (named && sigil == '%')
    put_values(&c);
  else if (named)
    put_names(&c, sigil);
  else
    put_words(&c);
  json_close(j, ']');
}
