/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers: what the bits of an element mean, and exact arithmetic on them.
 *
 * Everything here works on *patterns*: the bits of one element in the low bits of a uint64_t, the
 * rest zero. A float format says how to read a pattern; an integer is a pattern and a width. All
 * results are exact in the sense of IEEE 754: the infinitely precise result, rounded once in the
 * mode asked for.
 *
 *   const num_format *f16 = num_format_of(TSR_F16);
 *   uint64_t third = num_div(f16, 0x3c00, 0x4200, NUM_NEAREST_EVEN, false);   // 1 / 3 = 0x3555
 *   uint64_t small = num_convert(num_format_of(TSR_F8E4M3FN), f16, third, NUM_NEAREST_EVEN); //
 * 0x2b double value = num_decode(num_format_of(TSR_F8E4M3FN), small);            // 0.34375
 *
 * Rules that hold everywhere:
 * - A NaN result is always num_nan(format): positive, quiet, no payload. Inputs may be any NaN.
 * - NUM_APPROX and NUM_FULL mean NUM_NEAREST_EVEN here: they allow an error, and none is one.
 * - flush_to_zero replaces subnormal inputs by zeros of their sign, and a *rounded* result that is
 *   subnormal likewise.
 * - Nothing allocates, fails or keeps state. Unless a function says otherwise bits of a pattern
 *   above the format's width must be zero.
 * - The fast paths use the host's float and double in the default floating-point environment
 *   (round to nearest, no flushing). Whoever runs in a foreign thread brackets its work with
 *   num_env_enter and num_env_leave.
 *
 * docs/numerics.md says what of this is the language's rule and what is our choice.
 */
#ifndef TESSERA_NUM_NUM_H
#define TESSERA_NUM_NUM_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tessera/elem.h>

#include "num/int.h"

#if defined(__FAST_MATH__)
#error "src/num needs IEEE arithmetic: compile without -ffast-math"
#endif
/* 16 says that _Float16, too, is evaluated in its own precision: gcc on hosts with AVX512-FP16. */
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "src/num needs float and double to be evaluated in their own precision (use SSE, not x87)"
#endif

/* ---- Formats -------------------------------------------------------------------------------- */

/* Where a format keeps its NaNs. */
typedef enum num_nan_kind {
  NUM_NAN_NONE,     /* nowhere: f4E2M1FN, OCP FP6 */
  NUM_NAN_IEEE,     /* exponent all ones, mantissa not zero */
  NUM_NAN_ALL_ONES, /* exponent and mantissa all ones, either sign: f8E4M3FN, f8E8M0FNU, … */
  NUM_NAN_NEG_ZERO, /* the pattern of minus zero; there is no minus zero: the "FNUZ" formats */
} num_nan_kind;

/* A binary floating-point format:
 *
 *   [sign: is_signed] [exponent: exponent_bits] [mantissa: mantissa_bits] [padding: shift]
 *
 * from the most significant bit down. With a biased exponent e and mantissa m the value is
 *   (1 + m * 2^-mantissa_bits) * 2^(e - bias)       for e > 0, or when !has_zero
 *   (m * 2^-mantissa_bits) * 2^(1 - bias)           for e == 0 otherwise.
 * Limits: mantissa_bits <= 61, exponent_bits <= 15, both together 1 to 63, at most 64 bits with
 * sign and padding. */
typedef struct num_format {
  uint8_t bits; /* of a whole pattern, padding included: 32 for tf32 */
  uint8_t exponent_bits;
  uint8_t mantissa_bits;
  uint8_t shift; /* padding below the mantissa: 13 for tf32. Read as if zero, written as zero. */
  int32_t bias;
  uint8_t nan; /* num_nan_kind */
  bool is_signed;
  bool has_inf;    /* exponent all ones, mantissa zero; just when nan is NUM_NAN_IEEE */
  bool has_zero;   /* false: e == 0 is an ordinary exponent; no zero, no subnormals (f8E8M0FNU) */
  bool saturates;  /* results out of range and infinities become the largest finite value */
  bool nan_to_max; /* NaN results become the largest positive finite value */
} num_format;

