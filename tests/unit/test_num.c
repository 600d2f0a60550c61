/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element types, formats, conversions, arrays and bit streams.
 */
#include "test_num_ref.h"

static const tsr_elem float_elems[] = {TSR_F16,      TSR_BF16,     TSR_F32,    TSR_TF32,
                                       TSR_F64,      TSR_F8E4M3FN, TSR_F8E5M2, TSR_F8E8M0FNU,
                                       TSR_F4E2M1FN, TSR_F8E5M3FNU};
static const tsr_elem ieee_elems[] = {TSR_F16, TSR_BF16, TSR_F32, TSR_TF32, TSR_F64};

static const num_format *format(tsr_elem elem) {
  return num_format_of(elem);
}

static bool same_double(double a, double b) {
  return num_f64_bits(a) == num_f64_bits(b);
}

/* A format of AMD's: no infinity, no minus zero, whose pattern is the NaN. */
static num_format fnuz(unsigned exponent_bits, unsigned mantissa_bits) {
  num_format f = num_format_finite(exponent_bits, mantissa_bits, true);
  f.bias++;
  f.nan = NUM_NAN_NEG_ZERO;
  f.nan_to_max = false;
  return f;
}

/* ---- Element types -------------------------------------------------------------------------- */

static void test_elem_names(void **state) {
  (void)state;
  for (unsigned i = 0; i < TSR_ELEM_COUNT; i++) {
    const char *name = tsr_elem_name((tsr_elem)i);
    assert_non_null(name);
    assert_int_equal(tsr_elem_from_name(name, strlen(name)), i);
    assert_int_equal(tsr_elem_from_name(name, strlen(name) - 1) == (tsr_elem)i, 0);
    bool is_int = tsr_elem_is_int((tsr_elem)i), is_float = tsr_elem_is_float((tsr_elem)i);
    assert_int_equal(is_int + is_float, i != TSR_PTR);
    assert_int_equal(is_float, format((tsr_elem)i) != NULL);
    if (is_float) assert_int_equal(format((tsr_elem)i)->bits, tsr_elem_bits((tsr_elem)i));
  }
  assert_int_equal(tsr_elem_from_name("e4m3", 4), TSR_F8E4M3FN);
  assert_int_equal(tsr_elem_from_name("e5m2xyz", 4), TSR_F8E5M2);
  assert_int_equal(tsr_elem_from_name("f128", 4), TSR_ELEM_COUNT);
  assert_int_equal(tsr_elem_from_name("", 0), TSR_ELEM_COUNT);
  assert_null(tsr_elem_name(TSR_ELEM_COUNT));
  assert_int_equal(tsr_elem_bits((tsr_elem)-1), 0);
  assert_null(format(TSR_I32));
  assert_null(format(TSR_ELEM_COUNT));
}

static void test_elem_storage(void **state) {
  (void)state;
  assert_int_equal(tsr_elem_storage(TSR_I1, 7), 7);
  assert_int_equal(tsr_elem_storage(TSR_I4, 7), 4);
  assert_int_equal(tsr_elem_storage(TSR_F4E2M1FN, 8), 4);
  assert_int_equal(tsr_elem_storage(TSR_TF32, 3), 12);
  assert_int_equal(tsr_elem_storage(TSR_PTR, 3), 24);
  assert_int_equal(tsr_elem_storage(TSR_F64, 0), 0);
  assert_true(tsr_elem_storage(TSR_F64, SIZE_MAX / 4) == SIZE_MAX);
  assert_true(tsr_elem_storage(TSR_I4, SIZE_MAX) == SIZE_MAX / 2 + 1);
  assert_int_equal(tsr_elem_storage(TSR_ELEM_COUNT, 9), 0);
}

/* ---- Formats -------------------------------------------------------------------------------- */

static void test_format_constants(void **state) {
  (void)state;
  static const struct {
    tsr_elem elem;
    uint64_t one, max, negative_max, inf, nan, min_normal, min_positive;
  } rows[] = {
      {TSR_F16, 0x3c00, 0x7bff, 0xfbff, 0x7c00, 0x7e00, 0x0400, 1},
      {TSR_BF16, 0x3f80, 0x7f7f, 0xff7f, 0x7f80, 0x7fc0, 0x0080, 1},
      {TSR_F32, 0x3f800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0x7fc00000, 0x00800000, 1},
      {TSR_TF32, 0x3f800000, 0x7f7fe000, 0xff7fe000, 0x7f800000, 0x7fc00000, 0x00800000, 0x2000},
      {TSR_F64, 0x3ff0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
       0x7ff8000000000000, 0x0010000000000000, 1},
      {TSR_F8E4M3FN, 0x38, 0x7e, 0xfe, 0x7e, 0x7e, 0x08, 1},
      {TSR_F8E5M2, 0x3c, 0x7b, 0xfb, 0x7b, 0x7e, 0x04, 1},
      {TSR_F8E8M0FNU, 0x7f, 0xfe, 0xfe, 0xfe, 0xff, 0, 0},
      {TSR_F4E2M1FN, 2, 7, 15, 7, 7, 2, 1},
      {TSR_F8E5M3FNU, 0x78, 0xfe, 0xfe, 0xfe, 0xff, 0x08, 1},
  };
  assert_int_equal(COUNT(rows), COUNT(float_elems));
  for (size_t i = 0; i < COUNT(rows); i++) {
    const num_format *f = format(rows[i].elem);
    assert_true(num_format_valid(f));
    assert_true(num_format_fits_double(f));
    assert_int_equal(num_one(f), rows[i].one);
    assert_int_equal(num_max_finite(f, false), rows[i].max);
    assert_int_equal(num_max_finite(f, true), rows[i].negative_max);
    assert_int_equal(num_inf(f, false), rows[i].inf);
    assert_int_equal(num_nan(f), rows[i].nan);
    assert_int_equal(num_min_normal(f), rows[i].min_normal);
    assert_int_equal(num_min_positive(f), rows[i].min_positive);
  }
}

