/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The programs of test_interp.c on the emulated GPU, with the results that they expect. What the
 * language leaves open is left out, as in test_cpu_core.c; an assert that fails ends the launch.
 */
#include "gpu_engine.h"

int interp_main(void);
#define main interp_main
#include "test_interp.c"
#undef main

static void test_assert_stops(void **state) {
  (void)state;
  int32_t r[1] = {0};
  RUN(ADDRESS("q", "i32")
          INT("c1", "1") "%n = constant <i1: true> : tile<4xi1>\n"
                         "assert %n, \"never\" : tile<4xi1>\n" PUT(
                             "q", "0", "c1",
                             "i32") "%m = constant <i1: [true, true, false, false]> : tile<4xi1>\n"
                                    "assert %m, \"not all\" : tile<4xi1>\n",
      r);
  assert_int_equal(report.asserts, 1); /* however many elements */
  assert_string_equal(report.message, "not all");
  assert_non_null(strstr(report.where, "test.mlir:"));
  CHECK_ARRAY(int32_t, r, 1);
}

#define BOTH(test) TARGET(test, "sm_80"), TARGET(test, "sm_90a")

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(test_for),
      BOTH(test_for_at_the_edge),
      BOTH(test_values_move_at_once),
      BOTH(test_break_and_continue),
      BOTH(test_if),
      BOTH(test_return),
      BOTH(test_assert_stops),
      BOTH(test_making_tiles),
      BOTH(test_moving_elements),
      BOTH(test_cat_and_extract),
      BOTH(test_small_elements),
      BOTH(test_pack),
      BOTH(test_elementwise_in_kernels),
      BOTH(test_shifts_by_much),
      BOTH(test_reduce),
      BOTH(test_scan_dimensions),
      BOTH(test_reduce_lanes),
      BOTH(test_mmaf),
      BOTH(test_mmaf_types),
      BOTH(test_mmai),
      BOTH(test_mmaf_scaled),
      BOTH(test_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