/* f8E4M3FN has NaNs (0x7f, 0xff), but the language's table 5.1.3 says that a NaN converts to +MAX.
 * This is the one place that decides it for TSR_F8E4M3FN; 0 gives 0x7f. A single use can choose
 * with num_format_keep_nan. */
#define NUM_E4M3_NAN_TO_MAX 1

/* Formats of the element types, by tsr_elem; entries that are no floats have bits == 0. */
extern const num_format num_formats[TSR_ELEM_COUNT];

/* The format of a float element type, NULL for any other. */
static inline const num_format *num_format_of(tsr_elem elem) {
  if ((unsigned)elem >= TSR_ELEM_COUNT || num_formats[elem].bits == 0) return NULL;
  return &num_formats[elem];
}

/* An IEEE 754 style format: signed, infinities, NaNs, bias 2^(exponent_bits-1) - 1, no saturation.
 * exponent_bits >= 2, mantissa_bits >= 1. */
num_format num_format_ieee(unsigned exponent_bits, unsigned mantissa_bits);

/* A format without infinities and NaNs, as Tilus and OCP use below 8 bits: every pattern is a
 * finite number; conversions saturate and NaN becomes +MAX. Bias 2^(exponent_bits-1) - 1, and 0
 * for no exponent bits at all, which is a fixed-point number with sign and magnitude: m * 2^(1 -
 * mantissa_bits). */
num_format num_format_finite(unsigned exponent_bits, unsigned mantissa_bits, bool is_signed);

/* `format` with NaN results kept as NaN where it has one. */
num_format num_format_keep_nan(const num_format *format);

/* `format` with results that saturate or don't. One that doesn't gives infinity where it has that,
 * else NaN for what is out of range, and keeps NaN; without either (NUM_NAN_NONE) it saturates all
 * the same. */
num_format num_format_saturating(const num_format *format, bool saturates);

/* Whether a description obeys the limits above; everything else here requires it. */
bool num_format_valid(const num_format *format);

/* Whether every value of the format is a double. True for all element types. */
bool num_format_fits_double(const num_format *format);

/* ---- Rounding ------------------------------------------------------------------------------- */

/* Values as in the bytecode. */
typedef enum num_rounding {
  NUM_NEAREST_EVEN = 0,
  NUM_ZERO = 1,
  NUM_NEGATIVE_INF = 2,
  NUM_POSITIVE_INF = 3,
  NUM_APPROX = 4,              /* = NUM_NEAREST_EVEN */
  NUM_FULL = 5,                /* = NUM_NEAREST_EVEN */
  NUM_NEAREST_INT_TO_ZERO = 6, /* = NUM_ZERO */
  NUM_NEAREST_AWAY = 7,        /* ties away from zero */
} num_rounding;

/* Ties to even. */
static inline bool num_rounds_to_nearest(num_rounding r) {
  return r == NUM_NEAREST_EVEN || r == NUM_APPROX || r == NUM_FULL;
}

/* Enters the default floating-point environment; `saved` gets the one before. */
static inline void num_env_enter(fenv_t *saved) {
  fegetenv(saved);
  fesetenv(FE_DFL_ENV);
}
static inline void num_env_leave(const fenv_t *saved) {
  fesetenv(saved);
}

/* ---- Particular patterns -------------------------------------------------------------------- */

/* The result for NaN: the canonical NaN (positive, only the quiet bit: 0x7fc00000 for f32; 0x80
 * for FNUZ), or the largest finite value where the format has none or nan_to_max says so. */
uint64_t num_nan(const num_format *format);
/* The result for an infinity: infinity, or the largest finite value where the format saturates or
 * has neither infinity nor NaN, or NaN where it has only that. */
