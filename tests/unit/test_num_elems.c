/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of element types, and conversions among all of its formats: all patterns where both
 * sides have up to 16 bits; from f32 and f64 what lies around every place where the rounding
 * changes, and a million random values each. Against MPFR, in every rounding mode, saturating and
 * not; ties away from zero, and f8E8M0FNU, which has no zero, against a search among all values.
 */
#include "test_num_ref.h"

#include <string.h>

static const num_format *format(tsr_elem elem) {
  return num_format_of(elem);
}

static bool is_small(tsr_elem elem) {
  return format(elem) && format(elem)->bits <= 16;
}

/* ---- the table ------------------------------------------------------------------------------ */

static void test_extensions(void **state) {
  (void)state;
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++)
    assert_int_equal(tsr_elem_is_extension((tsr_elem)e), e > TSR_PTR);
  assert_false(tsr_elem_is_extension(TSR_ELEM_COUNT));
}

static void test_aliases(void **state) {
  (void)state;
  static const struct {
    const char *name;
    tsr_elem elem;
  } rows[] = {{"u3", TSR_I3},
              {"int3b", TSR_I3},
              {"uint7b", TSR_I7},
              {"int4b", TSR_I4},
              {"float6_e3m2", TSR_F6E3M2FN},
              {"e3m2", TSR_F6E3M2FN},
              {"float3_e1m1", TSR_F3E1M1FN},
              {"float8_e4m3", TSR_F8E4M3FN},
              {"bfloat16", TSR_BF16},
              {"uint8", TSR_I8},
              {"boolean", TSR_I1},
              {"float6", TSR_ELEM_COUNT},
              {"loat6_e3m2", TSR_ELEM_COUNT},
              {"int3b uint3b", TSR_ELEM_COUNT},
              {" ", TSR_ELEM_COUNT},
              {"i9", TSR_ELEM_COUNT},
              {"u1", TSR_ELEM_COUNT}};
  for (size_t i = 0; i < COUNT(rows); i++)
    assert_int_equal(tsr_elem_from_name(rows[i].name, strlen(rows[i].name)), rows[i].elem);
}

static void test_packed_storage(void **state) {
  (void)state;
  static const struct {
    tsr_elem elem;
    size_t count, bytes;
  } rows[] = {{TSR_I2, 1, 1},        {TSR_I2, 5, 2},       {TSR_I3, 8, 3},
              {TSR_I3, 9, 4},        {TSR_F6E2M3FN, 4, 3}, {TSR_F6E2M3FN, 3, 3},
              {TSR_F6E2M3FN, 5, 4},  {TSR_F7E5M1FN, 8, 7}, {TSR_F5E3M1FN, 0, 0},
              {TSR_F8E4M3FNUZ, 5, 5}};
  for (size_t i = 0; i < COUNT(rows); i++)
    assert_int_equal(tsr_elem_storage(rows[i].elem, rows[i].count), rows[i].bytes);
  assert_true(tsr_elem_storage(TSR_I7, SIZE_MAX) == SIZE_MAX / 8 * 7 + 7);
  /* Element k is at bit k * 6, the lowest bits first. */
  uint8_t bytes[3] = {0};
  num_store_array(bytes, (const uint64_t[]){0x01, 0x3f, 0x00, 0x2a}, TSR_F6E3M2FN, 0, 4);
  assert_int_equal(bytes[0], 0xc1);
  assert_int_equal(bytes[1], 0x0f);
  assert_int_equal(bytes[2], 0xa8);
}

/* ---- the largest and the smallest, as published --------------------------------------------- */

