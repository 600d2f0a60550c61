/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The unpacked form of a float that the exact algorithms work on, the one place that rounds, and
 * the quick forms of decode and encode that the operations inline.
 */
#ifndef TESSERA_NUM_INTERNAL_H
#define TESSERA_NUM_INTERNAL_H

#include <math.h>

#include "num/num.h"

typedef enum num_class { NUM_CLASS_ZERO, NUM_CLASS_FINITE, NUM_CLASS_INF, NUM_CLASS_NAN } num_class;

/* A finite value is significand * 2^(exponent - 63) with the top bit of the significand set: the
 * exponent is that of the leading one, subnormals included. */
typedef struct num_unpacked {
  num_class kind;
  bool negative;
  int32_t exponent;
  uint64_t significand;
} num_unpacked;

/* Rounds significand * 2^(exponent - 63), top bit set, to the format and packs it, with all rules
 * on overflow and underflow. The lowest bit is sticky: set also when the true value has any ones
 * below it. That is enough, as a format keeps at most 62 bits: a round bit and a sticky bit remain.
 */
uint64_t num_round_pack(const num_format *format, bool negative, int32_t exponent,
                        uint64_t significand, num_rounding rounding);

/* The same for any unpacked value. */
uint64_t num_pack(const num_format *format, num_unpacked value, num_rounding rounding);

/* The magnitude, finite and below 2^64, rounded to an integer; it may become 2^64. */
num_u128 num_integer_magnitude(num_unpacked value, num_rounding rounding);

/* num_encode by way of num_round_pack. */
uint64_t num_encode_slow(const num_format *format, double value, num_rounding rounding);

/* Whether the magnitude goes up: `rest` compares what is cut off with half a unit in the last
 * place: 0 nothing, 1 less, 2 half, 3 more. */
static inline bool num_rounds_up(num_rounding rounding, bool negative, bool odd, unsigned rest) {
  switch (rounding) {
  case NUM_ZERO:
  case NUM_NEAREST_INT_TO_ZERO: return false;
  case NUM_NEGATIVE_INF: return negative && rest != 0;
  case NUM_POSITIVE_INF: return !negative && rest != 0;
  case NUM_NEAREST_AWAY: return rest >= 2;
  default: return rest + odd > 2;
  }
}

/* a >> count, with a one shifted out kept in the lowest bit. Any count. */
static inline num_u128 num_shift_sticky128(num_u128 a, unsigned count) {
  if (count == 0) return a;
  if (count >= 128) return a != 0;
  return (a >> count) | ((a << (128 - count)) != 0);
}

/* The exponent of the smallest normal value. */
static inline int32_t num_min_exponent(const num_format *f) {
  return f->has_zero - f->bias;
}

/* significand * 2^(exponent - 63) with the top bit moved up; significand != 0. */
static inline num_unpacked num_normalized(bool negative, int32_t exponent, uint64_t significand) {
  int shift = __builtin_clzll(significand);
  return (num_unpacked){NUM_CLASS_FINITE, negative, exponent - shift, significand << shift};
}

static inline num_unpacked num_unpack(const num_format *f, uint64_t pattern) {
  bool negative = num_is_negative(f, pattern);
  uint64_t magnitude = num_magnitude(f, pattern), biased = magnitude >> f->mantissa_bits;
  uint64_t fraction = magnitude << (63 - f->mantissa_bits) & num_mask(63); /* just below bit 63 */
  if (!num_is_finite(f, pattern)) {
    num_class kind = num_is_inf(f, pattern) ? NUM_CLASS_INF : NUM_CLASS_NAN;
    return (num_unpacked){kind, negative, 0, 0};
  }
  if (biased == 0 && f->has_zero) {
    if (fraction == 0) return (num_unpacked){NUM_CLASS_ZERO, negative, 0, 0};
    return num_normalized(negative, num_min_exponent(f), fraction);
  }
  uint64_t significand = fraction | UINT64_C(1) << 63;
  return (num_unpacked){NUM_CLASS_FINITE, negative, (int32_t)biased - f->bias, significand};
}

/* Whether the format's normal values are normal doubles with exponents to spare. */
static inline bool num_decodes_quickly(const num_format *f) {
  return f->exponent_bits <= 9 && f->mantissa_bits <= 52 && f->bias >= 0 && f->bias <= 511;
}

/* num_decode for such formats. */
static inline double num_decode_quick(const num_format *f, uint64_t pattern) {
  uint64_t magnitude = num_magnitude(f, pattern);
  double value;
  if (magnitude > num_max_magnitude(f)) {
    if (!num_is_inf(f, pattern)) return (double)NAN;
    value = HUGE_VAL;
  } else if (magnitude >> f->mantissa_bits == 0 && f->has_zero) {
    if (num_is_nan(f, pattern)) return (double)NAN; /* the one that stands for minus zero */
    uint64_t ulp = (uint64_t)(1023 + num_min_exponent(f) - f->mantissa_bits) << 52;
    value = (double)magnitude * num_f64_from_bits(ulp);
  } else { /* the double's fields are the same, shifted and with another bias */
    uint64_t rebias = (uint64_t)(1023 - f->bias) << 52;
    value = num_f64_from_bits((magnitude << (52 - f->mantissa_bits)) + rebias);
  }
  return num_f64_from_bits(num_f64_bits(value) | (uint64_t)num_is_negative(f, pattern) << 63);
}

/* num_encode. Nearest even to f32 is the host's conversion. Else quick for results that are normal:
 * the double's fields, rounded as one number; a carry out of the mantissa raises the exponent, as
 * it should. */
static inline uint64_t num_encode_quick(const num_format *f, double value, num_rounding r) {
  if (f == &num_formats[TSR_F32] && num_rounds_to_nearest(r)) {
    return value == value ? num_f32_bits((float)value) : num_nan(f);
  }
  uint64_t bits = num_f64_bits(value), magnitude = bits & num_mask(63);
  bool negative = bits >> 63 && f->is_signed;
  int32_t exponent = (int32_t)(magnitude >> 52) - 1023;
  /* Without mantissa bits the lowest bit would be the exponent's, not the significand's; a bias
   * above the double's could carry the exponent out of 64 bits. */
  bool quick = f->mantissa_bits >= 1 && f->mantissa_bits <= 51 && f->bias <= 1023;
  if (exponent < num_min_exponent(f) || exponent >= 1024 || !quick) {
    return num_encode_slow(f, value, r);
  }
  unsigned cut = 52u - f->mantissa_bits;
  uint64_t half = UINT64_C(1) << (cut - 1), add = 0;
  if (num_rounds_to_nearest(r)) {
    add = half - 1 + (magnitude >> cut & 1);
  } else if (r == NUM_NEAREST_AWAY) {
    add = half;
  } else if (num_rounds_up(r, negative, false, 1)) {
    add = 2 * half - 1;
  }
  magnitude = (magnitude - ((uint64_t)(1023 - (int64_t)f->bias) << 52) + add) >> cut;
  if (magnitude > num_max_magnitude(f)) return num_encode_slow(f, value, r);
  return num_assemble(f, negative, magnitude);
}

#endif
