/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Unpacking, the one rounding, and conversions among floats and integers.
 */
#include "num/internal.h"

#include <math.h>

/* significand * 2^(exponent - 63) with the top bit moved up; significand != 0. */
static num_unpacked normalized(bool negative, int32_t exponent, uint64_t significand) {
  int shift = __builtin_clzll(significand);
  return (num_unpacked){NUM_CLASS_FINITE, negative, exponent - shift, significand << shift};
}

num_unpacked num_unpack(const num_format *f, uint64_t pattern) {
  bool negative = num_is_negative(f, pattern);
  if (num_is_nan(f, pattern)) return (num_unpacked){.kind = NUM_CLASS_NAN};
  if (num_is_inf(f, pattern)) return (num_unpacked){.kind = NUM_CLASS_INF, .negative = negative};
  uint64_t magnitude = num_magnitude(f, pattern);
  uint64_t mantissa = magnitude & num_mask(f->mantissa_bits);
  int32_t biased = (int32_t)(magnitude >> f->mantissa_bits);
  if (biased == 0 && f->has_zero) {
    if (mantissa == 0) return (num_unpacked){.kind = NUM_CLASS_ZERO, .negative = negative};
    return normalized(negative, num_min_exponent(f), mantissa << (63 - f->mantissa_bits));
  }
  uint64_t significand = (mantissa | UINT64_C(1) << f->mantissa_bits) << (63 - f->mantissa_bits);
  return (num_unpacked){NUM_CLASS_FINITE, negative, biased - f->bias, significand};
}

/* What a value beyond the largest finite one becomes: the infinity, or the largest finite value
 * when the mode rounds towards zero from there. */
static uint64_t overflow(const num_format *f, bool negative, num_rounding rounding) {
  return num_rounds_up(rounding, negative, false, 3) ? num_inf(f, negative)
                                                     : num_max_finite(f, negative);
}

uint64_t num_round_pack(const num_format *f, bool negative, int32_t exponent, uint64_t significand,
                        num_rounding rounding) {
  negative = negative && f->is_signed; /* an unsigned format rounds the magnitude */
  int32_t lowest = num_min_exponent(f);
  /* Well above any finite value: also keeps the exponent arithmetic below from wrapping. */
  if (exponent >= lowest + (1 << f->exponent_bits)) return overflow(f, negative, rounding);
  if (exponent < lowest && !f->has_zero) return num_min_positive(f);

  unsigned cut = 63 - f->mantissa_bits; /* at least 2: see the contract of the sticky bit */
  int32_t scale = exponent;
  if (exponent < lowest) {
    int32_t below = lowest - exponent;
    cut += below > 64 ? 64 : (unsigned)below;
    scale = lowest;
  }
  uint64_t kept = cut < 64 ? significand >> cut : 0;
  uint64_t cut_off = cut < 64 ? significand << (64 - cut) : significand;
  unsigned rest = cut_off == 0 ? 0 : 1;
  if (cut <= 64 && cut_off >> 63) rest = cut_off << 1 ? 3 : 2;
  kept += num_rounds_up(rounding, negative, kept & 1, rest);

  /* Adding the leading one to the exponent field makes carries and subnormals come out right: a
   * subnormal has no leading one and leaves the field 0. */
  uint64_t field = (uint64_t)(scale - lowest) << f->mantissa_bits;
  uint64_t magnitude = field + kept - (f->has_zero ? 0 : UINT64_C(1) << f->mantissa_bits);
  if (magnitude > num_magnitude(f, num_max_finite(f, false)))
    return overflow(f, negative, rounding);
  if (magnitude == 0 && f->has_zero) return num_zero(f, negative);
  return num_assemble(f, negative, magnitude);
}

uint64_t num_pack(const num_format *f, num_unpacked value, num_rounding rounding) {
  switch (value.kind) {
  case NUM_CLASS_ZERO: return num_zero(f, value.negative);
  case NUM_CLASS_INF: return num_inf(f, value.negative);
  case NUM_CLASS_NAN: return num_nan(f);
  case NUM_CLASS_FINITE: break;
  }
  return num_round_pack(f, value.negative, value.exponent, value.significand, rounding);
}

uint64_t num_convert(const num_format *to, const num_format *from, uint64_t pattern,
                     num_rounding rounding) {
  return num_pack(to, num_unpack(from, pattern), rounding);
}

