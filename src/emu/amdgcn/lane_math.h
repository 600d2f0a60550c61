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
/* Products of parts of `bits`, and c; signs: 1 a's parts are signed, 2 b's. */
static inline uint64_t dot_mixed(uint64_t a, uint64_t b, uint64_t c, unsigned bits,
                                 unsigned signs) {
  uint64_t mask = (UINT64_C(1) << bits) - 1;
  for (unsigned k = 0; k < 32; k += bits) {
    int64_t x = (int64_t)(a >> k & mask), y = (int64_t)(b >> k & mask);
    if (signs & 1) x = sext((uint64_t)x, bits);
    if (signs & 2) y = sext((uint64_t)y, bits);
    c += (uint64_t)(x * y);
  }
  return (uint32_t)c;
}
static inline uint64_t dot_integers(uint64_t a, uint64_t b, uint64_t c, unsigned bits,
                                    bool is_signed) {
  return dot_mixed(a, b, c, bits, is_signed ? 3 : 0);
}
/* Products of both halves and c, rounded once. */
static inline double dot_halves(uint64_t a, uint64_t b, double c) {
  return H(a) * H(b) + H(a >> 16) * H(b >> 16) + c;
}
static inline double dot_bf16(uint64_t a, uint64_t b, double c) {
  double low = (double)F(a << 16) * F(b << 16);
  return low + (double)F(a & 0xffff0000) * F(b & 0xffff0000) + c;
}
static inline uint64_t two_bytes(uint64_t a, uint64_t b, uint64_t shift, int32_t least,
                                 int32_t most) {
  int32_t x = I(a) >> (shift & 31), y = I(b) >> (shift & 31);
  x = MIN(MAX(x, least), most), y = MIN(MAX(y, least), most);
  return (uint8_t)x | (uint64_t)(uint8_t)y << 8;
}
/* Sums of differences of parts; masked: of those where b's is not 0. */
static inline uint64_t sum_of_differences(uint64_t a, uint64_t b, unsigned bits, bool masked) {
  uint64_t mask = (UINT64_C(1) << bits) - 1, sum = 0;
  for (unsigned k = 0; k < 32; k += bits) {
    uint64_t p = a >> k & mask, q = b >> k & mask;
    if (q || !masked) sum += MAX(p, q) - MIN(p, q);
  }
  return sum;
}
/* Of four bytes from each of a's lower four on, to the 16 bits of c. */
static inline uint64_t sums_of_differences(uint64_t a, uint64_t b, uint64_t c, bool masked) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 4; k++)
    r |= ((sum_of_differences(a >> 8 * k, b, 8, masked) + (c >> 16 * k)) & 0xffff) << 16 * k;
  return r;
}
static inline uint64_t average_bytes(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 32; k += 8)
    r |= ((a >> k & 255) + (b >> k & 255) + (c >> k & 1)) >> 1 << k;
  return r;
}
static inline uint64_t two_halves(int64_t a, int64_t b) {
  return ((uint64_t)a & 0xffff) | ((uint64_t)b & 0xffff) << 16;
}
static inline int64_t saturated(int64_t v, int64_t least, int64_t most) {
  return MIN(MAX(v, least), most);
}
static inline uint64_t two_saturated(int64_t a, int64_t b, int64_t least, int64_t most) {
  return two_halves(saturated(a, least, most), saturated(b, least, most));
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
static inline double lane_number(char type, uint64_t v) {
  return type == 'f' ? F(v) : type == 'd' ? D(v) : H(v);
}
static inline uint64_t quiet_nan(char type) {
  return type == 'f' ? 0x7fc00000 : type == 'd' ? UINT64_C(0x7ff8000000000000) : 0x7e00;
}
static inline bool signals(char type, uint64_t v) {
  unsigned bit = type == 'f' ? 22 : type == 'd' ? 51 : 9;
  return !(v >> bit & 1) && isnan(lane_number(type, v));
}
/* The lower one, or the higher; of a number and a NaN the number. -0 is below +0. */
static inline uint64_t choose(char type, uint64_t a, uint64_t b, bool lower, const gcn_lane *x) {
  if (x->ieee && (signals(type, a) || signals(type, b))) return quiet_nan(type);
  double p = lane_number(type, a), q = lane_number(type, b);
  if (isnan(p) || isnan(q)) return isnan(p) ? b : a;
  if (p == q) return (signbit(p) != 0) == lower ? a : b;
  return (p < q) == lower ? a : b;
}
static inline uint64_t choose_middle(char type, uint64_t a, uint64_t b, uint64_t c,
                                     const gcn_lane *x) {
  double p = lane_number(type, a), q = lane_number(type, b), r = lane_number(type, c);
  if (isnan(p) || isnan(q) || isnan(r))
    return choose(type, choose(type, a, b, true, x), c, true, x);
  double most = p > q ? p : q;
  most = most > r ? most : r;
  if (most == p) return choose(type, b, c, false, x);
  return choose(type, a, most == q ? c : b, false, x);
}
#define LOWER(type, a, b)  choose(type, a, b, true, x)
#define HIGHER(type, a, b) choose(type, a, b, false, x)
static inline double smaller(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
  return a < b || (a == b && signbit(a)) ? a : b;
}
static inline double larger(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
  return a > b || (a == b && !signbit(a)) ? a : b;
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
static inline int64_t truncated(double x, double least, double most) {
  return isnan(x) ? 0 : (int64_t)trunc(x < least ? least : x > most ? most : x);
}
/* To parts of what lies between -1 and 1, or 0 and 1; to nearest. */
static inline int64_t normalised(double x, double most, bool is_signed) {
  double least = is_signed ? -1 : 0;
  if (isnan(x)) return 0;
  return (int64_t)nearbyint((x < least ? least : x > 1 ? 1 : x) * most);
}
static inline uint64_t normal_pair(double a, double b, double most, bool is_signed) {
  return two_halves(normalised(a, most, is_signed), normalised(b, most, is_signed));
}
static inline uint64_t put_byte(uint64_t old, unsigned byte, uint64_t v) {
  return (old & ~(UINT64_C(255) << 8 * byte)) | v << 8 * byte;
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
/* x - floor(x), below 1 also when it is rounded. */
static inline double fraction(double x, double below_one) {
  double f = x - floor(x);
  return isinf(x) ? NAN : f > below_one ? below_one : f;
}
/* Of turns: of a quarter the number that is nearest to 0, so that zeroes are zeroes. */
static inline double sine_of_turns(double x, bool cosine) {
  if (!isfinite(x)) return NAN;
  double part = x - trunc(x), quarters = nearbyint(4 * part);
  double rest = 2 * 3.14159265358979323846 * (part - quarters / 4);
  unsigned quadrant = (unsigned)((int)quarters + 4 + cosine) & 3;
  double r = quadrant & 1 ? cos(rest) : sin(rest);
  return quadrant & 2 ? 0 - r : quadrant == 0 && r == 0 ? copysign(r, x) : r;
}
/* Multiplication in which 0 times anything is 0. */
static inline float legacy_product(float a, float b) {
  return a == 0 || b == 0 ? 0 : a * b;
}
static inline float flush(float x) {
  return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}
/* Functions that take subnormal numbers as zeroes and give none. */
static inline uint64_t flushed(double x) {
  return RF(flush((float)x));
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
