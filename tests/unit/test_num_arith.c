/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arithmetic on float patterns. Every case is computed three ways: by MPFR (or the search among
 * all values), by the integer-only reference num_soft_*, and by the fast form.
 */
#include "test_num_ref.h"

typedef enum op { ADD, SUB, MUL, DIV, SQRT, FMA, OP_COUNT } op;

static const char *const op_names[OP_COUNT] = {"add", "sub", "mul", "div", "sqrt", "fma"};

static const num_format *format(tsr_elem elem) {
  return num_format_of(elem);
}

static uint64_t soft(op o, const num_format *f, const uint64_t *a, num_rounding r, bool ftz) {
  switch (o) {
  case ADD: return num_soft_add(f, a[0], a[1], r, ftz);
  case SUB: return num_soft_sub(f, a[0], a[1], r, ftz);
  case MUL: return num_soft_mul(f, a[0], a[1], r, ftz);
  case DIV: return num_soft_div(f, a[0], a[1], r, ftz);
  case SQRT: return num_soft_sqrt(f, a[0], r, ftz);
  default: return num_soft_fma(f, a[0], a[1], a[2], r, ftz);
  }
}

static uint64_t fast(op o, const num_format *f, const uint64_t *a, num_rounding r, bool ftz) {
  switch (o) {
  case ADD: return num_add(f, a[0], a[1], r, ftz);
  case SUB: return num_sub(f, a[0], a[1], r, ftz);
  case MUL: return num_mul(f, a[0], a[1], r, ftz);
  case DIV: return num_div(f, a[0], a[1], r, ftz);
  case SQRT: return num_sqrt(f, a[0], r, ftz);
  default: return num_fma(f, a[0], a[1], a[2], r, ftz);
  }
}

static int mpfr_op(op o, mpfr_t out, mpfr_t *x, mpfr_rnd_t mode) {
  switch (o) {
  case ADD: return mpfr_add(out, x[0], x[1], mode);
  case SUB: return mpfr_sub(out, x[0], x[1], mode);
  case MUL: return mpfr_mul(out, x[0], x[1], mode);
  case DIV: return mpfr_div(out, x[0], x[1], mode);
  case SQRT: return mpfr_sqrt(out, x[0], mode);
  default: return mpfr_fma(out, x[0], x[1], x[2], mode);
  }
}

/* MPFR variables made once: making them is slower than the operations. */
static mpfr_t ref_operands[3], ref_result;

static uint64_t ref_flush(const num_format *f, uint64_t a) {
  uint64_t magnitude = (a & ~ref_sign(f)) >> f->shift;
  return magnitude < (uint64_t)1 << f->mantissa_bits ? a & ref_sign(f) : a;
}

static void check_all_modes(op o, const num_format *f, const uint64_t *a, bool ftz) {
  mpfr_set_prec(ref_result, f->mantissa_bits + 1);
  for (int i = 0; i < 3; i++) {
    ref_decode(ref_operands[i], f, ftz ? ref_flush(f, a[i]) : a[i]);
  }
  for (int mode = 0; mode < 4; mode++) {
    int ternary = mpfr_op(o, ref_result, ref_operands, ref_mpfr_modes[mode]);
    uint64_t expected = ref_pack(f, ref_result, ternary, ref_mpfr_modes[mode]);
    if (ftz) expected = ref_flush(f, expected);
    uint64_t got_soft = soft(o, f, a, ref_modes[mode], ftz);
    uint64_t got_fast = fast(o, f, a, ref_modes[mode], ftz);
    if (got_soft != expected || got_fast != expected) {
      fail_msg("%s e%um%u 0x%llx 0x%llx 0x%llx mode %d ftz %d: soft 0x%llx fast 0x%llx, "
               "expected 0x%llx",
               op_names[o], f->exponent_bits, f->mantissa_bits, (unsigned long long)a[0],
               (unsigned long long)a[1], (unsigned long long)a[2], mode, ftz,
               (unsigned long long)got_soft, (unsigned long long)got_fast,
               (unsigned long long)expected);
    }
  }
}

