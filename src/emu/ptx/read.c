/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What all of the reader uses: messages, tokens, names.
 */
#include <stdio.h>

#include "emu/ptx/read.h"

/* ---- messages ------------------------------------------------------------------------------- */

place token_place(const reader *r, const token *t) {
  return (place){
      .src = r->m->src, .line = t->line, .column = t->column, .length = MAX(t->length, 1u)};
}

/* Reading ends instead of the first error too many. */
static void stop_at_limit(reader *r, place at) {
  uint32_t limit = r->ctx->error_limit;
  if (r->ctx->errors - r->errors_before < limit) return;
  diag_note(r->ctx, at, "too many errors: reading stops after %u", limit);
  longjmp(r->stop, 1);
}

static void report(reader *r, place at, const char *fmt, va_list args) {
  r->failed = true;
  stop_at_limit(r, at);
  diag_v(r->ctx, TSR_ERROR, at, fmt, args);
}

void reader_report(reader *r, place at, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  report(r, at, fmt, args);
  va_end(args);
}

void reader_error(reader *r, const token *at, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  if (at->kind == TOKEN_WRONG)
    reader_report(r, token_place(r, at), STR_FMT, STR_ARG(at->text));
  else
    report(r, token_place(r, at), fmt, args);
  va_end(args);
  longjmp(r->recover, 1);
}

const char *token_text(reader *r, const token *t) {
  switch (t->kind) {
  case TOKEN_END: return "the end of the file";
  case TOKEN_WORD: return arena_printf(&r->scratch, "'." STR_FMT "'", STR_ARG(t->text));
  case TOKEN_STRING: return "a string";
  case TOKEN_WRONG: return "something unreadable";
  default: return arena_printf(&r->scratch, "'" STR_FMT "'", STR_ARG(t->text));
  }
}

void expected(reader *r, const char *what) {
  reader_error(r, &r->t, "expected %s, found %s", what, token_text(r, &r->t));
}

bool is_punct(const reader *r, const char *p) {
  return r->t.kind == TOKEN_PUNCT && str_is(r->t.text, p);
}
bool accept(reader *r, const char *punct) {
  if (!is_punct(r, punct)) return false;
  next_token(r);
  return true;
}
void expect(reader *r, const char *punct) {
  char quoted[8];
  if (accept(r, punct)) return;
  snprintf(quoted, sizeof quoted, "'%s'", punct);
  expected(r, quoted);
}
bool is_word(const reader *r, const char *word) {
  return r->t.kind == TOKEN_WORD && str_is(r->t.text, word);
}
bool accept_word(reader *r, const char *word) {
  if (!is_word(r, word)) return false;
  next_token(r);
  return true;
}
token expect_name(reader *r, const char *what) {
  token t = r->t;
  if (t.kind != TOKEN_NAME) expected(r, what);
  next_token(r);
  return t;
}

/* ---- names ---------------------------------------------------------------------------------- */

symbol *reader_find(reader *r, str name) {
  for (scope *s = r->scope; s; s = s->outer) {
    uintptr_t *v = strmap_get(&s->symbols, name);
    if (v) return (symbol *)*v;
  }
  return NULL;
}

/* %r12 is number 12 of what begins with %r. False when the name ends in no number of a register. */
static bool split_number(str name, str *begin, uint32_t *number) {
  size_t n = name.len;
  while (n > 0 && name.data[n - 1] >= '0' && name.data[n - 1] <= '9') n--;
  size_t digits = name.len - n;
  if (digits == 0 || digits > 7) return false;
  *begin = (str){name.data, n};
  *number = 0;
  for (size_t k = n; k < name.len; k++) *number = *number * 10 + (uint32_t)(name.data[k] - '0');
  return true;
}

/* The family of a scope that has a register of this name. */
static symbol *family_in(const scope *s, str name, uint32_t *number) {
  str begin;
  uintptr_t *v = split_number(name, &begin, number) ? strmap_get(&s->families, begin) : NULL;
  symbol *family = v ? (symbol *)*v : NULL;
  return family && *number < family->count ? family : NULL;
}