static void test_limits(void **state) {
  (void)state;
  static const struct {
    tsr_elem elem;
    double largest, normal, least;
  } rows[] = {{TSR_F8E4M3FNUZ, 240, 0x1p-7, 0x1p-10},
              {TSR_F8E5M2FNUZ, 57344, 0x1p-15, 0x1p-17},
              {TSR_F6E2M3FN, 7.5, 1, 0.125},
              {TSR_F6E3M2FN, 28, 0.25, 0.0625},
              {TSR_F7E5M1FN, 98304, 0x1p-14, 0x1p-15},
              {TSR_F7E4M2FN, 448, 0x1p-6, 0x1p-8},
              {TSR_F7E3M3FN, 30, 0.25, 0x1p-5},
              {TSR_F7E2M4FN, 7.75, 1, 0.0625},
              {TSR_F6E4M1FN, 384, 0x1p-6, 0x1p-7},
              {TSR_F5E3M1FN, 24, 0.25, 0.125},
              {TSR_F5E2M2FN, 7, 1, 0.25},
              {TSR_F5E1M3FN, 3.75, 2, 0.25},
              {TSR_F4E1M2FN, 3.5, 2, 0.5},
              {TSR_F3E1M1FN, 3, 2, 1}};
  for (size_t i = 0; i < COUNT(rows); i++) {
    const num_format *f = format(rows[i].elem);
    assert_true(num_format_valid(f));
    assert_true(num_decode(f, num_max_finite(f, false)) == rows[i].largest);
    assert_true(num_decode(f, num_max_finite(f, true)) == -rows[i].largest);
    assert_true(num_decode(f, num_min_normal(f)) == rows[i].normal);
    assert_true(num_decode(f, num_min_positive(f)) == rows[i].least);
    assert_true(num_decode(f, num_one(f)) == 1);
  }
  assert_int_equal(num_nan(format(TSR_F8E4M3FNUZ)), 0x80);
  assert_true(isnan(num_decode(format(TSR_F8E5M2FNUZ), 0x80)));
  assert_int_equal(num_encode(format(TSR_F8E4M3FNUZ), -0.0, NUM_NEAREST_EVEN), 0);
  assert_int_equal(num_nan(format(TSR_F6E2M3FN)), 0x1f);
}

/* ---- floats to floats, against MPFR --------------------------------------------------------- */

static mpfr_t value, rounded;

/* The exact value of a pattern, by the definition of its fields. */
static void set_value(const num_format *f, uint64_t pattern) {
  bool negative = pattern & ref_sign(f);
  uint64_t magnitude = (pattern & ~ref_sign(f)) >> f->shift, largest = ref_max_magnitude(f);
  uint64_t one = (uint64_t)1 << f->mantissa_bits, mantissa = magnitude & (one - 1);
  long biased = (long)(magnitude >> f->mantissa_bits);
  bool subnormal = biased == 0 && f->has_zero;
  long scale = (subnormal ? 1 : biased) - f->bias - f->mantissa_bits;
  mpfr_set_uj_2exp(value, subnormal ? mantissa : mantissa | one, scale, MPFR_RNDN);
  if (f->nan == NUM_NAN_NEG_ZERO ? pattern == ref_sign(f) : magnitude > largest + f->has_inf)
    mpfr_set_nan(value);
  else if (magnitude > largest)
    mpfr_set_inf(value, 1);
  mpfr_setsign(value, value, negative, MPFR_RNDN);
}

/* What a result beyond the largest value is. */
static uint64_t beyond(const num_format *f, bool negative, bool outward, bool saturates) {
  uint64_t largest = ref_max_magnitude(f);
  if (!outward || saturates || f->nan == NUM_NAN_NONE) return ref_with_sign(f, negative, largest);
  if (f->nan == NUM_NAN_NEG_ZERO) return ref_sign(f);
  return f->has_inf ? ref_with_sign(f, negative, largest + 1) : ref_magnitudes(f) - 1;
}

static uint64_t nan_of(const num_format *f, bool saturates) {
  if ((f->nan_to_max && saturates) || f->nan == NUM_NAN_NONE)
    return ref_max_magnitude(f) << f->shift;
  if (f->nan == NUM_NAN_NEG_ZERO) return ref_sign(f);
  return f->has_inf ? ref_quiet_nan(f) : ref_magnitudes(f) - 1;
}