static void test_known_values(void **state) {
  (void)state;
  static const struct {
    tsr_elem elem;
    uint64_t pattern;
    double value;
  } rows[] = {
      {TSR_F16, 0x3555, 0x1.554p-2},
      {TSR_F16, 0x7bff, 65504},
      {TSR_F16, 0x8001, -0x1p-24},
      {TSR_BF16, 0x4049, 3.140625},
      {TSR_BF16, 0x0001, 0x1p-133},
      {TSR_F32, 0x40490fdb, 0x1.921fb6p1},
      {TSR_TF32, 0x40490000, 3.140625},
      {TSR_F8E4M3FN, 0x7e, 448},
      {TSR_F8E4M3FN, 0x01, 0x1p-9},
      {TSR_F8E5M2, 0x7b, 57344},
      {TSR_F8E5M2, 0x81, -0x1p-16},
      {TSR_F8E8M0FNU, 0, 0x1p-127},
      {TSR_F8E8M0FNU, 0xfe, 0x1p127},
      {TSR_F8E8M0FNU, 127, 1},
      {TSR_F4E2M1FN, 0, 0},
      {TSR_F4E2M1FN, 1, .5},
      {TSR_F4E2M1FN, 2, 1},
      {TSR_F4E2M1FN, 3, 1.5},
      {TSR_F4E2M1FN, 4, 2},
      {TSR_F4E2M1FN, 5, 3},
      {TSR_F4E2M1FN, 6, 4},
      {TSR_F4E2M1FN, 15, -6},
      {TSR_F8E5M3FNU, 0, 0},
      {TSR_F8E5M3FNU, 1, 0x1p-17},
      {TSR_F8E5M3FNU, 7, 0x7p-17},
      {TSR_F8E5M3FNU, 8, 0x1p-14},
      {TSR_F8E5M3FNU, 0x7c, 1.5},
      {TSR_F8E5M3FNU, 0xfe, 114688},
      {TSR_F16, 0xfc00, -HUGE_VAL},
      {TSR_F64, 1, 0x1p-1074},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    const num_format *f = format(rows[i].elem);
    assert_true(same_double(num_decode(f, rows[i].pattern), rows[i].value));
    if (isinf(rows[i].value) && f->saturates) continue;
    assert_int_equal(num_encode(f, rows[i].value, NUM_NEAREST_EVEN), rows[i].pattern);
  }
  /* tf32's low 13 bits are not part of the number. */
  assert_true(num_decode(format(TSR_TF32), 0x3f801fff) == 1);
}

static void test_format_limits(void **state) {
  (void)state;
  num_format f = num_format_ieee(15, 48);
  assert_true(num_format_valid(&f));
  assert_false(num_format_fits_double(&f));
  f = num_format_finite(2, 61, false);
  assert_true(num_format_valid(&f));
  f = num_format_finite(3, 61, false);
  assert_false(num_format_valid(&f));
  f = num_format_finite(16, 2, false);
  assert_false(num_format_valid(&f));
  f = num_format_finite(0, 0, true);
  assert_false(num_format_valid(&f));
  f = num_format_ieee(1, 3);
  assert_false(num_format_valid(&f));
  f = num_format_ieee(5, 10);
  f.has_inf = false;
  assert_false(num_format_valid(&f));
}

/* ---- Round trips ---------------------------------------------------------------------------- */

/* Every pattern: its value against the definition, back again, and through num_convert. */
static void round_trip(const num_format *f) {
  assert_true(num_format_valid(f));
  for (uint64_t magnitude = 0; magnitude < ref_magnitudes(f); magnitude++) {
    for (int negative = 0; negative <= (int)f->is_signed; negative++) {
      uint64_t pattern = (negative ? ref_sign(f) : 0) | magnitude << f->shift;
      double value = num_decode(f, pattern);
      bool is_nan = f->nan == NUM_NAN_NEG_ZERO ? negative && magnitude == 0
                                               : magnitude > ref_max_magnitude(f) + f->has_inf;
      assert_int_equal(num_is_nan(f, pattern), is_nan);
      assert_int_equal(isnan(value), is_nan);
      uint64_t back = is_nan ? num_nan(f) : pattern;
      if (!is_nan && magnitude > ref_max_magnitude(f)) {
        assert_true(value == (negative ? -HUGE_VAL : HUGE_VAL));
        assert_true(num_is_inf(f, pattern));
        if (f->saturates) back = num_max_finite(f, negative);
      } else if (!is_nan) {
        double expected = ref_value(f, magnitude);
        assert_true(same_double(value, negative ? -expected : expected));
        assert_true(num_is_finite(f, pattern));
        assert_int_equal(num_is_zero(f, pattern), expected == 0);
      }
      for (int mode = 0; mode < 4; mode++) {
        assert_int_equal(num_encode(f, value, ref_modes[mode]), back);
        assert_int_equal(num_convert(f, f, pattern, ref_modes[mode]), back);
      }
    }
  }
}

