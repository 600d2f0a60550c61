/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the forms give.
 */
#include <math.h>
#include <string.h>

#include "float.h"
#include "forms.h"

#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define MOST(a, b)  ((a) > (b) ? (a) : (b))

/* ---- integers ---------------------------------------------------------------------------------
 */

static uint64_t ones(unsigned n) {
  uint64_t v = 0;
  while (n-- > 0) v = v << 1 | 1;
  return v;
}
static int64_t as_signed(uint64_t v, unsigned bits) {
  v &= ones(bits);
  return v >> (bits - 1) & 1 ? (int64_t)(v | ~ones(bits)) : (int64_t)v;
}
static int64_t S32(uint64_t v) {
  return as_signed(v, 32);
}
/* Bits move to the right, and the sign after them. */
static uint64_t shifted(uint64_t v, unsigned by, unsigned bits) {
  for (; by > 0; by--) v = (v & ones(bits)) >> 1 | (v & UINT64_C(1) << (bits - 1));
  return v & ones(bits);
}
static uint64_t turned_round(uint64_t v, unsigned bits) {
  uint64_t r = 0;
  for (unsigned k = 0; k < bits; k++) r = r << 1 | (v >> k & 1);
  return r;
}
static uint64_t count_ones(uint64_t v) {
  uint64_t n = 0;
  for (; v; v >>= 1) n += v & 1;
  return n;
}
static uint64_t leading_zeroes(uint64_t v, unsigned bits) {
  for (unsigned k = 0; k < bits; k++)
    if (v >> (bits - 1 - k) & 1) return k;
  return UINT64_MAX;
}
static uint64_t trailing_zeroes(uint64_t v, unsigned bits) {
  for (unsigned k = 0; k < bits; k++)
    if (v >> k & 1) return k;
  return UINT64_MAX;
}
/* Bits from the top that are as the top one. */
static uint64_t leading_signs(uint64_t v, unsigned bits) {
  for (unsigned k = 1; k < bits; k++)
    if ((v >> (bits - 1 - k) & 1) != (v >> (bits - 1) & 1)) return k;
  return UINT64_MAX;
}
static uint64_t picked_bytes(uint64_t high, uint64_t low, uint64_t selectors) {
  uint64_t r = 0, all = high << 32 | low;
  for (unsigned k = 0; k < 4; k++) {
    unsigned s = (unsigned)(selectors >> 8 * k) & 255;
    uint64_t sign = s >= 8 && s <= 11 ? all >> (16 * (s - 8) + 15) & 1 : 0;
    uint64_t byte = s < 8 ? all >> 8 * s & 255 : s <= 11 ? 255 * sign : s == 12 ? 0 : 255;
    r |= byte << 8 * k;
  }
  return r;
}
static uint64_t of_table(uint64_t a, uint64_t b, uint64_t c, unsigned table) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 32; k++) {
    unsigned n = (unsigned)((a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1));
    r |= (uint64_t)(table >> n & 1) << k;
  }
  return r;
}
static int64_t within(int64_t v, int64_t least, int64_t most) {
  return v < least ? least : v > most ? most : v;
}
static int64_t middle(int64_t a, int64_t b, int64_t c) {
  int64_t low = LEAST(LEAST(a, b), c), high = MOST(MOST(a, b), c);
  return a + b + c - low - high;
}
static uint64_t halves(int64_t low, int64_t high) {
  return ((uint64_t)low & 0xffff) | ((uint64_t)high & 0xffff) << 16;
}
static uint64_t carried(uint64_t v, form_lane *x) {
  x->carry = v >> 32 & 1;
  return v;
}
static uint64_t wide_sum(__int128 v, bool is_signed, form_lane *x) {
  x->carry = is_signed ? v != (int64_t)v : (unsigned __int128)v >> 64 != 0;
  return (uint64_t)v;
}
static uint64_t bytes_of(uint64_t a, uint64_t b, uint64_t by, int least, int most) {
  int64_t x = within(S32(shifted(a, by % 32, 32)), least, most);
  int64_t y = within(S32(shifted(b, by % 32, 32)), least, most);
  return ((uint64_t)x & 255) | ((uint64_t)y & 255) << 8;
}
/* Sums of absolute differences; `masked`: parts of b that are 0 do not count. */
static uint64_t differences(uint64_t a, uint64_t b, unsigned bits, bool masked) {
  uint64_t sum = 0;
  for (unsigned k = 0; k < 32; k += bits) {
    uint64_t x = a >> k & ones(bits), y = b >> k & ones(bits);
    if (!masked || y) sum += x > y ? x - y : y - x;
  }
  return sum;
}
static uint64_t four_differences(uint64_t a, uint64_t b, uint64_t c, bool masked) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 4; k++) {
    uint64_t sum = differences(a >> 8 * k & UINT32_MAX, b, 8, masked) + (c >> 16 * k & 0xffff);
    r |= (sum & 0xffff) << 16 * k;
  }
  return r;
}
/* Bytes' averages, rounded up where c's byte is odd. */
static uint64_t averages(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 32; k += 8)
    r |= ((a >> k & 255) + (b >> k & 255) + (c >> k & 1)) / 2 << k;
  return r;
}
/* Of parts of so many bits; signs: 1 those of a are signed, 2 those of b. */
static uint64_t sum_of_parts(uint64_t a, uint64_t b, unsigned bits, unsigned signs) {
  int64_t sum = 0;
  for (unsigned k = 0; k < 32; k += bits) {
    int64_t x = signs & 1 ? as_signed(a >> k, bits) : (int64_t)(a >> k & ones(bits));
    int64_t y = signs & 2 ? as_signed(b >> k, bits) : (int64_t)(b >> k & ones(bits));
    sum += x * y;
  }
  return (uint64_t)sum;
}

