/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command's parts that take untrusted text: numbers, quantities, .npy headers, suggestions;
 * and what fills buffers. The command as a whole is tested in tests/cli and tests/diagnostics.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/array.h"
#include "cli/cli.h"
#include "cli/number.h"
#include "num/num.h"

static tsr_context *ctx;
static arena scratch;

static int set_up(void **state) {
  (void)state;
  ctx = tsr_context_create(NULL);
  arena_init(&scratch, ctx);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  arena_free(&scratch);
  tsr_context_destroy(ctx);
  return 0;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static void takes(tsr_elem elem, const char *text, uint64_t pattern) {
  uint64_t bits = ~pattern;
  const char *problem = number_parse(&scratch, elem, text, &bits);
  if (problem) fail_msg("%s:%s %s", tsr_elem_name(elem), text, problem);
  if (bits != pattern)
    fail_msg("%s:%s gave %#llx, not %#llx", tsr_elem_name(elem), text, (unsigned long long)bits,
             (unsigned long long)pattern);
}

static void refuses(tsr_elem elem, const char *text, const char *why) {
  uint64_t bits;
  const char *problem = number_parse(&scratch, elem, text, &bits);
  if (!problem) fail_msg("%s:%s was taken", tsr_elem_name(elem), text);
  if (!strstr(problem, why))
    fail_msg("%s:%s: '%s' without '%s'", tsr_elem_name(elem), text, problem, why);
}

static void test_integers(void **state) {
  (void)state;
  takes(TSR_I32, "0", 0);
  takes(TSR_I32, "-1", 0xffffffff);
  takes(TSR_I32, "+7", 7);
  takes(TSR_I32, "-2147483648", 0x80000000);
  takes(TSR_I32, "4294967295", 0xffffffff);
  takes(TSR_I32, "0xFf", 255);
  takes(TSR_I32, "-0x10", 0xfffffff0);
  takes(TSR_I32, "010", 10);
  takes(TSR_I64, "18446744073709551615", UINT64_MAX);
  takes(TSR_I64, "-9223372036854775808", UINT64_C(1) << 63);
  takes(TSR_I4, "-8", 8);
  takes(TSR_I4, "15", 15);
  takes(TSR_I1, "true", 1);
  takes(TSR_I1, "0", 0);
  refuses(TSR_I32, "4294967296", "doesn't fit i32");
  refuses(TSR_I32, "-2147483649", "doesn't fit i32");
  refuses(TSR_I32, "99999999999999999999999", "doesn't fit i32");
  refuses(TSR_I64, "18446744073709551616", "doesn't fit i64");
  refuses(TSR_I64, "-9223372036854775809", "doesn't fit i64");
  refuses(TSR_I4, "16", "from -8 to 15");
  refuses(TSR_I8, "256", "doesn't fit i8");
  refuses(TSR_I1, "2", "true");
  const char *const none[] = {"", "-", "+", "0x", "1.5", "1e3", " 1", "1 ", "--1", "0x-1", "12a"};
  for (size_t i = 0; i < ARRAY_LEN(none); i++) refuses(TSR_I32, none[i], "no whole number");
}

static void test_floats(void **state) {
  (void)state;
  takes(TSR_F32, "1", 0x3f800000);
  takes(TSR_F32, "-2.5", 0xc0200000);
  takes(TSR_F32, ".5", 0x3f000000);
  takes(TSR_F32, "1e-3", num_f32_bits(1e-3f));
  takes(TSR_F32, "inf", 0x7f800000);
  takes(TSR_F32, "-INF", 0xff800000);
  takes(TSR_F32, "nan", 0x7fc00000);
  takes(TSR_F32, "-0", 0x80000000);
  takes(TSR_F32, "0x3f800000", 0x3f800000);
  takes(TSR_F32, "0x1.8p1", 0x40400000);
  takes(TSR_F32, "1e-60", 0);
  takes(TSR_F64, "0.1", num_f64_bits(0.1));
  takes(TSR_F64, "0x7ff0000000000000", num_f64_bits(INFINITY));
  takes(TSR_F16, "65519.99", 0x7bff);
  takes(TSR_BF16, "3.140625", 0x4049);
  takes(TSR_TF32, "1", 0x3f800000);
  takes(TSR_F8E4M3FN, "448", 0x7e);
  takes(TSR_F8E4M3FN, "nan", 0x7f);
  takes(TSR_F8E5M2, "inf", 0x7c);
  takes(TSR_F8E8M0FNU, "0.25", 125);
  takes(TSR_F4E2M1FN, "-6", 0xf);
  refuses(TSR_F16, "65520", "largest value is 65504");
  refuses(TSR_F32, "1e39", "doesn't fit f32");
  refuses(TSR_F64, "1e400", "doesn't fit f64");
  refuses(TSR_F8E5M2, "57345", "largest value is 57344");
  refuses(TSR_F8E4M3FN, "449", "largest value is 448");
  refuses(TSR_F8E4M3FN, "inf", "no infinity");
  refuses(TSR_F4E2M1FN, "nan", "no NaN");
  refuses(TSR_F8E8M0FNU, "0", "greater than zero");
  refuses(TSR_F8E8M0FNU, "-1", "greater than zero");
  refuses(TSR_F16, "0x10000", "16 bits");
  const char *const none[] = {"",   "-",      ".",   "x",  "1x",  " 1",
                              "1 ", "nan(1)", "1,5", "e5", "--1", "0x"};
  for (size_t i = 0; i < ARRAY_LEN(none); i++) refuses(TSR_F32, none[i], "is no");
}

/* A decimal just above the middle between two f16 values must go up, although as a double it is
 * the middle itself. */
static void test_single_rounding(void **state) {
  (void)state;
  takes(TSR_F16, "1.00048828125", 0x3c00);
  takes(TSR_F16, "1.00048828125000000000000000001", 0x3c01);
  takes(TSR_F16, "-1.00048828125000000000000000001", 0xbc01);
  takes(TSR_F16, "1.00146484374999999999999999999", 0x3c01);
  takes(TSR_F32, "1.00000005960464477539062500000000001", 0x3f800001);
}

static void test_quantities(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } good[] = {{"1", 1},
              {"2e9", 2e9},
              {"3.5G", 3.5e9},
              {"2*1024^3", 2.0 * (1 << 30)},
              {"12*64M", 768e6},
              {"1.5Gi", 1.5 * (1 << 30)},
              {"4k", 4000},
              {"4K", 4000},
              {"2Ti*2", 4398046511104.0},
              {".5", .5}};
  for (size_t i = 0; i < ARRAY_LEN(good); i++) {
    double value;
    assert_true(quantity_parse(good[i].text, &value));
    assert_true(value == good[i].value);
  }
  const char *const bad[] = {"",   "x",   "-1",  "0",     "1*",        "*1",   "2^",  "2^-1", "1 ",
                             "1q", "inf", "nan", "1e400", "9^9999999", "2**3", "1/2", "0x"};
  for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
    double value;
    if (quantity_parse(bad[i], &value)) fail_msg("'%s' was taken", bad[i]);
  }
}

