/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * References that the number tests compare with: MPFR for formats with infinities, and a search
 * among all values for small formats of any kind. They share no code with src/num beyond reading
 * the fields of num_format.
 */
#ifndef TEST_NUM_REF_H
#define TEST_NUM_REF_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpfr.h>

#include "num/num.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* MPFR rounds in the first four; the search among all values knows all five. */
enum { REF_MODES = 5 };
static const num_rounding ref_modes[REF_MODES] = {NUM_NEAREST_EVEN, NUM_ZERO, NUM_NEGATIVE_INF,
                                                  NUM_POSITIVE_INF, NUM_NEAREST_AWAY};
static const mpfr_rnd_t ref_mpfr_modes[4] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};

/* ---- Random numbers: xorshift64*, so that failures repeat ---------------------------------------
 */

static uint64_t ref_random_state = 0x9e3779b97f4a7c15;

static inline uint64_t ref_random(void) {
  ref_random_state ^= ref_random_state >> 12;
  ref_random_state ^= ref_random_state << 25;
  ref_random_state ^= ref_random_state >> 27;
  return ref_random_state * 0x2545f4914f6cdd1d;
}

/* A soak test sets TSR_TEST_SEED to another number each time. */
static inline void ref_seed_from_environment(void) {
  const char *seed = getenv("TSR_TEST_SEED");
  if (seed != NULL) ref_random_state += strtoull(seed, NULL, 0) * 0xd1342543de82ef95;
  if (ref_random_state == 0) ref_random_state = 1;
}

static inline unsigned ref_below(unsigned limit) {
  return (unsigned)((ref_random() >> 33) % limit);
}

/* ---- Formats -------------------------------------------------------------------------------- */

static inline uint64_t ref_sign(const num_format *f) {
  return f->is_signed ? (uint64_t)1 << (f->bits - 1) : 0;
}

/* The number of magnitudes: patterns without sign and padding. */
static inline uint64_t ref_magnitudes(const num_format *f) {
  return (uint64_t)1 << (f->exponent_bits + f->mantissa_bits);
}

static inline uint64_t ref_max_magnitude(const num_format *f) {
  if (f->has_inf) return (ref_magnitudes(f) - ((uint64_t)1 << f->mantissa_bits)) - 1;
  return ref_magnitudes(f) - (f->nan == NUM_NAN_ALL_ONES ? 2 : 1);
}

/* For formats with infinity: exponent all ones and the top mantissa bit. */
static inline uint64_t ref_quiet_nan(const num_format *f) {
  return (ref_max_magnitude(f) + 1 + ((uint64_t)1 << (f->mantissa_bits - 1))) << f->shift;
}

/* ---- MPFR ----------------------------------------------------------------------------------- */

enum { REF_PRECISION = 64 };

/* The exact value of a pattern of a format with infinities. */
static inline void ref_decode(mpfr_t out, const num_format *f, uint64_t pattern) {
  bool negative = pattern & ref_sign(f);
  uint64_t magnitude = (pattern & ~ref_sign(f)) >> f->shift;
  uint64_t one = (uint64_t)1 << f->mantissa_bits, mantissa = magnitude & (one - 1);
  long biased = (long)(magnitude >> f->mantissa_bits);
  if (biased == (1L << f->exponent_bits) - 1) {
    if (mantissa)
      mpfr_set_nan(out);
    else
      mpfr_set_inf(out, negative ? -1 : 1);
    return;
  }
  long scale = (biased ? biased : 1) - f->bias - f->mantissa_bits;
  mpfr_set_uj_2exp(out, biased ? mantissa | one : mantissa, scale, MPFR_RNDN);
  mpfr_setsign(out, out, negative, MPFR_RNDN);
}

/* The pattern of `value`, which MPFR rounded to the format's precision with no limits on the
 * exponent, and `ternary` says how. */
static inline uint64_t ref_pack(const num_format *f, mpfr_t value, int ternary, mpfr_rnd_t mode) {
  mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_set_emin(2 - f->bias - f->mantissa_bits);
  mpfr_set_emax(((1L << f->exponent_bits) - 2) - f->bias + 1);
  ternary = mpfr_check_range(value, ternary, mode);
  mpfr_subnormalize(value, ternary, mode);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  if (mpfr_nan_p(value)) return ref_quiet_nan(f);
  uint64_t sign = mpfr_signbit(value) ? ref_sign(f) : 0;
  if (mpfr_inf_p(value)) return sign | (ref_max_magnitude(f) + 1) << f->shift;
  if (mpfr_zero_p(value)) return sign;
  long exponent = mpfr_get_exp(value) - 1, lowest = 1 - f->bias;
  bool normal = exponent >= lowest;
  mpfr_abs(value, value, MPFR_RNDN);
  mpfr_mul_2si(value, value, f->mantissa_bits - (normal ? exponent : lowest), MPFR_RNDN);
  uint64_t significand = mpfr_get_uj(value, MPFR_RNDN);
  uint64_t field = normal ? (uint64_t)(exponent - lowest) << f->mantissa_bits : 0;
  return sign | (field + significand) << f->shift;
}