static void test_round_trip_elements(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(float_elems); i++) {
    if (format(float_elems[i])->mantissa_bits <= 10) round_trip(format(float_elems[i]));
  }
  num_format e4m3 = num_format_keep_nan(format(TSR_F8E4M3FN));
  round_trip(&e4m3);
}

/* All splits of up to 8 bits, and AMD's formats. */
static void test_round_trip_small_formats(void **state) {
  (void)state;
  for (unsigned bits = 1; bits <= 7; bits++) {
    for (unsigned e = 0; e <= bits; e++) {
      for (int is_signed = 0; is_signed < 2; is_signed++) {
        num_format f = num_format_finite(e, bits - e, is_signed);
        round_trip(&f);
      }
      num_format f = fnuz(e, bits - e);
      if (e > 0) round_trip(&f);
      if (e >= 2 && e < bits) {
        f = num_format_ieee(e, bits - e);
        round_trip(&f);
      }
    }
  }
}

/* ---- Conversions to small formats, against the search --------------------------------------- */

static void check_search(const ref_table *table, double value, int mode) {
  uint64_t expected = ref_search(table, value, mode);
  uint64_t got = num_encode(table->format, value, ref_modes[mode]);
  if (got != expected) {
    fail_msg("encode %a mode %d to e%um%u: 0x%llx, expected 0x%llx", value, mode,
             table->format->exponent_bits, table->format->mantissa_bits, (unsigned long long)got,
             (unsigned long long)expected);
  }
}

/* All patterns of f16 and bf16 to every format of at most 16 bits, in every mode. */
static void test_16_bit_to_smaller(void **state) {
  (void)state;
  static const tsr_elem targets[] = {TSR_F16,       TSR_BF16,     TSR_F8E4M3FN, TSR_F8E5M2,
                                     TSR_F8E8M0FNU, TSR_F4E2M1FN, TSR_F8E5M3FNU};
  for (size_t t = 0; t < COUNT(targets); t++) {
    ref_table table = ref_table_make(format(targets[t]));
    for (int source = 0; source < 2; source++) {
      const num_format *from = format(source ? TSR_BF16 : TSR_F16);
      for (uint32_t pattern = 0; pattern < 0x10000; pattern++) {
        double value = num_decode(from, pattern);
        for (int mode = 0; mode < REF_MODES; mode++) {
          uint64_t expected = ref_search(&table, value, mode);
          assert_int_equal(num_convert(table.format, from, pattern, ref_modes[mode]), expected);
          assert_int_equal(num_encode(table.format, value, ref_modes[mode]), expected);
        }
      }
    }
    free(table.values);
  }
}

/* Values, midpoints and their neighbours, then random doubles, to all small formats. */
static void search_sweep(const num_format *f) {
  ref_table table = ref_table_make(f);
  for (uint64_t i = 0; i + 1 < table.count; i++) {
    double low = table.values[i], middle = low + (table.values[i + 1] - low) / 2;
    double points[] = {low, nextafter(low, 2 * low + 1), nextafter(middle, 0), middle,
                       nextafter(middle, 2 * middle)};
    for (size_t k = 0; k < COUNT(points); k++) {
      for (int mode = 0; mode < REF_MODES; mode++) {
        check_search(&table, points[k], mode);
        check_search(&table, -points[k], mode);
      }
    }
  }
  for (int i = 0; i < 2000; i++) {
    uint64_t bits = ref_random();
    if (i % 2) { /* exponents near the format's */
      int width = 1 << (f->exponent_bits < 10 ? f->exponent_bits : 10);
      int64_t exponent = 1023 - f->bias - 3 - f->mantissa_bits +
                         (int)ref_below((unsigned)width + 8u + f->mantissa_bits);
      bits = (bits & 0x800fffffffffffff) | (uint64_t)exponent << 52;
    }
    for (int mode = 0; mode < REF_MODES; mode++)
      check_search(&table, num_f64_from_bits(bits), mode);
  }
  const double special[] = {0, HUGE_VAL, NAN, 0x1p-1074, 0x1.fffffffffffffp1023};
  for (size_t k = 0; k < COUNT(special); k++) {
    for (int mode = 0; mode < REF_MODES; mode++) {
      check_search(&table, special[k], mode);
      check_search(&table, -special[k], mode);
    }
  }
  free(table.values);
}

static void test_double_to_small(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(float_elems); i++) {
    if (format(float_elems[i])->bits <= 16) search_sweep(format(float_elems[i]));
  }
  for (unsigned bits = 1; bits <= 7; bits++) {
    for (unsigned e = 0; e <= bits; e++) {
      num_format f = num_format_finite(e, bits - e, bits % 2);
      search_sweep(&f);
      f = num_format_finite(e, bits - e, true);
      search_sweep(&f);
      f = fnuz(e, bits - e);
      if (e > 0) search_sweep(&f);
      f = e >= 2 && e < bits ? num_format_ieee(e, bits - e) : f;
      if (f.has_inf) search_sweep(&f);
    }
  }
}