/* A pattern of a format whose normal values are normal doubles, moved into a double's fields. */
static double decode_narrow(const num_format *f, uint64_t pattern) {
  uint64_t magnitude = num_magnitude(f, pattern);
  double value;
  if (f->has_zero && magnitude >> f->mantissa_bits == 0) {
    uint64_t ulp = (uint64_t)(1023 + num_min_exponent(f) - f->mantissa_bits) << 52;
    value = (double)magnitude * num_f64_from_bits(ulp);
  } else {
    uint64_t rebias = (uint64_t)(1023 - f->bias) << 52;
    value = num_f64_from_bits((magnitude << (52 - f->mantissa_bits)) + rebias);
  }
  return num_is_negative(f, pattern) ? -value : value;
}

double num_decode(const num_format *f, uint64_t pattern) {
  if (f == &num_formats[TSR_F64]) {
    double value = num_f64_from_bits(pattern);
    return value != value ? (double)NAN : value;
  }
  if (num_is_nan(f, pattern)) return (double)NAN;
  if (num_is_inf(f, pattern)) return num_is_negative(f, pattern) ? -HUGE_VAL : HUGE_VAL;
  if (f->exponent_bits <= 9 && f->mantissa_bits <= 52 && f->bias >= 0 && f->bias <= 511) {
    return decode_narrow(f, pattern);
  }
  const num_format *f64 = &num_formats[TSR_F64];
  return num_f64_from_bits(num_convert(f64, f, pattern, NUM_NEAREST_EVEN));
}

uint64_t num_encode(const num_format *f, double value, num_rounding rounding) {
  if (value != value) return num_nan(f);
  uint64_t bits = num_f64_bits(value);
  uint64_t biased = (bits >> 52) & 0x7ff;
  if (biased == 0 || biased == 0x7ff) {
    return num_pack(f, num_unpack(&num_formats[TSR_F64], bits), rounding);
  }
  uint64_t significand = bits << 11 | UINT64_C(1) << 63;
  return num_round_pack(f, bits >> 63, (int32_t)biased - 1023, significand, rounding);
}

static uint64_t from_magnitude(const num_format *f, bool negative, uint64_t magnitude,
                               num_rounding rounding) {
  if (magnitude == 0) return num_zero(f, false);
  return num_pack(f, normalized(negative, 63, magnitude), rounding);
}

uint64_t num_from_i64(const num_format *f, int64_t value, num_rounding rounding) {
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  return from_magnitude(f, value < 0, magnitude, rounding);
}

uint64_t num_from_u64(const num_format *f, uint64_t value, num_rounding rounding) {
  return from_magnitude(f, false, value, rounding);
}

uint64_t num_from_int(const num_format *f, uint64_t pattern, unsigned width, bool is_signed,
                      num_rounding rounding) {
  if (is_signed) return num_from_i64(f, num_sext(pattern, width), rounding);
  return num_from_u64(f, num_wrap(pattern, width), rounding);
}

num_u128 num_integer_magnitude(num_unpacked value, num_rounding rounding) {
  if (value.exponent < -1) return num_rounds_up(rounding, value.negative, false, 1);
  unsigned cut = 63 - (unsigned)value.exponent; /* 0 to 64 */
  uint64_t kept = cut < 64 ? value.significand >> cut : 0;
  uint64_t cut_off = cut == 0 ? 0 : value.significand << (64 - cut);
  unsigned rest = cut_off == 0 ? 0 : 1;
  if (cut_off >> 63) rest = cut_off << 1 ? 3 : 2;
  return (num_u128)kept + num_rounds_up(rounding, value.negative, kept & 1, rest);
}

uint64_t num_to_int(const num_format *f, uint64_t pattern, unsigned width, bool is_signed,
                    num_rounding rounding, bool *in_range) {
  num_unpacked value = num_unpack(f, pattern);
  bool fits = false;
  uint64_t result = 0;
  if (value.kind == NUM_CLASS_ZERO) {
    fits = true;
  } else if (value.kind == NUM_CLASS_FINITE && value.exponent < 64) {
    num_i128 integer = (num_i128)num_integer_magnitude(value, rounding);
    if (value.negative) integer = -integer;
    fits = num_int_fits(integer, width, is_signed);
    result = num_wrap((uint64_t)integer, width);
  }
  if (in_range != NULL) *in_range = fits;
  if (fits || value.kind == NUM_CLASS_NAN) return result;
  if (value.negative) return is_signed ? num_wrap((uint64_t)num_int_min(width), width) : 0;
  return is_signed ? (uint64_t)num_int_max(width) : num_mask(width);
}
