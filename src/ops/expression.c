/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* ---- reading --------------------------------------------------------------------------------- */

enum { MAX_DEPTH = 64 };

typedef struct reader {
  arena *a;
  str text;
  size_t at;
  unsigned used, depth;
  ops_why *why;
} reader;

static expression *comparison(reader *r);

static expression *wrong(reader *r, const char *expected) {
  ops_refuse(r->why, "expression=" STR_FMT ": expected %s at character %zu", STR_ARG(r->text),
             expected, r->at + 1);
  return NULL;
}

static char peek(reader *r) {
  while (r->at < r->text.len && r->text.data[r->at] == ' ') r->at++;
  return r->at < r->text.len ? r->text.data[r->at] : 0;
}

static bool accept(reader *r, char c) {
  if (peek(r) != c) return false;
  r->at++;
  return true;
}

static expression *node(reader *r, expression_kind kind, expression *x, expression *y) {
  expression *e = arena_new(r->a, expression);
  e->kind = (uint8_t)kind;
  e->args[0] = x;
  e->args[1] = y;
  return e;
}

static expression *read_number(reader *r) {
  char copy[64], *end;
  size_t n = MIN(r->text.len - r->at, sizeof copy - 1);
  memcpy(copy, r->text.data + r->at, n);
  copy[n] = 0;
  expression *e = node(r, EXPRESSION_NUMBER, NULL, NULL);
  e->number = strtod(copy, &end);
  if (end == copy) return wrong(r, "a number");
  r->at += (size_t)(end - copy);
  return e;
}

static expression *number_node(reader *r, double x) {
  expression *e = node(r, EXPRESSION_NUMBER, NULL, NULL);
  e->number = x;
  return e;
}

/* The arguments behind a function's parenthesis. */
static expression *read_call(reader *r, const ops_function *f) {
  expression *e = node(r, EXPRESSION_FUNCTION, NULL, NULL);
  unsigned n = 0;
  e->function = f;
  do {
    if (n == f->args) return wrong(r, "fewer arguments");
    if (!(e->args[n++] = comparison(r))) return NULL;
  } while (accept(r, ','));
  if (!accept(r, ')')) return wrong(r, "',' or ')'");
  if (n + f->optional < f->args) return wrong(r, "more arguments");
  for (; n < f->args; n++) e->args[n] = number_node(r, f->numbers[n]);
  return e;
}

static expression *read_name(reader *r) {
  str name = {r->text.data + r->at, 0};
  while (r->at < r->text.len &&
         (isalnum((unsigned char)r->text.data[r->at]) || r->text.data[r->at] == '_'))
    r->at++, name.len++;
  if (accept(r, '(')) {
    const ops_function *f = ops_function_find(name);
    return f ? read_call(r, f) : wrong(r, "a function that tessera op explain lists");
  }
  if (name.len != 1 || *name.data < 'a' || *name.data >= 'a' + EXPRESSION_TENSORS)
    return wrong(r, "a tensor from a to h, or a function");
  expression *e = node(r, EXPRESSION_TENSOR, NULL, NULL);
  e->tensor = (uint8_t)(*name.data - 'a');
  r->used |= 1u << e->tensor;
  return e;
}

static expression *primary(reader *r) {
  char c = peek(r);
  if (accept(r, '(')) {
    expression *e = comparison(r);
    if (e && !accept(r, ')')) return wrong(r, "')'");
    return e;
  }
  if (accept(r, '-')) {
    expression *e = primary(r);
    return e ? node(r, EXPRESSION_SUBTRACT, number_node(r, -0.0), e) : NULL;
  }
  if (isdigit((unsigned char)c) || c == '.') return read_number(r);
  if (isalpha((unsigned char)c)) return read_name(r);
  return wrong(r, "a tensor, a number, a function or '('");
}

static expression *factor(reader *r) {
  if (++r->depth > MAX_DEPTH) return wrong(r, "at most 64 levels");
  expression *e = primary(r);
  r->depth--;
  return e;
}

static expression *term(reader *r) {
  expression *x = factor(r);
  for (char c; x && ((c = peek(r)) == '*' || c == '/');) {
    r->at++;
    expression *y = factor(r);
    x = y ? node(r, c == '*' ? EXPRESSION_MULTIPLY : EXPRESSION_DIVIDE, x, y) : NULL;
  }
  return x;
}

static expression *sum(reader *r) {
  expression *x = term(r);
  for (char c; x && ((c = peek(r)) == '+' || c == '-');) {
    r->at++;
    expression *y = term(r);
    x = y ? node(r, c == '+' ? EXPRESSION_ADD : EXPRESSION_SUBTRACT, x, y) : NULL;
  }
  return x;
}