/* ---- floats -----------------------------------------------------------------------------------
 */

#define OF32(op) mp_do(op, T_F32, T_F32, ROUND_EVEN, a, b, c)
#define OF64(op) mp_do(op, T_F64, T_F64, ROUND_EVEN, a, b, c)
#define OF16(op) mp_do(op, T_F16, T_F16, ROUND_EVEN, a, b, c)

static bool either_zero(float_type t, uint64_t a, uint64_t b) {
  return mp_is_zero(t, a) || mp_is_zero(t, b);
}
static uint64_t flushed_function(float_op op, uint64_t a) {
  a = mp_flush(T_F32, a);
  return mp_flush(T_F32, mp_do(op, T_F32, T_F32, ROUND_EVEN, a, 0, 0));
}
static uint64_t flushed_product_sum(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t p = mp_do(OP_MUL, T_F32, T_F32, ROUND_EVEN, mp_flush(T_F32, a), mp_flush(T_F32, b), 0);
  p = mp_do(OP_ADD, T_F32, T_F32, ROUND_EVEN, mp_flush(T_F32, p), mp_flush(T_F32, c), 0);
  return mp_flush(T_F32, p);
}
static bool signals(float_type t, uint64_t v) {
  return mp_is_nan(t, v) && (v & mp_nan(t)) != mp_nan(t);
}
static uint64_t chosen(float_type t, uint64_t a, uint64_t b, form_lane *x, bool lower) {
  if (x->ieee && (signals(t, a) || signals(t, b))) return mp_nan(t);
  if (mp_is_nan(t, a)) return mp_is_nan(t, b) ? mp_nan(t) : b;
  if (mp_is_nan(t, b)) return a;
  int order = mp_order(t, a, b);
  if (order == 0) return mp_sign(t, a) == lower ? a : b; /* zeroes of different sign */
  return (order < 0) == lower ? a : b;
}
static uint64_t lesser(float_type t, uint64_t a, uint64_t b, form_lane *x) {
  return chosen(t, a, b, x, true);
}
static uint64_t greater(float_type t, uint64_t a, uint64_t b, form_lane *x) {
  return chosen(t, a, b, x, false);
}
static uint64_t between(float_type t, uint64_t a, uint64_t b, uint64_t c, form_lane *x) {
  if (mp_is_nan(t, a) || mp_is_nan(t, b) || mp_is_nan(t, c))
    return lesser(t, lesser(t, a, b, x), c, x);
  uint64_t most = greater(t, greater(t, a, b, x), c, x);
  if (mp_order(t, most, a) == 0) return greater(t, b, c, x);
  if (mp_order(t, most, b) == 0) return greater(t, a, c, x);
  return greater(t, a, b, x);
}
static uint64_t lowest(float_type t, uint64_t a, uint64_t b) {
  form_lane x = {0};
  return mp_is_nan(t, a) || mp_is_nan(t, b) ? mp_nan(t) : lesser(t, a, b, &x);
}
static uint64_t highest(float_type t, uint64_t a, uint64_t b) {
  form_lane x = {0};
  return mp_is_nan(t, a) || mp_is_nan(t, b) ? mp_nan(t) : greater(t, a, b, &x);
}
/* A fraction that would be rounded to 1 is the largest number below it. */
static uint64_t below_one(float_type t, uint64_t v) {
  uint64_t one = mp_of_integer(t, 1);
  return v == one ? one - 1 : v;
}
static uint64_t exponent_of(float_type t, uint64_t v) {
  int e;
  mp_take_apart(t, v, &e);
  return (uint64_t)(int64_t)e;
}
static uint64_t mantissa_of(float_type t, uint64_t v) {
  int e;
  return mp_take_apart(t, v, &e);
}
static uint64_t rounded_pair(float_type t, float_rounding r, uint64_t a, uint64_t b) {
  return mp_do(OP_ROUND, T_F32, t, r, a, 0, 0) | mp_do(OP_ROUND, T_F32, t, r, b, 0, 0) << 16;
}
/* The nearest whole number to so many times what lies between -1 (0) and 1. */
static int64_t normal(float_type t, uint64_t v, int64_t most, bool is_signed) {
  uint64_t x = mp_do(OP_ROUND, t, T_F64, ROUND_EVEN, v, 0, 0);
  x = mp_do(OP_MUL, T_F64, T_F64, ROUND_EVEN, x, mp_of_integer(T_F64, most), 0);
  x = mp_do(OP_EVEN, T_F64, T_F64, ROUND_EVEN, x, 0, 0);
  return mp_to_integer(T_F64, x, is_signed ? -most : 0, most);
}

