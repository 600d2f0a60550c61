/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tokens of layout expressions, and errors with their places.
 */
#include "layout/notation.h"

enum { MAX_DEPTH = 40 };

bool notation_fail(reader *r, const char *at, size_t length, const char *fmt, ...) {
  if (r->failed) return false;
  r->failed = true;
  uint32_t line = 1, column = 1;
  for (const char *p = r->src.text.data; p < at; p++) {
    column = *p == '\n' ? 1 : column + 1;
    line += *p == '\n';
  }
  place where = {
      .src = &r->src, .line = line, .column = column, .length = (uint32_t)MAX(length, 1u)};
  if (r->whole) {
    where.src = r->whole;
    where.column += line == 1 ? r->column - 1 : 0;
    where.line += r->line - 1;
  }
  va_list args;
  va_start(args, fmt);
  diag_v(r->ctx, TSR_ERROR, where, fmt, args);
  va_end(args);
  return false;
}

void notation_skip(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
    r->at++;
}

bool notation_peek(reader *r, char c) {
  notation_skip(r);
  return r->at < r->end && *r->at == c;
}

bool notation_take(reader *r, char c) {
  if (!notation_peek(r, c)) return false;
  r->at++;
  return true;
}

bool notation_expect(reader *r, char c, const char *where) {
  return notation_take(r, c) || notation_fail(r, r->at, 1, "expected '%c' %s", c, where);
}

bool notation_digit(char c) {
  return c >= '0' && c <= '9';
}
bool notation_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

str notation_word(reader *r) {
  notation_skip(r);
  const char *first = r->at;
  if (r->at < r->end && notation_letter(*r->at))
    while (r->at < r->end && (notation_letter(*r->at) || notation_digit(*r->at))) r->at++;
  return (str){first, (size_t)(r->at - first)};
}

bool notation_number(reader *r, bool negative, int64_t limit, int64_t *out) {
  notation_skip(r);
  const char *first = r->at;
  bool minus = negative && notation_take(r, '-');
  int64_t n = 0;
  if (r->at == r->end || !notation_digit(*r->at))
    return notation_fail(r, first, 1, "expected a number");
  for (; r->at < r->end && notation_digit(*r->at); r->at++) {
    n = n * 10 + (*r->at - '0');
    if (n > limit)
      return notation_fail(r, first, (size_t)(r->at - first + 1), "the number is larger than %lld",
                           (long long)limit);
  }
  *out = minus ? -n : n;
  return true;
}

bool notation_deeper(reader *r) {
  return ++r->depth <= MAX_DEPTH ||
         notation_fail(r, r->at, 1, "nested more than %d deep", MAX_DEPTH);
}

void notation_kind(tsr_layout_value *v, tsr_layout_kind kind) {
  memset(v, 0, sizeof *v);
  v->kind = kind;
}
