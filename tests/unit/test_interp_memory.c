/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The reference interpreter and memory: pointers, views, atomics, globals, allocation; and what it
 * does when it gets no memory itself.
 */
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "interp/interp.h"
#include "interp_text.h"
#include "num/num.h"
#include "text/text.h"

static run_log report;

static void run(const char *text, run_grid grid, void *memory) {
  if (!run_program(text, "k", grid, (uint64_t[]){ARG_ADDRESS(memory)}, &report))
    fail_msg("%s", report.diagnostics);
}

/* Runs a kernel @k of one tile block on one array. */
#define RUN(body, array) run(KERNEL("%p: tile<ptr<i8>>", body), (run_grid){1, 1, 1}, array)

#define CHECK_ARRAY(type, array, ...)                                                              \
  do {                                                                                             \
    const type expected_[] = {__VA_ARGS__};                                                        \
    for (size_t i_ = 0; i_ < sizeof expected_ / sizeof *expected_; i_++)                           \
      if (!((array)[i_] == expected_[i_]))                                                         \
        fail_msg("line %d: element %zu is %g, not %g", __LINE__, i_, (double)(array)[i_],          \
                 (double)expected_[i_]);                                                           \
  } while (0)

/* Kernels are laid out by their own lines. */
/* clang-format off */

/* ---- pointers ------------------------------------------------------------------------------- */

/* %name, n pointers to %p's elements `indices`. */
#define POINTERS(name, elem, n, indices)                                                           \
  "%" name "_1 = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<" elem ">>\n"                           \
  "%" name "_2 = reshape %" name "_1 : tile<ptr<" elem ">> -> tile<1xptr<" elem ">>\n"             \
  "%" name "_3 = broadcast %" name "_2 : tile<1xptr<" elem ">> -> tile<" n "xptr<" elem ">>\n"     \
  "%" name "_4 = constant <i32: " indices "> : tile<" n "xi32>\n"                                  \
  "%" name " = offset %" name "_3, %" name "_4 : tile<" n "xptr<" elem ">>, tile<" n "xi32> -> "   \
  "tile<" n "xptr<" elem ">>\n"

static void test_gather_and_scatter(void **state) {
  (void)state;
  int32_t r[24] = {10, 11, 12, 13, 14, 15, 16, 17};
  RUN(POINTERS("a", "i32", "4", "[7, 0, 3, 3]")
      "%x, %t0 = load_ptr_tko weak %a : tile<4xptr<i32>> -> tile<4xi32>, token\n"
      STORE("x", "4", "i32", "4", "8")
      "%m = constant <i1: [1, 0, 1, 0]> : tile<4xi1>\n"
      "%y, %t1 = load_ptr_tko relaxed device %a, %m : tile<4xptr<i32>>, tile<4xi1> -> "
      "tile<4xi32>, token\n"
      STORE("y", "4", "i32", "4", "12")
      "%pad = constant <i32: [-1, -2, -3, -4]> : tile<4xi32>\n"
      "%z, %t2 = load_ptr_tko acquire device %a, %m, %pad token=%t1 : tile<4xptr<i32>>, "
      "tile<4xi1>, tile<4xi32> -> tile<4xi32>, token\n"
      STORE("z", "4", "i32", "4", "16") POINTERS("b", "i32", "4", "[23, 20, 20, 22]")
      "%t3 = store_ptr_tko weak %b, %pad : tile<4xptr<i32>>, tile<4xi32> -> token\n"
      POINTERS("c", "i32", "4", "[0, 1, 2, 3]")
      "%t4 = store_ptr_tko release device %c, %pad, %m token=%t3 : tile<4xptr<i32>>, "
      "tile<4xi32>, tile<4xi1> -> token\n", r);
  CHECK_ARRAY(int32_t, r, -1, 11, -3, 13, 14, 15, 16, 17, 17, 10, 13, 13, 17, 0, 13, 0, 17, -2, 13,
              -4, -3, 0, -4, -1); /* of two stores to one place the later stays */
}

/* Memory that a mask excludes is not touched. */
static void test_masked_address(void **state) {
  (void)state;
  int32_t r[4] = {1, 2, 3, 4};
  RUN("%n = constant <i64: [0, 8]> : tile<2xi64>\n"
      "%a = int_to_ptr %n : tile<2xi64> -> tile<2xptr<i32>>\n"
      "%m = constant <i1: 0> : tile<2xi1>\n"
      "%x, %t0 = load_ptr_tko weak %a, %m : tile<2xptr<i32>>, tile<2xi1> -> tile<2xi32>, token\n"
      "%t1 = store_ptr_tko weak %a, %x, %m : tile<2xptr<i32>>, tile<2xi32>, tile<2xi1> -> token\n"
      "%y, %t2 = atomic_rmw_tko relaxed device %a, add, %x, %m : tile<2xptr<i32>>, tile<2xi32>, "
      "tile<2xi1> -> tile<2xi32>, token\n"
      "%one = constant <i32: 1> : tile<2xi32>\n"
      "%z, %t3 = atomic_cas_tko relaxed device %a, %one, %x, %m : tile<2xptr<i32>>, tile<2xi32>, "
      "tile<2xi1> -> tile<2xi32>, token\n"
      STORE("y", "2", "i32", "2", "0") STORE("z", "2", "i32", "2", "2"), r);
  CHECK_ARRAY(int32_t, r, 0, 0, 1, 1); /* a masked compare-and-swap gives what it was to find */
}

