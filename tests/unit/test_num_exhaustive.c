/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All values: operations of one operand on all 2^16 patterns of f16 and bf16, operations of two on
 * all pairs of the formats of 8 bits, in every rounding mode; and nearest_away for all formats.
 */
#include "test_num_ref.h"

static const num_format *format(tsr_elem elem) {
  return num_format_of(elem);
}

static const tsr_elem halves[] = {TSR_F16, TSR_BF16};

/* ---- one operand, 16 bits ------------------------------------------------------------------- */

static mpfr_t operand, result;

static uint64_t flushed(const num_format *f, uint64_t a) {
  return (a & ~ref_sign(f)) >> f->mantissa_bits ? a : a & ref_sign(f);
}

static void check_sqrt(const num_format *f, uint64_t a, bool ftz) {
  ref_decode(operand, f, ftz ? flushed(f, a) : a);
  mpfr_set_prec(result, f->mantissa_bits + 1);
  for (int mode = 0; mode < 4; mode++) {
    int ternary = mpfr_sqrt(result, operand, ref_mpfr_modes[mode]);
    uint64_t expected = ref_pack(f, result, ternary, ref_mpfr_modes[mode]);
    if (ftz) expected = flushed(f, expected);
    assert_int_equal(num_sqrt(f, a, ref_modes[mode], ftz), expected);
    assert_int_equal(num_soft_sqrt(f, a, ref_modes[mode], ftz), expected);
  }
}

static void test_sqrt(void **state) {
  (void)state;
  for (size_t t = 0; t < COUNT(halves); t++)
    for (uint64_t a = 0; a < 0x10000; a++) check_sqrt(format(halves[t]), a, a & 1);
}

/* The integers beside the value, of a double that holds it. */
static double integral(double value, int mode) {
  double low = floor(value), high = ceil(value);
  switch (mode) {
  case 0: return value - low == 0.5 ? 2 * floor(low / 2 + 0.5) : floor(value + 0.5);
  case 1: return value < 0 ? high : low;
  case 2: return low;
  case 3: return high;
  default: return value < 0 ? ceil(value - 0.5) : floor(value + 0.5);
  }
}

static void test_rounding_to_integers(void **state) {
  (void)state;
  for (size_t t = 0; t < COUNT(halves); t++) {
    const num_format *f = format(halves[t]);
    for (uint64_t a = 0; a < 0x10000; a++) {
      for (int mode = 0; mode < REF_MODES; mode++) {
        uint64_t expected = num_nan(f);
        if (!num_is_nan(f, a)) {
          double value = copysign(integral(num_decode(f, a), mode), num_decode(f, a));
          expected = num_encode(f, value, NUM_ZERO); /* exact */
        }
        assert_int_equal(num_round(f, a, ref_modes[mode]), expected);
      }
      assert_int_equal(num_floor(f, a), num_round(f, a, NUM_NEGATIVE_INF));
      assert_int_equal(num_ceil(f, a), num_round(f, a, NUM_POSITIVE_INF));
    }
  }
}

static void test_signs(void **state) {
  (void)state;
  for (size_t t = 0; t < COUNT(halves); t++) {
    const num_format *f = format(halves[t]);
    for (uint64_t a = 0; a < 0x10000; a++) {
      bool nan = num_is_nan(f, a);
      assert_int_equal(num_neg(f, a), nan ? num_nan(f) : a ^ 0x8000);
      assert_int_equal(num_abs(f, a), nan ? num_nan(f) : a & 0x7fff);
    }
  }
}

static int64_t clamp(double value, double low, double high, bool *in_range) {
  *in_range = value >= low && value <= high;
  return (int64_t)(value < low ? low : value > high ? high : value);
}

/* ftoi: what a double that holds the value truncates to, within the type. */
static void test_to_integers(void **state) {
  (void)state;
  static const unsigned widths[] = {1, 8, 16, 32};
  for (size_t t = 0; t < COUNT(halves); t++) {
    const num_format *f = format(halves[t]);
    for (uint64_t a = 0; a < 0x10000; a++) {
      double value = num_decode(f, a);
      for (size_t k = 0; k < 2 * COUNT(widths); k++) {
        unsigned width = widths[k / 2];
        bool is_signed = k % 2, range, expected_range = false;
        double high = ldexp(1, (int)width - is_signed) - 1, low = is_signed ? -high - 1 : 0;
        for (int mode = 0; mode < REF_MODES; mode++) {
          int64_t expected =
              value == value ? clamp(integral(value, mode), low, high, &expected_range) : 0;
          uint64_t got = num_to_int(f, a, width, is_signed, ref_modes[mode], &range);
          assert_int_equal(got, num_wrap((uint64_t)expected, width));
          assert_int_equal(range, value == value && expected_range);
        }
      }
    }
  }
}