/* `value` in a format that has a zero; out[0] without, out[1] with saturation. MPFR rounds to the
 * precision with exponents up to any size; `mode` is one of its four. */
static void round_value(const num_format *f, int mode, uint64_t out[2]) {
  out[0] = nan_of(f, false), out[1] = nan_of(f, true);
  if (mpfr_nan_p(value)) return;
  bool negative = mpfr_signbit(value) && f->is_signed;
  mpfr_rnd_t round = ref_mpfr_modes[mode];
  if (mpfr_signbit(value) && !f->is_signed) mpfr_neg(value, value, MPFR_RNDN);
  mpfr_exp_t emin = mpfr_get_emin();
  mpfr_set_prec(rounded, f->mantissa_bits + 1);
  mpfr_set_emin(2 - f->bias - f->mantissa_bits);
  int ternary = mpfr_set(rounded, value, round);
  ternary = mpfr_check_range(rounded, ternary, round);
  mpfr_subnormalize(rounded, ternary, round);
  mpfr_set_emin(emin);
  bool outward = mode == 0 || (mode == 2 && negative) || (mode == 3 && !negative);
  uint64_t magnitude = ref_max_magnitude(f) + 1;
  if (mpfr_zero_p(rounded)) {
    magnitude = 0;
  } else if (!mpfr_inf_p(rounded)) {
    long exponent = mpfr_get_exp(rounded) - 1, lowest = 1 - f->bias;
    if (exponent < lowest + (1L << f->exponent_bits)) {
      bool normal = exponent >= lowest;
      mpfr_abs(rounded, rounded, MPFR_RNDN);
      mpfr_mul_2si(rounded, rounded, f->mantissa_bits - (normal ? exponent : lowest), MPFR_RNDN);
      magnitude = mpfr_get_uj(rounded, MPFR_RNDN) +
                  (normal ? (uint64_t)(exponent - lowest) << f->mantissa_bits : 0);
    }
  }
  bool infinite = mpfr_inf_p(value);
  for (int saturates = 0; saturates < 2; saturates++)
    out[saturates] = magnitude > ref_max_magnitude(f)
                         ? beyond(f, negative, outward || infinite, saturates)
                         : ref_with_sign(f, negative, magnitude);
}

static void expect(const num_format *to, const num_format *from, uint64_t pattern, int mode,
                   uint64_t expected, const char *how) {
  uint64_t got = num_convert(to, from, pattern, ref_modes[mode]);
  uint64_t encoded = num_encode(to, num_decode(from, pattern), ref_modes[mode]);
  if (got == expected && encoded == expected) return;
  fail_msg("0x%llx of e%um%u to e%um%u, %s, mode %d: 0x%llx and 0x%llx, expected 0x%llx",
           (unsigned long long)pattern, from->exponent_bits, from->mantissa_bits, to->exponent_bits,
           to->mantissa_bits, how, mode, (unsigned long long)got, (unsigned long long)encoded,
           (unsigned long long)expected);
}

/* A target with both ways of overflow, and all its values. */
typedef struct target {
  const num_format *format;
  num_format plain, saturating;
  ref_table plain_values, saturating_values;
  bool searched; /* MPFR can't round to it */
} target;

/* Filled in place: its tables point to its formats. */
static void open_target(target *t, tsr_elem elem) {
  *t = (target){.format = format(elem)};
  t->plain = num_format_saturating(t->format, false);
  t->saturating = num_format_saturating(t->format, true);
  t->plain_values = ref_table_make(&t->plain);
  t->saturating_values = ref_table_make(&t->saturating);
  t->searched = !t->format->has_zero;
}

static void close_target(target *t) {
  free(t->plain_values.values);
  free(t->saturating_values.values);
}

