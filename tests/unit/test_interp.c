/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The reference interpreter on whole kernels: control flow, shapes, reductions, matrix products.
 * Expected results are worked out by hand. (Memory and views: test_interp_memory.c.)
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "interp/internal.h"
#include "interp_text.h"
#include "num/num.h"

static run_log report;

/* Runs a kernel @k of one tile block on one array. */
#define RUN(body, array)                                                                           \
  do {                                                                                             \
    if (!run_program(KERNEL("%p: tile<ptr<i8>>", body), "k", (run_grid){1, 1, 1},                  \
                     (uint64_t[]){ARG_ADDRESS(array)}, &report))                                   \
      fail_msg("%s", report.diagnostics);                                                          \
  } while (0)

#define CHECK_ARRAY(type, array, ...)                                                              \
  do {                                                                                             \
    const type expected_[] = {__VA_ARGS__};                                                        \
    for (size_t i_ = 0; i_ < sizeof expected_ / sizeof *expected_; i_++)                           \
      if (!((array)[i_] == expected_[i_]))                                                         \
        fail_msg("element %zu is %g, not %g", i_, (double)(array)[i_], (double)expected_[i_]);     \
  } while (0)

/* Kernels are laid out by their own lines. */
/* clang-format off */

/* ---- control flow --------------------------------------------------------------------------- */

static void test_for(void **state) {
  (void)state;
  int32_t r[8] = {0};
  RUN(ADDRESS("q", "i32")
      /* 0 + 2 + 4 + 6, counting iterations beside it. */
      INT("c0", "0") INT("c2", "2") INT("c7", "7") INT("c1", "1")
      "%s, %n = for %i in (%c0 to %c7, step %c2) : tile<i32> iter_values(%x = %c0, %y = %c0) -> "
      "(tile<i32>, tile<i32>) {\n"
      "  %x2 = addi %x, %i : tile<i32>\n"
      "  %y2 = addi %y, %c1 : tile<i32>\n"
      "  continue %x2, %y2 : tile<i32>, tile<i32>\n"
      "}\n"
      PUT("q", "0", "s", "i32") PUT("q", "1", "n", "i32")
      /* No iteration at all: the initial values. */
      "%z = for %i in (%c7 to %c7, step %c1) : tile<i32> iter_values(%x = %c2) -> (tile<i32>) {\n"
      "  continue %c0 : tile<i32>\n"
      "}\n"
      PUT("q", "2", "z", "i32")
      /* A negative lower bound; a nested loop. */
      INT("m3", "-3")
      "%w = for %i in (%m3 to %c2, step %c1) : tile<i32> iter_values(%x = %c0) -> (tile<i32>) {\n"
      "  %in = for %j in (%c0 to %c2, step %c1) : tile<i32> iter_values(%y = %x) -> (tile<i32>) "
      "{\n"
      "    %y2 = addi %y, %i : tile<i32>\n"
      "    continue %y2 : tile<i32>\n"
      "  }\n"
      "  continue %in : tile<i32>\n"
      "}\n"
      PUT("q", "3", "w", "i32"), r);
  CHECK_ARRAY(int32_t, r, 12, 4, 2, -10, 0);
}

/* The range is one of numbers, not of patterns: the variable never wraps around. */
static void test_for_at_the_edge(void **state) {
  (void)state;
  int32_t r[4] = {0};
  RUN(ADDRESS("q", "i32") INT("c0", "0") INT("c1", "1")
      "%a = constant <i8: 100> : tile<i8>\n"
      "%b = constant <i8: 127> : tile<i8>\n"
      "%s = constant <i8: 20> : tile<i8>\n"
      "%n = for %i in (%a to %b, step %s) : tile<i8> iter_values(%y = %c0) -> (tile<i32>) {\n"
      "  %y2 = addi %y, %c1 : tile<i32>\n"
      "  continue %y2 : tile<i32>\n"
      "}\n"
      PUT("q", "0", "n", "i32")
      /* As unsigned: 127, 167, 207, 247. */
      "%c = constant <i8: -1> : tile<i8>\n"
      "%t = constant <i8: 40> : tile<i8>\n"
      "%m = for unsigned %i in (%b to %c, step %t) : tile<i8> iter_values(%y = %c0) -> "
      "(tile<i32>) {\n"
      "  %w = exti %i unsigned : tile<i8> -> tile<i32>\n"
      "  %y2 = addi %y, %w : tile<i32>\n"
      "  continue %y2 : tile<i32>\n"
      "}\n"
      PUT("q", "1", "m", "i32")
      /* As signed none. */
      "%z = for %i in (%b to %c, step %t) : tile<i8> iter_values(%y = %c1) -> (tile<i32>) {\n"
      "  continue %c0 : tile<i32>\n"
      "}\n"
      PUT("q", "2", "z", "i32"), r);
  CHECK_ARRAY(int32_t, r, 2, 127 + 167 + 207 + 247, 1);
}

static void test_values_move_at_once(void **state) {
  (void)state;
  int32_t r[8] = {0};
  RUN(ADDRESS("q", "i32") INT("c0", "0") INT("c1", "1") INT("c2", "2") INT("c5", "5")
      /* Exchange: (1, 2) five times. */
      "%a, %b = for %i in (%c0 to %c5, step %c1) : tile<i32> iter_values(%x = %c1, %y = %c2) -> "
      "(tile<i32>, tile<i32>) {\n"
      "  continue %y, %x : tile<i32>, tile<i32>\n"
      "}\n"
      PUT("q", "0", "a", "i32") PUT("q", "1", "b", "i32")
      /* Rotation of three, of different sizes in between. */
      "%t = constant <i64: 9> : tile<i64>\n"
      "%d, %u, %e, %g = loop iter_values(%x = %c0, %k = %t, %y = %c1, %z = %c2) : tile<i32>, "
      "tile<i64>, tile<i32>, tile<i32> -> tile<i32>, tile<i64>, tile<i32>, tile<i32> {\n"
      "  %stop = cmpi equal %y, %c0, signed : tile<i32> -> tile<i1>\n"
      "  if %stop {\n"
      "    break %x, %k, %y, %z : tile<i32>, tile<i64>, tile<i32>, tile<i32>\n"
      "  }\n"
      "  continue %z, %k, %x, %y : tile<i32>, tile<i64>, tile<i32>, tile<i32>\n"
      "}\n"
      PUT("q", "2", "d", "i32") PUT("q", "3", "e", "i32") PUT("q", "4", "g", "i32"), r);
  CHECK_ARRAY(int32_t, r, 2, 1, 2, 0, 1);
}