/* ---- Operands ------------------------------------------------------------------------------- */

enum { EDGES = 34 };

/* Patterns around which things change, of either sign. */
static void edge_patterns(const num_format *f, uint64_t *edges) {
  uint64_t one = num_one(f) >> f->shift, normal = (uint64_t)1 << f->mantissa_bits;
  uint64_t max = ref_max_magnitude(f);
  const uint64_t magnitudes[EDGES / 2] = {0,
                                          1,
                                          2,
                                          3,
                                          normal / 2,
                                          normal - 1,
                                          normal,
                                          normal + 1,
                                          one - 1,
                                          one,
                                          one + 1,
                                          one + normal,
                                          one + normal / 2,
                                          max - 1,
                                          max,
                                          max + 1,
                                          max + 1 + normal / 2};
  for (int i = 0; i < EDGES; i++) {
    edges[i] = magnitudes[i / 2] << f->shift | (i % 2 ? ref_sign(f) : 0);
  }
}

static uint64_t random_operand(const num_format *f, const uint64_t *edges) {
  uint64_t bits = ref_random();
  switch (ref_below(8)) {
  case 0: return edges[ref_below(EDGES)];
  case 1: bits &= ref_random() & ref_random(); break;
  case 2: bits |= ref_random() | ref_random(); break;
  case 3: { /* near one in size, few bits of mantissa: ties and exact results */
    uint64_t exponent = (num_one(f) >> f->shift >> f->mantissa_bits) + ref_below(9) - 4;
    uint64_t mantissa = bits & num_mask(f->mantissa_bits) & ~num_mask(f->mantissa_bits * 3u / 4u);
    return (bits & ref_sign(f)) |
           ((exponent << f->mantissa_bits | mantissa) << f->shift & num_mask(f->bits - 1u));
  }
  case 4: { /* near one in size */
    uint64_t exponent = (num_one(f) >> f->shift >> f->mantissa_bits) + ref_below(5) - 2;
    return (bits & ref_sign(f)) |
           ((exponent << f->mantissa_bits | (bits & num_mask(f->mantissa_bits))) << f->shift &
            num_mask(f->bits - 1u));
  }
  default: break;
  }
  return bits & num_mask(f->bits) & ~num_mask(f->shift);
}

/* Three operands that make the operation hard. */
static void random_operands(op o, const num_format *f, const uint64_t *edges, uint64_t *a) {
  for (int i = 0; i < 3; i++) a[i] = random_operand(f, edges);
  uint64_t step = (uint64_t)1 << f->shift;
  switch (ref_below(4)) {
  case 0: /* cancellation: the last operand near what the others give */
    if (o == FMA) {
      a[2] = num_soft_mul(f, a[0], a[1], NUM_NEAREST_EVEN, false) ^ ref_sign(f);
      if (!num_is_nan(f, a[2])) a[2] ^= step * ref_below(4);
    } else if (o == ADD || o == SUB) {
      a[1] = a[0] ^ (o == ADD ? ref_sign(f) : 0) ^ step * ref_below(4);
    }
    break;
  case 1: /* results near the smallest normal */
    if (o == MUL || o == FMA) {
      a[1] = num_soft_div(f, num_min_normal(f), a[0], NUM_NEAREST_EVEN, false);
    } else if (o == DIV) {
      a[1] =
          num_soft_div(f, a[0], num_min_normal(f) - step * ref_below(3), NUM_NEAREST_EVEN, false);
    }
    break;
  default: break;
  }
}