symbol *reader_find_register(reader *r, str name, uint32_t *number) {
  for (scope *s = r->scope; s; s = s->outer) {
    uintptr_t *v = strmap_get(&s->symbols, name);
    symbol *found = v ? (symbol *)*v : family_in(s, name, number);
    if (found) return found;
  }
  return NULL;
}

symbol *reader_find_family(reader *r, str name) {
  str begin;
  uint32_t number;
  if (!split_number(name, &begin, &number)) return NULL;
  for (scope *s = r->scope; s; s = s->outer) {
    uintptr_t *v = strmap_get(&s->families, begin);
    if (v) return (symbol *)*v;
  }
  return NULL;
}

static NORETURN void declared_already(reader *r, const token *name, const symbol *old) {
  reader_report(r, token_place(r, name), "'" STR_FMT "' is declared already", STR_ARG(name->text));
  diag_note(r->ctx, token_place(r, &old->at), "it was declared here");
  longjmp(r->recover, 1);
}

static symbol *add_symbol(reader *r, strmap *to, const token *name, symbol_kind kind) {
  bool added;
  uintptr_t *v = strmap_put(&r->scratch, to, name->text, &added);
  if (!added) declared_already(r, name, (const symbol *)*v);
  symbol *s = arena_new(&r->scratch, symbol);
  *s = (symbol){.kind = (uint8_t)kind, .name = name->text, .at = *name};
  *v = (uintptr_t)s;
  return s;
}

/* Of the names that are alike but for their numbers a scope knows the one with the lowest. */
static void note_numbered(reader *r, symbol *s) {
  str begin;
  uint32_t number, known;
  bool added;
  if (!split_number(s->name, &begin, &number)) return;
  uintptr_t *lowest = strmap_put(&r->scratch, &r->scope->numbered, begin, &added);
  if (added || !split_number(((const symbol *)*lowest)->name, &begin, &known) || number < known)
    *lowest = (uintptr_t)s;
}

symbol *declare(reader *r, const token *name, symbol_kind kind) {
  uint32_t number;
  const symbol *family = family_in(r->scope, name->text, &number);
  if (family) declared_already(r, name, family);
  symbol *s = add_symbol(r, &r->scope->symbols, name, kind);
  s->before = r->scope->last;
  r->scope->last = s;
  note_numbered(r, s);
  return s;
}

symbol *declare_family(reader *r, const token *name, uint32_t count) {
  uintptr_t *lowest = strmap_get(&r->scope->numbered, name->text);
  str begin;
  uint32_t number;
  if (lowest && split_number(((const symbol *)*lowest)->name, &begin, &number) && number < count)
    declared_already(r, name, (const symbol *)*lowest);
  symbol *s = add_symbol(r, &r->scope->families, name, SYMBOL_REGISTERS);
  s->count = count;
  return s;
}
/* In a whole file: names are suggested for the first errors, whatever their number. */
enum { MOST_COMPARED = 1 << 17 };

const char *closest_name(reader *r, str name) {
  str best = {0};
  unsigned least = name.len > 3 ? 2 : 1;
  for (const scope *s = r->scope, *from = s; s; s = s->outer)
    for (const symbol *x = s->last; x && r->compared < MOST_COMPARED; x = x->before) {
      r->compared++;
      unsigned d = str_distance(name, x->name);
      /* Of equally close ones the innermost scope's first. */
      if (d < least || (d == least && (!best.len || from == s)))
        least = d, best = x->name, from = s;
    }
  return best.len ? arena_strndup(&r->scratch, best.data, best.len) : NULL;
}

/* Whether a brace here opens a scope, not a vector. */
static bool opens_scope(const reader *r) {
  const token *before = &r->last;
  return before->kind == TOKEN_PUNCT && before->text.len == 1 &&
         strchr(";{}:", before->text.data[0]);
}

/* To behind the next semicolon; not past the brace that closes the scope. */
void skip_statement(reader *r) {
  unsigned braces = 0;
  while (r->t.kind != TOKEN_END) {
    if (is_punct(r, "{")) {
      if (opens_scope(r) && !braces) return;
      braces++;
    }
    if (is_punct(r, "}")) {
      if (!braces) return;
      braces--;
    }
    bool end = is_punct(r, ";");
    next_token(r);
    if (end) return;
  }
}