static uint64_t sum_of_halves(float_type t, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t x[] = {a & 0xffff, a >> 16 & 0xffff}, y[] = {b & 0xffff, b >> 16 & 0xffff};
  return mp_dot(t, x, y, 2, c);
}

/* ---- divisions --------------------------------------------------------------------------------
 */

typedef struct divider {
  int bias, far, by, tiny, lowest;
  unsigned mantissa;
} divider;
static const divider dividers[] = {
    [T_F16] = {15, 0, 0, 0, -1000, 10},
    [T_F32] = {127, 96, 64, 23, -150, 23},
    [T_F64] = {1023, 768, 128, 53, -1075, 52},
};

static int stored_exponent(float_type t, uint64_t v) {
  const divider *d = &dividers[t];
  return (int)(v >> d->mantissa) & (2 * d->bias + 1);
}
static uint64_t times_two_to(float_type t, uint64_t v, int n) {
  return mp_do(OP_LDEXP, t, t, ROUND_EVEN, v, (uint64_t)(int64_t)n, 0);
}
static long double wide_number(float_type t, uint64_t v) {
  double x;
  v = mp_do(OP_ROUND, t, T_F64, ROUND_EVEN, v, 0, 0);
  memcpy(&x, &v, 8);
  return (long double)x;
}
/* The quotient, before it is rounded, is less than the least normal number. */
static bool vanishes(float_type t, uint64_t c, uint64_t b) {
  const divider *d = &dividers[t];
  long double x = fabsl(wide_number(t, c)), y = fabsl(wide_number(t, b));
  return x > 0 && isfinite(x) && x < ldexpl(y, 1 - d->bias) && isfinite(y);
}
/* Whether an inverse is too small is asked in the format itself: the documents have f64 there, but
 * a gfx1100 leaves the numerator of 1 / 2^127 as it is (a test of tinygrad's that runs on one).
 * Where the document has a denominator grow whose inverse and quotient both are too small, it must
 * shrink: what grew would be infinite, and the last step makes the quotient smaller. */
static uint64_t division_scaled(float_type t, uint64_t a, uint64_t b, uint64_t c, form_lane *x) {
  const divider *d = &dividers[t];
  bool small = vanishes(t, c, b);
  x->carry = false;
  if (mp_is_zero(t, b) || mp_is_zero(t, c)) return mp_nan(t);
  if (stored_exponent(t, c) - stored_exponent(t, b) >= d->far) {
    x->carry = true;
    return a == b ? times_two_to(t, a, d->by) : a;
  }
  if (mp_is_subnormal(t, b)) return times_two_to(t, a, d->by);
  if (vanishes(t, mp_of_integer(t, 1), b)) {
    x->carry = small;
    return !small || a == b ? times_two_to(t, a, -d->by) : a;
  }
  if (small) {
    x->carry = true;
    return a == c ? times_two_to(t, a, d->by) : a;
  }
  return stored_exponent(t, c) <= d->tiny ? times_two_to(t, a, d->by) : a;
}

/* The scaling is taken back in the direction that c's size says: the document has 2^32 in both, and
 * cards, as tests on them by tinygrad show, 2^64 and 2^-64 (f64: 128). */