static void sweep(const num_format *f, int edge_triples, int random_count) {
  uint64_t edges[EDGES], a[3];
  edge_patterns(f, edges);
  for (int o = 0; o < OP_COUNT; o++) {
    for (int i = 0; i < EDGES; i++) {
      for (int j = 0; j < EDGES; j++) {
        int thirds = o == FMA ? EDGES : 1;
        for (int k = 0; k < thirds; k += edge_triples) {
          uint64_t triple[3] = {edges[i], edges[j], edges[k]};
          check_all_modes((op)o, f, triple, (i + j + k) & 1);
        }
      }
    }
    for (int i = 0; i < random_count; i++) {
      random_operands((op)o, f, edges, a);
      check_all_modes((op)o, f, a, i % 8 == 0);
    }
  }
}

#ifndef RANDOM_COUNT
#define RANDOM_COUNT 60000
#endif

static void test_f16(void **state) {
  (void)state;
  sweep(format(TSR_F16), 1, RANDOM_COUNT);
}
static void test_bf16(void **state) {
  (void)state;
  sweep(format(TSR_BF16), 1, RANDOM_COUNT);
}
static void test_tf32(void **state) {
  (void)state;
  sweep(format(TSR_TF32), 5, RANDOM_COUNT / 4);
}
static void test_f32(void **state) {
  (void)state;
  sweep(format(TSR_F32), 1, RANDOM_COUNT);
}
static void test_f64(void **state) {
  (void)state;
  sweep(format(TSR_F64), 1, RANDOM_COUNT);
}

static void test_unusual_formats(void **state) {
  (void)state;
  num_format formats[] = {num_format_ieee(15, 48), num_format_ieee(2, 61), num_format_ieee(9, 23),
                          num_format_ieee(8, 24),  num_format_ieee(6, 30), num_format_ieee(4, 3),
                          num_format_ieee(8, 1)};
  for (size_t i = 0; i < COUNT(formats); i++) sweep(&formats[i], 7, RANDOM_COUNT / 12);
}

/* All pairs, and all triples, of a format with 6 bits. */
static void test_exhaustive_e3m2(void **state) {
  (void)state;
  num_format f = num_format_ieee(3, 2);
  uint64_t a[3] = {0, 0, 0};
  for (a[0] = 0; a[0] < 64; a[0]++) {
    for (int o = 0; o < FMA; o++) {
      for (a[1] = 0; a[1] < 64; a[1]++) check_all_modes((op)o, &f, a, a[1] & 1);
    }
    for (a[1] = 0; a[1] < 64; a[1]++) {
      for (a[2] = a[0] % 4; a[2] < 64; a[2] += 4) check_all_modes(FMA, &f, a, false);
    }
    a[2] = 0;
  }
}

/* ---- Formats that saturate or are all finite: sums and products are exact in double --------- */

static double exact(op o, double x, double y, double z) {
  return o == ADD ? x + y : o == SUB ? x - y : o == MUL ? x * y : x * y + z;
}

/* An exact zero's sign depends on the mode, which a double cannot say. */
static double zero_for_mode(op o, double x, double y, double z, double value, int mode) {
  if (value != 0) return value;
  if (o == MUL) return value;
  double first = o == FMA ? x * y : x, second = o == FMA ? z : o == SUB ? -y : y;
  if (signbit(first) == signbit(second)) return first;
  return mode == 2 ? -0.0 : 0.0;
}