/* ---- NumPy files ---------------------------------------------------------------------------- */

/* A file of version `major` with this dictionary; `data` is how many bytes follow. */
static const char *parse_with(const char *dictionary, unsigned major, uint64_t data,
                              npy_header *h) {
  char file[1024];
  size_t prefix = major == 1 ? 10 : 12, n = strlen(dictionary);
  memcpy(file, "\x93NUMPY", 6);
  file[6] = (char)major;
  file[7] = 0;
  memset(file + 8, 0, 4);
  file[8] = (char)(n & 255);
  file[9] = (char)(n >> 8);
  memcpy(file + prefix, dictionary, n);
  size_t len = npy_header_length(file, 12);
  assert_int_equal(len, prefix + n);
  return npy_parse(&scratch, file, len, len + data, h);
}

static void test_npy_good(void **state) {
  (void)state;
  npy_header h;
  assert_null(
      parse_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n", 1, 48, &h));
  assert_int_equal(h.kind, 'f');
  assert_int_equal(h.item, 4);
  assert_int_equal(h.rank, 2);
  assert_int_equal(h.shape[1], 4);
  assert_int_equal(h.count, 12);
  assert_int_equal(h.bytes, 48);
  assert_null(parse_with("{\"shape\":(5L,),\"fortran_order\":False,\"descr\":\"|u1\"}", 2, 5, &h));
  assert_int_equal(h.count, 5);
  assert_null(parse_with("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", 3, 8, &h));
  assert_int_equal(h.rank, 0);
  assert_int_equal(h.count, 1);
  /* No elements, whatever the other dimensions say. */
  assert_null(parse_with(
      "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 0, 9999999999)}", 1, 0, &h));
  assert_int_equal(h.count, 0);
  /* One byte has no order. */
  assert_null(parse_with("{'descr': '>u1', 'fortran_order': False, 'shape': (2,)}", 1, 2, &h));
}

static void test_npy_bad(void **state) {
  (void)state;
  static const struct {
    const char *dictionary;
    const char *why;
  } bad[] = {
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (2,)}", "Fortran order"},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", "big-endian"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "truncated: its shape needs 12"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "4 bytes behind its data"},
      {"{'descr': '<f4', 'fortran_order': False}", "'shape' is missing"},
      {"{'descr': '<f4', 'shape': (2,)}", "'fortran_order' is missing"},
      {"{'fortran_order': False, 'shape': (2,)}", "'descr' is missing"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "stands twice"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", "no key"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", "neither True nor False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", "no tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': [2]}", "'(' is missing"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "whole numbers"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "too large"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "too large"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", "too large"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "structured"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", "Python objects"},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "no kernel takes"},
      {"{'descr': '<U3', 'fortran_order': False, 'shape': (1,)}", "no kernel takes"},
      {"{'descr': 'f', 'fortran_order': False, 'shape': (2,)}", "no kernel takes"},
      {"{'descr': '', 'fortran_order': False, 'shape': (2,)}", "no kernel takes"},
      {"{'descr': '<f99999999999', 'fortran_order': False, 'shape': (2,)}", "no kernel takes"},
      {"{'descr': '<f4", "doesn't end"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "'}' is missing"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "something behind it"},
      {"{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}", "'}' is missing"},
      {"", "'{' is missing"},
      {"{", "a string is missing"},
      {"{'descr':", "a string is missing"},
      {"{'shape':(", "whole numbers"},
  };
  for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
    npy_header h;
    const char *problem = parse_with(bad[i].dictionary, 1, 8, &h);
    if (!problem) fail_msg("%s was taken", bad[i].dictionary);
    if (!strstr(problem, bad[i].why))
      fail_msg("%s: '%s' without '%s'", bad[i].dictionary, problem, bad[i].why);
  }
}

