/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tune/expr.h"

#include <stdio.h>

enum { MAX_DEPTH = 100, MAX_ARGUMENTS = 2 };

typedef struct reader {
  str text;
  size_t at;
  const expr_names *names;
  expr_problem *problem;
  unsigned depth;
  unsigned unused; /* above 0: the value doesn't matter, as behind a false && */
  bool failed;
} reader;

static const expr_value zero = {0};

static expr_value fail(reader *r, size_t at, const char *fmt, ...) PRINTF_LIKE(3, 4);
static expr_value fail(reader *r, size_t at, const char *fmt, ...) {
  if (r->failed) return zero;
  va_list args;
  va_start(args, fmt);
  vsnprintf(r->problem->message, sizeof r->problem->message, fmt, args);
  va_end(args);
  r->problem->at = at;
  r->failed = true;
  return zero;
}

/* ---- characters ----------------------------------------------------------------------------- */

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool expr_is_name(str text) {
  if (!text.len || !starts_name(text.data[0])) return false;
  for (size_t i = 1; i < text.len; i++)
    if (!starts_name(text.data[i]) && !is_digit(text.data[i])) return false;
  return true;
}

static char peek(reader *r) {
  while (r->at < r->text.len && strchr(" \t\r\n", r->text.data[r->at])) {
    if (!r->text.data[r->at]) break; /* strchr finds a zero byte, too */
    r->at++;
  }
  return r->at < r->text.len ? r->text.data[r->at] : 0;
}

/* Takes an operator if it stands here. */
static bool take(reader *r, const char *symbol) {
  peek(r);
  size_t n = strlen(symbol);
  if (r->text.len - r->at < n || memcmp(r->text.data + r->at, symbol, n) != 0) return false;
  r->at += n;
  return true;
}

static str take_name(reader *r) {
  size_t start = r->at;
  while (r->at < r->text.len && (starts_name(r->text.data[r->at]) || is_digit(r->text.data[r->at])))
    r->at++;
  return (str){r->text.data + start, r->at - start};
}

/* ---- values --------------------------------------------------------------------------------- */

static expr_value number(int64_t n) {
  return (expr_value){.number = n};
}

/* Words have no order and no sum. */
static bool are_numbers(reader *r, size_t at, const expr_value *a, const expr_value *b) {
  if (!a->is_word && !b->is_word) return true;
  fail(r, at, "a word is only compared, by == and !=");
  return false;
}

static expr_value checked(reader *r, size_t at, bool overflowed, int64_t n) {
  if (overflowed && !r->unused) return fail(r, at, "the result is beyond 64 bits");
  return number(overflowed ? 0 : n);
}

static expr_value divide(reader *r, size_t at, char how, int64_t a, int64_t b) {
  if (b == 0) return r->unused ? zero : fail(r, at, "a division by zero");
  if (b == -1) {
    int64_t n;
    bool overflowed = __builtin_sub_overflow((int64_t)0, a, &n);
    return how == '%' ? zero : checked(r, at, overflowed, n);
  }
  if (how == '%') return number(a % b);
  bool up = how == 'c' && a % b != 0 && (a < 0) == (b < 0);
  return number(a / b + up);
}

static expr_value calculate(reader *r, size_t at, char how, expr_value a, expr_value b) {
  int64_t n = 0;
  bool overflowed;
  if (r->failed || !are_numbers(r, at, &a, &b)) return zero;
  if (how == '+')
    overflowed = __builtin_add_overflow(a.number, b.number, &n);
  else if (how == '-')
    overflowed = __builtin_sub_overflow(a.number, b.number, &n);
  else if (how == '*')
    overflowed = __builtin_mul_overflow(a.number, b.number, &n);
  else
    return divide(r, at, how, a.number, b.number);
  return checked(r, at, overflowed, n);
}

static bool holds(const expr_value *v) {
  return v->is_word ? v->word.len > 0 : v->number != 0;
}

/* ---- functions ------------------------------------------------------------------------------ */

static expr_value next_power(reader *r, size_t at, int64_t n) {
  int64_t power = 1;
  if (n > (int64_t)1 << 62) return checked(r, at, true, 0);
  while (power < n) power *= 2;
  return number(power);
}

static expr_value read_or(reader *r);

static unsigned read_arguments(reader *r, expr_value *out) {
  unsigned n = 0;
  do {
    expr_value v = read_or(r);
    if (n < MAX_ARGUMENTS) out[n] = v;
    n++;
  } while (!r->failed && take(r, ","));
  if (!take(r, ")")) fail(r, r->at, "expected ')'");
  return n;
}

static expr_value call(reader *r, size_t at, str name) {
  static const struct {
    const char *name;
    unsigned arguments;
  } known[] = {{"min", 2}, {"max", 2}, {"cdiv", 2}, {"pow2", 1}};
  expr_value v[MAX_ARGUMENTS] = {0};
  unsigned n = read_arguments(r, v), which = 0;
  while (which < ARRAY_LEN(known) && !str_is(name, known[which].name)) which++;
  if (r->failed) return zero;
  if (which == ARRAY_LEN(known))
    return fail(r, at, "there is no function '" STR_FMT "'; there are min, max, cdiv, pow2",
                STR_ARG(name));
  if (n != known[which].arguments)
    return fail(r, at, "'%s' takes %u argument%s, not %u", known[which].name,
                known[which].arguments, known[which].arguments == 1 ? "" : "s", n);
  if (!are_numbers(r, at, &v[0], &v[1])) return zero;
  int64_t a = v[0].number, b = v[1].number;
  switch (which) {
  case 0: return number(MIN(a, b));
  case 1: return number(MAX(a, b));
  case 2: return divide(r, at, 'c', a, b);
  default: return next_power(r, at, a);
  }
}