static void test_odd_elements(void **state) {
  (void)state;
  uint8_t r[32] = {0, 1, 2, 255, 0x5a, 0x34, 0x12};
  RUN(POINTERS("a", "i1", "4", "[0, 1, 2, 3]")
      "%x, %t0 = load_ptr_tko weak %a : tile<4xptr<i1>> -> tile<4xi1>, token\n"
      POINTERS("b", "i1", "4", "[8, 9, 10, 11]")
      "%t1 = store_ptr_tko relaxed device %b, %x : tile<4xptr<i1>>, tile<4xi1> -> token\n"
      /* Not aligned, and not to be taken for an atomic access. */
      POINTERS("w", "i8", "1", "5")
      "%h = ptr_to_ptr %w : tile<1xptr<i8>> -> tile<1xptr<i16>>\n"
      "%y, %t2 = load_ptr_tko acquire device %h : tile<1xptr<i16>> -> tile<1xi16>, token\n"
      STORE("y", "1", "i16", "1", "6") POINTERS("u", "i8", "1", "15")
      "%v = ptr_to_ptr %u : tile<1xptr<i8>> -> tile<1xptr<i64>>\n"
      "%k = constant <i64: 0x1122334455667788> : tile<1xi64>\n"
      "%t3 = store_ptr_tko release device %v, %k : tile<1xptr<i64>>, tile<1xi64> -> token\n"
      /* Half a byte: the low one of the byte, whose other half stays. */
      POINTERS("n", "f4E2M1FN", "2", "[8, 4]")
      "%s, %t4 = load_ptr_tko weak %n : tile<2xptr<f4E2M1FN>> -> tile<2xf4E2M1FN>, token\n"
      "%f = ftof %s : tile<2xf4E2M1FN> -> tile<2xf32>\n"
      STORE("f", "2", "f32", "2", "6")
      "%six = constant <f4E2M1FN: 6.0> : tile<2xf4E2M1FN>\n"
      "%t5 = store_ptr_tko weak %n, %six : tile<2xptr<f4E2M1FN>>, tile<2xf4E2M1FN> -> token\n", r);
  CHECK_ARRAY(uint8_t, r + 8, 0, 1, 1, 1, 0x34, 0x12, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22,
              0x11);
  float f[2];
  memcpy(f, r + 24, 8);
  CHECK_ARRAY(float, f, -1, 1); /* 0xa; 0x2 */
  CHECK_ARRAY(uint8_t, r, 0, 1, 0x07, 255, 0x57);
}

/* ---- atomics -------------------------------------------------------------------------------- */

#define RMW(name, elem, mode, at, value)                                                           \
  POINTERS(name "_p", elem, "1", at)                                                               \
  "%" name "_n = constant <" elem ": " value "> : tile<1x" elem ">\n"                              \
  "%" name ", %" name "_k = atomic_rmw_tko acq_rel device %" name "_p, " mode ", %" name           \
  "_n : tile<1xptr<" elem ">>, tile<1x" elem "> -> tile<1x" elem ">, token\n"

static void test_atomic_integers(void **state) {
  (void)state;
  int32_t r[32] = {12, 10, 6, 100, -5, -5, -5, -5, 7};
  RUN(RMW("a", "i32", "and", "0", "10") RMW("b", "i32", "or", "1", "5")
      RMW("c", "i32", "xor", "2", "5") RMW("d", "i32", "add", "3", "-101")
      RMW("e", "i32", "max", "4", "3") RMW("f", "i32", "min", "5", "3")
      RMW("g", "i32", "umax", "6", "3") RMW("h", "i32", "umin", "7", "3")
      RMW("i", "i32", "xchg", "8", "8") STORE("d", "1", "i32", "1", "9")
      STORE("i", "1", "i32", "1", "10") RMW("j", "i64", "add", "8", "0x100000001")
      RMW("l", "i64", "add", "8", "-1") STORE("l", "1", "i64", "1", "9"), r);
  CHECK_ARRAY(int32_t, r, 8, 15, 3, -1, 3, -5, -5, 3, 8, 100, 7);
  CHECK_ARRAY(int32_t, r + 16, 0, 1, 1, 1);
}

static void test_atomic_floats(void **state) {
  (void)state;
  uint8_t r[64] = {0};
  float f = 1.5f;
  double d = 0.25;
  uint16_t h = 0x3c00, b = 0x3f80;
  memcpy(r, &f, 4);
  memcpy(r + 8, &d, 8);
  memcpy(r + 16, &h, 2);
  memcpy(r + 18, &b, 2);
  RUN(RMW("f", "f32", "addf", "0", "2.0") RMW("d", "f64", "addf", "1", "2.0")
      RMW("h", "f16", "addf", "8", "0.5") RMW("b", "bf16", "addf", "9", "0.5")
      RMW("x", "f32", "xchg", "0", "-1.0") STORE("x", "1", "f32", "1", "1"), r);
  memcpy(&f, r, 4);
  assert_true(f == -1);
  memcpy(&f, r + 4, 4);
  assert_true(f == 3.5f);
  memcpy(&d, r + 8, 8);
  assert_true(d == 2.25);
  CHECK_ARRAY(uint8_t, r + 16, 0x00, 0x3e, 0xc0, 0x3f);
}