static void test_break_and_continue(void **state) {
  (void)state;
  int32_t r[8] = {0};
  RUN(ADDRESS("q", "i32") INT("c0", "0") INT("c1", "1") INT("c2", "2") INT("c10", "10")
      /* Out of nested ifs, with a result of another type than the iteration value's. */
      "%found = loop iter_values(%i = %c0) : tile<i32> -> tile<i64> {\n"
      "  %big = cmpi greater_than %i, %c2, signed : tile<i32> -> tile<i1>\n"
      "  if %big {\n"
      "    %square = muli %i, %i : tile<i32>\n"
      "    %enough = cmpi greater_than_or_equal %square, %c10, signed : tile<i32> -> tile<i1>\n"
      "    if %enough {\n"
      "      %wide = exti %square signed : tile<i32> -> tile<i64>\n"
      "      break %wide : tile<i64>\n"
      "    }\n"
      "  }\n"
      "  %next = addi %i, %c1 : tile<i32>\n"
      "  continue %next : tile<i32>\n"
      "}\n"
      "%f = trunci %found : tile<i64> -> tile<i32>\n"
      PUT("q", "0", "f", "i32")
      /* Both ways through an if end the iteration of a for. Odd numbers below 10. */
      "%odd = for %i in (%c0 to %c10, step %c1) : tile<i32> iter_values(%x = %c0) -> (tile<i32>) "
      "{\n"
      "  %rest = remi %i, %c2 signed : tile<i32>\n"
      "  %even = cmpi equal %rest, %c0, signed : tile<i32> -> tile<i1>\n"
      "  if %even {\n"
      "    continue %x : tile<i32>\n"
      "  }\n"
      "  %x2 = addi %x, %i : tile<i32>\n"
      "  continue %x2 : tile<i32>\n"
      "}\n"
      PUT("q", "1", "odd", "i32")
      /* The inner loop only is left. */
      "%outer = for %i in (%c0 to %c2, step %c1) : tile<i32> iter_values(%x = %c0) -> "
      "(tile<i32>) {\n"
      "  %inner = loop iter_values(%y = %x) : tile<i32> -> tile<i32> {\n"
      "    %y2 = addi %y, %c10 : tile<i32>\n"
      "    break %y2 : tile<i32>\n"
      "  }\n"
      "  %x2 = addi %inner, %c1 : tile<i32>\n"
      "  continue %x2 : tile<i32>\n"
      "}\n"
      PUT("q", "2", "outer", "i32"), r);
  CHECK_ARRAY(int32_t, r, 16, 25, 22);
}

static void test_if(void **state) {
  (void)state;
  int32_t r[8] = {0};
  RUN(ADDRESS("q", "i32") INT("c1", "1") INT("c2", "2") INT("c3", "3")
      "%yes = constant <i1: 1> : tile<i1>\n"
      "%no = constant <i1: 0> : tile<i1>\n"
      "%a, %b = if %yes -> (tile<i32>, tile<i32>) {\n"
      "  yield %c1, %c2 : tile<i32>, tile<i32>\n"
      "} else {\n"
      "  yield %c2, %c1 : tile<i32>, tile<i32>\n"
      "}\n"
      "%c = if %no -> (tile<i32>) {\n"
      "  yield %c1 : tile<i32>\n"
      "} else {\n"
      "  %d = if %yes -> (tile<i32>) {\n"
      "    yield %c3 : tile<i32>\n"
      "  } else {\n"
      "    yield %c1 : tile<i32>\n"
      "  }\n"
      "  yield %d : tile<i32>\n"
      "}\n"
      "if %no {\n"
      PUT("q", "3", "c1", "i32")
      "}\n"
      "if %no {\n"
      PUT("q", "4", "c1", "i32")
      "} else {\n"
      PUT("q", "4", "c2", "i32")
      "}\n"
      PUT("q", "0", "a", "i32") PUT("q", "1", "b", "i32") PUT("q", "2", "c", "i32"), r);
  CHECK_ARRAY(int32_t, r, 1, 2, 3, 0, 2);
}

static void test_return(void **state) {
  (void)state;
  int32_t r[4] = {0};
  const char *text = KERNEL("%p: tile<ptr<i8>>",
                            ADDRESS("q", "i32") INT("c1", "1") INT("c2", "2")
                            "%x, %y, %z = get_tile_block_id : tile<i32>\n"
                            "%late = cmpi greater_than_or_equal %x, %c2, signed : tile<i32> -> "
                            "tile<i1>\n"
                            "if %late {\n"
                            "  %sure = constant <i1: 1> : tile<i1>\n"
                            "  if %sure { return }\n"
                            "}\n"
                            "%at = offset %q, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
                            "%t = store_ptr_tko weak %at, %c1 : tile<ptr<i32>>, tile<i32> -> "
                            "token\n");
  assert_true(run_program(text, "k", (run_grid){4, 1, 1}, (uint64_t[]){ARG_ADDRESS(r)}, &report));
  CHECK_ARRAY(int32_t, r, 1, 1, 0, 0);
}

static void test_grid(void **state) {
  (void)state;
  const char *text =
      KERNEL("%n: tile<i32>, %f: tile<f64>, %b: tile<i1>, %h: tile<i8>",
             "%x, %y, %z = get_tile_block_id : tile<i32>\n"
             "%w, %h2, %d = get_num_tile_blocks : tile<i32>\n"
             "%t = print_tko \"%i%i%i/%i%i%i %i %g %i %i;\", %x, %y, %z, %w, %h2, %d, %n, %f, "
             "%b, %h : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, "
             "tile<i32>, tile<f64>, tile<i1>, tile<i8> -> token\n");
  const uint64_t args[] = {(uint32_t)-7, num_f64_bits(0.5), 1, 0x80};
  assert_true(run_program(text, "k", (run_grid){2, 1, 2}, args, &report));
  assert_string_equal(report.printed, "000/212 -7 0.5 1 -128;100/212 -7 0.5 1 -128;"
                                      "001/212 -7 0.5 1 -128;101/212 -7 0.5 1 -128;");
  assert_true(run_program_on(run_interp_backwards, text, "k", (run_grid){2, 1, 1}, args, &report));
  assert_string_equal(report.printed, "100/211 -7 0.5 1 -128;000/211 -7 0.5 1 -128;");
}