static uint64_t division_step(float_type t, uint64_t a, uint64_t b, uint64_t c, form_lane *x) {
  const divider *d = &dividers[t];
  uint64_t r = mp_do(OP_FMA, t, t, ROUND_EVEN, a, b, c);
  int by = stored_exponent(t, c) > d->bias ? d->by : -d->by;
  if (!x->vcc) return r;
  /* The documents scale what is rounded. Divisions, which AMD says are rounded correctly, would
   * then be off where they are subnormal, so it is taken to be rounded once. */
  return mp_is_infinite(t, r) ? times_two_to(t, r, by) : mp_scaled_fma(t, a, b, c, by);
}

static uint64_t division_fixed(float_type t, uint64_t a, uint64_t b, uint64_t c) {
  const divider *d = &dividers[t];
  bool negative = mp_sign(t, b) != mp_sign(t, c);
  uint64_t sign = mp_infinity(t, true) ^ mp_infinity(t, false), signs = negative ? sign : 0;
  bool zero_b = mp_is_zero(t, b), zero_c = mp_is_zero(t, c);
  bool infinite_b = mp_is_infinite(t, b), infinite_c = mp_is_infinite(t, c);
  if (mp_is_nan(t, b) || mp_is_nan(t, c) || (zero_b && zero_c) || (infinite_b && infinite_c))
    return mp_nan(t);
  if (zero_b || infinite_c) return mp_infinity(t, negative);
  if (infinite_b || zero_c) return signs;
  if (stored_exponent(t, c) - stored_exponent(t, b) < d->lowest) return signs;
  /* Steps of a quotient that is too large have made a NaN of infinities. */
  if (mp_is_nan(t, a)) return mp_infinity(t, negative);
  return (a & ~sign) | signs;
}

/* ---- scalar forms -----------------------------------------------------------------------------
 */

static uint64_t nonzero(uint64_t v, form_lane *x) {
  x->carry = v != 0;
  return v;
}
static uint64_t nonzero32(uint64_t v, form_lane *x) {
  return nonzero(v & UINT32_MAX, x);
}
static uint64_t flagged(bool scc, uint64_t v, form_lane *x) {
  x->carry = scc;
  return v;
}
static bool overflows(int64_t v) {
  return v < INT32_MIN || v > INT32_MAX;
}
/* Whole fours of which one bit is set. */
static uint64_t quads(uint64_t v, bool whole) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 16; k++)
    if (v >> 4 * k & 15) r |= whole ? UINT64_C(15) << 4 * k : UINT64_C(1) << k;
  return r;
}
static uint64_t doubled_bits(uint64_t v) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 32; k++)
    if (v >> k & 1) r |= UINT64_C(3) << 2 * k;
  return r;
}
/* A field whose first bit and width stand in b. */
static uint64_t field(uint64_t a, uint64_t b, unsigned bits, bool is_signed) {
  unsigned from = (unsigned)b & (bits - 1), width = (unsigned)(b >> 16) & 127;
  if (!width) return 0;
  uint64_t v = is_signed ? shifted(a, from, bits) : (a & ones(bits)) >> from;
  if (width >= bits) return v;
  return is_signed ? (uint64_t)as_signed(v, width) : v & ones(width);
}
static uint64_t steered(uint64_t exec, uint64_t r, form_lane *x) {
  x->carry = exec != 0;
  x->exec = exec;
  return r;
}
static uint64_t written(uint64_t exec, form_lane *x) {
  return steered(exec, exec, x);
}
/* A comparison by name, of an order that mp_order gives. */
static bool holds(const char *name, int order) {
  static const struct {
    const char *name;
    int orders; /* bits: less, equal, greater, unordered */
  } all[] = {{"f", 0},    {"lt", 1},   {"eq", 2},   {"le", 3},   {"gt", 4},   {"lg", 5},
             {"ge", 6},   {"o", 7},    {"u", 8},    {"nge", 9},  {"nlg", 10}, {"ngt", 11},
             {"nle", 12}, {"neq", 13}, {"nlt", 14}, {"tru", 15}, {"t", 15},   {"ne", 13}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (strcmp(all[k].name, name) == 0) return all[k].orders >> (order == 2 ? 3 : order + 1) & 1;
  return false;
}
static int order_of(char letter, uint64_t a, uint64_t b) {
  int64_t x = (int64_t)a, y = (int64_t)b;
  switch (letter) {
  case 'h': return mp_order(T_F16, a, b);
  case 'f': return mp_order(T_F32, a, b);
  case 'd': return mp_order(T_F64, a, b);
  case 'j': x = as_signed(a, 16), y = as_signed(b, 16); break;
  case 'i': x = S32(a), y = S32(b); break;
  case 'I': break;
  default: return (a > b) - (a < b);
  }
  return (x > y) - (x < y);
}
static bool in_class(float_type t, uint64_t v, uint64_t mask) {
  bool minus = mp_sign(t, v);
  unsigned bit = mp_is_nan(t, v)         ? !signals(t, v)
                 : mp_is_infinite(t, v)  ? (minus ? 2 : 9)
                 : mp_is_zero(t, v)      ? (minus ? 5 : 6)
                 : mp_is_subnormal(t, v) ? (minus ? 4 : 7)
                                         : (minus ? 3 : 8);
  return mask >> bit & 1;
}

/* ---- the table --------------------------------------------------------------------------------
 */

#define RESULT(name, expression)                                                                   \
  static uint64_t of_##name(uint64_t a, uint64_t b, uint64_t c, form_lane *x) {                    \
    uint64_t old = x->old;                                                                         \
    (void)a, (void)b, (void)c, (void)old;                                                          \
    return (uint64_t)(expression);                                                                 \
  }