/* Bits are compared, not values. */
static void test_compare_and_swap(void **state) {
  (void)state;
  uint32_t r[16] = {5, 6, 0x80000000, 0x7fc00001};
  RUN(POINTERS("a", "i32", "2", "[0, 1]")
      "%c = constant <i32: 5> : tile<2xi32>\n"
      "%v = constant <i32: 9> : tile<2xi32>\n"
      "%x, %t0 = atomic_cas_tko acq_rel sys %a, %c, %v : tile<2xptr<i32>>, tile<2xi32> -> "
      "tile<2xi32>, token\n"
      STORE("x", "2", "i32", "2", "4") POINTERS("b", "f32", "2", "[2, 3]")
      "%d = constant <f32: [0.0, 0x7fc00001]> : tile<2xf32>\n"
      "%w = constant <f32: 1.0> : tile<2xf32>\n"
      "%y, %t1 = atomic_cas_tko relaxed tl_blk %b, %d, %w : tile<2xptr<f32>>, tile<2xf32> -> "
      "tile<2xf32>, token\n"
      STORE("y", "2", "f32", "2", "6"), r);
  CHECK_ARRAY(uint32_t, r, 9, 6, 0x80000000, 0x3f800000, 5, 6, 0x80000000, 0x7fc00001);
}

static void test_atomic_view(void **state) {
  (void)state;
  int32_t r[16] = {1, 2, 3, 4, 5, 6, 7, 8};
  const char *view = KERNEL("%p: tile<ptr<i8>>",
                            "%q = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<i32>>\n"
                            "%v = make_tensor_view %q, shape = [6], strides = [1] : "
                            "tensor_view<6xi32, strides=[1]>\n"
                            "%w = make_partition_view %v : partition_view<tile=(4), "
                            "tensor_view<6xi32, strides=[1]>>\n"
                            "%i = constant <i32: 1> : tile<i32>\n"
                            "%x = constant <i32: [10, 20, 30, 40]> : tile<4xi32>\n"
                            "%t = atomic_red_view_tko relaxed device %w[%i], add, %x : "
                            "tile<4xi32>, partition_view<tile=(4), tensor_view<6xi32, "
                            "strides=[1]>>, tile<i32> -> token\n");
  run(view, (run_grid){3, 1, 1}, r);
  CHECK_ARRAY(int32_t, r, 1, 2, 3, 4, 35, 66, 7, 8);
}

/* ---- globals and allocation ----------------------------------------------------------------- */

static void test_globals(void **state) {
  (void)state;
  int32_t r[8] = {0};
  run("cuda_tile.module @m {\n"
      "global @first <i32: [1, 2]> : tile<2xi32>\n"
      "global @second alignment = 64 <i32: 40> : tile<4xi32>\n"
      "entry @k(%p: tile<ptr<i8>>) {\n"
      "  %g = get_global @second : tile<ptr<i32>>\n"
      "  %one = constant <i32: 1> : tile<i32>\n"
      "  %old, %t0 = atomic_rmw_tko relaxed device %g, add, %one : tile<ptr<i32>>, tile<i32> -> "
      "tile<i32>, token\n"
      "  %h = get_global @first : tile<ptr<i32>>\n"
      "  %h1 = offset %h, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
      "  %two, %t1 = load_ptr_tko weak %h1 : tile<ptr<i32>> -> tile<i32>, token\n"
      "  %x, %y, %z = get_tile_block_id : tile<i32>\n"
      "  %q = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<i32>>\n"
      "  %qx = offset %q, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
      "  %s = addi %old, %two : tile<i32>\n"
      "  %t2 = store_ptr_tko weak %qx, %s : tile<ptr<i32>>, tile<i32> -> token\n"
      "} }",
      (run_grid){3, 1, 1}, r);
  CHECK_ARRAY(int32_t, r, 42, 43, 44);
}