/* The approximate modes of the bytecode round as nearest even; the integer one as zero. */
static void test_mode_aliases(void **state) {
  (void)state;
  const num_format *f = format(TSR_F16);
  for (int i = 0; i < 1000; i++) {
    double value = num_decode(format(TSR_F32), ref_random() & 0xffffffff);
    uint64_t nearest = num_encode(f, value, NUM_NEAREST_EVEN);
    assert_int_equal(num_encode(f, value, NUM_APPROX), nearest);
    assert_int_equal(num_encode(f, value, NUM_FULL), nearest);
    assert_int_equal(num_encode(f, value, NUM_NEAREST_INT_TO_ZERO), num_encode(f, value, NUM_ZERO));
  }
}

/* ---- Conversions among wide formats, against MPFR ------------------------------------------- */

/* A pattern of the format: random bits, or a random value with few bits, or next to a limit. */
static uint64_t random_pattern(const num_format *f) {
  uint64_t bits = ref_random();
  if (bits % 4 == 0) bits &= ref_random() & ref_random();
  if (bits % 4 == 1) bits |= ref_random() | ref_random();
  return bits & num_mask(f->bits) & ~num_mask(f->shift);
}

static void check_convert(const num_format *to, const num_format *from, uint64_t pattern) {
  mpfr_t value;
  mpfr_init2(value, REF_PRECISION);
  ref_decode(value, from, pattern);
  for (int mode = 0; mode < 4; mode++) {
    uint64_t expected = ref_encode(to, value, ref_mpfr_modes[mode]);
    uint64_t got = num_convert(to, from, pattern, ref_modes[mode]);
    if (got == expected && num_format_fits_double(from)) {
      got = num_encode(to, num_decode(from, pattern), ref_modes[mode]);
    }
    if (got != expected) {
      fail_msg("convert 0x%llx from %u to %u bits, mode %d: 0x%llx, expected 0x%llx",
               (unsigned long long)pattern, from->bits, to->bits, mode, (unsigned long long)got,
               (unsigned long long)expected);
    }
  }
  mpfr_clear(value);
}

static void test_wide_conversions(void **state) {
  (void)state;
  num_format wide[] = {num_format_ieee(15, 48), num_format_ieee(11, 40), num_format_ieee(6, 57),
                       num_format_ieee(2, 61),  num_format_ieee(8, 13),  num_format_ieee(12, 20)};
  const num_format *formats[COUNT(ieee_elems) + COUNT(wide)];
  size_t count = 0;
  for (size_t i = 0; i < COUNT(ieee_elems); i++) formats[count++] = format(ieee_elems[i]);
  for (size_t i = 0; i < COUNT(wide); i++) formats[count++] = &wide[i];
  for (size_t from = 0; from < count; from++) {
    for (size_t to = 0; to < count; to++) {
      for (int i = 0; i < 2000; i++) {
        check_convert(formats[to], formats[from], random_pattern(formats[from]));
      }
    }
  }
}

/* The neighbourhood of every f16 and bf16 midpoint that is an f32: where roundings go wrong. */
static void test_f32_ties(void **state) {
  (void)state;
  const num_format *f32 = format(TSR_F32);
  static const tsr_elem targets[] = {TSR_F16, TSR_BF16};
  for (size_t t = 0; t < COUNT(targets); t++) {
    for (uint32_t pattern = 0; pattern < 0x7c00; pattern += 37) {
      double low = num_decode(format(targets[t]), pattern);
      double high = num_decode(format(targets[t]), pattern + 1);
      if (isinf(high)) continue;
      uint64_t middle = num_encode(f32, low + (high - low) / 2, NUM_NEAREST_EVEN);
      for (int d = -1; d <= 1; d++) check_convert(format(targets[t]), f32, middle + (uint64_t)d);
    }
  }
}

static void test_decode_wide(void **state) {
  (void)state;
  num_format wide = num_format_ieee(15, 48);
  mpfr_t value;
  mpfr_init2(value, REF_PRECISION);
  for (int i = 0; i < 20000; i++) {
    uint64_t pattern = random_pattern(&wide);
    if (i % 2)
      pattern = (pattern & ~(0x7fffull << 48)) | (uint64_t)(16383 - 1080 + ref_below(2110)) << 48;
    ref_decode(value, &wide, pattern);
    uint64_t expected = ref_encode(format(TSR_F64), value, MPFR_RNDN);
    assert_true(num_f64_bits(num_decode(&wide, pattern)) == expected);
  }
  mpfr_clear(value);
}

/* ---- The language's table of special values ------------------------------------------------- */