/* ---- the grammar ---------------------------------------------------------------------------- */

static expr_value read_number(reader *r) {
  size_t start = r->at;
  int64_t n = 0;
  bool overflowed = false;
  for (; r->at < r->text.len && is_digit(r->text.data[r->at]); r->at++)
    overflowed |= __builtin_mul_overflow(n, (int64_t)10, &n) ||
                  __builtin_add_overflow(n, (int64_t)(r->text.data[r->at] - '0'), &n);
  return overflowed ? fail(r, start, "a number beyond 64 bits") : number(n);
}

static expr_value read_word(reader *r, char quote) {
  size_t start = ++r->at;
  while (r->at < r->text.len && r->text.data[r->at] != quote) r->at++;
  if (r->at == r->text.len) return fail(r, start - 1, "the word has no end");
  return (expr_value){.is_word = true, .word = {r->text.data + start, r->at++ - start}};
}

static expr_value read_name(reader *r) {
  size_t at = r->at;
  str name = take_name(r);
  expr_value v;
  if (take(r, "(")) return call(r, at, name);
  if (r->names->find(r->names->user, name, &v)) return v;
  return fail(r, at, "there is no parameter or size '" STR_FMT "'", STR_ARG(name));
}

static expr_value read_operand(reader *r) {
  char c = peek(r);
  if (is_digit(c)) return read_number(r);
  if (c == '\'' || c == '"') return read_word(r, c);
  if (starts_name(c)) return read_name(r);
  if (!take(r, "(")) return fail(r, r->at, "expected a number, a name or '('");
  expr_value v = read_or(r);
  return take(r, ")") ? v : fail(r, r->at, "expected ')'");
}

static expr_value read_unary(reader *r) {
  peek(r);
  size_t at = r->at;
  if (r->depth == MAX_DEPTH) return fail(r, at, "it is nested too deeply");
  r->depth++;
  bool negative = take(r, "-"), inverted = !negative && take(r, "!");
  expr_value v = negative || inverted ? read_unary(r) : read_operand(r);
  r->depth--;
  if (inverted) return number(!holds(&v));
  return negative ? calculate(r, at, '-', zero, v) : v;
}

static expr_value read_product(reader *r) {
  expr_value v = read_unary(r);
  while (!r->failed) {
    char c = peek(r);
    size_t at = r->at;
    if (c != '*' && c != '/' && c != '%') break;
    r->at++;
    v = calculate(r, at, c, v, read_unary(r));
  }
  return v;
}

static expr_value read_sum(reader *r) {
  expr_value v = read_product(r);
  while (!r->failed) {
    char c = peek(r);
    size_t at = r->at;
    if (c != '+' && c != '-') break;
    r->at++;
    v = calculate(r, at, c, v, read_product(r));
  }
  return v;
}

static bool are_equal(const expr_value *a, const expr_value *b) {
  if (a->is_word != b->is_word) return false;
  return a->is_word ? str_eq(a->word, b->word) : a->number == b->number;
}

static expr_value compare(reader *r, size_t at, unsigned how, expr_value a, expr_value b) {
  if (r->failed) return zero;
  if (how < 2) return number(are_equal(&a, &b) == (how == 0));
  if (!are_numbers(r, at, &a, &b)) return zero;
  bool less = a.number < b.number, equal = a.number == b.number;
  const bool results[] = {less || equal, !less, less, !less && !equal};
  return number(results[how - 2]);
}

static expr_value read_comparison(reader *r) {
  static const char *const symbols[] = {"==", "!=", "<=", ">=", "<", ">"};
  expr_value v = read_sum(r);
  peek(r);
  size_t at = r->at;
  for (unsigned i = 0; i < ARRAY_LEN(symbols) && !r->failed; i++)
    if (take(r, symbols[i])) return compare(r, at, i, v, read_sum(r));
  return v;
}

static expr_value read_and(reader *r) {
  expr_value v = read_comparison(r);
  while (!r->failed && take(r, "&&")) {
    bool first = holds(&v);
    r->unused += !first;
    expr_value next = read_comparison(r);
    r->unused -= !first;
    v = number(first && holds(&next));
  }
  return v;
}

static expr_value read_or(reader *r) {
  expr_value v = read_and(r);
  while (!r->failed && take(r, "||")) {
    bool first = holds(&v);
    r->unused += first;
    expr_value next = read_and(r);
    r->unused -= first;
    v = number(first || holds(&next));
  }
  return v;
}

/* ---- whole texts ---------------------------------------------------------------------------- */

static void end(reader *r) {
  if (peek(r) || r->at < r->text.len) fail(r, r->at, "nothing was expected here");
}

bool expr_evaluate(str text, const expr_names *names, expr_value *out, expr_problem *problem) {
  reader r = {.text = text, .names = names, .problem = problem};
  *out = read_or(&r);
  end(&r);
  return !r.failed;
}

unsigned expr_list(str text, const expr_names *names, int64_t *out, unsigned max,
                   expr_problem *problem) {
  reader r = {.text = text, .names = names, .problem = problem};
  unsigned n = 0;
  do {
    size_t at = r.at;
    expr_value v = read_or(&r);
    if (n == max) fail(&r, at, "there are more than %u", max);
    if (v.is_word) fail(&r, at, "a word, where a number was expected");
    if (!r.failed) out[n++] = v.number;
  } while (!r.failed && take(&r, ","));
  end(&r);
  return r.failed ? 0 : n;
}