/* `value` rounded to the format. */
static inline uint64_t ref_encode(const num_format *f, mpfr_t value, mpfr_rnd_t mode) {
  mpfr_t rounded;
  mpfr_init2(rounded, f->mantissa_bits + 1);
  int ternary = mpfr_set(rounded, value, mode);
  uint64_t pattern = ref_pack(f, rounded, ternary, mode);
  mpfr_clear(rounded);
  return pattern;
}

/* ---- Search among all values ---------------------------------------------------------------- */

/* All finite magnitudes of a small format in order; the rule of the format for everything else. */
typedef struct ref_table {
  const num_format *format;
  double *values; /* by magnitude pattern */
  uint64_t count;
} ref_table;

static inline double ref_value(const num_format *f, uint64_t magnitude) {
  uint64_t one = (uint64_t)1 << f->mantissa_bits, mantissa = magnitude & (one - 1);
  int biased = (int)(magnitude >> f->mantissa_bits);
  if (biased == 0 && f->has_zero) return ldexp((double)mantissa, 1 - f->bias - f->mantissa_bits);
  return ldexp((double)(mantissa + one), biased - f->bias - f->mantissa_bits);
}

static inline ref_table ref_table_make(const num_format *f) {
  ref_table table = {f, NULL, ref_max_magnitude(f) + 1};
  table.values = malloc(table.count * sizeof(double));
  for (uint64_t i = 0; i < table.count; i++) table.values[i] = ref_value(f, i);
  return table;
}

static inline uint64_t ref_with_sign(const num_format *f, bool negative, uint64_t magnitude) {
  if (magnitude == 0 && (f->nan == NUM_NAN_NEG_ZERO || !f->has_zero)) negative = false;
  return (negative ? ref_sign(f) : 0) | magnitude << f->shift;
}

static inline uint64_t ref_overflow(const ref_table *t, bool negative, bool to_inf) {
  const num_format *f = t->format;
  if (!to_inf || f->saturates || f->nan == NUM_NAN_NONE) {
    return ref_with_sign(f, negative, t->count - 1);
  }
  return ref_with_sign(f, negative, t->count); /* infinity */
}

static inline uint64_t ref_search(const ref_table *t, double value, int mode) {
  const num_format *f = t->format;
  if (isnan(value)) {
    if (f->nan_to_max) return (t->count - 1) << f->shift;
    if (f->nan == NUM_NAN_NEG_ZERO) return ref_sign(f);
    return f->has_inf ? ref_quiet_nan(f) : t->count;
  }
  bool negative = signbit(value) && f->is_signed;
  value = fabs(value);
  bool away = mode == 2 ? negative : mode == 3 && !negative;
  double largest = t->values[t->count - 1];
  if (isinf(value)) return ref_overflow(t, negative, true);
  if (value <= t->values[0]) return ref_with_sign(f, negative, 0);
  if (value > largest) {
    /* The next value that there is none of, for the midpoint. */
    double beyond = ref_value(f, t->count);
    double middle = largest + (beyond - largest) / 2;
    return ref_overflow(t, negative, away || (mode % 4 == 0 && value >= middle));
  }
  uint64_t low = 0, high = t->count - 1; /* values[low] < value <= values[high] */
  while (high - low > 1) {
    uint64_t middle = (low + high) / 2;
    if (t->values[middle] < value)
      low = middle;
    else
      high = middle;
  }
  double middle = t->values[low] + (t->values[high] - t->values[low]) / 2;
  /* Of two neighbours the even significand wins a tie. Without mantissa bits every significand is
   * 1, which is odd, and the next power of two, 2 in the same unit, is even. */
  bool low_even = f->mantissa_bits ? low % 2 == 0 : f->has_zero && low == 0;
  bool up;
  if (value == t->values[high])
    up = true;
  else if (mode == 0)
    up = value > middle || (value == middle && !low_even);
  else if (mode == 4)
    up = value >= middle;
  else
    up = away;
  return ref_with_sign(f, negative, up ? high : low);
}

#endif