static void test_saturation_table(void **state) {
  (void)state;
  const double inf = HUGE_VAL, huge = 0x1p1000, nan = NAN;
  for (size_t i = 0; i < COUNT(ieee_elems); i++) { /* row 1: f16, f32, f64, bf16, tf32 */
    const num_format *f = format(ieee_elems[i]);
    uint64_t max = num_max_finite(f, false), negative_max = num_max_finite(f, true);
    for (int mode = 0; mode < 4; mode++) {
      assert_int_equal(num_encode(f, inf, ref_modes[mode]), num_inf(f, false));
      assert_int_equal(num_encode(f, -inf, ref_modes[mode]), num_inf(f, true));
      assert_int_equal(num_encode(f, nan, ref_modes[mode]), num_nan(f));
      assert_true(num_is_nan(f, num_encode(f, -nan, ref_modes[mode])));
    }
    if (ieee_elems[i] == TSR_F64) continue;
    assert_int_equal(num_encode(f, huge, NUM_NEAREST_EVEN), num_inf(f, false));
    assert_int_equal(num_encode(f, huge, NUM_ZERO), max);
    assert_int_equal(num_encode(f, huge, NUM_NEGATIVE_INF), max);
    assert_int_equal(num_encode(f, huge, NUM_POSITIVE_INF), num_inf(f, false));
    assert_int_equal(num_encode(f, -huge, NUM_NEAREST_EVEN), num_inf(f, true));
    assert_int_equal(num_encode(f, -huge, NUM_ZERO), negative_max);
    assert_int_equal(num_encode(f, -huge, NUM_NEGATIVE_INF), num_inf(f, true));
    assert_int_equal(num_encode(f, -huge, NUM_POSITIVE_INF), negative_max);
  }
  /* f16 rounds to infinity from halfway above the largest value on. */
  assert_int_equal(num_encode(format(TSR_F16), 65519.99, NUM_NEAREST_EVEN), 0x7bff);
  assert_int_equal(num_encode(format(TSR_F16), 65520, NUM_NEAREST_EVEN), 0x7c00);

  const num_format *e5m2 = format(TSR_F8E5M2), *e4m3 = format(TSR_F8E4M3FN);
  num_format kept = num_format_keep_nan(e4m3);
  for (int mode = 0; mode < 4; mode++) {
    num_rounding r = ref_modes[mode];
    /* row 2 */
    assert_int_equal(num_encode(e5m2, huge, r), 0x7b);
    assert_int_equal(num_encode(e5m2, -huge, r), 0xfb);
    assert_int_equal(num_encode(e5m2, 57344.1, r), 0x7b);
    assert_int_equal(num_encode(e5m2, inf, r), 0x7b);
    assert_int_equal(num_encode(e5m2, -inf, r), 0xfb);
    assert_int_equal(num_encode(e5m2, nan, r), 0x7e);
    /* row 3 */
    assert_int_equal(num_encode(e4m3, huge, r), 0x7e);
    assert_int_equal(num_encode(e4m3, -huge, r), 0xfe);
    assert_int_equal(num_encode(e4m3, 479, r), 0x7e);
    assert_int_equal(num_encode(e4m3, inf, r), 0x7e);
    assert_int_equal(num_encode(e4m3, -inf, r), 0xfe);
    assert_int_equal(num_encode(e4m3, nan, r), 0x7e);
    assert_int_equal(num_encode(&kept, nan, r), 0x7f);
    assert_int_equal(num_encode(&kept, inf, r), 0x7e);
    /* Our choices where the table has no row. */
    const num_format *e2m1 = format(TSR_F4E2M1FN), *e8m0 = format(TSR_F8E8M0FNU);
    assert_int_equal(num_encode(e2m1, nan, r), 7);
    assert_int_equal(num_encode(e2m1, -inf, r), 15);
    assert_int_equal(num_encode(e2m1, 100, r), 7);
    assert_int_equal(num_encode(e8m0, nan, r), 0xff);
    assert_int_equal(num_encode(e8m0, inf, r), 0xfe);
    assert_int_equal(num_encode(e8m0, 0x1.8p127, r), 0xfe);
    assert_int_equal(num_encode(e8m0, 0, r), 0);
    assert_int_equal(num_encode(e8m0, -0.0, r), 0);
    assert_int_equal(num_encode(e8m0, 0x1p-300, r), 0);
    assert_int_equal(num_encode(e8m0, -4, r), 129);
  }
  /* f8E8M0FNU: the two modes that the language has, and ties of nearest go up. */
  const num_format *e8m0 = format(TSR_F8E8M0FNU);
  assert_int_equal(num_encode(e8m0, 1.1, NUM_ZERO), 127);
  assert_int_equal(num_encode(e8m0, 1.1, NUM_POSITIVE_INF), 128);
  assert_int_equal(num_encode(e8m0, -1.1, NUM_POSITIVE_INF), 128);
  assert_int_equal(num_encode(e8m0, 1.49, NUM_NEAREST_EVEN), 127);
  assert_int_equal(num_encode(e8m0, 1.5, NUM_NEAREST_EVEN), 128);
  assert_int_equal(num_encode(e8m0, 3, NUM_NEAREST_EVEN), 129);
  /* Integers saturate alike. */
  assert_int_equal(num_from_i64(e4m3, -1000, NUM_NEAREST_EVEN), 0xfe);
  assert_int_equal(num_from_u64(e5m2, UINT64_MAX, NUM_NEAREST_EVEN), 0x7b);
}

