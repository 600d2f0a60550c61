/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Characters to tokens. Never fails: what is no token becomes TOKEN_WRONG, which no rule expects.
 */
#include <stdlib.h>

#include "emu/ptx/read.h"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool in_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}
void lexer_start(reader *r, str text) {
  r->p = r->line_start = text.data;
  r->end = text.data + text.len;
  r->line = 1;
}

static void new_line(reader *r) {
  r->line++;
  r->line_start = r->p;
}

/* Blanks and comments. Returns whether there were any. */
static bool skip_blanks(reader *r) {
  const char *start = r->p;
  while (r->p < r->end) {
    char c = *r->p;
    if (c == '\n') {
      r->p++;
      new_line(r);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      r->p++;
    } else if (c == '/' && r->p + 1 < r->end && r->p[1] == '/') {
      while (r->p < r->end && *r->p != '\n') r->p++;
    } else if (c == '/' && r->p + 1 < r->end && r->p[1] == '*') {
      r->p += 2;
      while (r->p < r->end && !(r->p[0] == '*' && r->p + 1 < r->end && r->p[1] == '/'))
        if (*r->p++ == '\n') new_line(r);
      r->p = r->end - r->p < 2 ? r->end : r->p + 2;
    } else {
      break;
    }
  }
  return r->p != start;
}

static void wrong(token *t, const char *what) {
  t->kind = TOKEN_WRONG;
  t->text = str_of(what);
}

/* 0f and 0d with their 8 and 16 digits. */
static void lex_float_bits(reader *r, token *t, int digits) {
  t->kind = digits == 8 ? TOKEN_SINGLE : TOKEN_FLOAT;
  r->p += 2;
  int n = 0;
  for (; r->p < r->end && hex_digit(*r->p) >= 0; r->p++, n++)
    t->value = t->value << 4 | (uint64_t)hex_digit(*r->p);
  if (n != digits)
    wrong(t, digits == 8 ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits");
}

static void lex_decimal_float(reader *r, token *t, const char *start) {
  char text[64];
  while (r->p < r->end && is_digit(*r->p)) r->p++;
  if (r->p < r->end && *r->p == '.') r->p++;
  while (r->p < r->end && is_digit(*r->p)) r->p++;
  if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
    r->p++;
    if (r->p < r->end && (*r->p == '+' || *r->p == '-')) r->p++;
    while (r->p < r->end && is_digit(*r->p)) r->p++;
  }
  size_t n = (size_t)(r->p - start);
  if (n >= sizeof text) {
    wrong(t, "a number has at most 63 characters");
    return;
  }
  memcpy(text, start, n);
  text[n] = 0;
  double d = strtod(text, NULL);
  t->kind = TOKEN_FLOAT;
  memcpy(&t->value, &d, sizeof d);
}

/* Digits of an integer in a base; false when they don't fit 64 bits. */
static bool lex_digits(reader *r, unsigned base, uint64_t *out, int *n) {
  bool fits = true;
  uint64_t v = 0;
  *n = 0;
  for (; r->p < r->end; r->p++, ++*n) {
    int d = hex_digit(*r->p);
    if (d < 0 || d >= (int)base) break;
    if (__builtin_mul_overflow(v, (uint64_t)base, &v) || __builtin_add_overflow(v, (uint64_t)d, &v))
      fits = false;
  }
  *out = v;
  return fits;
}

static void lex_number(reader *r, token *t) {
  const char *start = r->p;
  char next = r->p + 1 < r->end ? r->p[1] : 0;
  unsigned base = 10;
  if (*start == '0' && (next == 'f' || next == 'F')) return lex_float_bits(r, t, 8);
  if (*start == '0' && (next == 'd' || next == 'D')) return lex_float_bits(r, t, 16);
  if (*start == '0' && (next == 'x' || next == 'X')) base = 16, r->p += 2;
  if (*start == '0' && (next == 'b' || next == 'B')) base = 2, r->p += 2;
  if (base == 10) {
    const char *q = start;
    while (q < r->end && is_digit(*q)) q++;
    if (q < r->end && (*q == '.' || *q == 'e' || *q == 'E')) return lex_decimal_float(r, t, start);
    if (*start == '0') base = 8;
  }
  int digits;
  t->kind = TOKEN_INT;
  if (!lex_digits(r, base, &t->value, &digits)) wrong(t, "the number does not fit 64 bits");
  if (digits == 0) wrong(t, "a number has digits");
  if (r->p < r->end && (*r->p == 'U' || *r->p == 'u')) {
    r->p++;
    t->is_unsigned = true;
  }
  if (r->p < r->end && in_name(*r->p))
    wrong(t, base == 8 ? "a number that begins with 0 is octal" : "a letter inside of a number");
}

static void lex_string(reader *r, token *t) {
  const char *start = ++r->p;
  while (r->p < r->end && *r->p != '"' && *r->p != '\n')
    r->p += *r->p == '\\' && r->p + 1 < r->end ? 2 : 1;
  if (r->p >= r->end || *r->p != '"') {
    wrong(t, "the string has no end");
    return;
  }
  t->kind = TOKEN_STRING;
  t->text = (str){start, (size_t)(r->p - start)};
  r->p++;
}

static void lex_word(reader *r, token *t) {
  const char *start = ++r->p;
  while (r->p < r->end) {
    if (in_name(*r->p))
      r->p++;
    else if (r->end - r->p > 2 && r->p[0] == ':' && r->p[1] == ':' && in_name(r->p[2]))
      r->p += 2;
    else
      break;
  }
  t->kind = TOKEN_WORD;
  t->text = (str){start, (size_t)(r->p - start)};
  if (t->text.len == 0) wrong(t, "a dot needs a word behind it");
}

static void lex_punct(reader *r, token *t) {
  static const char *const two[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  static const char one[] = "()[]{}<>,;:=+-*/%!~&|^?@";
  t->kind = TOKEN_PUNCT;
  for (size_t i = 0; i < ARRAY_LEN(two) && r->end - r->p >= 2; i++)
    if (memcmp(r->p, two[i], 2) == 0) {
      t->text = (str){r->p, 2};
      r->p += 2;
      return;
    }
  t->text = (str){r->p, 1};
  if (!strchr(one, *r->p) || *r->p == 0) wrong(t, "this character means nothing here");
  r->p++;
}

void next_token(reader *r) {
  r->last = r->t;
  bool blanks = skip_blanks(r);
  const char *start = r->p;
  token t = {.kind = TOKEN_END,
             .glued = !blanks,
             .line = r->line,
             .column = (uint32_t)(start - r->line_start) + 1};
  if (r->p < r->end) {
    char c = *r->p;
    bool name = is_letter(c) || c == '_' || c == '$' ||
                (c == '%' && r->p + 1 < r->end && (in_name(r->p[1])) && !is_digit(r->p[1]));
    if (name) {
      r->p++;
      while (r->p < r->end && in_name(*r->p)) r->p++;
      t.kind = TOKEN_NAME;
      t.text = (str){start, (size_t)(r->p - start)};
    } else if (is_digit(c)) {
      lex_number(r, &t);
    } else if (c == '.') {
      lex_word(r, &t);
    } else if (c == '"') {
      lex_string(r, &t);
    } else {
      lex_punct(r, &t);
    }
  }
  t.length = (uint32_t)(r->p - start);
  if (t.kind == TOKEN_INT || t.kind == TOKEN_FLOAT || t.kind == TOKEN_SINGLE)
    t.text = (str){start, t.length};
  r->t = t;
}