/* Memory of its own, aligned, zero, for as long as its block runs. */
static void test_alloca(void **state) {
  (void)state;
  int64_t r[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  RUN("%a = alloca num_elem = 4, alignment = 256 : tile<ptr<i64>>\n"
      "%b = alloca num_elem = 4, alignment = 8 : tile<ptr<i64>>\n"
      "%seven = constant <i64: 7> : tile<i64>\n"
      INT("c3", "3") INT("c0", "0") INT("c1", "1")
      "%a3 = offset %a, %c3 : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>\n"
      "%t0 = store_ptr_tko weak %a3, %seven : tile<ptr<i64>>, tile<i64> -> token\n"
      /* Room that a block gave back is not room that is in use. */
      "%s = for %i in (%c0 to %c3, step %c1) : tile<i32> iter_values(%x = %seven) -> (tile<i64>) "
      "{\n"
      "  %c = alloca num_elem = 64, alignment = 8 : tile<ptr<i64>>\n"
      "  %old, %t1 = load_ptr_tko weak %c : tile<ptr<i64>> -> tile<i64>, token\n"
      "  %t2 = store_ptr_tko weak %c, %seven : tile<ptr<i64>>, tile<i64> -> token\n"
      "  %y = addi %x, %old : tile<i64>\n"
      "  continue %y : tile<i64>\n"
      "}\n"
      "%v, %t3 = load_ptr_tko weak %a3 : tile<ptr<i64>> -> tile<i64>, token\n"
      "%w, %t4 = load_ptr_tko weak %b : tile<ptr<i64>> -> tile<i64>, token\n"
      "%n = ptr_to_int %a : tile<ptr<i64>> -> tile<i64>\n"
      "%mask = constant <i64: 255> : tile<i64>\n"
      "%low = andi %n, %mask : tile<i64>\n"
      ADDRESS("q", "i64") PUT("q", "0", "v", "i64") PUT("q", "1", "w", "i64")
      PUT("q", "2", "s", "i64") PUT("q", "3", "low", "i64"), r);
  CHECK_ARRAY(int64_t, r, 7, 0, 7, 0);
}

/* ---- views ---------------------------------------------------------------------------------- */

#define VIEW_OF(elem, shape, strides) "tensor_view<" shape "x" elem ", strides=[" strides "]>"

/* 3 x 5 numbers 0.. with strides (8, 1), in tiles of 2 x 4. */
static void test_partition_view(void **state) {
  (void)state;
#define P35                                                                                        \
  "partition_view<tile=(2x4), padding_value = neg_inf, tensor_view<3x5xf32, strides=[8,1]>>"
#define LOAD35(name, i, j)                                                                         \
  "%" name ", %" name "_k = load_view_tko weak %w[%" i ", %" j "] : " P35                          \
  ", tile<i32> -> tile<2x4xf32>, token\n"
  float r[64];
  for (int k = 0; k < 24; k++) r[k] = (float)(k / 8 * 5 + k % 8);
  RUN(ADDRESS("q", "f32")
      "%v = make_tensor_view %q, shape = [3, 5], strides = [8, 1] : tensor_view<3x5xf32, "
      "strides=[8,1]>\n"
      "%w = make_partition_view %v : " P35 "\n"
      "%n:2 = get_index_space_shape %w : " P35 " -> tile<i32>\n"
      "%e:2 = get_tensor_shape %v : tensor_view<3x5xf32, strides=[8,1]> -> tile<i64>\n"
      "%t = print_tko \"%i %i %i %i\", %n#0, %n#1, %e#0, %e#1 : tile<i32>, tile<i32>, tile<i64>, "
      "tile<i64> -> token\n"
      INT("c0", "0") INT("c1", "1") LOAD35("a", "c0", "c0") STORE("a", "2x4", "f32", "8", "32")
      LOAD35("b", "c0", "c1") STORE("b", "2x4", "f32", "8", "40") LOAD35("c", "c1", "c1")
      STORE("c", "2x4", "f32", "8", "48")
      /* A store leaves alone what is outside. */
      "%x = constant <f32: -1.0> : tile<2x4xf32>\n"
      "%s = store_view_tko weak %x, %w[%c1, %c1] : tile<2x4xf32>, " P35 ", tile<i32> -> token\n",
      r);
  const float inf = -INFINITY;
  assert_string_equal(report.printed, "2 2 3 5");
  CHECK_ARRAY(float, r + 32, 0, 1, 2, 3, 5, 6, 7, 8, 4, inf, inf, inf, 9, inf, inf, inf, 14, inf,
              inf, inf, inf, inf, inf, inf);
  CHECK_ARRAY(float, r + 16, 10, 11, 12, 13, -1, 15, 16, 17);
}

/* A view index far outside, whose product with the tile's extent does not even fit. */
static void test_view_far_outside(void **state) {
  (void)state;
  int32_t r[16] = {1, 2, 3, 4, 5, 6, 7, 8};
#define P8 "partition_view<tile=(4), padding_value = zero, tensor_view<8xi32, strides=[1]>>"
  RUN(ADDRESS("q", "i32")
      "%v = make_tensor_view %q, shape = [8], strides = [1] : tensor_view<8xi32, strides=[1]>\n"
      "%w = make_partition_view %v : " P8 "\n"
      "%i = constant <i64: 0x4000000000000000> : tile<i64>\n"
      "%x, %t0 = load_view_tko weak %w[%i] : " P8 ", tile<i64> -> tile<4xi32>, token\n"
      STORE("x", "4", "i32", "4", "8")
      "%j = constant <i32: -1> : tile<i32>\n"
      "%y = constant <i32: 9> : tile<4xi32>\n"
      "%t1 = store_view_tko weak %y, %w[%j] : tile<4xi32>, " P8 ", tile<i32> -> token\n", r);
  CHECK_ARRAY(int32_t, r, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0);
}

static void test_dim_map(void **state) {
  (void)state;
  int32_t r[64];
#define PT "partition_view<tile=(4x2), tensor_view<?x?xi32, strides=[?,1]>, dim_map=[1, 0]>"
  for (int k = 0; k < 32; k++) r[k] = k; /* 4 x 8 */
  RUN(ADDRESS("q", "i32") INT("m", "4") INT("n", "8")
      "%v = make_tensor_view %q, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> "
      "tensor_view<?x?xi32, strides=[?,1]>\n"
      "%w = make_partition_view %v : " PT "\n"
      "%s:2 = get_index_space_shape %w : " PT " -> tile<i32>\n"
      "%t = print_tko \"%i %i\", %s#0, %s#1 : tile<i32>, tile<i32> -> token\n"
      INT("c1", "1")
      /* Columns 4 to 7 of rows 2 and 3, turned. */
      "%x, %k = load_view_tko weak %w[%c1, %c1] : " PT ", tile<i32> -> tile<4x2xi32>, token\n"
      STORE("x", "4x2", "i32", "8", "32") INT("c0", "0")
      "%u = store_view_tko relaxed device %x, %w[%c0, %c0] : tile<4x2xi32>, " PT ", tile<i32> -> "
      "token\n", r);
  assert_string_equal(report.printed, "2 2");
  CHECK_ARRAY(int32_t, r + 32, 20, 28, 21, 29, 22, 30, 23, 31);
  CHECK_ARRAY(int32_t, r, 20, 21, 22, 23, 4, 5, 6, 7, 28, 29, 30, 31, 12);
}

static void test_strided_view(void **state) {
  (void)state;
  int32_t r[64];
#define S3                                                                                         \
  "strided_view<tile=(2), traversal_strides=[3], padding_value = zero, "                           \
  "tensor_view<16xi32, strides=[1]>>"
#define S1                                                                                         \
  "strided_view<tile=(4x2), traversal_strides=[1,3], tensor_view<4x4xi32, strides=[4,1]>, "        \
  "dim_map=[1, 0]>"
  for (int k = 0; k < 16; k++) r[k] = 100 + k;
  RUN(ADDRESS("q", "i32")
      "%v = make_tensor_view %q, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>\n"
      "%w = make_strided_view %v : " S3 "\n"
      "%n = get_index_space_shape %w : " S3 " -> tile<i32>\n"
      INT("c1", "1") INT("c5", "5")
      "%a, %ak = load_view_tko weak %w[%c1] : " S3 ", tile<i32> -> tile<2xi32>, token\n"
      STORE("a", "2", "i32", "2", "16")
      "%b, %bk = load_view_tko weak %w[%c5] : " S3 ", tile<i32> -> tile<2xi32>, token\n"
      STORE("b", "2", "i32", "2", "18")
      "%v2 = make_tensor_view %q, shape = [4, 4], strides = [4, 1] : tensor_view<4x4xi32, "
      "strides=[4,1]>\n"
      "%w2 = make_strided_view %v2 : " S1 "\n"
      "%m:2 = get_index_space_shape %w2 : " S1 " -> tile<i32>\n"
      "%t = print_tko \"%i %i %i\", %n, %m#0, %m#1 : tile<i32>, tile<i32>, tile<i32> -> token\n"
      /* Tile element (i, j) is row 1 * 3 + j, column 1 * 1 + i. */
      "%c, %ck = load_view_tko weak %w2[%c1, %c1] : " S1 ", tile<i32> -> tile<4x2xi32>, token\n"
      STORE("c", "4x2", "i32", "8", "20"), r);
  assert_string_equal(report.printed, "6 4 2");
  CHECK_ARRAY(int32_t, r + 16, 103, 104, 115, 0, 113, 0, 114, 0, 115, 0, 0, 0);
}

static void test_gather_scatter_view(void **state) {
  (void)state;
  int32_t r[64];
#define G0                                                                                         \
  "gather_scatter_view<tile=(4x2), padding_value = zero, "                                         \
  "tensor_view<4x4xi32, strides=[4,1]>, sparse_dim=0>"
#define G1 "gather_scatter_view<tile=(2x4), tensor_view<4x4xi32, strides=[4,1]>, sparse_dim=1>"
  for (int k = 0; k < 64; k++) r[k] = k;
  RUN(ADDRESS("q", "i32")
      "%v = make_tensor_view %q, shape = [4, 4], strides = [4, 1] : tensor_view<4x4xi32, "
      "strides=[4,1]>\n"
      "%w = make_gather_scatter_view %v : " G0 "\n"
      "%rows = constant <i32: [3, 0, 9, -1]> : tile<4xi32>\n"
      INT("c1", "1") INT("c3", "3")
      /* Two columns from column 1 on; rows 9 and -1 are outside. */
      "%a, %ak = load_view_tko weak %w[%rows, %c1] : " G0 ", tile<4xi32>, tile<i32> -> "
      "tile<4x2xi32>, token\n"
      STORE("a", "4x2", "i32", "8", "16")
      "%w1 = make_gather_scatter_view %v : " G1 "\n"
      "%columns = constant <i32: [3, 2, 2, 0]> : tile<4xi32>\n"
      "%b, %bk = load_view_tko weak %w1[%c1, %columns] : " G1 ", tile<i32>, tile<4xi32> -> "
      "tile<2x4xi32>, token\n"
      STORE("b", "2x4", "i32", "8", "24")
      "%x = constant <i32: [[-1, -2], [-3, -4], [-5, -6], [-7, -8]]> : tile<4x2xi32>\n"
      "%t = store_view_tko weak %x, %w[%rows, %c3] : tile<4x2xi32>, " G0 ", tile<4xi32>, "
      "tile<i32> -> token\n", r);
  CHECK_ARRAY(int32_t, r, 0, 1, 2, -3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -1, 13, 14, 1, 2, 0, 0,
              0, 0, 7, 6, 6, 4, 11, 10, 10, 8);
}

/* 16 rows that are gathered by indices from memory, one of which is outside, and stored at `to`. */
static void check_gathered_rows(const char *text, int to) {
  enum { WIDTH = 32, N = 16, INDICES = 704, ALL = 1800 };
  int32_t r[ALL], before[ALL];
  for (int k = 0; k < ALL; k++) r[k] = k;
  for (int i = 0; i < N; i++) r[INDICES + i] = i == 9 ? 20 : (7 * i + 3) % 20;
  memcpy(before, r, sizeof r);
  run(text, (run_grid){1, 1, 1}, r);
  for (int k = 0; k < ALL; k++) {
    int row = (k - to) / WIDTH, expected = before[k];
    if (k >= to && row < N)
      expected = row == 9 ? 0 : before[before[INDICES + row] * WIDTH + (k - to) % WIDTH];
    assert_int_equal(r[k], expected);
  }
}

static void test_gathered_rows(void **state) {
  (void)state;
#define ROWS20                                                                                     \
  "gather_scatter_view<tile=(16x32), padding_value = zero, "                                       \
  "tensor_view<20x32xi32, strides=[32,1]>, sparse_dim=0>"
#define GATHER_TO(to)                                                                              \
  KERNEL("%p: tile<ptr<i8>>",                                                                      \
         ADDRESS("q", "i32")                                                                       \
         "%v = make_tensor_view %q, shape = [20, 32], strides = [32, 1] : "                        \
         "tensor_view<20x32xi32, strides=[32,1]>\n"                                                \
         "%w = make_gather_scatter_view %v : " ROWS20 "\n"                                         \
         INT("c0", "0") LOAD("i", "16", "i32", "16", "704")                                        \
         "%a, %t0 = load_view_tko weak %w[%i, %c0] : " ROWS20 ", tile<16xi32>, tile<i32> -> "      \
         "tile<16x32xi32>, token\n"                                                                \
         STORE("a", "16x32", "i32", "512", to))
  check_gathered_rows(GATHER_TO("1280"), 1280); /* apart from both */
  check_gathered_rows(GATHER_TO("32"), 32);     /* over the rows */
  check_gathered_rows(GATHER_TO("670"), 670);   /* over the indices */
}

/* Pointers of which one part is linear, and indices from memory are the other: rows, columns, and
 * both at the same time. */
static void test_pointers_by_rows(void **state) {
  (void)state;
  enum { ROWS_OUT = 64, COLUMNS_OUT = 320, BOTH_OUT = 576, BACK = 832, ALL = 1088 };
  int32_t r[ALL] = {0};
  for (int i = 0; i < 8; i++) r[i] = (5 * i + 3) % 8;
  for (int j = 0; j < 32; j++) r[8 + j] = (11 * j + 5) % 32;
#define ALL32(name, from, shape)                                                                   \
  "%" name " = broadcast %" from " : tile<" shape "xi32> -> tile<8x32xi32>\n"
#define AT(name, from, by)                                                                         \
  "%" name " = offset %" from ", %" by                                                             \
  " : tile<8x32xptr<i32>>, tile<8x32xi32> -> tile<8x32xptr<i32>>\n"
#define SPLAT(name, value)                                                                         \
  "%" name " = constant <i32: " value "> : tile<8x32xi32>\n"
#define PUT_ALL(at, where)                                                                         \
  "%" at "_t = store_ptr_tko weak %" at ", %" where                                                \
  " : tile<8x32xptr<i32>>, tile<8x32xi32> -> token\n"
  RUN(ADDRESS("q", "i32") LOAD("a", "8", "i32", "8", "0") LOAD("b", "32", "i32", "32", "8")
      "%a_2 = reshape %a : tile<8xi32> -> tile<8x1xi32>\n" ALL32("ai", "a_2", "8x1")
      "%b_2 = reshape %b : tile<32xi32> -> tile<1x32xi32>\n" ALL32("bj", "b_2", "1x32")
      "%m = iota : tile<8xi32>\n%m_2 = reshape %m : tile<8xi32> -> tile<8x1xi32>\n"
      ALL32("i", "m_2", "8x1")
      "%n = iota : tile<32xi32>\n%n_2 = reshape %n : tile<32xi32> -> tile<1x32xi32>\n"
      ALL32("j", "n_2", "1x32") SPLAT("width", "32")
      "%row = muli %i, %width : tile<8x32xi32>\n%chosen = muli %ai, %width : tile<8x32xi32>\n"
      "%x = addi %row, %j : tile<8x32xi32>\n"
      "%q_1 = reshape %q : tile<ptr<i32>> -> tile<1x1xptr<i32>>\n"
      "%q_2 = broadcast %q_1 : tile<1x1xptr<i32>> -> tile<8x32xptr<i32>>\n"
      SPLAT("o1", "64") SPLAT("o2", "320") SPLAT("o3", "576") SPLAT("o4", "832")
      AT("p1", "q_2", "o1") AT("p1_row", "p1", "chosen") AT("p1_at", "p1_row", "j")
      PUT_ALL("p1_at", "x")
      AT("p2", "q_2", "o2") AT("p2_row", "p2", "bj") AT("p2_at", "p2_row", "row")
      PUT_ALL("p2_at", "x")
      AT("p3", "q_2", "o3") AT("p3_row", "p3", "chosen") AT("p3_at", "p3_row", "bj")
      PUT_ALL("p3_at", "x")
      "%y, %y_t = load_ptr_tko weak %p1_at : tile<8x32xptr<i32>> -> tile<8x32xi32>, token\n"
      AT("p4", "q_2", "o4") AT("p4_row", "p4", "row") AT("p4_at", "p4_row", "j")
      PUT_ALL("p4_at", "y"), r);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 32; j++) {
      int x = 32 * i + j;
      assert_int_equal(r[ROWS_OUT + 32 * r[i] + j], x);
      assert_int_equal(r[COLUMNS_OUT + 32 * i + r[8 + j]], x);
      assert_int_equal(r[BOTH_OUT + 32 * r[i] + r[8 + j]], x);
      assert_int_equal(r[BACK + x], x);
    }
}