/* The search calls the pattern behind the largest value infinity, which f8E4M3FN's like use as
 * NaN; FNUZ has no such pattern. */
static uint64_t search(const ref_table *table, double x, int mode) {
  const num_format *f = table->format;
  uint64_t found = ref_search(table, x, mode);
  bool missing = !f->has_inf && (found & ~ref_sign(f)) >> f->shift > ref_max_magnitude(f);
  if (missing && f->nan == NUM_NAN_ALL_ONES) return ref_magnitudes(f) - 1;
  return missing || (f->nan == NUM_NAN_NEG_ZERO && found == ref_sign(f)) ? ref_sign(f) : found;
}

static void check_by_search(const target *t, const num_format *from, uint64_t pattern, int mode) {
  double x = num_decode(from, pattern);
  expect(&t->plain, from, pattern, mode, search(&t->plain_values, x, mode), "not saturating");
  expect(&t->saturating, from, pattern, mode, search(&t->saturating_values, x, mode), "saturating");
}

/* `value` is the pattern's. */
static void check_one(const target *t, const num_format *from, uint64_t pattern, int mode) {
  uint64_t expected[2];
  if (t->searched || mode == 4) {
    check_by_search(t, from, pattern, mode);
    return;
  }
  set_value(from, pattern);
  round_value(t->format, mode, expected);
  expect(&t->plain, from, pattern, mode, expected[0], "not saturating");
  expect(&t->saturating, from, pattern, mode, expected[1], "saturating");
}

static void check_modes(const target *t, const num_format *from, uint64_t pattern) {
  for (int mode = 0; mode < REF_MODES; mode++) check_one(t, from, pattern, mode);
}

/* All pairs of formats of at most 16 bits, all patterns. */
static void test_all_patterns(void **state) {
  (void)state;
  for (unsigned to = 0; to < TSR_ELEM_COUNT; to++) {
    if (!is_small((tsr_elem)to)) continue;
    target t;
    open_target(&t, (tsr_elem)to);
    for (unsigned from = 0; from < TSR_ELEM_COUNT; from++) {
      const num_format *f = format((tsr_elem)from);
      if (!is_small((tsr_elem)from)) continue;
      for (uint64_t pattern = 0; pattern < (uint64_t)1 << f->bits; pattern++)
        check_modes(&t, f, pattern);
    }
    close_target(&t);
  }
}

/* The wide types' pattern of a value, and those beside it. */
static void check_around(const target *t, tsr_elem wide, double x) {
  const num_format *f = format(wide);
  uint64_t pattern = num_encode(f, x, NUM_ZERO);
  for (int d = -1; d <= 1; d++) check_modes(t, f, pattern + (uint64_t)d);
}

/* Around every value, and around every midpoint of neighbours: of all small formats' values but of
 * every 41st of the formats of 16 bits. */
static void test_boundaries(void **state) {
  (void)state;
  static const tsr_elem wide[] = {TSR_F32, TSR_F64};
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++) {
    if (!is_small((tsr_elem)e)) continue;
    target t;
    open_target(&t, (tsr_elem)e);
    const ref_table *v = &t.plain_values;
    for (uint64_t i = 0; i<v->count; i += t.format->bits> 8 ? 41 : 1) {
      double x = v->values[i],
             next = i + 1 < v->count ? v->values[i + 1] : ref_value(v->format, i + 1);
      for (int w = 0; w < 4; w++) {
        double sign = w % 2 ? -1 : 1;
        if (x != 0) check_around(&t, wide[w / 2], sign * x);
        check_around(&t, wide[w / 2], sign * (x + (next - x) / 2));
      }
    }
    close_target(&t);
  }
}

