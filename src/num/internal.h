/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The unpacked form of a float that the exact algorithms work on, and the one place that rounds.
 */
#ifndef TESSERA_NUM_INTERNAL_H
#define TESSERA_NUM_INTERNAL_H

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

num_unpacked num_unpack(const num_format *format, uint64_t pattern);

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

/* Whether the magnitude goes up: `rest` compares what is cut off with half a unit in the last
 * place: 0 nothing, 1 less, 2 half, 3 more. */
static inline bool num_rounds_up(num_rounding rounding, bool negative, bool odd, unsigned rest) {
  switch (rounding) {
  case NUM_ZERO:
  case NUM_NEAREST_INT_TO_ZERO: return false;
  case NUM_NEGATIVE_INF: return negative && rest != 0;
  case NUM_POSITIVE_INF: return !negative && rest != 0;
  default: return rest + odd > 2;
  }
}

/* a >> count, with a one shifted out kept in the lowest bit. Any count. */
static inline uint64_t num_shift_sticky(uint64_t a, unsigned count) {
  if (count == 0) return a;
  if (count >= 64) return a != 0;
  return (a >> count) | ((a << (64 - count)) != 0);
}
static inline num_u128 num_shift_sticky128(num_u128 a, unsigned count) {
  if (count == 0) return a;
  if (count >= 128) return a != 0;
  return (a >> count) | ((a << (128 - count)) != 0);
}

static inline uint64_t num_sign_bit(const num_format *f) {
  return f->is_signed ? UINT64_C(1) << (f->bits - 1) : 0;
}
/* Exponent and mantissa of a pattern as one number, padding cut off. Magnitudes compare as it. */
static inline uint64_t num_magnitude(const num_format *f, uint64_t pattern) {
  return (pattern & num_mask(f->bits - f->is_signed)) >> f->shift;
}
/* The pattern with this sign and magnitude; an unsigned format has no sign. */
static inline uint64_t num_assemble(const num_format *f, bool negative, uint64_t magnitude) {
  return (negative ? num_sign_bit(f) : 0) | magnitude << f->shift;
}
/* The magnitude with exponent and mantissa all ones. */
static inline uint64_t num_all_ones(const num_format *f) {
  return num_mask(f->exponent_bits + f->mantissa_bits);
}
/* The exponent of the smallest normal value. */
static inline int32_t num_min_exponent(const num_format *f) {
  return f->has_zero - f->bias;
}

#endif