/* Two to a byte; a tile that starts and ends anywhere keeps its neighbours. */
static void test_view_of_small_elements(void **state) {
  (void)state;
  uint8_t r[32] = {0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f};
#define F4                                                                                         \
  "strided_view<tile=(4), traversal_strides=[3], padding_value = neg_zero, "                       \
  "tensor_view<14xf4E2M1FN, strides=[1]>>"
  RUN("%q = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>\n"
      "%v = make_tensor_view %q, shape = [14], strides = [1] : tensor_view<14xf4E2M1FN, "
      "strides=[1]>\n"
      "%w = make_strided_view %v : " F4 "\n"
      INT("c1", "1") INT("c4", "4")
      "%a, %ak = load_view_tko weak %w[%c1] : " F4 ", tile<i32> -> tile<4xf4E2M1FN>, token\n"
      "%ap = pack %a : tile<4xf4E2M1FN> -> tile<2xi8>\n"
      STORE("ap", "2", "i8", "2", "16")
      "%b, %bk = load_view_tko weak %w[%c4] : " F4 ", tile<i32> -> tile<4xf4E2M1FN>, token\n"
      "%bp = pack %b : tile<4xf4E2M1FN> -> tile<2xi8>\n"
      STORE("bp", "2", "i8", "2", "18")
      "%z = constant <f4E2M1FN: 0.0> : tile<4xf4E2M1FN>\n"
      "%t = store_view_tko weak %z, %w[%c1] : tile<4xf4E2M1FN>, " F4 ", tile<i32> -> token\n", r);
  CHECK_ARRAY(uint8_t, r + 16, 0x54, 0x76, 0xed, 0x88);
  CHECK_ARRAY(uint8_t, r, 0x21, 0x03, 0x00, 0x80, 0xa9);
}