static void test_assert(void **state) {
  (void)state;
  int32_t r[1] = {0};
  RUN(ADDRESS("q", "i32") INT("c1", "1")
      "%m = constant <i1: [true, true, false, false]> : tile<4xi1>\n"
      "assert %m, \"not all\" : tile<4xi1>\n"
      "%n = constant <i1: true> : tile<4xi1>\n"
      "assert %n, \"never\" : tile<4xi1>\n"
      PUT("q", "0", "c1", "i32"), r);
  assert_int_equal(report.asserts, 1); /* however many elements */
  assert_string_equal(report.message, "not all");
  assert_non_null(strstr(report.where, "test.mlir:"));
  CHECK_ARRAY(int32_t, r, 1); /* and the block went on */
}

/* ---- shapes --------------------------------------------------------------------------------- */

static void test_making_tiles(void **state) {
  (void)state;
  int32_t r[16] = {0};
  RUN("%a = constant <i32: [[1, 2], [3, 4]]> : tile<2x2xi32>\n"
      STORE("a", "2x2", "i32", "4", "0")
      "%b = constant <i32: 7> : tile<2x2xi32>\n"
      STORE("b", "2x2", "i32", "4", "4")
      "%c = iota : tile<4xi32>\n"
      STORE("c", "4", "i32", "4", "8")
      "%d = iota : tile<128xi8>\n"
      "%e = constant <i32: [100, 127]> : tile<2xi32>\n"
      "%f = reshape %d : tile<128xi8> -> tile<32x4xi8>\n"
      INT("c31", "31") INT("c0", "0")
      "%g = extract %f[%c31, %c0] : tile<32x4xi8> -> tile<1x4xi8>\n"
      STORE("g", "1x4", "i8", "4", "48"), r);
  CHECK_ARRAY(int32_t, r, 1, 2, 3, 4, 7, 7, 7, 7, 0, 1, 2, 3, 0x7f7e7d7c);
}

static void test_moving_elements(void **state) {
  (void)state;
  int32_t r[64] = {0};
  RUN("%i = iota : tile<8xi32>\n"
      "%a = reshape %i : tile<8xi32> -> tile<2x4xi32>\n"
      "%t = permute %a [1, 0] : tile<2x4xi32> -> tile<4x2xi32>\n"
      STORE("t", "4x2", "i32", "8", "0")
      "%c = reshape %i : tile<8xi32> -> tile<2x2x2xi32>\n"
      "%u = permute %c [2, 0, 1] : tile<2x2x2xi32> -> tile<2x2x2xi32>\n"
      STORE("u", "2x2x2", "i32", "8", "8")
      "%v = constant <i32: [[1], [2]]> : tile<2x1xi32>\n"
      "%w = broadcast %v : tile<2x1xi32> -> tile<2x4xi32>\n"
      STORE("w", "2x4", "i32", "8", "16")
      "%s = constant <i32: 5> : tile<i32>\n"
      "%s1 = reshape %s : tile<i32> -> tile<1x1xi32>\n"
      "%x = broadcast %s1 : tile<1x1xi32> -> tile<4x2xi32>\n"
      STORE("x", "4x2", "i32", "8", "24"), r);
  CHECK_ARRAY(int32_t, r, 0, 4, 1, 5, 2, 6, 3, 7, /* transposed */
              0, 2, 4, 6, 1, 3, 5, 7,             /* result[i][j][k] = source[j][k][i] */
              1, 1, 1, 1, 2, 2, 2, 2, 5, 5, 5, 5, 5, 5, 5, 5);
}

static void test_cat_and_extract(void **state) {
  (void)state;
  int32_t r[64] = {0};
  RUN("%a = constant <i32: [[1, 2], [3, 4]]> : tile<2x2xi32>\n"
      "%b = constant <i32: [[5, 6], [7, 8]]> : tile<2x2xi32>\n"
      "%c = cat %a, %b dim = 1 : tile<2x2xi32>, tile<2x2xi32> -> tile<2x4xi32>\n"
      STORE("c", "2x4", "i32", "8", "0")
      "%d = cat %a, %b dim = 0 : tile<2x2xi32>, tile<2x2xi32> -> tile<4x2xi32>\n"
      STORE("d", "4x2", "i32", "8", "8") INT("c1", "1") INT("c0", "0") INT("c3", "3")
      "%e = extract %c[%c1, %c1] : tile<2x4xi32> -> tile<1x2xi32>\n"
      STORE("e", "1x2", "i32", "2", "16")
      "%f = extract %d[%c1, %c0] : tile<4x2xi32> -> tile<2x1xi32>\n"
      STORE("f", "2x1", "i32", "2", "18")
      /* Slice 3 of 2: undefined, but it must not read elsewhere. */
      "%g = extract %c[%c0, %c3] : tile<2x4xi32> -> tile<2x2xi32>\n"
      STORE("g", "2x2", "i32", "4", "20"), r);
  CHECK_ARRAY(int32_t, r, 1, 2, 5, 6, 3, 4, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 7, 8, 5, 7, 5, 6, 7, 8);
}

static void test_insert(void **state) {
  (void)state;
  int32_t r[64] = {0};
  RUN("%a = constant <i32: [[1, 2, 3, 4], [5, 6, 7, 8]]> : tile<2x4xi32>\n"
      "%b = constant <i32: [[10, 20]]> : tile<1x2xi32>\n"
      INT("c1", "1") INT("c0", "0") INT("c5", "5")
      "%c = insert %b, %a[%c1, %c0] : tile<1x2xi32>, tile<2x4xi32> -> tile<2x4xi32>\n"
      STORE("c", "2x4", "i32", "8", "0")
      "%d = insert %b, %c[%c0, %c1] : tile<1x2xi32>, tile<2x4xi32> -> tile<2x4xi32>\n"
      STORE("d", "2x4", "i32", "8", "8")
      "%e = insert %a, %d[%c0, %c0] : tile<2x4xi32>, tile<2x4xi32> -> tile<2x4xi32>\n"
      STORE("e", "2x4", "i32", "8", "16")
      /* Slice 5 of 2: undefined, but it must not write elsewhere. */
      "%f = insert %b, %a[%c0, %c5] : tile<1x2xi32>, tile<2x4xi32> -> tile<2x4xi32>\n"
      STORE("f", "2x4", "i32", "8", "24")
      "%g = insert %c5, %c1[] : tile<i32>, tile<i32> -> tile<i32>\n"
      "%h = reshape %g : tile<i32> -> tile<1xi32>\n"
      STORE("h", "1", "i32", "1", "32"), r);
  CHECK_ARRAY(int32_t, r, 1, 2, 3, 4, 10, 20, 7, 8, 1, 2, 10, 20, 10, 20, 7, 8, 1, 2, 3, 4, 5, 6, 7,
              8, 1, 2, 10, 20, 5, 6, 7, 8, 5);
}

