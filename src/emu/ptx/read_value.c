/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Constant expressions: C's operators on 64-bit integers, signed unless an operand is unsigned; of
 * floats only signs. Source: PTX ISA, "Constant Expressions".
 */
#include "num/num.h"
#include "emu/ptx/read.h"

static value read_ternary(reader *r);

bool starts_value(const reader *r) {
  switch (r->t.kind) {
  case TOKEN_INT:
  case TOKEN_FLOAT:
  case TOKEN_SINGLE: return true;
  case TOKEN_NAME: return str_is(r->t.text, "WARP_SZ");
  case TOKEN_PUNCT:
    return is_punct(r, "-") || is_punct(r, "+") || is_punct(r, "~") || is_punct(r, "!") ||
           is_punct(r, "(");
  default: return false;
  }
}

static void enter(reader *r) {
  if (++r->depth > PTX_MAX_DEPTH) reader_error(r, &r->t, "nested more than %d deep", PTX_MAX_DEPTH);
}

/* (.s64) or (.u64) before an operand. */
static bool accept_cast(reader *r, bool *is_unsigned) {
  if (!is_word(r, "s64") && !is_word(r, "u64")) return false;
  *is_unsigned = is_word(r, "u64");
  next_token(r);
  expect(r, ")");
  return true;
}

static value read_primary(reader *r) {
  token t = r->t;
  if (t.kind == TOKEN_INT) {
    next_token(r);
    return (value){.is_unsigned = t.is_unsigned || t.value >> 63, .bits = t.value};
  }
  if (t.kind == TOKEN_FLOAT || t.kind == TOKEN_SINGLE) {
    next_token(r);
    return (value){.is_float = true, .is_single = t.kind == TOKEN_SINGLE, .bits = t.value};
  }
  if (t.kind == TOKEN_NAME && str_is(t.text, "WARP_SZ")) {
    next_token(r);
    return (value){.bits = 32};
  }
  if (!accept(r, "(")) expected(r, "a number");
  enter(r);
  value v = read_ternary(r);
  r->depth--;
  expect(r, ")");
  return v;
}

static value read_unary(reader *r) {
  token t = r->t;
  static const char ops[] = "-+~!";
  if (t.kind == TOKEN_PUNCT && t.text.len == 1 && strchr(ops, t.text.data[0])) {
    next_token(r);
    enter(r);
    value v = read_unary(r);
    r->depth--;
    char op = t.text.data[0];
    if (v.is_float) {
      if (op == '~' || op == '!') reader_error(r, &t, "'%c' needs an integer", op);
      if (op == '-') v.bits ^= v.is_single ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
      return v;
    }
    if (op == '-') return (value){.bits = 0 - v.bits};
    if (op == '~') return (value){.bits = ~v.bits, .is_unsigned = v.is_unsigned};
    if (op == '!') return (value){.bits = v.bits == 0};
    return v;
  }
  if (is_punct(r, "(")) {
    next_token(r);
    enter(r);
    bool is_unsigned = false;
    value v;
    if (accept_cast(r, &is_unsigned)) {
      v = read_unary(r);
      if (v.is_float) reader_error(r, &t, "only integers can be cast");
      v.is_unsigned = is_unsigned;
    } else {
      v = read_ternary(r);
      expect(r, ")");
    }
    r->depth--;
    return v;
  }
  return read_primary(r);
}

static const struct {
  const char *text;
  uint8_t level; /* higher binds tighter */
} operators[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<<", 8},
                 {">>", 8}, {"<", 7},  {">", 7},  {"<=", 7}, {">=", 7}, {"==", 6},
                 {"!=", 6}, {"&", 5},  {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1}};

static uint64_t divide(reader *r, const token *at, value a, value b, bool is_unsigned, bool rest) {
  if (b.bits == 0) reader_error(r, at, "division by zero");
  if (is_unsigned) return rest ? a.bits % b.bits : a.bits / b.bits;
  if (b.bits == UINT64_MAX) return rest ? 0 : 0 - a.bits; /* the quotient may not fit */
  int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
  return (uint64_t)(rest ? x % y : x / y);
}