static void exhaustive_by_search(const num_format *f) {
  static const op ops[] = {ADD, SUB, MUL, FMA};
  ref_table table = ref_table_make(f);
  uint64_t count = (uint64_t)1 << f->bits;
  for (uint64_t i = 0; i < count; i++) {
    for (uint64_t j = 0; j < count; j++) {
      uint64_t a[3] = {i, j, ref_random() % count};
      double x = num_decode(f, a[0]), y = num_decode(f, a[1]), z = num_decode(f, a[2]);
      for (size_t o = 0; o < COUNT(ops); o++) {
        double value = exact(ops[o], x, y, z);
        for (int mode = 0; mode < 4; mode++) {
          double with_sign = zero_for_mode(ops[o], x, y, z, value, mode);
          uint64_t expected = ref_search(&table, with_sign, mode);
          uint64_t got_soft = soft(ops[o], f, a, ref_modes[mode], false);
          uint64_t got_fast = fast(ops[o], f, a, ref_modes[mode], false);
          if (got_soft != expected || got_fast != expected) {
            fail_msg("%s e%um%u %llx %llx %llx mode %d: soft %llx fast %llx, expected %llx",
                     op_names[ops[o]], f->exponent_bits, f->mantissa_bits, (unsigned long long)a[0],
                     (unsigned long long)a[1], (unsigned long long)a[2], mode,
                     (unsigned long long)got_soft, (unsigned long long)got_fast,
                     (unsigned long long)expected);
          }
        }
      }
      for (int mode = 0; mode < 4; mode++) { /* no exact double: the two forms against each other */
        assert_int_equal(soft(DIV, f, a, ref_modes[mode], false),
                         fast(DIV, f, a, ref_modes[mode], false));
        assert_int_equal(soft(SQRT, f, a, ref_modes[mode], true),
                         fast(SQRT, f, a, ref_modes[mode], true));
      }
    }
  }
  free(table.values);
}

static void test_exhaustive_saturating(void **state) {
  (void)state;
  exhaustive_by_search(format(TSR_F4E2M1FN));
  exhaustive_by_search(format(TSR_F8E4M3FN));
  exhaustive_by_search(format(TSR_F8E5M2));
  for (unsigned e = 0; e <= 4; e++) {
    num_format f = num_format_finite(e, 4 - e, true);
    exhaustive_by_search(&f);
    f.nan = NUM_NAN_NEG_ZERO;
    f.nan_to_max = false;
    if (e > 0) exhaustive_by_search(&f);
  }
  num_format e4m3 = num_format_keep_nan(format(TSR_F8E4M3FN));
  assert_int_equal(num_add(&e4m3, 0x7f, 0, NUM_NEAREST_EVEN, false), 0x7f);
}

/* ---- Remainder ------------------------------------------------------------------------------ */

static void check_rem(const num_format *f, uint64_t a, uint64_t b) {
  ref_decode(ref_operands[0], f, a);
  ref_decode(ref_operands[1], f, b);
  mpfr_set_prec(ref_result, f->mantissa_bits + 1);
  int ternary = mpfr_fmod(ref_result, ref_operands[0], ref_operands[1], MPFR_RNDN);
  uint64_t expected = ref_pack(f, ref_result, ternary, MPFR_RNDN);
  uint64_t got = num_rem(f, a, b);
  if (got != expected) {
    fail_msg("rem e%um%u 0x%llx 0x%llx: 0x%llx, expected 0x%llx", f->exponent_bits,
             f->mantissa_bits, (unsigned long long)a, (unsigned long long)b,
             (unsigned long long)got, (unsigned long long)expected);
  }
}

static void test_rem(void **state) {
  (void)state;
  num_format wide = num_format_ieee(15, 48);
  const num_format *formats[] = {format(TSR_F16), format(TSR_BF16), format(TSR_F32),
                                 format(TSR_F64), &wide};
  for (size_t t = 0; t < COUNT(formats); t++) {
    const num_format *f = formats[t];
    uint64_t edges[EDGES];
    edge_patterns(f, edges);
    for (int i = 0; i < EDGES; i++) {
      for (int j = 0; j < EDGES; j++) check_rem(f, edges[i], edges[j]);
    }
    for (int i = 0; i < (f == &wide ? 2000 : 20000); i++) {
      check_rem(f, random_operand(f, edges), random_operand(f, edges));
    }
  }
}

/* ---- Order ---------------------------------------------------------------------------------- */