static void test_npy_damaged(void **state) {
  (void)state;
  npy_header h;
  const char good[] =
      "\x93NUMPY\1\0\x3a\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }    ";
  size_t len = sizeof good - 1;
  assert_int_equal(npy_header_length(good, len), 10 + 0x3a);
  assert_null(npy_parse(&scratch, good, 10 + 0x3a, 10 + 0x3a + 8, &h));
  /* Every shorter file is refused, and nothing after its end is read. */
  for (size_t n = 0; n < 10 + 0x3a; n++) {
    char *copy = malloc(n ? n : 1);
    memcpy(copy, good, n);
    assert_non_null(npy_parse(&scratch, copy, n, n, &h));
    free(copy);
  }
  /* Every byte, changed in turn to every value, is read or refused without harm. */
  for (size_t at = 0; at < len; at++)
    for (int byte = 0; byte < 256; byte++) {
      char *copy = malloc(len);
      memcpy(copy, good, len);
      copy[at] = (char)byte;
      size_t need = npy_header_length(copy, len);
      npy_parse(&scratch, copy, MIN(need, len), len + 8, &h);
      free(copy);
    }
}

static void test_npy_round_trip(void **state) {
  (void)state;
  char room[NPY_ROOM];
  npy_header h = {.kind = 'u', .item = 2, .rank = 3, .shape = {7, 1, 300}}, back;
  size_t n = npy_put_header(room + NPY_ROOM, &h);
  assert_int_equal(n % 64, 0);
  assert_null(npy_parse(&scratch, room + NPY_ROOM - n, n, n + 4200, &back));
  assert_int_equal(back.kind, 'u');
  assert_int_equal(back.item, 2);
  assert_int_equal(back.rank, 3);
  assert_int_equal(back.shape[2], 300);
  /* The longest header there can be fits the room. */
  h.rank = NPY_MAX_RANK;
  for (int i = 0; i < NPY_MAX_RANK; i++) h.shape[i] = INT64_MAX;
  assert_true(npy_put_header(room + NPY_ROOM, &h) <= NPY_ROOM);
  h.rank = 0;
  n = npy_put_header(room + NPY_ROOM, &h);
  assert_null(npy_parse(&scratch, room + NPY_ROOM - n, n, n + 2, &back));
  assert_int_equal(back.rank, 0);
}

