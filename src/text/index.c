/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "text/index.h"

#include <tessera/module.h>

#include "ir/verify.h"
#include "text/internal.h"
#include "text/load.h"

/* ---- what the parser tells ------------------------------------------------------------------ */

uint32_t index_definition(parser *p, uint32_t offset, uint32_t length, const ir_value *first,
                          uint32_t count) {
  text_index *x = p->index;
  if (!x) return 0;
  text_definition d = {offset, length, p->lx.prev_end, UINT32_MAX, first, count};
  vec_push(x->arena, x->definitions, d);
  return x->definitions.len;
}

void index_end(parser *p, uint32_t number) {
  if (p->index && number) p->index->definitions.data[number - 1].end = p->lx.tok.offset;
}

void index_use(parser *p, const symbol *s, const operand_ref *ref) {
  text_index *x = p->index;
  if (!x || !s->number || s->state != SYM_VALUE) return;
  text_use use = {ref->offset, ref->length, s->number - 1, ref->value};
  vec_push(x->arena, x->uses, use);
}

/* ---- tokens --------------------------------------------------------------------------------- */

static text_token_kind kind_of(unsigned kind) {
  switch (kind) {
  case TOK_BARE: return TEXT_WORD;
  case TOK_VALUE: return TEXT_VALUE;
  case TOK_SYMBOL: return TEXT_SYMBOL;
  case TOK_HASH:
  case TOK_BANG: return TEXT_ALIAS;
  case TOK_INT:
  case TOK_FLOAT:
  case TOK_STRING: return TEXT_LITERAL;
  default: return TEXT_MARK;
  }
}

void index_tokens(parser *p, str text) {
  text_index *x = p->index;
  if (!x) return;
  lexer_init(p, text, 0);
  p->quiet = true;
  p->keep_comments = false;
  for (next(p); TOK(p) != TOK_EOF; next(p)) {
    const token *t = &p->lx.tok;
    text_token out = {(uint8_t)kind_of(t->kind), t->first, t->offset, t->length};
    vec_push(x->arena, x->tokens, out);
  }
}

/* ---- reading -------------------------------------------------------------------------------- */

static void read_all(text_index *x, str text, unsigned flags) {
  ir_module *m = x->module;
  m->hints = text_hint_policy(flags);
  m->language = (uint8_t)text_language(flags);
  m->extensions = flags & TSR_PARSE_EXTENSIONS;
  x->complete =
      text_parse_indexed(m, arena_str(&m->arena, text), m->source->name, flags, x) && ir_verify(m);
}

void text_index_read(tsr_context *ctx, str text, const char *name, unsigned flags,
                     text_index *index) {
  ir_module *m = index->module = ir_module_create(ctx, STR("kernels"));
  TSR_GUARD(ctx, index->module = NULL; ir_module_destroy(m); ctx_unwind(ctx));
  source *named = arena_new(&m->arena, source);
  *named = (source){.name = arena_str(&m->arena, str_of(name)).data};
  m->source = named;
  read_all(index, text, flags);
  TSR_UNGUARD(ctx);
}

/* ---- questions ------------------------------------------------------------------------------ */

const text_token *text_token_at(const text_index *index, uint32_t offset) {
  uint32_t low = 0, high = index->tokens.len;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (index->tokens.data[middle].offset <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low) return NULL;
  const text_token *t = &index->tokens.data[low - 1];
  /* Where two tokens meet, a word goes before a mark. */
  if (low > 1 && t->kind == TEXT_MARK && t->offset == offset && t[-1].kind != TEXT_MARK &&
      t[-1].offset + t[-1].length == offset)
    t--;
  return offset <= t->offset + t->length ? t : NULL;
}

const text_definition *text_definition_at(const text_index *index, uint32_t offset,
                                          const ir_value **value) {
  for (uint32_t i = 0; i < index->definitions.len; i++) {
    const text_definition *d = &index->definitions.data[i];
    if (offset < d->offset || offset > d->offset + d->length) continue;
    *value = d->first;
    return d;
  }
  for (uint32_t i = 0; i < index->uses.len; i++) {
    const text_use *u = &index->uses.data[i];
    if (offset < u->offset || offset > u->offset + u->length) continue;
    *value = u->value;
    return &index->definitions.data[u->definition];
  }
  return NULL;
}

/* Whether the token before is one of the words that define what has a symbol. */
static bool defines_symbol(const text_token *t, const char *text) {
  str word = {text + t[-1].offset, t[-1].length};
  return str_is(word, "entry") || str_is(word, "global") || str_is(word, "cuda_tile.module") ||
         str_is(word, "module") || str_is(word, "cuda_tile.entry") ||
         str_is(word, "cuda_tile.global") || str_is(word, "testing$func");
}

const text_token *text_find_name(const text_index *index, const char *text, str name) {
  const text_token *end = index->tokens.data + index->tokens.len;
  for (const text_token *t = index->tokens.data; t < end; t++) {
    if ((t->kind != TEXT_SYMBOL && t->kind != TEXT_ALIAS) ||
        !str_eq((str){text + t->offset, t->length}, name))
      continue;
    if (t->kind == TEXT_SYMBOL && t > index->tokens.data && defines_symbol(t, text)) return t;
    if (t->kind == TEXT_ALIAS && t->first && t + 1 < end && text[t[1].offset] == '=') return t;
  }
  return NULL;
}