#define PADDED(name, elem, padding, at)                                                            \
  "%" elem "_q = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<" elem ">>\n"                           \
  "%" elem "_v = make_tensor_view %" elem "_q, shape = [1], strides = [1] : tensor_view<1x" elem   \
  ", strides=[1]>\n"                                                                               \
  "%" name "_s = make_partition_view %" elem                                                       \
  "_v : partition_view<tile=(2), padding_value = " padding ", tensor_view<1x" elem                 \
  ", strides=[1]>>\n"                                                                              \
  "%" name "_l, %" name "_u = load_view_tko weak %" name "_s[%c0] : partition_view<tile=(2), "     \
  "padding_value = " padding ", tensor_view<1x" elem ", strides=[1]>>, tile<i32> -> tile<2x" elem  \
  ">, token\n"                                                                                     \
  "%" name " = reshape %" name "_l : tile<2x" elem "> -> tile<2x1x" elem                           \
  ">\n" STORE(name, "2x1", elem, "2", at)

static void test_padding(void **state) {
  (void)state;
  uint8_t r[64] = {0};
  RUN(INT("c0", "0") PADDED("a", "f32", "nan", "2") PADDED("b", "f16", "neg_zero", "8")
      PADDED("c", "f8E4M3FN", "nan", "20") PADDED("d", "f8E5M2", "pos_inf", "22")
      PADDED("e", "bf16", "neg_inf", "12") PADDED("f", "i32", "zero", "7"), r);
  CHECK_ARRAY(uint8_t, r + 12, 0, 0, 0xc0, 0x7f, 0, 0, 0x00, 0x80); /* f32 NaN; f16 -0 */
  CHECK_ARRAY(uint8_t, r + 20, 0, 0x7f, 0, 0x7c, 0, 0, 0x80, 0xff);
}

