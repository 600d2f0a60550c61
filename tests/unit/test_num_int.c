/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Integers of any width: every pair of patterns for narrow widths, random and limiting ones for
 * wide, against arithmetic in 128 bits.
 */
#include "test_num_ref.h"

/* The mathematical value, by adding up bits: the top one counts negative when signed. */
static num_i128 value_of(uint64_t a, unsigned width, bool is_signed) {
  num_i128 value = 0;
  for (unsigned i = 0; i < width; i++) {
    num_i128 weight = (num_i128)1 << i;
    if (a >> i & 1) value += is_signed && i == width - 1 ? -weight : weight;
  }
  return value;
}

static num_i128 floor_div(num_i128 a, num_i128 b) {
  num_i128 quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

static bool fits(num_i128 value, unsigned width, bool is_signed) {
  num_i128 one = 1;
  if (!is_signed) return value >= 0 && value < one << width;
  return value >= -(one << (width - 1)) && value < one << (width - 1);
}

static void check_division(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  num_i128 x = value_of(a, width, is_signed), y = value_of(b, width, is_signed);
  if (y == 0) {
    assert_int_equal(num_divi(a, b, width, is_signed), num_mask(width));
    assert_int_equal(num_divi_floor(a, b, width, is_signed), num_mask(width));
    assert_int_equal(num_divi_ceil(a, b, width, is_signed), num_mask(width));
    assert_int_equal(num_remi(a, b, width, is_signed), a);
    return;
  }
  assert_int_equal(num_divi(a, b, width, is_signed), num_wrap((uint64_t)(x / y), width));
  assert_int_equal(num_remi(a, b, width, is_signed), num_wrap((uint64_t)(x % y), width));
  assert_int_equal(num_divi_floor(a, b, width, is_signed),
                   num_wrap((uint64_t)floor_div(x, y), width));
  assert_int_equal(num_divi_ceil(a, b, width, is_signed),
                   num_wrap((uint64_t)-floor_div(-x, y), width));
}

static void check_order(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  num_i128 x = value_of(a, width, is_signed), y = value_of(b, width, is_signed);
  const bool holds[6] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
  for (int p = 0; p < 6; p++) {
    assert_int_equal(num_comparei((num_predicate)p, a, b, width, is_signed), holds[p]);
  }
  assert_int_equal(num_mini(a, b, width, is_signed), x < y ? a : b);
  assert_int_equal(num_maxi(a, b, width, is_signed), x > y ? a : b);
}

static void check_shifts(uint64_t a, uint64_t amount, unsigned width) {
  num_i128 x = value_of(a, width, true), ux = value_of(a, width, false);
  uint64_t n = amount < width ? amount : width; /* shifting further changes nothing more */
  assert_int_equal(num_shli(a, amount, width), num_wrap((uint64_t)((num_u128)ux << n), width));
  assert_int_equal(num_shri(a, amount, width, false), (uint64_t)(ux >> n));
  num_i128 power = (num_i128)1 << n;
  assert_int_equal(num_shri(a, amount, width, true),
                   num_wrap((uint64_t)floor_div(x, power), width));
  if (width > 32) return; /* products below need 2 * width bits */
  assert_int_equal(num_shli_overflows(a, amount, width, true), !fits(x * power, width, true));
  assert_int_equal(num_shli_overflows(a, amount, width, false), !fits(ux * power, width, false));
}

static void check_pair(uint64_t a, uint64_t b, unsigned width) {
  num_i128 x = value_of(a, width, true), y = value_of(b, width, true);
  num_i128 ux = value_of(a, width, false), uy = value_of(b, width, false);
  num_u128 product = (num_u128)ux * (num_u128)uy;
  assert_int_equal(num_addi(a, b, width), num_wrap((uint64_t)(x + y), width));
  assert_int_equal(num_subi(a, b, width), num_wrap((uint64_t)(x - y), width));
  assert_int_equal(num_muli(a, b, width), num_wrap((uint64_t)product, width));
  assert_int_equal(num_mulhi_u(a, b, width), (uint64_t)(product >> width));
  assert_int_equal(num_mulhi_s(a, b, width), num_wrap((uint64_t)((x * y) >> width), width));
  assert_int_equal(num_addi_overflows(a, b, width, true), !fits(x + y, width, true));
  assert_int_equal(num_addi_overflows(a, b, width, false), !fits(ux + uy, width, false));
  assert_int_equal(num_subi_overflows(a, b, width, true), !fits(x - y, width, true));
  assert_int_equal(num_subi_overflows(a, b, width, false), !fits(ux - uy, width, false));
  assert_int_equal(num_muli_overflows(a, b, width, true), !fits(x * y, width, true));
  assert_int_equal(num_muli_overflows(a, b, width, false), product >> width != 0);
  for (int is_signed = 0; is_signed < 2; is_signed++) {
    check_division(a, b, width, is_signed);
    check_order(a, b, width, is_signed);
  }
  check_shifts(a, b, width);
  check_shifts(a, b % (width + 2), width);
}

static void check_one(uint64_t a, unsigned width) {
  num_i128 x = value_of(a, width, true);
  assert_true(num_sext(a, width) == (int64_t)x);
  assert_true(num_sext(a | ~num_mask(width), width) == (int64_t)x);
  assert_int_equal(num_negi(a, width), num_wrap((uint64_t)-x, width));
  assert_int_equal(num_absi(a, width), num_wrap((uint64_t)(x < 0 ? -x : x), width));
  for (unsigned to = 1; to <= 64; to += 7) {
    assert_int_equal(num_int_resize(a, width, to, true), num_wrap((uint64_t)x, to));
    assert_int_equal(num_int_resize(a, width, to, false), num_wrap(a, to));
  }
}

static void test_narrow(void **state) {
  (void)state;
  for (unsigned width = 1; width <= 6; width++) {
    for (uint64_t a = 0; a <= num_mask(width); a++) {
      check_one(a, width);
      for (uint64_t b = 0; b <= num_mask(width); b++) check_pair(a, b, width);
    }
  }
}

static void test_wide(void **state) {
  (void)state;
  for (unsigned width = 7; width <= 64; width++) {
    uint64_t sign = (uint64_t)1 << (width - 1), mask = num_mask(width);
    const uint64_t edges[] = {0,    1,        2,        3,        mask,     mask - 1,
                              sign, sign + 1, sign - 1, sign - 2, sign / 2, mask / 3};
    for (size_t i = 0; i < COUNT(edges); i++) {
      check_one(edges[i], width);
      for (size_t j = 0; j < COUNT(edges); j++) check_pair(edges[i], edges[j], width);
    }
    for (int i = 0; i < 1000; i++) {
      uint64_t a = ref_random() & mask, b = (ref_random() & mask) >> ref_below(width);
      check_one(a, width);
      check_pair(a, b, width);
    }
  }
}

static void test_limits(void **state) {
  (void)state;
  assert_true(num_mask(0) == 0 && num_mask(1) == 1 && num_mask(64) == UINT64_MAX);
  assert_true(num_int_min(64) == INT64_MIN && num_int_max(64) == INT64_MAX);
  assert_true(num_int_min(1) == -1 && num_int_max(1) == 0);
  assert_true(num_int_fits(INT64_MIN, 64, true) && !num_int_fits(INT64_MIN, 63, true));
  assert_true(num_int_fits((num_i128)UINT64_MAX, 64, false));
  assert_false(num_int_fits(-1, 64, false));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_narrow),
      cmocka_unit_test(test_wide),
      cmocka_unit_test(test_limits),
  };
  ref_seed_from_environment();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