#define FORM(name, signature, encoding, flags, ...) RESULT(name, (__VA_ARGS__))
#define PACKED(name, letter, count, ...)            RESULT(name, (__VA_ARGS__))
#define SCALAR(name, signature, flags, ...)         RESULT(name, (__VA_ARGS__))
#define COMPARE(name, op, type, signature, letter)                                                 \
  RESULT(v_cmp_##name, holds(op, order_of(letter, a, b)))
#define CLASS(type, signature, t) RESULT(v_cmp_class_##type, in_class(t, a, b))
#define ALIAS(name, of)
#include "compare.def"
#include "scalar.def"
#include "vector.def"
#undef FORM
#undef PACKED
#undef SCALAR
#undef COMPARE
#undef CLASS
#undef ALIAS

#define FORM(n, s, e, f, ...)                                                                      \
  {.name = #n,                                                                                     \
   .signature = s,                                                                                 \
   .family = FAMILY_VECTOR,                                                                        \
   .encoding = e,                                                                                  \
   .flags = f,                                                                                     \
   .result = of_##n},
#define PACKED(n, l, count, ...)                                                                   \
  {.name = #n,                                                                                     \
   .signature = (count) == 3 ? "p=ppp" : "p=pp",                                                   \
   .family = FAMILY_PACKED,                                                                        \
   .encoding = EP,                                                                                 \
   .letter = l,                                                                                    \
   .result = of_##n},
#define SCALAR(n, s, f, ...)                                                                       \
  {.name = #n,                                                                                     \
   .signature = s,                                                                                 \
   .family = FAMILY_SCALAR,                                                                        \
   .encoding = ES,                                                                                 \
   .flags = f,                                                                                     \
   .result = of_##n},
#define COMPARED(n, s, r)                                                                          \
  {.name = "v_cmp_" #n, .signature = s, .family = FAMILY_COMPARE, .encoding = EC, .result = r},    \
      {.name = "v_cmpx_" #n,                                                                       \
       .signature = s,                                                                             \
       .family = FAMILY_COMPARE,                                                                   \
       .encoding = EC,                                                                             \
       .writes_exec = true,                                                                        \
       .result = r},
#define COMPARE(n, op, type, s, l) COMPARED(n, s, of_v_cmp_##n)
#define CLASS(type, s, t)          COMPARED(class_##type, s, of_v_cmp_class_##type)
#define ALIAS(n, of)
const form forms[] = {
#include "compare.def"
#include "scalar.def"
#include "vector.def"
};
#undef ALIAS
const size_t form_count = sizeof forms / sizeof *forms;

#undef FORM
#undef PACKED
#undef SCALAR
#undef COMPARE
#undef CLASS
#define FORM(...)
#define PACKED(...)
#define SCALAR(...)
#define COMPARE(...)
#define CLASS(...)
#define ALIAS(n, of) {#n, #of},
static const char *const aliases[][2] = {
#include "scalar.def"
#include "vector.def"
};

const form *form_find(const char *name) {
  for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++)
    if (strcmp(aliases[k][0], name) == 0) name = aliases[k][1];
  for (size_t k = 0; k < form_count; k++)
    if (strcmp(forms[k].name, name) == 0) return &forms[k];
  return NULL;
}