static unsigned read_comparison(reader *r) {
  bool less = accept(r, '<'), greater = !less && accept(r, '>');
  bool equal = r->at < r->text.len && r->text.data[r->at] == '=';
  if (less || greater) {
    r->at += equal;
    if (less) return equal ? TSR_CMP_LESS_THAN_OR_EQUAL : TSR_CMP_LESS_THAN;
    return equal ? TSR_CMP_GREATER_THAN_OR_EQUAL : TSR_CMP_GREATER_THAN;
  }
  char c = peek(r);
  if ((c != '=' && c != '!') || r->at + 1 >= r->text.len || r->text.data[r->at + 1] != '=')
    return 0;
  r->at += 2;
  return c == '=' ? TSR_CMP_EQUAL : TSR_CMP_NOT_EQUAL;
}

static expression *comparison(reader *r) {
  expression *x = sum(r);
  unsigned how = x ? read_comparison(r) : 0;
  if (!how) return x;
  expression *y = sum(r);
  if (!y) return NULL;
  x = node(r, EXPRESSION_COMPARE, x, y);
  x->comparison = (uint8_t)how;
  return x;
}

expression *expression_parse(arena *a, str text, unsigned *used, ops_why *why) {
  reader r = {.a = a, .text = text, .why = why};
  expression *e = comparison(&r);
  if (e && peek(&r)) return wrong(&r, "an operator or the end");
  *used = r.used;
  return e;
}

bool expression_is_f32_only(const expression *e) {
  if (e->function && e->function->f32_only) return true;
  for (unsigned i = 0; i < OPS_FUNCTION_ARGS; i++)
    if (e->args[i] && expression_is_f32_only(e->args[i])) return true;
  return false;
}

/* ---- on tiles -------------------------------------------------------------------------------- */

static tsr_value compare(ops_build *b, unsigned how, tsr_value x, tsr_value y) {
  bool unordered = how == TSR_CMP_NOT_EQUAL;
  tsr_value is = tsr_build_cmpf(b->b, x, y, how, unordered ? TSR_CMP_UNORDERED : TSR_CMP_ORDERED);
  return tsr_build_select(b->b, is, ops_full_like(b, x, 1), ops_full_like(b, x, 0));
}

tsr_value expression_emit(ops_build *b, const expression *e, const tsr_value *tensors,
                          tsr_value like) {
  tsr_value args[OPS_FUNCTION_ARGS] = {NULL};
  for (unsigned i = 0; i < OPS_FUNCTION_ARGS; i++)
    if (e->args[i]) args[i] = expression_emit(b, e->args[i], tensors, like);
  switch (e->kind) {
  case EXPRESSION_NUMBER: return ops_full_like(b, like, e->number);
  case EXPRESSION_TENSOR: return tensors[e->tensor];
  case EXPRESSION_FUNCTION: return e->function->emit(b, args);
  case EXPRESSION_ADD: return ops_add(b, args[0], args[1]);
  case EXPRESSION_SUBTRACT: return ops_sub(b, args[0], args[1]);
  case EXPRESSION_MULTIPLY: return ops_mul(b, args[0], args[1]);
  case EXPRESSION_DIVIDE: return tsr_build_divf(b->b, args[0], args[1]);
  default: return compare(b, e->comparison, args[0], args[1]);
  }
}

/* ---- on the host ----------------------------------------------------------------------------- */

static bool compare_values(unsigned how, double x, double y) {
  switch (how) {
  case TSR_CMP_EQUAL: return x == y;
  case TSR_CMP_NOT_EQUAL: return x != y;
  case TSR_CMP_LESS_THAN: return x < y;
  case TSR_CMP_LESS_THAN_OR_EQUAL: return x <= y;
  case TSR_CMP_GREATER_THAN: return x > y;
  default: return x >= y;
  }
}

double expression_value(const expression *e, const double *tensors) {
  double args[OPS_FUNCTION_ARGS] = {0};
  for (unsigned i = 0; i < OPS_FUNCTION_ARGS; i++)
    if (e->args[i]) args[i] = expression_value(e->args[i], tensors);
  switch (e->kind) {
  case EXPRESSION_NUMBER: return e->number;
  case EXPRESSION_TENSOR: return tensors[e->tensor];
  case EXPRESSION_FUNCTION: return e->function->value(args);
  case EXPRESSION_ADD: return args[0] + args[1];
  case EXPRESSION_SUBTRACT: return args[0] - args[1];
  case EXPRESSION_MULTIPLY: return args[0] * args[1];
  case EXPRESSION_DIVIDE: return args[0] / args[1];
  default: return compare_values(e->comparison, args[0], args[1]);
  }
}