/* Rows of two, each of which exists or not as a whole, in tiles that are read and then changed. */
#define ROWS "tensor_view<4x6x2xi32, strides=[18,3,1]>"
#define ROWS_OF(padding) "partition_view<tile=(4x4x2), padding_value = " padding ", " ROWS ">"

static void test_padded_rows(void **state) {
  (void)state;
  int32_t r[128] = {0};
  for (int k = 0; k < 72; k++) r[k] = 1000 + k;
  RUN(INT("c0", "0") INT("c1", "1") ADDRESS("q", "i32")
      "%v = make_tensor_view %q, shape = [4, 6, 2], strides = [18, 3, 1] : " ROWS "\n"
      "%w = make_partition_view %v : " ROWS_OF("zero") "\n"
      "%a, %t0 = load_view_tko weak %w[%c0, %c1, %c0] : " ROWS_OF("zero") ", tile<i32> -> "
      "tile<4x4x2xi32>, token\n"
      "%s = trunci %a : tile<4x4x2xi32> -> tile<4x4x2xi16>\n"
      STORE("s", "4x4x2", "i16", "32", "160"), r);
  const int16_t *s = (const int16_t *)(r + 80);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 2; k++)
        assert_int_equal(*s++, j < 2 ? 1000 + 18 * i + 3 * (4 + j) + k : 0);
}

/* ---- several threads ------------------------------------------------------------------------ */

typedef struct worker {
  interp_program *program;
  const uint64_t *args;
  pthread_t thread;
  bool done;
} worker;

static void *work(void *user) {
  worker *w = user;
  rt_block block = {.args = w->args, .grid = {1, 1, 1}};
  w->done = true;
  for (int k = 0; k < 500; k++) w->done &= interp_run_block(w->program, &block);
  return NULL;
}