/* ftof to wider formats: exact. */
static void test_widening(void **state) {
  (void)state;
  static const tsr_elem wide[] = {TSR_F32, TSR_TF32, TSR_F64};
  for (size_t t = 0; t < COUNT(halves); t++) {
    const num_format *f = format(halves[t]);
    for (size_t w = 0; w < COUNT(wide); w++) {
      const num_format *to = format(wide[w]);
      for (uint64_t a = 0; a < 0x10000; a++) {
        for (int mode = 0; mode < REF_MODES; mode++) {
          uint64_t got = num_convert(to, f, a, ref_modes[mode]);
          if (num_is_nan(f, a))
            assert_int_equal(got, num_nan(to));
          else
            assert_int_equal(num_f64_bits(num_decode(to, got)), num_f64_bits(num_decode(f, a)));
        }
      }
    }
  }
}

/* ---- two operands, 8 bits ----------------------------------------------------------------------
 *
 * A quotient or root of significands of at most 4 bits that isn't a multiple of half a unit in the
 * last place differs from all of them by far more than a double's error: so the double that is
 * nearest to it rounds as the exact value does. */

typedef uint64_t (*binary)(const num_format *, uint64_t, uint64_t, num_rounding, bool);

static void check_pair(const ref_table *table, binary fast, binary soft, uint64_t a, uint64_t b,
                       double value, const char *name) {
  for (int mode = 0; mode < REF_MODES; mode++) {
    uint64_t expected = ref_search(table, value, mode);
    uint64_t got = fast(table->format, a, b, ref_modes[mode], false);
    uint64_t got_soft = soft(table->format, a, b, ref_modes[mode], false);
    if (got == expected && got_soft == expected) continue;
    fail_msg("%s e%um%u 0x%llx 0x%llx mode %d: 0x%llx and 0x%llx, expected 0x%llx", name,
             table->format->exponent_bits, table->format->mantissa_bits, (unsigned long long)a,
             (unsigned long long)b, mode, (unsigned long long)got, (unsigned long long)got_soft,
             (unsigned long long)expected);
  }
}

static uint64_t root_of_first(const num_format *f, uint64_t a, uint64_t b, num_rounding r,
                              bool ftz) {
  (void)b;
  return num_sqrt(f, a, r, ftz);
}
static uint64_t soft_root_of_first(const num_format *f, uint64_t a, uint64_t b, num_rounding r,
                                   bool ftz) {
  (void)b;
  return num_soft_sqrt(f, a, r, ftz);
}

/* A quotient of zero by zero and the like is NaN of whatever sign the host gives it. */
static double quotient(const num_format *f, uint64_t a, uint64_t b) {
  double value = num_decode(f, a) / num_decode(f, b);
  return value == value ? value : (double)NAN;
}

static void test_quotients_and_roots(void **state) {
  (void)state;
  static const tsr_elem small[] = {TSR_F8E4M3FN, TSR_F8E5M2, TSR_F8E8M0FNU, TSR_F4E2M1FN,
                                   TSR_F8E5M3FNU};
  for (size_t t = 0; t < COUNT(small); t++) {
    const num_format *f = format(small[t]);
    ref_table table = ref_table_make(f);
    for (uint64_t a = 0; a < UINT64_C(1) << f->bits; a++) {
      double root = sqrt(num_decode(f, a));
      check_pair(&table, root_of_first, soft_root_of_first, a, 0, root == root ? root : (double)NAN,
                 "sqrt");
      for (uint64_t b = 0; b < UINT64_C(1) << f->bits; b++)
        check_pair(&table, num_div, num_soft_div, a, b, quotient(f, a, b), "div");
    }
    free(table.values);
  }
}

/* The formats without sign: sums and products of f8E5M3FNU are exact in double, sums of powers of
 * two far apart have a bit after the larger. (Those with sign: test_num_arith.c.) */
static double sum_of(double x, double y) {
  double sum = x + y;
  if (sum != x || y == 0) return sum != y || x == 0 ? sum : nextafter(sum, HUGE_VAL);
  return nextafter(sum, HUGE_VAL);
}