static void check_order(const num_format *f, uint64_t a, uint64_t b) {
  double x = num_decode(f, a), y = num_decode(f, b);
  bool unordered = isnan(x) || isnan(y);
  const bool holds[6] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
  for (int p = 0; p < 6; p++) {
    assert_int_equal(num_compare(f, (num_predicate)p, true, a, b), !unordered && holds[p]);
    assert_int_equal(num_compare(f, (num_predicate)p, false, a, b), unordered || holds[p]);
  }
  uint64_t nan = ref_quiet_nan(f);
  uint64_t low, high, strict_low, strict_high;
  if (unordered) {
    low = high = isnan(x) && isnan(y) ? nan : isnan(x) ? b : a;
    strict_low = strict_high = nan;
  } else {
    bool less = x < y || (x == y && signbit(x) && !signbit(y));
    low = strict_low = less ? a : b;
    high = strict_high = less ? b : a;
  }
  assert_int_equal(num_min(f, a, b, false, false), low);
  assert_int_equal(num_max(f, a, b, false, false), high);
  assert_int_equal(num_min(f, a, b, true, false), strict_low);
  assert_int_equal(num_max(f, a, b, true, false), strict_high);
  uint64_t fa = ref_flush(f, a), fb = ref_flush(f, b);
  assert_int_equal(num_min(f, a, b, true, true), num_min(f, fa, fb, true, false));
  assert_int_equal(num_max(f, a, b, false, true), num_max(f, fa, fb, false, false));
}

static void test_order(void **state) {
  (void)state;
  static const tsr_elem elems[] = {TSR_F16, TSR_BF16, TSR_F32, TSR_TF32, TSR_F64};
  for (size_t t = 0; t < COUNT(elems); t++) {
    const num_format *f = format(elems[t]);
    uint64_t edges[EDGES];
    edge_patterns(f, edges);
    for (int i = 0; i < EDGES; i++) {
      for (int j = 0; j < EDGES; j++) check_order(f, edges[i], edges[j]);
    }
    for (int i = 0; i < 20000; i++) {
      check_order(f, random_operand(f, edges), random_operand(f, edges));
    }
  }
  num_format small = num_format_ieee(3, 2);
  for (uint64_t a = 0; a < 64; a++) {
    for (uint64_t b = 0; b < 64; b++) check_order(&small, a, b);
  }
}

/* ---- Rounding to integers, signs ------------------------------------------------------------ */

static void check_unary(const num_format *f, uint64_t a) {
  uint64_t nan = ref_quiet_nan(f);
  bool is_nan = isnan(num_decode(f, a));
  assert_int_equal(num_neg(f, a), is_nan ? nan : a ^ ref_sign(f));
  assert_int_equal(num_abs(f, a), is_nan ? nan : a & ~ref_sign(f));
  assert_int_equal(num_flush(f, a), ref_flush(f, a));
  assert_int_equal(num_is_subnormal(f, a), ref_flush(f, a) != a);
  ref_decode(ref_operands[0], f, a);
  for (int mode = 0; mode < 4; mode++) {
    mpfr_set_prec(ref_result, f->mantissa_bits + 1);
    mpfr_rint(ref_result, ref_operands[0], ref_mpfr_modes[mode]);
    uint64_t expected = ref_pack(f, ref_result, 0, MPFR_RNDN);
    assert_int_equal(num_round(f, a, ref_modes[mode]), expected);
  }
  assert_int_equal(num_floor(f, a), num_round(f, a, NUM_NEGATIVE_INF));
  assert_int_equal(num_ceil(f, a), num_round(f, a, NUM_POSITIVE_INF));
}

static void test_unary(void **state) {
  (void)state;
  for (uint64_t a = 0; a < 0x10000; a++) {
    check_unary(format(TSR_F16), a);
    if (a % 4 == 0) check_unary(format(TSR_BF16), a + (a >> 2) % 4);
  }
  num_format wide = num_format_ieee(7, 56);
  const num_format *formats[] = {format(TSR_F32), format(TSR_TF32), format(TSR_F64), &wide};
  for (size_t t = 0; t < COUNT(formats); t++) {
    const num_format *f = formats[t];
    uint64_t edges[EDGES];
    edge_patterns(f, edges);
    for (int i = 0; i < EDGES; i++) check_unary(f, edges[i]);
    for (int i = 0; i < 20000; i++) {
      uint64_t a = random_operand(f, edges);
      if (i % 2) { /* magnitudes from 1/4 to 2^66 */
        uint64_t exponent = (uint64_t)(f->bias - 2 + (int)ref_below(66)) << f->mantissa_bits;
        uint64_t keep = ref_sign(f) | num_mask(f->mantissa_bits) << f->shift;
        a = (a & keep) | (exponent << f->shift & num_mask(f->bits - 1u));
      }
      check_unary(f, a);
    }
  }
}