/* What tokens and other kernels order changes nothing where all runs in order. */
static void test_order_only(void **state) {
  (void)state;
  int32_t r[4] = {0};
  RUN(INT("c7", "7")
      "%t = gdc_wait_tko -> token\n"
      "%u = memory_fence_alias_tko token = %t -> token\n"
      "%v = reshape %c7 : tile<i32> -> tile<1xi32>\n"
      "%w = gdc_launch_dependents_tko token = %u -> token\n"
      STORE("v", "1", "i32", "1", "0"), r);
  CHECK_ARRAY(int32_t, r, 7);
}

static void test_return_in_loop(void **state) {
  (void)state;
  int32_t r[8] = {0};
  RUN(INT("c0", "0") INT("c1", "1") INT("c3", "3")
      "%v = constant <i32: 9> : tile<1xi32>\n"
      "%o = constant <i32: 8> : tile<1xi32>\n"
      STORE("v", "1", "i32", "1", "0")
      "loop iter_values(%i = %c0) : tile<i32> {\n"
      "  %n = addi %i, %c1 : tile<i32>\n"
      "  %done = cmpi equal %n, %c3, signed : tile<i32> -> tile<i1>\n"
      "  if %done { loop { return } }\n"
      "  continue %n : tile<i32>\n"
      "}\n"
      STORE("o", "1", "i32", "1", "1"), r);
  CHECK_ARRAY(int32_t, r, 9, 0);
}

/* Elements of half a byte move one by one. */
static void test_small_elements(void **state) {
  (void)state;
  uint8_t r[32] = {0};
  RUN("%i = iota : tile<8xi8>\n"
      "%n = trunci %i : tile<8xi8> -> tile<8xi4>\n"
      "%a = reshape %n : tile<8xi4> -> tile<2x4xi4>\n"
      "%t = permute %a [1, 0] : tile<2x4xi4> -> tile<4x2xi4>\n"
      "%f = reshape %t : tile<4x2xi4> -> tile<8xi4>\n"
      "%p0 = pack %f : tile<8xi4> -> tile<4xi8>\n"
      STORE("p0", "4", "i8", "4", "0")
      "%w = exti %f unsigned : tile<8xi4> -> tile<8xi8>\n"
      STORE("w", "8", "i8", "8", "4")
      "%c = cat %f, %n dim = 0 : tile<8xi4>, tile<8xi4> -> tile<16xi4>\n"
      INT("c3", "3")
      "%e = extract %c[%c3] : tile<16xi4> -> tile<4xi4>\n"
      "%x = exti %e signed : tile<4xi4> -> tile<4xi8>\n"
      STORE("x", "4", "i8", "4", "12")
      "%m = constant <i1: [1, 0, 1, 1, 0, 0, 0, 1]> : tile<8xi1>\n"
      "%pm = pack %m : tile<8xi1> -> tile<1xi8>\n"
      STORE("pm", "1", "i8", "1", "16")
      "%um = unpack %pm : tile<1xi8> -> tile<8xi1>\n"
      "%xm = exti %um unsigned : tile<8xi1> -> tile<8xi8>\n"
      STORE("xm", "8", "i8", "8", "24"), r);
  CHECK_ARRAY(uint8_t, r, 0x40, 0x51, 0x62, 0x73, 0, 4, 1, 5, 2, 6, 3, 7, 4, 5, 6, 7, 0x8d);
  CHECK_ARRAY(uint8_t, r + 24, 1, 0, 1, 1, 0, 0, 0, 1);
}

static void test_pack(void **state) {
  (void)state;
  uint8_t r[16] = {0};
  RUN("%a = constant <f32: [1.0, -2.0]> : tile<2xf32>\n"
      "%b = pack %a : tile<2xf32> -> tile<8xi8>\n"
      STORE("b", "8", "i8", "8", "0")
      "%c = unpack %b : tile<8xi8> -> tile<4xi16>\n"
      "%d = reshape %c : tile<4xi16> -> tile<2x2xi16>\n"
      "%e = permute %d [1, 0] : tile<2x2xi16> -> tile<2x2xi16>\n"
      STORE("e", "2x2", "i16", "4", "4"), r);
  CHECK_ARRAY(uint8_t, r, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0xc0);
}

static void test_elementwise_in_kernels(void **state) {
  (void)state;
  float r[8] = {0};
  RUN("%a = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>\n"
      "%b = constant <f32: [0x7fc00000, -2.0, 8.0, 0.5]> : tile<4xf32>\n"
      "%m = cmpf less_than unordered %a, %b : tile<4xf32> -> tile<4xi1>\n"
      "%s = select %m, %a, %b : tile<4xi1>, tile<4xf32>\n"
      STORE("s", "4", "f32", "4", "0")
      "%f = fma %a, %a, %s rounding<zero> : tile<4xf32>\n"
      STORE("f", "4", "f32", "4", "4"), r);
  CHECK_ARRAY(float, r, 1, -2, 3, 0.5f, 2, 2, 12, 16.5f);
}

/* All 64 bits of the amount count, also where an instruction takes one of 32. */
static void test_shifts_by_much(void **state) {
  (void)state;
  int64_t r[32] = {0, 1, 63, 64, INT64_C(1) << 32, (INT64_C(1) << 32) + 3, INT64_MIN, -1};
  RUN(LOAD("n", "8", "i64", "8", "0")
      "%a = constant <i64: -20> : tile<8xi64>\n"
      "%l = shli %a, %n : tile<8xi64>\n"
      "%u = shri %a, %n unsigned : tile<8xi64>\n"
      "%s = shri %a, %n signed : tile<8xi64>\n"
      STORE("l", "8", "i64", "8", "8") STORE("u", "8", "i64", "8", "16")
      STORE("s", "8", "i64", "8", "24"), r);
  CHECK_ARRAY(int64_t, r + 8, -20, -40, 0, 0, 0, 0, 0, 0, -20, INT64_MAX - 9, 1, 0, 0, 0, 0, 0,
              -20, -10, -1, -1, -1, -1, -1, -1);
}

/* ---- reductions ----------------------------------------------------------------------------- */

#define SUM(result, operand, dim, from, to)                                                        \
  "%" result " = reduce %" operand " dim=" dim " identities=[0 : i32] : tile<" from "xi32> -> "    \
  "tile<" to "xi32> (%x: tile<i32>, %y: tile<i32>) {\n"                                            \
  "  %z = addi %x, %y : tile<i32>\n"                                                               \
  "  yield %z : tile<i32>\n"                                                                       \
  "}\n"