/* Blocks of one program at the same time: each in a frame of its own, atomics among them. */
static void test_threads(void **state) {
  (void)state;
  enum { N = 4 };
  float sums[4] = {0};
  tsr_context *ctx = tsr_context_create(NULL);
  const char *text =
      KERNEL("%p: tile<ptr<i8>>",
             POINTERS("a", "f32", "4", "[0, 1, 2, 3]")
             "%i = iota : tile<4xi32>\n"
             "%f = itof %i signed : tile<4xi32> -> tile<4xf32>\n"
             "%old, %t = atomic_rmw_tko relaxed device %a, addf, %f : tile<4xptr<f32>>, "
             "tile<4xf32> -> tile<4xf32>, token\n");
  TSR_GUARD(ctx, abort());
  ir_module *m = text_parse(ctx, str_of(text), NULL, false);
  interp_program *p = interp_prepare(m, ir_find_symbol(m, STR("k")));
  uint64_t args[] = {ARG_ADDRESS(sums)};
  worker workers[N];
  for (int k = 0; k < N; k++) {
    workers[k] = (worker){.program = p, .args = args};
    assert_int_equal(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
  }
  for (int k = 0; k < N; k++) {
    pthread_join(workers[k].thread, NULL);
    assert_true(workers[k].done);
  }
  interp_destroy(p);
  ir_module_destroy(m);
  TSR_UNGUARD(ctx);
  tsr_context_destroy(ctx);
  CHECK_ARRAY(float, sums, 0, N * 500, N * 1000, N * 1500);
}

/* clang-format on */

/* ---- no memory ------------------------------------------------------------------------------ */

typedef struct budget {
  long left;   /* allocations that still succeed */
  size_t live; /* bytes given out */
} budget;

static void *allocate(void *user, size_t size) {
  budget *b = user;
  if (b->left-- <= 0) return NULL;
  b->live += size;
  return malloc(size);
}

static void release(void *user, void *memory, size_t size) {
  budget *b = user;
  b->live -= size;
  free(memory);
}

typedef enum outcome { NOT_PREPARED, NOT_RUN, RUN_FULLY } outcome;

static outcome prepare_and_run(tsr_context *ctx, ir_module *m, const uint64_t *args) {
  TSR_GUARD(ctx, return NOT_PREPARED);
  interp_program *p = interp_prepare(m, ir_find_symbol(m, STR("k")));
  TSR_UNGUARD(ctx);
  rt_block block = {.args = args, .grid = {1, 1, 1}};
  bool done = interp_run_block(p, &block);
  interp_destroy(p);
  return done ? RUN_FULLY : NOT_RUN;
}

/* However soon memory runs out, nothing is lost and it is said. */
static void test_out_of_memory(void **state) {
  (void)state;
  budget b = {.left = LONG_MAX};
  tsr_context *ctx = tsr_context_create(
      &(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                             .allocator = &(tsr_allocator){allocate, release, &b}});
  float sum[1] = {0};
  const char *text =
      KERNEL("%p: tile<ptr<i8>>",
             "%i = iota : tile<1024xi32>\n"
             "%f = itof %i signed : tile<1024xi32> -> tile<1024xf32>\n"
             "%s = reduce %f dim=0 identities=[0.0 : f32] : tile<1024xf32> -> tile<f32> (%x: "
             "tile<f32>, %y: tile<f32>) {\n"
             "  %z = addf %x, %y : tile<f32>\n"
             "  yield %z : tile<f32>\n"
             "}\n" ADDRESS("q", "f32") PUT("q", "0", "s", "f32"));
  TSR_GUARD(ctx, abort());
  ir_module *m = text_parse(ctx, str_of(text), NULL, false);
  TSR_UNGUARD(ctx);
  outcome seen = NOT_PREPARED;
  unsigned outcomes[3] = {0};
  for (long n = 0; seen != RUN_FULLY && n < 1000; n++) {
    size_t before = b.live;
    b.left = n;
    ctx->errors = 0;
    seen = prepare_and_run(ctx, m, (uint64_t[]){ARG_ADDRESS(sum)});
    outcomes[seen]++;
    assert_int_equal(b.live, before);
    assert_int_equal(ctx->errors, seen != RUN_FULLY);
  }
  assert_true(outcomes[NOT_PREPARED] >= 2);
  assert_int_equal(outcomes[NOT_RUN], 1);
  assert_int_equal(outcomes[RUN_FULLY], 1);
  assert_true(sum[0] == 1023 * 512);
  b.left = LONG_MAX;
  ir_module_destroy(m);
  tsr_context_destroy(ctx);
  assert_int_equal(b.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gather_and_scatter),
      cmocka_unit_test(test_masked_address),
      cmocka_unit_test(test_odd_elements),
      cmocka_unit_test(test_atomic_integers),
      cmocka_unit_test(test_atomic_floats),
      cmocka_unit_test(test_compare_and_swap),
      cmocka_unit_test(test_atomic_view),
      cmocka_unit_test(test_globals),
      cmocka_unit_test(test_alloca),
      cmocka_unit_test(test_partition_view),
      cmocka_unit_test(test_view_far_outside),
      cmocka_unit_test(test_dim_map),
      cmocka_unit_test(test_strided_view),
      cmocka_unit_test(test_gather_scatter_view),
      cmocka_unit_test(test_gathered_rows),
      cmocka_unit_test(test_pointers_by_rows),
      cmocka_unit_test(test_view_of_small_elements),
      cmocka_unit_test(test_padding),
      cmocka_unit_test(test_padded_rows),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