/* What --save writes for a type must be what a parameter of that type reads. */
static void test_npy_types(void **state) {
  (void)state;
  for (int elem = 0; elem < TSR_PTR; elem++) {
    char kind;
    unsigned item;
    npy_type_of((tsr_elem)elem, &kind, &item);
    assert_true(npy_fits(kind, item, (tsr_elem)elem));
    assert_false(npy_fits(kind, item + 1, (tsr_elem)elem));
    assert_int_equal(item,
                     tsr_elem_storage((tsr_elem)elem, tsr_elem_bits((tsr_elem)elem) == 4 ? 2 : 1));
    assert_false(npy_fits('c', item, (tsr_elem)elem));
  }
  assert_true(npy_fits('u', 4, TSR_I32));
  assert_false(npy_fits('f', 4, TSR_I32));
  assert_false(npy_fits('u', 2, TSR_F16));
  assert_true(npy_fits('u', 2, TSR_BF16));
  assert_string_equal(npy_fitting(&scratch, TSR_I16), "'<i2' or '<u2'");
}

/* ---- buffers -------------------------------------------------------------------------------- */

static array make(tsr_elem elem, int64_t n, array_init init, uint64_t seed) {
  array a;
  assert_true(array_describe(&a, elem, 1, &n));
  assert_true(array_allocate(&a));
  assert_int_equal((uintptr_t)a.data % 64, 0);
  array_fill(&a, init, seed, 1);
  return a;
}

static double element(const array *a, size_t i) {
  double value;
  num_decode_array(&value, a->data, a->elem, i, 1);
  return value;
}

static void test_fill_simple(void **state) {
  (void)state;
  for (int elem = 0; elem < TSR_PTR; elem++) {
    bool has_zero = elem != TSR_F8E8M0FNU;
    array zeros = make((tsr_elem)elem, 5, INIT_ZEROS, 0),
          ones = make((tsr_elem)elem, 5, INIT_ONES, 0);
    for (size_t i = 0; i < 5; i++) {
      assert_true(element(&zeros, i) == (has_zero ? 0 : ldexp(1, -127)));
      assert_true(element(&ones, i) == (elem == TSR_I1 ? 1 : 1));
    }
    array_free(&zeros);
    array_free(&ones);
  }
  array bytes = make(TSR_I8, 3000, INIT_ARANGE, 0), nibbles = make(TSR_I4, 40, INIT_ARANGE, 0);
  array halves = make(TSR_F16, 3000, INIT_ARANGE, 0);
  assert_true(element(&bytes, 2999) == (int8_t)2999);
  assert_true(element(&nibbles, 25) == -7);
  assert_int_equal((unsigned char)nibbles.data[1], 0x32);
  assert_true(element(&halves, 2047) == 2047);
  assert_true(element(&halves, 2049) == 2048);
  array_free(&bytes);
  array_free(&nibbles);
  array_free(&halves);
}