uint64_t num_inf(const num_format *format, bool negative);
/* The zero; +0 where there is no -0; the smallest value where there is no zero. */
uint64_t num_zero(const num_format *format, bool negative);
/* The finite value furthest from zero on that side. */
uint64_t num_max_finite(const num_format *format, bool negative);
/* The smallest positive value of full precision. */
uint64_t num_min_normal(const num_format *format);
/* The smallest positive value, which is subnormal where the format has subnormals. */
uint64_t num_min_positive(const num_format *format);
/* 1, which every format of an element type has. */
uint64_t num_one(const num_format *format);

/* The fields of a pattern. A magnitude is exponent and mantissa as one number, without padding;
 * values of one sign order as their magnitudes do. */
static inline uint64_t num_sign_bit(const num_format *f) {
  return (uint64_t)f->is_signed << (f->bits - 1);
}
static inline bool num_is_negative(const num_format *f, uint64_t a) {
  return (a & num_sign_bit(f)) != 0; /* also of zeros and NaNs */
}
static inline uint64_t num_magnitude(const num_format *f, uint64_t a) {
  return (a & ~num_sign_bit(f)) >> f->shift;
}
/* The pattern with this sign and magnitude; an unsigned format drops the sign. (No branches: signs
 * of data are random, and a mispredicted one costs more than all the rest.) */
static inline uint64_t num_assemble(const num_format *f, bool negative, uint64_t magnitude) {
  return (uint64_t)(negative & f->is_signed) << (f->bits - 1) | magnitude << f->shift;
}
/* The magnitude of the largest finite value: all ones, less what infinity and NaN take. */
static inline uint64_t num_max_magnitude(const num_format *f) {
  uint64_t all_ones = num_mask(f->exponent_bits + f->mantissa_bits);
  if (f->nan == NUM_NAN_IEEE) return all_ones - (UINT64_C(1) << f->mantissa_bits);
  return all_ones - (f->nan == NUM_NAN_ALL_ONES);
}

static inline bool num_is_inf(const num_format *f, uint64_t a) {
  return f->has_inf && num_magnitude(f, a) == num_max_magnitude(f) + 1;
}
static inline bool num_is_nan(const num_format *f, uint64_t a) {
  if (f->nan == NUM_NAN_NEG_ZERO) return a == num_sign_bit(f);
  return num_magnitude(f, a) > num_max_magnitude(f) + f->has_inf;
}
static inline bool num_is_finite(const num_format *f, uint64_t a) {
  return num_magnitude(f, a) <= num_max_magnitude(f) && !num_is_nan(f, a);
}
static inline bool num_is_zero(const num_format *f, uint64_t a) {
  return num_magnitude(f, a) == 0 && f->has_zero && !num_is_nan(f, a);
}
static inline bool num_is_subnormal(const num_format *f, uint64_t a) {
  uint64_t magnitude = num_magnitude(f, a);
  return magnitude >> f->mantissa_bits == 0 && magnitude != 0 && f->has_zero;
}
/* A zero of the same sign if `a` is subnormal, else `a`. */
static inline uint64_t num_flush(const num_format *f, uint64_t a) {
  return num_is_subnormal(f, a) ? num_zero(f, num_is_negative(f, a)) : a;
}

/* ---- Conversions ---------------------------------------------------------------------------- */

/* The value as a double: exact when num_format_fits_double, else rounded to nearest even. Any NaN
 * gives the positive quiet NaN. */
double num_decode(const num_format *format, uint64_t pattern);

/* The double rounded to the format. Overflow gives what IEEE 754 says for the mode (infinity or
 * the largest finite value), except where the format saturates. An unsigned format takes the
 * magnitude of the value and rounds that; one without zero (f8E8M0FNU) gives its smallest value
 * for everything below. */
uint64_t num_encode(const num_format *format, double value, num_rounding rounding);