/* The values that the header's example states, and a few that anyone can check by hand. */
static void test_by_hand(void **state) {
  (void)state;
  const num_format *f16 = format(TSR_F16), *f32 = format(TSR_F32), *f64 = format(TSR_F64);
  uint64_t third = num_div(f16, 0x3c00, 0x4200, NUM_NEAREST_EVEN, false);
  assert_int_equal(third, 0x3555);
  uint64_t small = num_convert(format(TSR_F8E4M3FN), f16, third, NUM_NEAREST_EVEN);
  assert_int_equal(small, 0x2b);
  assert_true(num_decode(format(TSR_F8E4M3FN), small) == 0.34375);
  /* 0.1 + 0.2, and -0 from 1 - 1 when rounding down */
  uint64_t sum = num_add(f64, num_f64_bits(0.1), num_f64_bits(0.2), NUM_NEAREST_EVEN, false);
  assert_true(sum == num_f64_bits(0.30000000000000004));
  assert_int_equal(num_sub(f32, 0x3f800000, 0x3f800000, NUM_NEGATIVE_INF, false), 0x80000000);
  assert_int_equal(num_sub(f32, 0x3f800000, 0x3f800000, NUM_NEAREST_EVEN, false), 0);
  /* The sign survives flushing, of operands and of results. */
  assert_int_equal(num_mul(f32, 0x80000001, 0x3f800000, NUM_NEAREST_EVEN, true), 0x80000000);
  assert_int_equal(num_mul(f32, 0x80800000, 0x3f000000, NUM_NEAREST_EVEN, true), 0x80000000);
  assert_int_equal(num_mul(f32, 0x80800000, 0x3f000000, NUM_NEAREST_EVEN, false), 0x80400000);
  /* What rounds up to the smallest normal is not flushed. */
  assert_int_equal(num_mul(f32, 0x00ffffff, 0x3f000000, NUM_NEAREST_EVEN, true), 0x00800000);
  assert_int_equal(num_sqrt(f32, 0x80000000, NUM_NEAREST_EVEN, false), 0x80000000);
  assert_int_equal(num_sqrt(f32, 0xbf800000, NUM_NEAREST_EVEN, false), 0x7fc00000);
  assert_int_equal(num_div(f32, 0, 0, NUM_NEAREST_EVEN, false), 0x7fc00000);
  assert_int_equal(num_add(f32, 0xffc12345, 0, NUM_NEAREST_EVEN, false), 0x7fc00000);
  assert_int_equal(num_ceil(f32, 0xbf000000), 0x80000000);
  assert_int_equal(num_rem(f32, num_f32_bits(-5.5f), num_f32_bits(2)), num_f32_bits(-1.5f));
}

static int setup(void **state) {
  (void)state;
  ref_seed_from_environment();
  for (int i = 0; i < 3; i++) mpfr_init2(ref_operands[i], REF_PRECISION);
  mpfr_init(ref_result);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) mpfr_clear(ref_operands[i]);
  mpfr_clear(ref_result);
  mpfr_free_cache();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_hand),
      cmocka_unit_test(test_f16),
      cmocka_unit_test(test_bf16),
      cmocka_unit_test(test_tf32),
      cmocka_unit_test(test_f32),
      cmocka_unit_test(test_f64),
      cmocka_unit_test(test_unusual_formats),
      cmocka_unit_test(test_exhaustive_e3m2),
      cmocka_unit_test(test_exhaustive_saturating),
      cmocka_unit_test(test_rem),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_unary),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
