/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The GPU backend takes the programs of test_interp.c.
 */
#include "gpu_engine.h"

int interp_main(void);
#define main interp_main
#include "test_interp.c"
#undef main

#define BOTH(test) TARGET(test, "sm_80"), TARGET(test, "sm_90a")

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(test_for),
      BOTH(test_for_at_the_edge),
      BOTH(test_values_move_at_once),
      BOTH(test_break_and_continue),
      BOTH(test_if),
      BOTH(test_return),
      BOTH(test_assert),
      BOTH(test_making_tiles),
      BOTH(test_moving_elements),
      BOTH(test_cat_and_extract),
      BOTH(test_small_elements),
      BOTH(test_pack),
      BOTH(test_elementwise_in_kernels),
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