static value apply(reader *r, const token *op, value a, value b) {
  if (a.is_float || b.is_float) reader_error(r, op, "constant expressions are of integers");
  bool u = a.is_unsigned || b.is_unsigned;
  value v = {.is_unsigned = u};
  int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
  bool less = u ? a.bits < b.bits : x < y, equal = a.bits == b.bits;
  char c = op->text.data[0], d = op->text.len > 1 ? op->text.data[1] : 0;
  unsigned shift = b.bits > 63 ? 63 : (unsigned)b.bits;
  if (c == '*') v.bits = a.bits * b.bits;
  if (c == '/' || c == '%') v.bits = divide(r, op, a, b, u, c == '%');
  if (c == '+') v.bits = a.bits + b.bits;
  if (c == '-') v.bits = a.bits - b.bits;
  if (c == '^') v.bits = a.bits ^ b.bits;
  if (c == '&') v.bits = d ? a.bits && b.bits : a.bits & b.bits;
  if (c == '|') v.bits = d ? a.bits || b.bits : a.bits | b.bits;
  if (c == '=') v.bits = equal;
  if (c == '!') v.bits = !equal;
  if (c == '<' && d != '<') v.bits = d ? less || equal : less;
  if (c == '>' && d != '>') v.bits = d ? !less : !less && !equal;
  if (c == '<' && d == '<') v.bits = b.bits > 63 ? 0 : a.bits << shift;
  if (c == '>' && d == '>')
    v.bits = a.is_unsigned ? (b.bits > 63 ? 0 : a.bits >> shift) : (uint64_t)(x >> shift);
  return v;
}

static unsigned operator_level(const reader *r) {
  if (r->t.kind == TOKEN_PUNCT)
    for (size_t i = 0; i < ARRAY_LEN(operators); i++)
      if (str_is(r->t.text, operators[i].text)) return operators[i].level;
  return 0;
}

static value read_binary(reader *r, unsigned level) {
  value a = read_unary(r);
  for (unsigned l; (l = operator_level(r)) >= level;) {
    token op = r->t;
    next_token(r);
    enter(r);
    value b = read_binary(r, l + 1);
    r->depth--;
    a = apply(r, &op, a, b);
  }
  return a;
}

static value read_ternary(reader *r) {
  value c = read_binary(r, 1);
  if (!is_punct(r, "?")) return c;
  if (c.is_float) reader_error(r, &r->t, "a condition is an integer");
  next_token(r);
  enter(r);
  value a = read_ternary(r);
  expect(r, ":");
  value b = read_ternary(r);
  r->depth--;
  return c.bits ? a : b;
}

value read_value(reader *r) {
  return read_ternary(r);
}

uint64_t read_count(reader *r, const char *what, uint64_t max) {
  token at = r->t;
  if (!starts_value(r)) expected(r, what);
  value v = read_value(r);
  if (v.is_float) reader_error(r, &at, "expected %s, an integer", what);
  if (v.bits > max)
    reader_error(r, &at, "%s is at most %llu, found %lld", what, (unsigned long long)max,
                 (long long)v.bits);
  return v.bits;
}

static uint64_t float_bits(reader *r, const token *at, value v, ptx_type type) {
  if (!v.is_float)
    reader_error(r, at,
                 "a .%s is written as %s, or with a point as in 1.0; an integer means nothing here",
                 ptx_types[type].name, type == PTX_F64 ? "0d and 16 digits" : "0f and 8 digits");
  if (type == PTX_F64) {
    if (!v.is_single) return v.bits;
    return num_f64_bits((double)num_f32_from_bits((uint32_t)v.bits));
  }
  if (v.is_single) return v.bits;
  return num_encode(num_format_of(TSR_F32), num_f64_from_bits(v.bits), NUM_NEAREST_EVEN);
}

uint64_t value_bits(reader *r, const token *at, value v, ptx_type type) {
  unsigned bits = ptx_types[type].bits;
  if (type == PTX_F32 || type == PTX_F64) return float_bits(r, at, v, type);
  if (v.is_float) {
    /* The bits of a float, in a type of bits that has as many. */
    if (bits != (v.is_single ? 32 : 64) || ptx_types[type].class != PTX_CLASS_B) {
      if (type == PTX_B32) return float_bits(r, at, v, PTX_F32);
      reader_error(r, at, "a .%s can't be given as a floating-point number", ptx_types[type].name);
    }
    return v.bits;
  }
  return bits >= 64 ? v.bits : v.bits & num_mask(bits);
}
