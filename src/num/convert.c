/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The one rounding, and conversions among floats and integers.
 */
#include "num/internal.h"

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
  if (magnitude > num_max_magnitude(f)) return overflow(f, negative, rounding);
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
  if (num_decodes_quickly(from)) {
    return num_encode_quick(to, num_decode_quick(from, pattern), rounding);
  }
  return num_pack(to, num_unpack(from, pattern), rounding);
}

/* `rounded` is a number of the format's precision and of more exponents: its exponent relative to
 * the format's smallest normal number, and its mantissa with the leading one. */
static uint64_t truncated_magnitude(const num_format *to, int32_t above, uint64_t mantissa) {
  if (above < 0) return above < -63 ? 0 : mantissa >> -above;
  uint64_t magnitude = ((uint64_t)above << to->mantissa_bits) + mantissa;
  return magnitude > num_max_magnitude(to) ? num_max_magnitude(to) : magnitude;
}

uint64_t num_convert_tilus(const num_format *to, uint64_t pattern) {
  const num_format *f32 = &num_formats[TSR_F32];
  if (!num_is_finite(f32, pattern)) return num_mask(to->bits);
  bool negative = num_is_negative(f32, pattern);
  if (num_is_zero(f32, num_flush(f32, pattern))) return num_zero(to, negative);
  const num_format wide = num_format_ieee(f32->exponent_bits + 1, to->mantissa_bits);
  uint64_t rounded = num_magnitude(&wide, num_convert(&wide, f32, pattern, NUM_NEAREST_EVEN));
  int32_t exponent = (int32_t)(rounded >> to->mantissa_bits) - wide.bias;
  uint64_t one = UINT64_C(1) << to->mantissa_bits, mantissa = (rounded & (one - 1)) | one;
  return num_assemble(to, negative,
                      truncated_magnitude(to, exponent - num_min_exponent(to), mantissa));
}

double num_decode(const num_format *f, uint64_t pattern) {
  if (f == &num_formats[TSR_F64]) {
    double value = num_f64_from_bits(pattern);
    return value != value ? (double)NAN : value;
  }
  if (num_decodes_quickly(f)) return num_decode_quick(f, pattern);
  const num_format *f64 = &num_formats[TSR_F64];
  return num_f64_from_bits(num_convert(f64, f, pattern, NUM_NEAREST_EVEN));
}

uint64_t num_encode_slow(const num_format *f, double value, num_rounding rounding) {
  return num_pack(f, num_unpack(&num_formats[TSR_F64], num_f64_bits(value)), rounding);
}

uint64_t num_encode(const num_format *f, double value, num_rounding rounding) {
  return num_encode_quick(f, value, rounding);
}

static uint64_t from_magnitude(const num_format *f, bool negative, uint64_t magnitude,
                               num_rounding rounding) {
  if (magnitude == 0) return num_zero(f, false);
  return num_pack(f, num_normalized(negative, 63, magnitude), rounding);
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

/* num_to_int of any value, in any mode. */
static uint64_t to_int(const num_format *f, uint64_t pattern, unsigned width, bool is_signed,
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

uint64_t num_to_int(const num_format *f, uint64_t pattern, unsigned width, bool is_signed,
                    num_rounding rounding, bool *in_range) {
  bool truncates = rounding == NUM_ZERO || rounding == NUM_NEAREST_INT_TO_ZERO;
  if (truncates && num_decodes_quickly(f)) {
    double value = num_decode_quick(f, pattern);
    if (fabs(value) < 0x1p62) { /* not for NaN either */
      int64_t integer = (int64_t)value;
      if (num_int_fits(integer, width, is_signed)) {
        if (in_range != NULL) *in_range = true;
        return num_wrap((uint64_t)integer, width);
      }
    }
  }
  return to_int(f, pattern, width, is_signed, rounding, in_range);
}