static void test_reduce(void **state) {
  (void)state;
  int32_t r[64] = {0};
  RUN("%i = iota : tile<16xi32>\n"
      "%a = reshape %i : tile<16xi32> -> tile<4x4xi32>\n"
      "%b = reshape %i : tile<16xi32> -> tile<2x4x2xi32>\n"
      SUM("rows", "a", "1", "4x4", "4") STORE("rows", "4", "i32", "4", "0")
      SUM("columns", "a", "0", "4x4", "4") STORE("columns", "4", "i32", "4", "4")
      SUM("middle", "b", "1", "2x4x2", "2x2") STORE("middle", "2x2", "i32", "4", "8")
      "%all = reduce %i dim=0 identities=[100 : i32] : tile<16xi32> -> tile<i32>\n"
      " (%x: tile<i32>, %y: tile<i32>) {\n"
      "  %z = addi %x, %y : tile<i32>\n"
      "  yield %z : tile<i32>\n"
      "}\n"
      ADDRESS("q", "i32") PUT("q", "12", "all", "i32"), r);
  CHECK_ARRAY(int32_t, r, 6, 22, 38, 54, 24, 28, 32, 36, 0 + 2 + 4 + 6, 1 + 3 + 5 + 7,
              8 + 10 + 12 + 14, 9 + 11 + 13 + 15, 220);
}

/* Ascending order, (current, previous): neither is up to chance here. */
static void test_reduce_order(void **state) {
  (void)state;
  int32_t r[16] = {0};
  RUN("%i = constant <i32: [1, 2, 3, 4]> : tile<4xi32>\n"
      INT("ten", "10")
      /* previous * 10 + current; the 10 from outside. */
      "%a = reduce %i dim=0 identities=[9 : i32] : tile<4xi32> -> tile<i32>\n"
      " (%current: tile<i32>, %previous: tile<i32>) {\n"
      "  %u = muli %previous, %ten : tile<i32>\n"
      "  %v = addi %u, %current : tile<i32>\n"
      "  yield %v : tile<i32>\n"
      "}\n"
      ADDRESS("q", "i32") PUT("q", "0", "a", "i32")
      "%b = scan %i dim=0 reverse=false identities=[0 : i32] : tile<4xi32> -> tile<4xi32>\n"
      " (%current: tile<i32>, %previous: tile<i32>) {\n"
      "  %w = constant <i32: 10> : tile<i32>\n"
      "  %u = muli %previous, %w : tile<i32>\n"
      "  %v = addi %u, %current : tile<i32>\n"
      "  yield %v : tile<i32>\n"
      "}\n"
      STORE("b", "4", "i32", "4", "4")
      "%c = scan %i dim=0 reverse=true identities=[0 : i32] : tile<4xi32> -> tile<4xi32>\n"
      " (%current: tile<i32>, %previous: tile<i32>) {\n"
      "  %w = constant <i32: 10> : tile<i32>\n"
      "  %u = muli %previous, %w : tile<i32>\n"
      "  %v = addi %u, %current : tile<i32>\n"
      "  yield %v : tile<i32>\n"
      "}\n"
      STORE("c", "4", "i32", "4", "8"), r);
  CHECK_ARRAY(int32_t, r, 91234, 0, 0, 0, 1, 12, 123, 1234, 4321, 432, 43, 4);
}

static void test_scan_dimensions(void **state) {
  (void)state;
  int32_t r[16] = {0};
  RUN("%i = iota : tile<8xi32>\n"
      "%a = reshape %i : tile<8xi32> -> tile<2x2x2xi32>\n"
      "%b = scan %a dim=1 reverse=false identities=[0 : i32] : tile<2x2x2xi32> -> "
      "tile<2x2x2xi32>\n"
      " (%x: tile<i32>, %y: tile<i32>) {\n"
      "  %z = addi %x, %y : tile<i32>\n"
      "  yield %z : tile<i32>\n"
      "}\n"
      STORE("b", "2x2x2", "i32", "8", "0")
      "%c = scan %a dim=2 reverse=true identities=[0 : i32] : tile<2x2x2xi32> -> "
      "tile<2x2x2xi32>\n"
      " (%x: tile<i32>, %y: tile<i32>) {\n"
      "  %z = addi %x, %y : tile<i32>\n"
      "  yield %z : tile<i32>\n"
      "}\n"
      STORE("c", "2x2x2", "i32", "8", "8"), r);
  CHECK_ARRAY(int32_t, r, 0, 1, 2, 4, 4, 5, 10, 12, 1, 1, 5, 3, 9, 5, 13, 7);
}

/* Several operands: where the maximum is. The yielded values trade places on the way. */
static void test_reduce_several(void **state) {
  (void)state;
  int32_t r[16] = {0};
  RUN("%v = constant <i32: [[3, 9, 4, 9], [7, 1, 8, 2]]> : tile<2x4xi32>\n"
      "%i = iota : tile<4xi32>\n"
      "%i1 = reshape %i : tile<4xi32> -> tile<1x4xi32>\n"
      "%k = broadcast %i1 : tile<1x4xi32> -> tile<2x4xi32>\n"
      "%best, %where = reduce %v, %k dim=1 identities=[-1 : i32, 0 : i32] : tile<2x4xi32>, "
      "tile<2x4xi32> -> tile<2xi32>, tile<2xi32>\n"
      " (%a: tile<i32>, %b: tile<i32>, %ai: tile<i32>, %bi: tile<i32>) {\n"
      "  %m = cmpi greater_than %a, %b, signed : tile<i32> -> tile<i1>\n"
      "  %x = select %m, %a, %b : tile<i1>, tile<i32>\n"
      "  %y = select %m, %ai, %bi : tile<i1>, tile<i32>\n"
      "  yield %x, %y : tile<i32>, tile<i32>\n"
      "}\n"
      STORE("best", "2", "i32", "2", "0") STORE("where", "2", "i32", "2", "2")
      "%s, %t = reduce %v, %k dim=1 identities=[1 : i32, 2 : i32] : tile<2x4xi32>, tile<2x4xi32> "
      "-> tile<2xi32>, tile<2xi32>\n"
      " (%a: tile<i32>, %b: tile<i32>, %ai: tile<i32>, %bi: tile<i32>) {\n"
      "  yield %bi, %b : tile<i32>, tile<i32>\n"
      "}\n"
      STORE("s", "2", "i32", "2", "4") STORE("t", "2", "i32", "2", "6"), r);
  CHECK_ARRAY(int32_t, r, 9, 8, 1, 2, 1, 1, 2, 2);
}