/* ftof: from one format to another. */
uint64_t num_convert(const num_format *to, const num_format *from, uint64_t pattern,
                     num_rounding rounding);

/* The conversion from f32 as Tilus' kernels do it, for results that are to be theirs bit by bit.
 * `to` is signed and has no NaN (NUM_NAN_NONE). Numbers are rounded to nearest even, but
 * - NaN and infinities of either sign give the pattern whose bits are all ones, which is the
 *   negative number furthest from zero;
 * - a result below the normal numbers is rounded to the precision of those, then cut off to its
 *   own: rounded twice, the second time towards zero;
 * - a subnormal f32 gives a zero of its sign. */
uint64_t num_convert_tilus(const num_format *to, uint64_t f32);

/* itof: the integer rounded once. Zero gives +0. num_from_int takes a pattern of `width` bits. */
uint64_t num_from_i64(const num_format *format, int64_t value, num_rounding rounding);
uint64_t num_from_u64(const num_format *format, uint64_t value, num_rounding rounding);
uint64_t num_from_int(const num_format *format, uint64_t pattern, unsigned width, bool is_signed,
                      num_rounding rounding);

/* ftoi: rounds to an integer in the given mode (NUM_NEAREST_INT_TO_ZERO for Tile IR), then to a
 * pattern of `width` bits. Where the language leaves it undefined, this is defined: out of range
 * and infinite values give the nearest integer of the type, NaN gives 0. `in_range`, if not
 * NULL, is set to whether the value was in range (so not for NaN). */
uint64_t num_to_int(const num_format *format, uint64_t pattern, unsigned width, bool is_signed,
                    num_rounding rounding, bool *in_range);

/* Bit casts between patterns and host numbers. */
static inline float num_f32_from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint32_t num_f32_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline double num_f64_from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint64_t num_f64_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

/* The reference: integer arithmetic only, any format, any mode. The operations below without
 * `soft` give the same bits, faster. */
uint64_t num_soft_add(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz);
uint64_t num_soft_sub(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz);
uint64_t num_soft_mul(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz);
uint64_t num_soft_div(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz);
uint64_t num_soft_sqrt(const num_format *f, uint64_t a, num_rounding r, bool ftz);
uint64_t num_soft_fma(const num_format *f, uint64_t a, uint64_t b, uint64_t c, num_rounding r,
                      bool ftz);

/* a + b, a - b, a * b, a / b, the square root of a, and a * b + c rounded once; special values as
 * in IEEE 754: 0/0, inf/inf, 0*inf, inf-inf, sqrt(a < 0) give NaN, a/0 gives an infinity, sqrt(-0)
 * is -0. An exact zero sum of opposite signs is +0, in NUM_NEGATIVE_INF -0. */
uint64_t num_add(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz);
uint64_t num_sub(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz);
uint64_t num_mul(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz);
uint64_t num_div(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz);
uint64_t num_sqrt(const num_format *f, uint64_t a, num_rounding r, bool ftz);
uint64_t num_fma(const num_format *f, uint64_t a, uint64_t b, uint64_t c, num_rounding r, bool ftz);

/* C's fmod: a - n*b with n = a/b truncated; exact; the sign of a. NaN for a infinite or b zero. */
uint64_t num_rem(const num_format *f, uint64_t a, uint64_t b);

/* IEEE 754-2019 minimum and maximum (propagate_nan: any NaN gives NaN) or minimumNumber and
 * maximumNumber (the number of the two). -0 is less than +0. */
uint64_t num_min(const num_format *f, uint64_t a, uint64_t b, bool propagate_nan, bool ftz);
uint64_t num_max(const num_format *f, uint64_t a, uint64_t b, bool propagate_nan, bool ftz);

/* The integer next to `a` in the direction of the mode; keeps the sign of zeros: ceil(-0.5) = -0.
 * floor is NUM_NEGATIVE_INF, ceil is NUM_POSITIVE_INF. */
