/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compiled kernels: the programs of test_interp.c with the results that they expect. Left out are
 * those that show what the language leaves open: the order in which a reduction combines elements,
 * and fusing and the NaNs of matrix products (docs/numerics.md).
 */
#include "cpu_engine.h"

int interp_main(void);
#define main interp_main
#include "test_interp.c"
#undef main

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(test_for),
      LEVELS(test_for_at_the_edge),
      LEVELS(test_values_move_at_once),
      LEVELS(test_break_and_continue),
      LEVELS(test_if),
      LEVELS(test_return),
      LEVELS(test_assert),
      LEVELS(test_making_tiles),
      LEVELS(test_moving_elements),
      LEVELS(test_cat_and_extract),
      LEVELS(test_insert),
      LEVELS(test_order_only),
      LEVELS(test_return_in_loop),
      LEVELS(test_small_elements),
      LEVELS(test_pack),
      LEVELS(test_elementwise_in_kernels),
      LEVELS(test_shifts_by_much),
      LEVELS(test_reduce),
      LEVELS(test_scan_dimensions),
      LEVELS(test_reduce_lanes),
      LEVELS(test_mmaf),
      LEVELS(test_mmaf_types),
      LEVELS(test_mmai),
      LEVELS(test_mmaf_scaled),
      LEVELS(test_large_tiles),
      LEVELS(test_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