/* Formats that neither saturate nor have infinities overflow to NaN. */
static void test_overflow_to_nan(void **state) {
  (void)state;
  num_format f = num_format_keep_nan(format(TSR_F8E4M3FN));
  f.saturates = false;
  assert_int_equal(num_encode(&f, 463.9, NUM_NEAREST_EVEN), 0x7e);
  assert_int_equal(num_encode(&f, 464.1, NUM_NEAREST_EVEN), 0x7f);
  assert_int_equal(num_encode(&f, 464.1, NUM_ZERO), 0x7e);
  assert_int_equal(num_encode(&f, HUGE_VAL, NUM_ZERO), 0x7f);
  f = fnuz(4, 3);
  f.saturates = false;
  assert_int_equal(num_encode(&f, 1e6, NUM_NEAREST_EVEN), 0x80);
  assert_int_equal(num_encode(&f, -0.0, NUM_NEAREST_EVEN), 0);
  assert_int_equal(num_encode(&f, 240, NUM_NEAREST_EVEN), 0x7f);
}

/* ---- Integers to floats --------------------------------------------------------------------- */

static void check_from_int(const num_format *f, uint64_t bits) {
  mpfr_t value;
  mpfr_init2(value, REF_PRECISION);
  for (int mode = 0; mode < 4; mode++) {
    mpfr_set_uj(value, bits, MPFR_RNDN);
    uint64_t expected = ref_encode(f, value, ref_mpfr_modes[mode]);
    assert_true(num_from_u64(f, bits, ref_modes[mode]) == expected);
    assert_true(num_from_int(f, bits, 64, false, ref_modes[mode]) == expected);
    mpfr_set_sj(value, (int64_t)bits, MPFR_RNDN);
    expected = ref_encode(f, value, ref_mpfr_modes[mode]);
    assert_true(num_from_i64(f, (int64_t)bits, ref_modes[mode]) == expected);
  }
  mpfr_clear(value);
}

static void test_from_int(void **state) {
  (void)state;
  num_format wide[] = {num_format_ieee(15, 48), num_format_ieee(2, 61), num_format_ieee(3, 2),
                       num_format_ieee(7, 56)};
  for (size_t t = 0; t < COUNT(ieee_elems) + COUNT(wide); t++) {
    const num_format *f =
        t < COUNT(ieee_elems) ? format(ieee_elems[t]) : &wide[t - COUNT(ieee_elems)];
    for (int i = 0; i < 64; i++) { /* powers of two, and one and two beside them */
      for (int d = -2; d <= 2; d++) check_from_int(f, ((uint64_t)1 << i) + (uint64_t)d);
    }
    for (int i = 0; i < 64 - f->mantissa_bits; i++) { /* halfway between neighbours of each size */
      uint64_t odd = ((uint64_t)1 << (f->mantissa_bits + 1)) |
                     (ref_random() & num_mask(f->mantissa_bits + 1)) | 1;
      if (f->mantissa_bits + 2 + i > 64) break;
      for (int d = -1; d <= 1; d++) check_from_int(f, (odd << i) + (uint64_t)d);
    }
    for (int i = 0; i < 20000; i++) check_from_int(f, ref_random() >> ref_below(64));
  }
  /* Small widths, and formats that the search knows. */
  static const tsr_elem small[] = {TSR_F8E4M3FN, TSR_F8E5M2,    TSR_F8E8M0FNU, TSR_F4E2M1FN,
                                   TSR_F16,      TSR_F8E5M3FNU, TSR_BF16};
  for (size_t t = 0; t < COUNT(small); t++) {
    ref_table table = ref_table_make(format(small[t]));
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
      for (int mode = 0; mode < REF_MODES; mode++) {
        num_rounding r = ref_modes[mode];
        assert_int_equal(num_from_int(table.format, bits, 16, true, r),
                         ref_search(&table, (int16_t)bits, mode));
        assert_int_equal(num_from_int(table.format, bits, 16, false, r),
                         ref_search(&table, bits, mode));
      }
    }
    free(table.values);
  }
  /* i1: true is -1 signed, 1 unsigned. */
  assert_int_equal(num_from_int(format(TSR_F32), 1, 1, true, NUM_NEAREST_EVEN), 0xbf800000);
  assert_int_equal(num_from_int(format(TSR_F32), 1, 1, false, NUM_NEAREST_EVEN), 0x3f800000);
}

/* ---- Floats to integers --------------------------------------------------------------------- */

/* By MPFR: round to an integer, clamp, wrap. */
static uint64_t ref_to_int(mpfr_t value, unsigned width, bool is_signed, mpfr_rnd_t mode,
                           bool *in_range) {
  *in_range = false;
  if (mpfr_nan_p(value)) return 0;
  mpfr_t integer, low, high;
  mpfr_inits2(REF_PRECISION + 2, integer, low, high, (mpfr_ptr)0);
  mpfr_rint(integer, value, mode);
  mpfr_set_ui_2exp(high, 1, is_signed ? (long)width - 1 : (long)width, MPFR_RNDN);
  mpfr_set_zero(low, 1);
  if (is_signed) mpfr_neg(low, high, MPFR_RNDN);
  mpfr_sub_ui(high, high, 1, MPFR_RNDN);
  *in_range = mpfr_cmp(integer, low) >= 0 && mpfr_cmp(integer, high) <= 0;
  if (mpfr_cmp(integer, low) < 0) mpfr_set(integer, low, MPFR_RNDN);
  if (mpfr_cmp(integer, high) > 0) mpfr_set(integer, high, MPFR_RNDN);
  bool negative = mpfr_signbit(integer);
  mpfr_abs(integer, integer, MPFR_RNDN);
  uint64_t bits = mpfr_get_uj(integer, MPFR_RNDN);
  mpfr_clears(integer, low, high, (mpfr_ptr)0);
  return num_wrap(negative ? 0 - bits : bits, width);
}