/* Half of the random patterns have exponents near those of the format. */
static uint64_t random_near(const num_format *wide, const num_format *f, unsigned i) {
  uint64_t bits = ref_random() & num_mask(wide->bits);
  if (i % 2) return bits;
  int64_t exponent = wide->bias - f->bias - 3 - f->mantissa_bits +
                     (int64_t)ref_below((1u << f->exponent_bits) + 8u + f->mantissa_bits);
  uint64_t field = num_mask(wide->exponent_bits) << wide->mantissa_bits;
  return (bits & ~field) | ((uint64_t)exponent << wide->mantissa_bits & field);
}

static void test_random_values(void **state) {
  (void)state;
  enum { EACH = 100000 }; /* more than a million together */
  static const tsr_elem wide[] = {TSR_F32, TSR_F64};
  target targets[TSR_ELEM_COUNT];
  unsigned n = 0;
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++)
    if (is_small((tsr_elem)e)) open_target(&targets[n++], (tsr_elem)e);
  for (size_t w = 0; w < COUNT(wide); w++) {
    for (unsigned i = 0; i < EACH * n; i++) {
      const target *t = &targets[i / 2 % n];
      check_one(t, format(wide[w]), random_near(format(wide[w]), t->format, i),
                (int)ref_below(REF_MODES));
    }
  }
  for (unsigned i = 0; i < n; i++) close_target(&targets[i]);
}

/* Every value of a small format in every wider one that has it. */
static void test_widening(void **state) {
  (void)state;
  static const tsr_elem wide[] = {TSR_F32, TSR_F64};
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++) {
    if (!is_small((tsr_elem)e)) continue;
    const num_format *f = format((tsr_elem)e);
    for (uint64_t pattern = 0; pattern < (uint64_t)1 << f->bits; pattern++) {
      set_value(f, pattern);
      for (size_t w = 0; w < COUNT(wide); w++) {
        uint64_t expected[2];
        round_value(format(wide[w]), 1, expected);
        expect(format(wide[w]), f, pattern, 1, expected[0], "exactly");
      }
    }
  }
}

/* ---- integers of 1 to 8 bits ---------------------------------------------------------------- */

static void test_from_narrow_integers(void **state) {
  (void)state;
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++) {
    if (!is_small((tsr_elem)e)) continue;
    target t;
    open_target(&t, (tsr_elem)e);
    for (unsigned width = 1; width <= 8; width++) {
      for (uint64_t bits = 0; bits < (uint64_t)1 << width; bits++) {
        for (int k = 0; k < 2 * REF_MODES; k++) {
          bool is_signed = k % 2;
          double x = is_signed ? (double)num_sext(bits, width) : (double)bits;
          uint64_t got = num_from_int(t.format, bits, width, is_signed, ref_modes[k / 2]);
          const ref_table *values = t.format->saturates ? &t.saturating_values : &t.plain_values;
          assert_int_equal(got, ref_search(values, x, k / 2));
        }
      }
    }
    close_target(&t);
  }
}