/* A body with operations that are not element-wise. */
static void test_reduce_body(void **state) {
  (void)state;
  int32_t r[4] = {0};
  RUN("%i = constant <i32: [[1, 3, 8, 6], [2, 9, 10, 0]]> : tile<2x4xi32>\n"
      "%s = reduce %i dim=1 identities=[0 : i32] : tile<2x4xi32> -> tile<2xi32>\n"
      " (%x: tile<i32>, %y: tile<i32>) {\n"
      "  %w, %h, %d = get_num_tile_blocks : tile<i32>\n"
      "  %x1 = reshape %x : tile<i32> -> tile<1xi32>\n"
      "  %y1 = reshape %y : tile<i32> -> tile<1xi32>\n"
      "  %xy = cat %x1, %y1 dim = 0 : tile<1xi32>, tile<1xi32> -> tile<2xi32>\n"
      "  %last = extract %xy[%w] : tile<2xi32> -> tile<1xi32>\n"
      "  %y2 = reshape %last : tile<1xi32> -> tile<i32>\n"
      "  %z = addi %x, %y2 : tile<i32>\n"
      "  yield %z : tile<i32>\n"
      "}\n"
      STORE("s", "2", "i32", "2", "0"), r);
  CHECK_ARRAY(int32_t, r, 18, 21);
}

/* Many reductions at once, more and fewer than one pass takes. */
static void test_reduce_lanes(void **state) {
  (void)state;
  /* 1,024 sums at once exceed the lanes of one pass; rows before, at and after the border. */
  int32_t *r = test_calloc(3072, sizeof *r);
  RUN("%i = iota : tile<4096xi32>\n"
      "%a = reshape %i : tile<4096xi32> -> tile<4x1024xi32>\n"
      "%b = reshape %i : tile<4096xi32> -> tile<1024x4xi32>\n"
      "%c = reshape %i : tile<4096xi32> -> tile<64x4x16xi32>\n"
      SUM("s", "a", "0", "4x1024", "1024") STORE("s", "1024", "i32", "1024", "0")
      SUM("t", "b", "1", "1024x4", "1024") STORE("t", "1024", "i32", "1024", "1024")
      SUM("u", "c", "1", "64x4x16", "64x16") STORE("u", "64x16", "i32", "1024", "2048"), r);
  for (int k = 0; k < 1024; k++) {
    assert_int_equal(r[k], 4 * k + 6 * 1024);
    assert_int_equal(r[1024 + k], 16 * k + 6);
    assert_int_equal(r[2048 + k], 4 * (k / 16 * 64 + k % 16) + 6 * 16);
  }
  test_free(r);
}

static void test_reduce_floats(void **state) {
  (void)state;
  float r[4] = {0};
  RUN("%h = constant <f16: [2048.0, 1.0, 1.0, 1.0]> : tile<4xf16>\n"
      "%s = reduce %h dim=0 identities=[0.0 : f16] : tile<4xf16> -> tile<f16>\n"
      " (%x: tile<f16>, %y: tile<f16>) {\n"
      "  %z = addf %x, %y : tile<f16>\n"
      "  yield %z : tile<f16>\n"
      "}\n"
      "%w = ftof %s : tile<f16> -> tile<f32>\n"
      ADDRESS("q", "f32") PUT("q", "0", "w", "f32")
      "%v = constant <f32: [1.0, 0x7fc00000, -3.0, 2.0]> : tile<4xf32>\n"
      "%m = reduce %v dim=0 identities=[0xff800000 : f32] : tile<4xf32> -> tile<f32>\n"
      " (%x: tile<f32>, %y: tile<f32>) {\n"
      "  %z = maxf %x, %y : tile<f32>\n"
      "  yield %z : tile<f32>\n"
      "}\n"
      PUT("q", "1", "m", "f32"), r);
  CHECK_ARRAY(float, r, 2048, 2); /* 2049 ties to even each time */
}

/* ---- matrix products ------------------------------------------------------------------------ */

static void test_mmaf(void **state) {
  (void)state;
  float r[64] = {0};
  RUN("%a = constant <f32: [[1.0, 2.0], [3.0, 4.0]]> : tile<2x2xf32>\n"
      "%b = constant <f32: [[5.0, 6.0], [7.0, 8.0]]> : tile<2x2xf32>\n"
      "%c = constant <f32: [[0.5, 0.0], [0.0, -0.5]]> : tile<2x2xf32>\n"
      "%d = mmaf %a, %b, %c : tile<2x2xf32>, tile<2x2xf32>, tile<2x2xf32>\n"
      STORE("d", "2x2", "f32", "4", "0")
      /* Rectangular; sixteen and more columns take another path. */
      "%i = iota : tile<32xi32>\n"
      "%f = itof %i signed : tile<32xi32> -> tile<32xf32>\n"
      "%e = reshape %f : tile<32xf32> -> tile<1x32xf32>\n"
      "%g = constant <f32: [[2.0], [1.0]]> : tile<2x1xf32>\n"
      "%z = constant <f32: 1.0> : tile<2x32xf32>\n"
      "%h = mmaf %g, %e, %z : tile<2x1xf32>, tile<1x32xf32>, tile<2x32xf32>\n"
      INT("c0", "0") INT("c1", "1")
      "%h0 = extract %h[%c0, %c1] : tile<2x32xf32> -> tile<1x16xf32>\n"
      STORE("h0", "1x16", "f32", "16", "4")
      /* Two at once. */
      "%aa = reshape %f : tile<32xf32> -> tile<2x4x4xf32>\n"
      "%bb = permute %aa [0, 2, 1] : tile<2x4x4xf32> -> tile<2x4x4xf32>\n"
      "%zz = constant <f32: 0.0> : tile<2x4x4xf32>\n"
      "%cc = mmaf %aa, %bb, %zz : tile<2x4x4xf32>, tile<2x4x4xf32>, tile<2x4x4xf32>\n"
      STORE("cc", "2x4x4", "f32", "32", "20"), r);
  CHECK_ARRAY(float, r, 19.5f, 22, 43, 49.5f);
  for (int k = 0; k < 16; k++) assert_true(r[4 + k] == 1 + 2 * (16 + k));
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        float sum = 0;
        for (int k = 0; k < 4; k++)
          sum += (float)(b * 16 + i * 4 + k) * (float)(b * 16 + j * 4 + k);
        assert_true(r[20 + b * 16 + i * 4 + j] == sum);
      }
}