static void check_to_int(const num_format *f, uint64_t pattern, unsigned width) {
  mpfr_t value;
  mpfr_init2(value, REF_PRECISION);
  ref_decode(value, f, pattern);
  for (int mode = 0; mode < 4; mode++) {
    for (int is_signed = 0; is_signed < 2; is_signed++) {
      bool expected_range, range;
      uint64_t expected =
          ref_to_int(value, width, is_signed, ref_mpfr_modes[mode], &expected_range);
      uint64_t got = num_to_int(f, pattern, width, is_signed, ref_modes[mode], &range);
      if (got != expected || range != expected_range) {
        fail_msg("to_int 0x%llx (%u bits), width %u signed %d mode %d: 0x%llx, expected 0x%llx",
                 (unsigned long long)pattern, f->bits, width, is_signed, mode,
                 (unsigned long long)got, (unsigned long long)expected);
      }
    }
  }
  mpfr_clear(value);
}

static void test_to_int(void **state) {
  (void)state;
  static const unsigned widths[] = {1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 63, 64};
  num_format wide = num_format_ieee(7, 56);
  const num_format *formats[] = {format(TSR_F16), format(TSR_BF16), format(TSR_F32),
                                 format(TSR_F64), &wide};
  for (size_t t = 0; t < COUNT(formats); t++) {
    const num_format *f = formats[t];
    for (int i = 0; i < 12000; i++) {
      uint64_t pattern = random_pattern(f);
      if (i % 2) { /* magnitudes from 1/4 to 2^66 */
        uint64_t exponent = (uint64_t)(f->bias - 2 + (int)ref_below(69)) << f->mantissa_bits;
        uint64_t keep = ref_sign(f) | num_mask(f->mantissa_bits);
        pattern = (pattern & keep) | (exponent & ~ref_sign(f));
        pattern &= num_mask(f->bits);
      }
      check_to_int(f, pattern, widths[ref_below(COUNT(widths))]);
    }
  }
  const num_format *f64 = format(TSR_F64);
  static const double edges[] = {0.0,   -0.0,  0.25,          0.5,    0.75,     1.5,    2.5, 126.5,
                                 127.5, 255.5, 0x1p31 - 0.5,  0x1p31, 0x1p63,   0x1p64, 127, 128,
                                 255,   256,   0x1p64 - 2048, 1e300,  HUGE_VAL, NAN};
  for (size_t i = 0; i < COUNT(edges); i++) {
    for (size_t w = 0; w < COUNT(widths); w++) {
      check_to_int(f64, num_f64_bits(edges[i]), widths[w]);
      check_to_int(f64, num_f64_bits(-edges[i]), widths[w]);
    }
  }
  const num_format *e8m0 = format(TSR_F8E8M0FNU);
  assert_int_equal(num_to_int(e8m0, 127 + 14, 16, true, NUM_NEAREST_INT_TO_ZERO, NULL), 1 << 14);
  assert_int_equal(num_to_int(e8m0, 126, 16, true, NUM_NEAREST_INT_TO_ZERO, NULL), 0);
  assert_int_equal(num_to_int(e8m0, 0xff, 16, true, NUM_NEAREST_INT_TO_ZERO, NULL), 0);
}

/* ---- Arrays --------------------------------------------------------------------------------- */

static void test_pattern_arrays(void **state) {
  (void)state;
  enum { SIZE = 67 };
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++) {
    tsr_elem elem = (tsr_elem)e;
    size_t bytes = tsr_elem_storage(elem, SIZE);
    uint8_t *memory = malloc(bytes); /* exact, so that the sanitizer sees the edges */
    uint64_t patterns[SIZE], back[SIZE];
    for (int i = 0; i < SIZE; i++) patterns[i] = ref_random() & num_mask(tsr_elem_bits(elem));
    num_store_array(memory, patterns, elem, 0, SIZE);
    for (int round = 0; round < 200; round++) {
      size_t first = ref_below(SIZE), count = ref_below((unsigned)(SIZE - first) + 1);
      num_load_array(back, memory, elem, first, count);
      assert_memory_equal(back, patterns + first, count * sizeof *back);
      for (size_t i = 0; i < count; i++) {
        patterns[first + i] = ref_random() & num_mask(tsr_elem_bits(elem));
      }
      num_store_array(memory, patterns + first, elem, first, count);
      num_load_array(back, memory, elem, 0, SIZE);
      assert_memory_equal(back, patterns, sizeof back);
    }
    free(memory);
  }
  uint8_t bytes[4] = {0, 1, 2, 0x80};
  uint64_t bits[4];
  num_load_array(bits, bytes, TSR_I1, 0, 4); /* any byte that is not zero is true */
  assert_int_equal(bits[0] + 2 * bits[1] + 4 * bits[2] + 8 * bits[3], 14);
  uint8_t nibbles[2] = {0x21, 0x43};
  num_load_array(bits, nibbles, TSR_I4, 0, 4); /* the low nibble comes first */
  for (uint64_t i = 0; i < 4; i++) assert_int_equal(bits[i], i + 1);
}

