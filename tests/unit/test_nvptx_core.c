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

#ifndef GPU_TARGETS /* a test of other targets includes this file */
#define GPU_TARGETS(test) TARGET(test, "sm_80"), TARGET(test, "sm_90a")
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      GPU_TARGETS(test_for),
      GPU_TARGETS(test_for_at_the_edge),
      GPU_TARGETS(test_values_move_at_once),
      GPU_TARGETS(test_break_and_continue),
      GPU_TARGETS(test_if),
      GPU_TARGETS(test_return),
      GPU_TARGETS(test_assert_stops),
      GPU_TARGETS(test_making_tiles),
      GPU_TARGETS(test_moving_elements),
      GPU_TARGETS(test_cat_and_extract),
      GPU_TARGETS(test_small_elements),
      GPU_TARGETS(test_pack),
      GPU_TARGETS(test_elementwise_in_kernels),
      GPU_TARGETS(test_shifts_by_much),
      GPU_TARGETS(test_reduce),
      GPU_TARGETS(test_scan_dimensions),
      GPU_TARGETS(test_reduce_lanes),
      GPU_TARGETS(test_mmaf),
      GPU_TARGETS(test_mmaf_types),
      GPU_TARGETS(test_mmai),
      GPU_TARGETS(test_mmaf_scaled),
      GPU_TARGETS(test_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
