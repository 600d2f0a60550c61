/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arithmetic of a lane, on patterns in the low bits of 64, for the rows of vector.def.
 */
#ifndef TSR_EMU_AMDGCN_LANE_MATH_H
#define TSR_EMU_AMDGCN_LANE_MATH_H

#include <math.h>

#include "emu/amdgcn/insn.h"
#include "num/num.h"

/* ---- patterns and numbers ------------------------------------------------------------------- */

static inline float F(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float x;
  memcpy(&x, &low, 4);
  return x;
}
static inline double D(uint64_t bits) {
  double x;
  memcpy(&x, &bits, 8);
  return x;
}
static inline double H(uint64_t bits) {
  return num_decode(num_format_of(TSR_F16), bits & 0xffff);
}
/* Results; a NaN is the quiet one, positive (the loop over lanes puts in that of a source). */
static inline uint64_t RF(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return isnan(x) ? 0x7fc00000 : bits;
}
static inline uint64_t RD(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return isnan(x) ? UINT64_C(0x7ff8000000000000) : bits;
}
/* Rounded once: for results that a double holds exactly. */
/* Rounded to nearest, ties to even; a NaN is made quiet. */
static inline uint64_t to_bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (isnan(x)) return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
/* Bit n of the table is the result where the sources' bits, the first the highest, are n. */
static inline uint64_t by_table(uint64_t a, uint64_t b, uint64_t c, unsigned table) {
  uint64_t r = 0;
  for (unsigned n = 0; n < 8; n++)
    if (table >> n & 1) r |= (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
  return (uint32_t)r;
}
static inline uint64_t RH(double x) {
  return num_encode(num_format_of(TSR_F16), x, NUM_NEAREST_EVEN);
}

static inline int32_t I(uint64_t bits) {
  return (int32_t)(uint32_t)bits;
}
static inline int64_t sext(uint64_t bits, unsigned width) {
  return (int64_t)(bits << (64 - width)) >> (64 - width);
}
static inline int32_t S16(uint64_t bits) {
  return (int16_t)bits;
}
static inline uint64_t U16(uint64_t bits) {
  return (uint16_t)bits;
}
static inline int64_t S24(uint64_t bits) {
  return sext(bits, 24);
}
static inline uint64_t U24(uint64_t bits) {
  return bits & 0xffffff;
}

/* ---- integers ------------------------------------------------------------------------------- */

static inline uint64_t add_carry(uint64_t a, uint64_t b, unsigned in, gcn_lane *x) {
  uint64_t sum = (uint64_t)(uint32_t)a + (uint32_t)b + in;
  x->carry = sum >> 32;
  return sum;
}
static inline uint64_t sub_borrow(uint64_t a, uint64_t b, unsigned in, gcn_lane *x) {
  uint64_t difference = (uint64_t)(uint32_t)a - (uint32_t)b - in;
  x->carry = difference >> 63;
  return difference;
}
static inline uint64_t mad_u64(uint64_t a, uint64_t b, uint64_t c, gcn_lane *x) {
  uint64_t r;
  x->carry = __builtin_add_overflow((uint64_t)(uint32_t)a * (uint32_t)b, c, &r);
  return r;
}
static inline uint64_t mad_i64(uint64_t a, uint64_t b, uint64_t c, gcn_lane *x) {
  int64_t r;
  x->carry = __builtin_add_overflow((int64_t)I(a) * I(b), (int64_t)c, &r);
  return (uint64_t)r;
}
static inline uint64_t first_one_above(uint64_t a) {
  return (uint32_t)a ? (uint64_t)__builtin_clz((uint32_t)a) : UINT32_MAX;
}
static inline uint64_t first_one_below(uint64_t a) {
  return (uint32_t)a ? (uint64_t)__builtin_ctz((uint32_t)a) : UINT32_MAX;
}
static inline uint64_t first_change(uint64_t a) {
  uint32_t v = (uint32_t)a;
  return first_one_above(v >> 31 ? ~v : v);
}
static inline uint64_t reverse_bits(uint64_t a) {
  uint32_t r = 0;
  for (unsigned k = 0; k < 32; k++) r |= (uint32_t)(a >> k & 1) << (31 - k);
  return r;
}
static inline uint64_t extract(uint64_t a, uint64_t from, uint64_t width) {
  return (uint32_t)a >> (from & 31) & ((UINT32_C(1) << (width & 31)) - 1);
}
static inline uint64_t extract_signed(uint64_t a, uint64_t from, uint64_t width) {
  unsigned n = width & 31;
  if (!n) return 0;
  int64_t v = (int64_t)I(a) >> (from & 31);
  return (uint32_t)sext((uint64_t)v, n);
}
/* A byte of each of four selectors from the eight bytes of a and b, signs, or constants. */
static inline uint64_t permute_bytes(uint64_t a, uint64_t b, uint64_t selectors) {
  uint64_t bytes = a << 32 | (uint32_t)b, r = 0;
  for (unsigned k = 0; k < 4; k++) {
    unsigned s = selectors >> 8 * k & 0xff;
    uint64_t v = s > 12 ? 0xff : 0;
    if (s < 8)
      v = bytes >> 8 * s & 0xff;
    else if (s < 12)
      v = bytes >> (16 * (s - 8) + 15) & 1 ? 0xff : 0;
    r |= v << 8 * k;
  }
  return r;
}
/* Products of parts of `bits`, and c. */
static inline uint64_t dot_integers(uint64_t a, uint64_t b, uint64_t c, unsigned bits,
                                    bool is_signed) {
  uint64_t mask = (UINT64_C(1) << bits) - 1;
  for (unsigned k = 0; k < 32; k += bits) {
    uint64_t x = a >> k & mask, y = b >> k & mask;
    c += is_signed ? (uint64_t)(sext(x, bits) * sext(y, bits)) : x * y;
  }
  return (uint32_t)c;
}
static inline uint64_t two_bytes(uint64_t a, uint64_t b, uint64_t shift, int32_t least,
                                 int32_t most) {
  int32_t x = I(a) >> (shift & 31), y = I(b) >> (shift & 31);
  x = MIN(MAX(x, least), most), y = MIN(MAX(y, least), most);
  return (uint8_t)x | (uint64_t)(uint8_t)y << 8;
}
static inline uint64_t median_i(int64_t a, int64_t b, int64_t c) {
  return (uint64_t)MAX(MIN(a, b), MIN(MAX(a, b), c));
}

/* ---- floats --------------------------------------------------------------------------------- */

/* The other one where one is a NaN; -0 is below +0. */
static inline double least_or_nan(double a, double b) {
  if (isnan(a) || isnan(b)) return a + b;
  return a < b || (a == b && signbit(a)) ? a : b;
}
static inline double most_or_nan(double a, double b) {
  if (isnan(a) || isnan(b)) return a + b;
  return a > b || (a == b && !signbit(a)) ? a : b;
}
static inline double smaller(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
  return a < b || (a == b && signbit(a)) ? a : b;
}
static inline double larger(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
  return a > b || (a == b && !signbit(a)) ? a : b;
}
static inline double median(double a, double b, double c) {
  if (isnan(a) || isnan(b) || isnan(c)) return smaller(smaller(a, b), c);
  return larger(smaller(a, b), smaller(larger(a, b), c));
}
static inline uint64_t half_fma(uint64_t a, uint64_t b, uint64_t c) {
  return num_fma(num_format_of(TSR_F16), a & 0xffff, b & 0xffff, c & 0xffff, NUM_NEAREST_EVEN,
                 false);
}
static inline uint64_t to_i32(double x) {
  if (isnan(x)) return 0;
  return (uint32_t)(int32_t)(x <= -0x1p31 ? -0x1p31 : x >= 0x1p31 ? 0x7fffffff : trunc(x));
}
static inline uint64_t to_u32(double x) {
  return isnan(x) || x <= 0 ? 0 : x >= 0x1p32 ? UINT32_MAX : (uint32_t)x;
}
static inline uint64_t round_to_zero(double x) {
  return num_encode(num_format_of(TSR_F16), x, NUM_ZERO);
}
static inline uint64_t exponent_of(double x) {
  int e = 0;
  if (isfinite(x)) frexp(x, &e);
  return (uint32_t)e;
}
static inline double mantissa_of(double x) {
  int e;
  return isfinite(x) ? frexp(x, &e) : x;
}
/* x - floor(x), below 1. */
static inline double fraction(double x, double below_one) {
  double f = x - floor(x);
  return isinf(x) ? NAN : f >= 1 ? below_one : f;
}
/* Multiplication in which 0 times anything is 0. */
static inline float legacy_product(float a, float b) {
  return a == 0 || b == 0 ? 0 : a * b;
}
static inline float flush(float x) {
  return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}
static inline uint64_t flushed_mad(float a, float b, float c) {
  return RF(flush(flush(flush(a) * flush(b)) + flush(c)));
}
static inline float legacy_fma(float a, float b, float c) {
  return a == 0 || b == 0 ? c : fmaf(a, b, c);
}
/* Whether a number is of one of the classes in a mask. */
bool gcn_in_class(double x, bool signals, bool subnormal, uint64_t mask);

/* The steps of a division that is rounded correctly. */
uint64_t gcn_div_scale_f32(uint64_t a, uint64_t b, uint64_t c, gcn_lane *x);
uint64_t gcn_div_scale_f64(uint64_t a, uint64_t b, uint64_t c, gcn_lane *x);
/* a * b + c, and the scaling of a division taken back, of a large quotient c the denominator's, of
 * a small one the numerator's; rounded once, since the division is right for subnormal quotients.
 */
uint64_t gcn_div_fmas_f32(uint64_t a, uint64_t b, uint64_t c, const gcn_lane *x);
uint64_t gcn_div_fmas_f64(uint64_t a, uint64_t b, uint64_t c, const gcn_lane *x);
uint64_t gcn_div_fixup_f32(uint64_t a, uint64_t b, uint64_t c);
uint64_t gcn_div_fixup_f64(uint64_t a, uint64_t b, uint64_t c);
uint64_t gcn_div_fixup_f16(uint64_t a, uint64_t b, uint64_t c);

#endif