/* `value` as an integer of the type: rounded by MPFR, then the nearest there is. */
static uint64_t integer_of(unsigned width, bool is_signed, mpfr_rnd_t mode) {
  if (mpfr_nan_p(value)) return 0;
  long high = (1L << (width - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
  mpfr_set_prec(rounded, REF_PRECISION);
  mpfr_rint(rounded, value, mode);
  long x = mpfr_cmp_si(rounded, high) > 0  ? high
           : mpfr_cmp_si(rounded, low) < 0 ? low
                                           : mpfr_get_si(rounded, MPFR_RNDN);
  return num_wrap((uint64_t)x, width);
}

static void test_to_narrow_integers(void **state) {
  (void)state;
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++) {
    const num_format *f = format((tsr_elem)e);
    if (!is_small((tsr_elem)e)) continue;
    for (uint64_t pattern = 0; pattern < (uint64_t)1 << f->bits; pattern++) {
      unsigned only =
          f->bits > 8 ? 1 + (unsigned)(pattern % 8) : 0; /* of 16 bits: one width each */
      set_value(f, pattern);
      for (unsigned width = only ? only : 1; width <= (only ? only : 8); width++)
        for (int k = 0; k < 8; k++)
          assert_int_equal(num_to_int(f, pattern, width, k % 2, ref_modes[k / 2], NULL),
                           integer_of(width, k % 2, ref_mpfr_modes[k / 2]));
    }
  }
}

/* ---- as Tilus converts ---------------------------------------------------------------------- */

/* The rule as it is described, in numbers instead of bits. */
static uint64_t tilus_rule(const num_format *f, float x) {
  unsigned all = (1u << f->bits) - 1, sign = signbit(x) ? 1u << (f->bits - 1) : 0;
  if (isnan(x) || isinf(x)) return all;
  if (fabsf(x) < 0x1p-126f) return sign;
  int exponent;
  double unit = ldexp(1, f->mantissa_bits);
  double significand = rint(frexp(fabs((double)x), &exponent) * 2 * unit); /* from unit to 2 unit */
  exponent -= 1;
  if (significand == 2 * unit) significand = unit, exponent++;
  int field = exponent + f->bias;
  if (field >= 1 << f->exponent_bits) return sign | all >> 1;
  if (field < 1) return sign | (unsigned)floor(ldexp(significand, field - 1));
  return sign | (unsigned)(field * unit + significand - unit);
}

static void check_tilus(const num_format *f, uint32_t bits) {
  uint64_t expected = tilus_rule(f, num_f32_from_bits(bits)), got = num_convert_tilus(f, bits);
  if (got != expected)
    fail_msg("f32 0x%x to e%um%u: 0x%llx, expected 0x%llx", bits, f->exponent_bits,
             f->mantissa_bits, (unsigned long long)got, (unsigned long long)expected);
}

static void test_tilus(void **state) {
  (void)state;
  unsigned formats = 0;
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++) {
    const num_format *f = format((tsr_elem)e);
    if (!f || f->bits > 7 || f->nan != NUM_NAN_NONE) continue;
    formats++;
    for (uint32_t pattern = 0; pattern < 0x10000; pattern++) { /* all bf16, and beside them */
      check_tilus(f, pattern << 16);
      check_tilus(f, (pattern << 16) + 1);
      check_tilus(f, (pattern << 16) - 1);
    }
    for (unsigned i = 0; i < 100000; i++)
      check_tilus(f, (uint32_t)random_near(format(TSR_F32), f, i));
  }
  assert_int_equal(formats, 13);
  const num_format *e3m2 = format(TSR_F6E3M2FN);
  const uint32_t below = num_f32_bits(0.0625f * 0.99f), inf = num_f32_bits(HUGE_VALF);
  assert_int_equal(num_convert_tilus(e3m2, inf), 0x3f);             /* +infinity: -28 */
  assert_int_equal(num_convert_tilus(e3m2, below), 1);              /* rounds up, then is cut off */
  assert_int_equal(num_convert_tilus(e3m2, num_f32_bits(0.1f)), 1); /* exactly: nearer to 2/16 */
  assert_int_equal(num_convert(e3m2, format(TSR_F32), num_f32_bits(0.1f), NUM_NEAREST_EVEN), 2);
}

static int setup(void **state) {
  (void)state;
  ref_seed_from_environment();
  mpfr_init2(value, REF_PRECISION);
  mpfr_init(rounded);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  mpfr_clears(value, rounded, (mpfr_ptr)0);
  mpfr_free_cache();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_extensions),
      cmocka_unit_test(test_aliases),
      cmocka_unit_test(test_packed_storage),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_all_patterns),
      cmocka_unit_test(test_boundaries),
      cmocka_unit_test(test_random_values),
      cmocka_unit_test(test_widening),
      cmocka_unit_test(test_from_narrow_integers),
      cmocka_unit_test(test_to_narrow_integers),
      cmocka_unit_test(test_tilus),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