static void test_mmaf_rounding(void **state) {
  (void)state;
  uint32_t r[8] = {0};
  RUN(/* Fused: (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, lost when the product is rounded. */
      "%x = constant <f32: 0x3f800800> : tile<1x1xf32>\n"
      "%c = constant <f32: 0xbf801000> : tile<1x1xf32>\n"
      "%d = mmaf %x, %x, %c : tile<1x1xf32>, tile<1x1xf32>, tile<1x1xf32>\n"
      STORE("d", "1x1", "f32", "1", "0")
      /* An f16 accumulator is rounded once: 2048 + 1 + 1 = 2050. */
      "%o = constant <f16: 1.0> : tile<1x2xf16>\n"
      "%p0 = constant <f16: 1.0> : tile<2x1xf16>\n"
      "%h = constant <f16: 2048.0> : tile<1x1xf16>\n"
      "%s = mmaf %o, %p0, %h : tile<1x2xf16>, tile<2x1xf16>, tile<1x1xf16>\n"
      "%t = ftof %s : tile<1x1xf16> -> tile<1x1xf32>\n"
      STORE("t", "1x1", "f32", "1", "1")
      /* tf32 keeps 10 bits: 1 + 2^-12 is 1. */
      "%u = ftof %x : tile<1x1xf32> -> tile<1x1xtf32>\n"
      "%z = constant <f32: 0.0> : tile<1x1xf32>\n"
      "%v = mmaf %u, %u, %z : tile<1x1xtf32>, tile<1x1xtf32>, tile<1x1xf32>\n"
      STORE("v", "1x1", "f32", "1", "2")
      /* A NaN is canonical. */
      "%n = constant <f32: 0xffc12345> : tile<1x1xf32>\n"
      "%w = mmaf %n, %x, %z : tile<1x1xf32>, tile<1x1xf32>, tile<1x1xf32>\n"
      STORE("w", "1x1", "f32", "1", "3"), r);
  assert_int_equal(r[0], 0x33800000);
  assert_int_equal(r[1], num_f32_bits(2050));
  assert_int_equal(r[2], num_f32_bits(1));
  assert_int_equal(r[3], 0x7fc00000);
}

#define MMA_OF(elem, acc, at)                                                                      \
  "%a" elem " = constant <" elem ": [[1.0, 2.0]]> : tile<1x2x" elem ">\n"                          \
  "%b" elem " = constant <" elem ": [[4.0], [0.5]]> : tile<2x1x" elem ">\n"                        \
  "%c" elem " = constant <" acc ": 10.0> : tile<1x1x" acc ">\n"                                    \
  "%d" elem " = mmaf %a" elem ", %b" elem ", %c" elem " : tile<1x2x" elem ">, tile<2x1x" elem      \
  ">, tile<1x1x" acc ">\n" STORE("d" elem, "1x1", acc, "1", at)

static void test_mmaf_types(void **state) {
  (void)state;
  double r[8] = {0};
  float *f = (float *)(r + 4);
  RUN(MMA_OF("f64", "f64", "0") MMA_OF("bf16", "f32", "8") MMA_OF("f16", "f32", "9")
      MMA_OF("f8E4M3FN", "f32", "10") MMA_OF("f8E5M2", "f32", "11") MMA_OF("tf32", "f32", "12"),
      r);
  assert_true(r[0] == 15);
  CHECK_ARRAY(float, f, 15, 15, 15, 15, 15);
}

static void test_mmai(void **state) {
  (void)state;
  int32_t r[8] = {0};
  RUN("%a = constant <i8: [[-1, 2]]> : tile<1x2xi8>\n"
      "%b = constant <i8: [[-3], [4]]> : tile<2x1xi8>\n"
      "%c = constant <i32: 100> : tile<1x1xi32>\n"
      "%s = mmai %a, %b, %c signed signed : tile<1x2xi8>, tile<2x1xi8>, tile<1x1xi32>\n"
      STORE("s", "1x1", "i32", "1", "0")
      "%t = mmai %a, %b, %c unsigned signed : tile<1x2xi8>, tile<2x1xi8>, tile<1x1xi32>\n"
      STORE("t", "1x1", "i32", "1", "1")
      "%u = mmai %a, %b, %c unsigned unsigned : tile<1x2xi8>, tile<2x1xi8>, tile<1x1xi32>\n"
      STORE("u", "1x1", "i32", "1", "2")
      "%m = constant <i32: 2147483647> : tile<1x1xi32>\n"
      "%v = mmai %a, %b, %m signed signed : tile<1x2xi8>, tile<2x1xi8>, tile<1x1xi32>\n"
      STORE("v", "1x1", "i32", "1", "3"), r);
  CHECK_ARRAY(int32_t, r, 100 + 3 + 8, 100 - 255 * 3 + 8, 100 + 255 * 253 + 8, INT32_MIN + 10);
}

static void test_mmaf_scaled(void **state) {
  (void)state;
  float r[8] = {0};
  RUN(/* 64 deep, blocks of 32: 32 * (1 * 2) * (1 * 4) + 32 * (1 * 8) * (1 * 0.5). */
      "%a = constant <f8E4M3FN: 1.0> : tile<2x64xf8E4M3FN>\n"
      "%b = constant <f8E4M3FN: 1.0> : tile<64x2xf8E4M3FN>\n"
      "%c = constant <f32: 0.25> : tile<2x2xf32>\n"
      "%sa = constant <f8E8M0FNU: [[2.0, 8.0], [1.0, 1.0]]> : tile<2x2xf8E8M0FNU>\n"
      "%sb = constant <f8E8M0FNU: [[4.0, 1.0], [0.5, 1.0]]> : tile<2x2xf8E8M0FNU>\n"
      "%d = mmaf_scaled %a, %b, %c, %sa, %sb : tile<2x64xf8E4M3FN>, tile<64x2xf8E4M3FN>, "
      "tile<2x2xf32>, tile<2x2xf8E8M0FNU>, tile<2x2xf8E8M0FNU>\n"
      STORE("d", "2x2", "f32", "4", "0")
      "%e = constant <f4E2M1FN: -1.5> : tile<1x16xf4E2M1FN>\n"
      "%f = constant <f4E2M1FN: 3.0> : tile<16x1xf4E2M1FN>\n"
      "%g = constant <f32: 0.0> : tile<1x1xf32>\n"
      "%se = constant <f8E4M3FN: 0.75> : tile<1x1xf8E4M3FN>\n"
      "%sf = constant <f8E4M3FN: 2.0> : tile<1x1xf8E4M3FN>\n"
      "%h = mmaf_scaled %e, %f, %g, %se, %sf : tile<1x16xf4E2M1FN>, tile<16x1xf4E2M1FN>, "
      "tile<1x1xf32>, tile<1x1xf8E4M3FN>, tile<1x1xf8E4M3FN>\n"
      STORE("h", "1x1", "f32", "1", "4"), r);
  CHECK_ARRAY(float, r, 0.25f + 32 * 8 + 32 * 4, 0.25f + 32 * 2 + 32 * 8,
              0.25f + 32 * 4 + 32 * 0.5f, 0.25f + 64, -16 * 4.5f * 1.5f);
}

