/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The operations as users call them. Where the host's double gives the exact answer with a proof
 * short enough to stand here, it is used; all else goes to soft.c.
 *
 * Nearest even, f32 and f64: the host's own operation is the definition.
 *
 * Formats inside f32 (up to 24 bits of precision, exponents of f32): compute in double, 53 bits,
 * and round again.
 * - A product is exact in double, so any mode may follow.
 * - A sum (and the sum of an exact product and an addend) is made "rounded to odd" in double: if
 *   it is inexact and the last bit is even, it moves to the odd neighbour on the side of the
 *   exact value. Rounding that to at most 51 bits in any mode gives the rounding of the exact sum
 *   (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
 * - A sum of two values of the format, a quotient or a root, rounded to nearest with 53 >= 2 * 24
 *   + 2 bits, may be rounded to nearest again (Figueroa, "When is double rounding innocuous?",
 *   1995). Not so in the other modes, nor for a product plus an addend.
 *   Subnormal results keep fewer bits, which only widens the margin.
 * A compiler that contracts x * y + z into a fused operation changes nothing here: every product
 * that meets a sum is exact.
 */
#include "num/internal.h"

static bool is_f64(const num_format *f) {
  return f == &num_formats[TSR_F64];
}
static bool is_f32(const num_format *f) {
  return f == &num_formats[TSR_F32];
}

static bool inside_f32(const num_format *f) {
  return f->mantissa_bits <= 23 && f->exponent_bits <= 8 && f->bias >= 0 && f->bias <= 127;
}

static uint64_t f64_result(double value) {
  return value != value ? num_nan(&num_formats[TSR_F64]) : num_f64_bits(value);
}

static uint64_t f32_result(float value) {
  return value != value ? num_nan(&num_formats[TSR_F32]) : num_f32_bits(value);
}

static float f32(uint64_t pattern) {
  return num_f32_from_bits((uint32_t)pattern);
}
static double f64(uint64_t pattern) {
  return num_f64_from_bits(pattern);
}

/* x + y rounded to odd, for x and y whose exact sum neither overflows nor gets near subnormals of
 * double; the sign of an exact zero is as the mode wants it. */
static double add_to_odd(double x, double y, num_rounding r) {
  double sum = x + y;
  if (sum == 0) {
    /* Both zeros alike: the host kept their sign. */
    return signbit(x) == signbit(y) ? sum : r == NUM_NEGATIVE_INF ? -0.0 : 0.0;
  }
  if (!isfinite(sum)) return sum;
  /* Knuth's two-sum: the exact error. */
  double y_part = sum - x;
  double error = (x - (sum - y_part)) + (y - y_part);
  uint64_t bits = num_f64_bits(sum);
  if (error != 0 && (bits & 1) == 0) bits += (error < 0) == (sum < 0) ? 1 : -1;
  return num_f64_from_bits(bits);
}

static uint64_t narrow_result(const num_format *f, double value, num_rounding r, bool ftz) {
  uint64_t result = num_encode_quick(f, value, r);
  return ftz ? num_flush(f, result) : result;
}

static double narrow_operand(const num_format *f, uint64_t pattern, bool ftz) {
  return num_decode_quick(f, ftz ? num_flush(f, pattern) : pattern);
}

uint64_t num_add(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz) {
  if (num_rounds_to_nearest(r) && !ftz) {
    if (is_f32(f)) return f32_result(f32(a) + f32(b));
    if (is_f64(f)) return f64_result(f64(a) + f64(b));
  }
  if (!inside_f32(f)) return num_soft_add(f, a, b, r, ftz);
  double x = narrow_operand(f, a, ftz), y = narrow_operand(f, b, ftz);
  double sum = num_rounds_to_nearest(r) ? x + y : add_to_odd(x, y, r);
  return narrow_result(f, sum, r, ftz);
}

uint64_t num_sub(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz) {
  if (num_rounds_to_nearest(r) && !ftz) {
    if (is_f32(f)) return f32_result(f32(a) - f32(b));
    if (is_f64(f)) return f64_result(f64(a) - f64(b));
  }
  if (!inside_f32(f)) return num_soft_sub(f, a, b, r, ftz);
  double x = narrow_operand(f, a, ftz), y = narrow_operand(f, b, ftz);
  double sum = num_rounds_to_nearest(r) ? x - y : add_to_odd(x, -y, r);
  return narrow_result(f, sum, r, ftz);
}

uint64_t num_mul(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz) {
  if (num_rounds_to_nearest(r) && !ftz) {
    if (is_f32(f)) return f32_result(f32(a) * f32(b));
    if (is_f64(f)) return f64_result(f64(a) * f64(b));
  }
  if (!inside_f32(f)) return num_soft_mul(f, a, b, r, ftz);
  return narrow_result(f, narrow_operand(f, a, ftz) * narrow_operand(f, b, ftz), r, ftz);
}

uint64_t num_div(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz) {
  if (!num_rounds_to_nearest(r)) return num_soft_div(f, a, b, r, ftz);
  if (is_f32(f) && !ftz) return f32_result(f32(a) / f32(b));
  if (is_f64(f) && !ftz) return f64_result(f64(a) / f64(b));
  if (!inside_f32(f)) return num_soft_div(f, a, b, r, ftz);
  return narrow_result(f, narrow_operand(f, a, ftz) / narrow_operand(f, b, ftz), r, ftz);
}

uint64_t num_sqrt(const num_format *f, uint64_t a, num_rounding r, bool ftz) {
  if (!num_rounds_to_nearest(r)) return num_soft_sqrt(f, a, r, ftz);
  if (is_f32(f) && !ftz) return f32_result(sqrtf(f32(a)));
  if (is_f64(f) && !ftz) return f64_result(sqrt(f64(a)));
  if (!inside_f32(f)) return num_soft_sqrt(f, a, r, ftz);
  return narrow_result(f, sqrt(narrow_operand(f, a, ftz)), r, ftz);
}

uint64_t num_fma(const num_format *f, uint64_t a, uint64_t b, uint64_t c, num_rounding r,
                 bool ftz) {
  if (num_rounds_to_nearest(r) && !ftz) {
    /* The C library's fma is exact on every host, in software where the hardware has none. */
    if (is_f32(f)) return f32_result(fmaf(f32(a), f32(b), f32(c)));
    if (is_f64(f)) return f64_result(fma(f64(a), f64(b), f64(c)));
  }
  if (!inside_f32(f)) return num_soft_fma(f, a, b, c, r, ftz);
  double x = narrow_operand(f, a, ftz), y = narrow_operand(f, b, ftz);
  return narrow_result(f, add_to_odd(x * y, narrow_operand(f, c, ftz), r), r, ftz);
}

/* ---- Remainder ------------------------------------------------------------------------------- */

/* x mod y in units of 2^(y.exponent - 63), for finite values with x.exponent >= y.exponent: in
 * that unit y is its significand and x its own times 2^difference, taken modulo y in steps. */
static uint64_t rem_finite(num_unpacked x, num_unpacked y) {
  uint64_t rest = x.significand % y.significand;
  int32_t difference = x.exponent - y.exponent;
  while (difference > 0 && rest != 0) {
    int32_t step = difference < 64 ? difference : 64;
    rest = (uint64_t)(((num_u128)rest << step) % y.significand);
    difference -= step;
  }
  return rest;
}

uint64_t num_rem(const num_format *f, uint64_t a, uint64_t b) {
  num_unpacked x = num_unpack(f, a), y = num_unpack(f, b);
  if (x.kind == NUM_CLASS_NAN || y.kind == NUM_CLASS_NAN) return num_nan(f);
  if (x.kind == NUM_CLASS_INF || y.kind == NUM_CLASS_ZERO) return num_nan(f);
  if (x.kind == NUM_CLASS_ZERO || y.kind == NUM_CLASS_INF || x.exponent < y.exponent) {
    return num_pack(f, x, NUM_ZERO);
  }
  uint64_t rest = rem_finite(x, y);
  if (rest == 0) return num_zero(f, x.negative);
  int shift = __builtin_clzll(rest);
  return num_round_pack(f, x.negative, y.exponent - shift, rest << shift, NUM_ZERO);
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* A number that orders as the values do, for patterns that are not NaN; -0 just below +0. */
static int64_t order_key(const num_format *f, uint64_t a) {
  int64_t magnitude = (int64_t)num_magnitude(f, a);
  return num_is_negative(f, a) ? -1 - magnitude : magnitude;
}

/* Cuts off padding, which may hold anything in an input. */
static uint64_t clean(const num_format *f, uint64_t a) {
  return num_assemble(f, num_is_negative(f, a), num_magnitude(f, a));
}

static uint64_t select_extreme(const num_format *f, uint64_t a, uint64_t b, bool want_max,
                               bool propagate_nan, bool ftz) {
  a = ftz ? num_flush(f, clean(f, a)) : clean(f, a);
  b = ftz ? num_flush(f, clean(f, b)) : clean(f, b);
  bool a_nan = num_is_nan(f, a), b_nan = num_is_nan(f, b);
  if ((a_nan && b_nan) || ((a_nan || b_nan) && propagate_nan)) return num_nan(f);
  if (a_nan) return b;
  if (b_nan) return a;
  return (order_key(f, a) >= order_key(f, b)) == want_max ? a : b;
}

uint64_t num_min(const num_format *f, uint64_t a, uint64_t b, bool propagate_nan, bool ftz) {
  return select_extreme(f, a, b, false, propagate_nan, ftz);
}

uint64_t num_max(const num_format *f, uint64_t a, uint64_t b, bool propagate_nan, bool ftz) {
  return select_extreme(f, a, b, true, propagate_nan, ftz);
}

bool num_compare(const num_format *f, num_predicate predicate, bool ordered, uint64_t a,
                 uint64_t b) {
  if (num_is_nan(f, a) || num_is_nan(f, b)) return !ordered;
  if (num_is_zero(f, a) && num_is_zero(f, b)) return num_predicate_holds(predicate, 0);
  int64_t x = order_key(f, a), y = order_key(f, b);
  return num_predicate_holds(predicate, x < y ? -1 : x > y);
}

/* ---- Signs and integers --------------------------------------------------------------------- */

uint64_t num_neg(const num_format *f, uint64_t a) {
  if (num_is_nan(f, a)) return num_nan(f);
  if (num_is_zero(f, a)) return num_zero(f, !num_is_negative(f, a));
  return num_assemble(f, !num_is_negative(f, a), num_magnitude(f, a));
}

uint64_t num_abs(const num_format *f, uint64_t a) {
  if (num_is_nan(f, a)) return num_nan(f);
  return num_assemble(f, false, num_magnitude(f, a));
}

static double round_double(double value, num_rounding r) {
  switch (r) {
  case NUM_NEGATIVE_INF: return floor(value);
  case NUM_POSITIVE_INF: return ceil(value);
  case NUM_ZERO:
  case NUM_NEAREST_INT_TO_ZERO: return trunc(value);
  case NUM_NEAREST_AWAY: return round(value);
  default: return rint(value); /* to even, in the default environment */
  }
}

uint64_t num_round(const num_format *f, uint64_t a, num_rounding r) {
  if (is_f64(f)) return f64_result(round_double(f64(a), r));
  if (num_decodes_quickly(f)) {
    return num_encode_quick(f, round_double(num_decode_quick(f, a), r), r);
  }
  num_unpacked x = num_unpack(f, a);
  if (x.kind != NUM_CLASS_FINITE || x.exponent >= 63) return num_pack(f, x, r);
  uint64_t integer = (uint64_t)num_integer_magnitude(x, r);
  if (integer == 0) return num_zero(f, x.negative);
  int shift = __builtin_clzll(integer);
  return num_round_pack(f, x.negative, 63 - shift, integer << shift, r);
}