static void test_value_arrays(void **state) {
  (void)state;
  enum { SIZE = 601 };
  static double in[SIZE], out[SIZE];
  static uint8_t memory[SIZE * 8];
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++) {
    tsr_elem elem = (tsr_elem)e;
    uint64_t pattern;
    for (int i = 0; i < SIZE; i++) in[i] = (int)ref_below(301) / 4.0 - 37;
    num_encode_array(memory, in, elem, 0, SIZE, NUM_NEAREST_EVEN);
    num_decode_array(out, memory, elem, 0, SIZE);
    for (size_t i = 0; i < SIZE; i++) {
      num_load_array(&pattern, memory, elem, i, 1);
      if (format(elem)) {
        assert_int_equal(pattern, num_encode(format(elem), in[i], NUM_NEAREST_EVEN));
        assert_true(same_double(out[i], num_decode(format(elem), pattern)));
      } else if (elem == TSR_I1) {
        assert_true(out[i] == (in[i] != 0));
      } else {
        unsigned bits = tsr_elem_bits(elem);
        double limit = bits < 32 ? ldexp(1, (int)bits - 1) - 1 : 1e9;
        double low = elem == TSR_PTR ? 0 : -limit - 1;
        assert_true(out[i] == fmin(limit, fmax(low, trunc(in[i]))));
      }
    }
    num_decode_array(out, memory, elem, 300, 3);
    num_load_array(&pattern, memory, elem, 302, 1);
    if (format(elem)) assert_true(same_double(out[2], num_decode(format(elem), pattern)));
  }
  double special[3] = {NAN, HUGE_VAL, -HUGE_VAL};
  num_encode_array(memory, special, TSR_I32, 0, 3, NUM_NEAREST_EVEN);
  num_decode_array(out, memory, TSR_I32, 0, 3);
  assert_true(out[0] == 0 && out[1] == 2147483647.0 && out[2] == -2147483648.0);
}

static void test_bit_streams(void **state) {
  (void)state;
  enum { SIZE = 41 };
  for (unsigned width = 1; width <= 64; width++) {
    size_t bytes = num_bits_storage(SIZE, width);
    assert_int_equal(bytes, (SIZE * width + 7) / 8);
    uint8_t *stream = malloc(bytes), *plain = calloc(bytes, 1);
    memset(stream, 0xa5, bytes);
    uint64_t fields[SIZE], back[SIZE];
    for (int i = 0; i < SIZE; i++) fields[i] = ref_random() & num_mask(width);
    num_bits_pack(stream, fields, width, 0, SIZE);
    num_bits_unpack(back, stream, width, 0, SIZE);
    assert_memory_equal(back, fields, sizeof back);
    for (size_t i = 0; i < SIZE * width; i++) { /* bit by bit, as the header defines it */
      plain[i / 8] |= (uint8_t)((fields[i / width] >> (i % width) & 1) << (i % 8));
    }
    for (size_t i = 0; i < SIZE * width; i++) {
      assert_int_equal(plain[i / 8] >> (i % 8) & 1, stream[i / 8] >> (i % 8) & 1);
    }
    for (int round = 0; round < 50; round++) {
      size_t index = ref_below(SIZE);
      fields[index] = ref_random();
      num_bits_set(stream, index, width, fields[index]); /* bits above the width are dropped */
      fields[index] &= num_mask(width);
      index = ref_below(SIZE);
      assert_true(num_bits_get(stream, index, width) == fields[index]);
    }
    num_bits_unpack(back, stream, width, 3, SIZE - 3);
    assert_memory_equal(back, fields + 3, (SIZE - 3) * sizeof *back);
    free(stream);
    free(plain);
  }
}

static void test_environment(void **state) {
  (void)state;
  fenv_t saved;
  fesetround(FE_UPWARD);
  num_env_enter(&saved);
  assert_int_equal(fegetround(), FE_TONEAREST);
  num_env_leave(&saved);
  assert_int_equal(fegetround(), FE_UPWARD);
  fesetround(FE_TONEAREST);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elem_names),
      cmocka_unit_test(test_elem_storage),
      cmocka_unit_test(test_format_constants),
      cmocka_unit_test(test_known_values),
      cmocka_unit_test(test_format_limits),
      cmocka_unit_test(test_round_trip_elements),
      cmocka_unit_test(test_round_trip_small_formats),
      cmocka_unit_test(test_16_bit_to_smaller),
      cmocka_unit_test(test_double_to_small),
      cmocka_unit_test(test_mode_aliases),
      cmocka_unit_test(test_wide_conversions),
      cmocka_unit_test(test_f32_ties),
      cmocka_unit_test(test_decode_wide),
      cmocka_unit_test(test_saturation_table),
      cmocka_unit_test(test_overflow_to_nan),
      cmocka_unit_test(test_from_int),
      cmocka_unit_test(test_to_int),
      cmocka_unit_test(test_pattern_arrays),
      cmocka_unit_test(test_value_arrays),
      cmocka_unit_test(test_bit_streams),
      cmocka_unit_test(test_environment),
  };
  ref_seed_from_environment();
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  mpfr_free_cache();
  return failed;
}