static void test_fill_random(void **state) {
  (void)state;
  enum { N = 20000 };
  for (int elem = 0; elem < TSR_PTR; elem++) {
    array a = make((tsr_elem)elem, N, INIT_UNIFORM, 7),
          again = make((tsr_elem)elem, N, INIT_UNIFORM, 7);
    array other = make((tsr_elem)elem, N, INIT_UNIFORM, 8);
    assert_memory_equal(a.data, again.data, a.npy.bytes);
    assert_memory_not_equal(a.data, other.data, a.npy.bytes);
    double low = INFINITY, high = -INFINITY, sum = 0;
    for (size_t i = 0; i < N; i++) {
      double x = element(&a, i);
      low = fmin(low, x);
      high = fmax(high, x);
      sum += x / N;
    }
    if (elem == TSR_F8E8M0FNU)
      assert_true(low == 1.0 / 16 && high == 8);
    else if (tsr_elem_is_float((tsr_elem)elem))
      assert_true(low >= 0 && low < 0.01 && high <= 1 && high > 0.4 && fabs(sum - 0.5) < 0.13);
    else if (elem == TSR_I1)
      assert_true(low == 0 && high == 1 && fabs(sum - 0.5) < 0.02);
    else
      assert_true(low == (elem == TSR_I4 ? -8 : -128) && high == (elem == TSR_I4 ? 7 : 127));
    array_free(&a);
    array_free(&again);
    array_free(&other);
  }
}

static void test_fill_normal(void **state) {
  (void)state;
  enum { N = 200000 };
  array a = make(TSR_F64, N, INIT_NORMAL, 0), b = make(TSR_I16, N, INIT_NORMAL, 0);
  double mean = 0, square = 0, fourth = 0, b_square = 0;
  for (size_t i = 0; i < N; i++) {
    double x = element(&a, i);
    mean += x / N;
    square += x * x / N;
    fourth += x * x * x * x / N;
    b_square += element(&b, i) * element(&b, i) / N;
  }
  assert_true(fabs(mean) < 0.01 && fabs(square - 1) < 0.02 && fabs(fourth - 3) < 0.1);
  assert_true(fabs(sqrt(b_square) - 32) < 0.5);
  array_free(&a);
  array_free(&b);
}

static void test_shapes(void **state) {
  (void)state;
  array a;
  assert_true(array_describe(&a, TSR_I4, 2, (int64_t[]){3, 8}));
  assert_int_equal(a.npy.bytes, 12);
  assert_int_equal(a.npy.rank, 2);
  assert_int_equal(a.npy.shape[1], 4);
  assert_true(array_describe(&a, TSR_I4, 2, (int64_t[]){3, 7}));
  assert_int_equal(a.npy.bytes, 11);
  assert_int_equal(a.npy.rank, 1);
  assert_int_equal(a.npy.shape[0], 11);
  assert_true(array_describe(&a, TSR_F4E2M1FN, 1, (int64_t[]){5}));
  assert_int_equal(a.npy.shape[0], 3);
  assert_true(array_describe(&a, TSR_F32, 2, (int64_t[]){0, INT64_MAX}));
  assert_int_equal(a.npy.bytes, 0);
  assert_false(array_describe(&a, TSR_F32, 2, (int64_t[]){INT64_MAX, INT64_MAX}));
  assert_false(array_describe(&a, TSR_I4, 1, (int64_t[]){INT64_MAX}));
}

/* ---- suggestions ---------------------------------------------------------------------------- */

static void test_closest(void **state) {
  (void)state;
  const char *const names[] = {"check", "run", "fmt", "build", "explain", "devices", NULL};
  assert_string_equal(cli_closest("chekc", names), "check");
  assert_string_equal(cli_closest("rnu", names), "run");
  assert_string_equal(cli_closest("device", names), "devices");
  assert_string_equal(cli_closest("exp", names), "explain");
  assert_null(cli_closest("xyz", names));
  assert_null(cli_closest("", names));
  assert_null(cli_closest("a-very-long-word-that-is-nothing-like-any-of-them", names));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integers),        cmocka_unit_test(test_floats),
      cmocka_unit_test(test_single_rounding), cmocka_unit_test(test_quantities),
      cmocka_unit_test(test_npy_good),        cmocka_unit_test(test_npy_bad),
      cmocka_unit_test(test_npy_damaged),     cmocka_unit_test(test_npy_round_trip),
      cmocka_unit_test(test_npy_types),       cmocka_unit_test(test_fill_simple),
      cmocka_unit_test(test_fill_random),     cmocka_unit_test(test_fill_normal),
      cmocka_unit_test(test_shapes),          cmocka_unit_test(test_closest),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