/* clang-format on */

/* ---- limits --------------------------------------------------------------------------------- */

static void test_large_tiles(void **state) {
  (void)state;
  const size_t n = 1 << 24;
  int32_t *r = test_calloc(n, sizeof *r);
  RUN("%i = iota : tile<16777216xi32>\n"
      "%j = addi %i, %i : tile<16777216xi32>\n"
      "%k = addi %j, %i : tile<16777216xi32>\n" STORE("k", "16777216", "i32", "16777216", "0"),
      r);
  for (size_t k = 0; k < n; k++)
    if (r[k] != (int32_t)(3 * k)) fail_msg("element %zu", k);
  test_free(r);
}

/* 40 tiles of 128 MiB that are all needed at the end; and as many whose room can be used again. */
static void test_too_large(void **state) {
  (void)state;
  static char all[16384], one[16384];
  int a = snprintf(all, sizeof all, "cuda_tile.module @m { entry @k() {\n");
  int o = snprintf(one, sizeof one, "cuda_tile.module @m { entry @k() {\n");
  for (int k = 0; k < 40; k++) {
    a += snprintf(all + a, sizeof all - (size_t)a, "%%x%d = iota : tile<16777216xi64>\n", k);
    o += snprintf(one + o, sizeof one - (size_t)o, "%%x%d = iota : tile<16777216xi64>\n", k);
    o += snprintf(one + o, sizeof one - (size_t)o,
                  "%%y%d = trunci %%x%d : tile<16777216xi64> -> tile<16777216xi8>\n", k, k);
  }
  for (int k = 0; k < 40; k++)
    a += snprintf(all + a, sizeof all - (size_t)a,
                  "%%y%d = trunci %%x%d : tile<16777216xi64> -> tile<16777216xi8>\n", k, k);
  snprintf(all + a, sizeof all - (size_t)a, "} }");
  snprintf(one + o, sizeof one - (size_t)o, "} }");
  assert_false(run_program(all, "k", (run_grid){1, 1, 1}, NULL, &report));
  assert_non_null(strstr(report.diagnostics, "take more than the 4096 MiB"));
  assert_non_null(strstr(report.diagnostics, "34:")); /* the 33rd tile is too much */
  assert_true(run_program(one, "k", (run_grid){0, 1, 1}, NULL, &report)); /* prepared, not run */
}

/* Nothing of the language is left out. */
static void test_every_operation(void **state) {
  (void)state;
  static const op_code others[] = {OP_module,       OP_entry,
                                   OP_global,       OP_make_token,
                                   OP_join_tokens,  OP_gdc_launch_dependents_tko,
                                   OP_gdc_wait_tko, OP_memory_fence_alias_tko,
                                   OP_for,          OP_loop,
                                   OP_if,           OP_break,
                                   OP_continue,     OP_return,
                                   OP_yield};
  for (int code = 1; code < OP_COUNT; code++) {
    bool is_other = false;
    for (size_t k = 0; k < ARRAY_LEN(others); k++) is_other |= others[k] == (op_code)code;
    if (is_other == (interp_function((op_code)code) != NULL)) fail_msg("%s", op_table[code].name);
  }
}

/* More regions inside each other than the interpreter takes; a parser refuses them before. */
static void test_too_deep(void **state) {
  (void)state;
  tsr_context *ctx = tsr_context_create(NULL);
  for (int depth = 250; depth <= 260; depth += 10) {
    TSR_GUARD(ctx, abort());
    ir_module *m = ir_module_create(ctx, STR("m"));
    ir_op *entry = ir_op_create(m, &(ir_op_spec){.opcode = OP_entry, .n_regions = 1});
    ir_op_append(ir_region(m->op, 0), entry);
    const ir_type *bit = ir_scalar(m, TSR_I1);
    ir_block *b = ir_region_create(m, entry, 0, 1, &bit);
    ir_value *condition = &b->args[0];
    op_code end = OP_return;
    for (int d = 1; d < depth; d++) {
      ir_op *branch = ir_op_create(
          m,
          &(ir_op_spec){.opcode = OP_if, .n_operands = 1, .operands = &condition, .n_regions = 2});
      ir_op_append(b, branch);
      ir_op_append(b, ir_op_create(m, &(ir_op_spec){.opcode = end}));
      b = ir_region_create(m, branch, 0, 0, NULL);
      end = OP_yield;
    }
    ir_op_append(b, ir_op_create(m, &(ir_op_spec){.opcode = end}));
    ctx->errors = 0;
    interp_program *p = interp_prepare(m, entry);
    assert_int_equal(p != NULL, depth <= 256);
    assert_int_equal(ctx->errors, depth > 256);
    if (p) {
      rt_block block = {.args = (uint64_t[]){1}};
      assert_true(interp_run_block(p, &block));
    }
    interp_destroy(p);
    ir_module_destroy(m);
    TSR_UNGUARD(ctx);
  }
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_for),
      cmocka_unit_test(test_for_at_the_edge),
      cmocka_unit_test(test_values_move_at_once),
      cmocka_unit_test(test_break_and_continue),
      cmocka_unit_test(test_if),
      cmocka_unit_test(test_return),
      cmocka_unit_test(test_grid),
      cmocka_unit_test(test_assert),
      cmocka_unit_test(test_making_tiles),
      cmocka_unit_test(test_moving_elements),
      cmocka_unit_test(test_cat_and_extract),
      cmocka_unit_test(test_insert),
      cmocka_unit_test(test_order_only),
      cmocka_unit_test(test_return_in_loop),
      cmocka_unit_test(test_small_elements),
      cmocka_unit_test(test_pack),
      cmocka_unit_test(test_elementwise_in_kernels),
      cmocka_unit_test(test_shifts_by_much),
      cmocka_unit_test(test_reduce),
      cmocka_unit_test(test_reduce_order),
      cmocka_unit_test(test_scan_dimensions),
      cmocka_unit_test(test_reduce_several),
      cmocka_unit_test(test_reduce_body),
      cmocka_unit_test(test_reduce_lanes),
      cmocka_unit_test(test_reduce_floats),
      cmocka_unit_test(test_mmaf),
      cmocka_unit_test(test_mmaf_rounding),
      cmocka_unit_test(test_mmaf_types),
      cmocka_unit_test(test_mmai),
      cmocka_unit_test(test_mmaf_scaled),
      cmocka_unit_test(test_large_tiles),
      cmocka_unit_test(test_too_large),
      cmocka_unit_test(test_too_deep),
      cmocka_unit_test(test_every_operation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