static double difference_of(double x, double y) {
  double larger = x > y ? x : y, smaller = x > y ? y : x, d = larger - smaller;
  if (x != x || y != y) return (double)NAN;
  if (d == larger && smaller != 0) d = nextafter(d, 0);
  return d;
}

static void test_unsigned_formats(void **state) {
  (void)state;
  static const tsr_elem elems[] = {TSR_F8E8M0FNU, TSR_F8E5M3FNU};
  for (size_t t = 0; t < COUNT(elems); t++) {
    const num_format *f = format(elems[t]);
    ref_table table = ref_table_make(f);
    for (uint64_t a = 0; a < 256; a++) {
      for (uint64_t b = 0; b < 256; b++) {
        double x = num_decode(f, a), y = num_decode(f, b);
        check_pair(&table, num_add, num_soft_add, a, b, sum_of(x, y), "add");
        check_pair(&table, num_sub, num_soft_sub, a, b, difference_of(x, y), "sub");
        check_pair(&table, num_mul, num_soft_mul, a, b, x * y, "mul");
      }
    }
    free(table.values);
  }
}

/* ---- nearest, ties away --------------------------------------------------------------------- */

/* By the values on both sides: the farther from zero when it isn't farther from the value. */
static uint64_t away(const num_format *to, mpfr_t value) {
  bool negative = mpfr_signbit(value);
  uint64_t low = ref_encode(to, value, MPFR_RNDZ);
  uint64_t high = ref_encode(to, value, negative ? MPFR_RNDD : MPFR_RNDU);
  if (low == high) return low;
  mpfr_t a, b;
  mpfr_inits2(4 * REF_PRECISION, a, b, (mpfr_ptr)0);
  ref_decode(a, to, low);
  if (num_is_inf(to, high)) { /* what would follow the largest */
    ref_decode(b, to, low - (UINT64_C(1) << to->shift));
    mpfr_sub(b, a, b, MPFR_RNDN);
    mpfr_add(b, a, b, MPFR_RNDN);
  } else {
    ref_decode(b, to, high);
  }
  mpfr_sub(a, value, a, MPFR_RNDN);
  mpfr_sub(b, b, value, MPFR_RNDN);
  bool up = mpfr_cmpabs(a, b) >= 0;
  mpfr_clears(a, b, (mpfr_ptr)0);
  return up ? high : low;
}

static void check_away(const num_format *to, const num_format *from, uint64_t pattern) {
  ref_decode(operand, from, pattern);
  uint64_t expected = away(to, operand), got = num_convert(to, from, pattern, NUM_NEAREST_AWAY);
  if (got != expected)
    fail_msg("0x%llx of %u bits to %u bits: 0x%llx, expected 0x%llx", (unsigned long long)pattern,
             from->bits, to->bits, (unsigned long long)got, (unsigned long long)expected);
}

static void test_nearest_away(void **state) {
  (void)state;
  static const tsr_elem elems[] = {TSR_F16, TSR_BF16, TSR_TF32, TSR_F32, TSR_F64};
  for (size_t i = 0; i < COUNT(elems); i++) {
    for (size_t k = 0; k < COUNT(elems); k++) {
      const num_format *from = format(elems[i]), *to = format(elems[k]);
      if (i == k) continue;
      for (int n = 0; n < 4000; n++) {
        uint64_t bits = ref_random() & num_mask(from->bits) & ~num_mask(from->shift);
        check_away(to, from, bits);
        /* A tie, when the source has bits to spare, and what is beside it. */
        if (from->mantissa_bits <= to->mantissa_bits) continue;
        unsigned cut = from->mantissa_bits - to->mantissa_bits + from->shift;
        bits = (bits & ~num_mask(cut)) | UINT64_C(1) << (cut - 1);
        check_away(to, from, bits);
        check_away(to, from, bits + (UINT64_C(1) << from->shift));
        check_away(to, from, bits - (UINT64_C(1) << from->shift));
      }
    }
  }
}

static int setup(void **state) {
  (void)state;
  ref_seed_from_environment();
  mpfr_init2(operand, REF_PRECISION);
  mpfr_init(result);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  mpfr_clear(operand);
  mpfr_clear(result);
  mpfr_free_cache();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sqrt),
      cmocka_unit_test(test_rounding_to_integers),
      cmocka_unit_test(test_signs),
      cmocka_unit_test(test_to_integers),
      cmocka_unit_test(test_widening),
      cmocka_unit_test(test_quotients_and_roots),
      cmocka_unit_test(test_unsigned_formats),
      cmocka_unit_test(test_nearest_away),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