uint64_t num_round(const num_format *f, uint64_t a, num_rounding r);
static inline uint64_t num_floor(const num_format *f, uint64_t a) {
  return num_round(f, a, NUM_NEGATIVE_INF);
}
static inline uint64_t num_ceil(const num_format *f, uint64_t a) {
  return num_round(f, a, NUM_POSITIVE_INF);
}

/* Sign operations; a NaN gives num_nan. An unsigned format has no negative: neg returns `a`. */
uint64_t num_neg(const num_format *f, uint64_t a);
uint64_t num_abs(const num_format *f, uint64_t a);

/* cmpf. With a NaN operand the result is !ordered whatever the predicate; -0 equals +0. */
bool num_compare(const num_format *f, num_predicate predicate, bool ordered, uint64_t a,
                 uint64_t b);

/* ---- Arrays --------------------------------------------------------------------------------- */

/* Whether elements of so many bits begin within bytes that they share with others. (Those of 4 bits
 * have a half of a byte each, which accesses through pointers know.) */
static inline bool num_shares_bytes(unsigned bits) {
  return bits > 1 && bits < 8 && bits != 4;
}

/* Elements `first` to `first + count - 1` of an array laid out as in memory (tsr_elem_storage):
 * little-endian, elements of 2 to 7 bits as a stream of fields (below), i1 a byte each, of which
 * any that is not zero reads as 1. Storing a field keeps its neighbours, by reading and writing
 * whole bytes: two threads must not share one. Arrays need no alignment. */
void num_load_array(uint64_t *patterns, const void *memory, tsr_elem elem, size_t first,
                    size_t count);
void num_store_array(void *memory, const uint64_t *patterns, tsr_elem elem, size_t first,
                     size_t count);

/* The same as values. Floats: num_decode and num_encode. Integers are signed, i1 is 0 or 1, ptr is
 * unsigned; 64-bit ones are rounded to nearest even on decode; encoding converts as num_to_int
 * does with truncation (saturating, NaN is 0), and i1 is whether the value is not zero. */
void num_decode_array(double *out, const void *memory, tsr_elem elem, size_t first, size_t count);
void num_encode_array(void *memory, const double *in, tsr_elem elem, size_t first, size_t count,
                      num_rounding rounding);

/* A stream of fields of `width` bits (1 to 64) without gaps: field k is bits k*width up to
 * (k+1)*width of the stream, bit i of which is bit i%8 of byte i/8. Reads and writes touch only
 * the bytes that hold the fields; a write reads and writes those it shares with neighbours. */
uint64_t num_bits_get(const void *stream, size_t index, unsigned width);
void num_bits_set(void *stream, size_t index, unsigned width, uint64_t field);
void num_bits_unpack(uint64_t *out, const void *stream, unsigned width, size_t first, size_t count);
void num_bits_pack(void *stream, const uint64_t *in, unsigned width, size_t first, size_t count);
/* A field of 1 to 8 bits that begins at bit `bit` (0 to 7) of a byte, so that it lies in that byte
 * or in that and the next one. */
static inline uint64_t num_bits_get_narrow(const uint8_t *byte, unsigned bit, unsigned width) {
  unsigned window = byte[0];
  if (bit + width > 8) window |= (unsigned)byte[1] << 8;
  return window >> bit & ((1u << width) - 1);
}
static inline void num_bits_set_narrow(uint8_t *byte, unsigned bit, unsigned width,
                                       uint64_t field) {
  unsigned mask = ((1u << width) - 1) << bit, put = (unsigned)field << bit & mask;
  byte[0] = (uint8_t)((byte[0] & ~mask) | put);
  if (bit + width > 8) byte[1] = (uint8_t)((byte[1] & ~(mask >> 8)) | put >> 8);
}

/* Bytes that `count` fields take. */
size_t num_bits_storage(size_t count, unsigned width);

#endif
