/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of formats, and the patterns with a special meaning in each. What a result of NaN or
 * infinity becomes in formats that lack one, or that saturate, is decided here and only here:
 * num_nan, num_inf, num_zero.
 */
#include "num/internal.h"

const num_format num_formats[TSR_ELEM_COUNT] = {
#define TSR_ELEM_FLOAT(id, name, exponent, mantissa, padding, bias_of, nan_kind, sign, zero,       \
                       saturating, to_max, since, aliases, about)                                  \
  [TSR_##id] = {                                                                                   \
      .bits = sign + exponent + mantissa + padding,                                                \
      .exponent_bits = exponent,                                                                   \
      .mantissa_bits = mantissa,                                                                   \
      .shift = padding,                                                                            \
      .bias = bias_of,                                                                             \
      .nan = nan_kind,                                                                             \
      .is_signed = sign,                                                                           \
      .has_inf = nan_kind == NUM_NAN_IEEE,                                                         \
      .has_zero = zero,                                                                            \
      .saturates = saturating,                                                                     \
      .nan_to_max = to_max,                                                                        \
  },
#include <tessera/elem.def>
};

num_format num_format_ieee(unsigned exponent_bits, unsigned mantissa_bits) {
  return (num_format){
      .bits = (uint8_t)(1 + exponent_bits + mantissa_bits),
      .exponent_bits = (uint8_t)exponent_bits,
      .mantissa_bits = (uint8_t)mantissa_bits,
      .bias = (1 << (exponent_bits - 1)) - 1,
      .nan = NUM_NAN_IEEE,
      .is_signed = true,
      .has_inf = true,
      .has_zero = true,
  };
}

num_format num_format_finite(unsigned exponent_bits, unsigned mantissa_bits, bool is_signed) {
  return (num_format){
      .bits = (uint8_t)(is_signed + exponent_bits + mantissa_bits),
      .exponent_bits = (uint8_t)exponent_bits,
      .mantissa_bits = (uint8_t)mantissa_bits,
      .bias = exponent_bits == 0 ? 0 : (1 << (exponent_bits - 1)) - 1,
      .nan = NUM_NAN_NONE,
      .is_signed = is_signed,
      .has_zero = true,
      .saturates = true,
      .nan_to_max = true,
  };
}

num_format num_format_keep_nan(const num_format *format) {
  num_format kept = *format;
  if (kept.nan != NUM_NAN_NONE) kept.nan_to_max = false;
  return kept;
}

num_format num_format_saturating(const num_format *format, bool saturates) {
  num_format made = saturates ? *format : num_format_keep_nan(format);
  made.saturates = saturates;
  return made;
}

bool num_format_valid(const num_format *f) {
  unsigned bits = (unsigned)f->is_signed + f->exponent_bits + f->mantissa_bits + f->shift;
  if (f->mantissa_bits > 61 || f->exponent_bits > 15) return false;
  if (f->exponent_bits + f->mantissa_bits == 0) return false;
  if (f->exponent_bits + f->mantissa_bits > 63) return false;
  if (f->bits != bits || bits > 64 || f->nan > NUM_NAN_NEG_ZERO) return false;
  if (f->bias < -(1 << 20) || f->bias > 1 << 20) return false; /* sums of exponents stay in int32 */
  if (f->has_inf != (f->nan == NUM_NAN_IEEE)) return false;
  /* IEEE NaNs need an exponent to spare and, to be told from infinity, a mantissa. */
  if (f->nan == NUM_NAN_IEEE && (f->exponent_bits < 2 || f->mantissa_bits < 1)) return false;
  if (f->nan == NUM_NAN_NEG_ZERO && !(f->is_signed && f->has_zero)) return false;
  return true;
}

bool num_format_fits_double(const num_format *f) {
  int32_t lowest = num_min_exponent(f) - f->mantissa_bits;
  int32_t highest = (1 << f->exponent_bits) - 1 - f->has_inf - f->bias;
  return f->mantissa_bits <= 52 && lowest >= -1074 && highest <= 1023;
}

uint64_t num_max_finite(const num_format *f, bool negative) {
  return num_assemble(f, negative, num_max_magnitude(f));
}

uint64_t num_nan(const num_format *f) {
  if (f->nan_to_max || f->nan == NUM_NAN_NONE) return num_max_finite(f, false);
  if (f->nan == NUM_NAN_NEG_ZERO) return num_sign_bit(f);
  uint64_t magnitude = num_mask(f->exponent_bits + f->mantissa_bits);
  if (f->nan == NUM_NAN_IEEE) magnitude &= ~(num_mask(f->mantissa_bits) >> 1);
  return num_assemble(f, false, magnitude);
}

uint64_t num_inf(const num_format *f, bool negative) {
  if (f->saturates || f->nan == NUM_NAN_NONE) return num_max_finite(f, negative);
  if (!f->has_inf) return num_nan(f);
  return num_assemble(f, negative, num_max_magnitude(f) + 1);
}

uint64_t num_zero(const num_format *f, bool negative) {
  return num_assemble(f, negative && f->has_zero && f->nan != NUM_NAN_NEG_ZERO, 0);
}

uint64_t num_min_normal(const num_format *f) {
  return num_assemble(f, false, (uint64_t)f->has_zero << f->mantissa_bits);
}

uint64_t num_min_positive(const num_format *f) {
  return num_assemble(f, false, f->has_zero);
}

uint64_t num_one(const num_format *f) {
  return num_from_u64(f, 1, NUM_NEAREST_EVEN);
}
