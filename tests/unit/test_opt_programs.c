/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The programs of test_interp.c after each pass, with the results that they expect. Left out are
 * those that the interpreter refuses, which passes may make acceptable.
 */
#include "opt_engine.h"

int interp_main(void);
#define main interp_main
#include "test_interp.c"
#undef main

int main(void) {
  const struct CMUnitTest tests[] = {
      PASSES(test_for),
      PASSES(test_for_at_the_edge),
      PASSES(test_values_move_at_once),
      PASSES(test_break_and_continue),
      PASSES(test_if),
      PASSES(test_return),
      PASSES(test_grid),
      PASSES(test_assert),
      PASSES(test_making_tiles),
      PASSES(test_moving_elements),
      PASSES(test_cat_and_extract),
      PASSES(test_insert),
      PASSES(test_order_only),
      PASSES(test_return_in_loop),
      PASSES(test_small_elements),
      PASSES(test_pack),
      PASSES(test_elementwise_in_kernels),
      PASSES(test_shifts_by_much),
      PASSES(test_reduce),
      PASSES(test_reduce_order),
      PASSES(test_scan_dimensions),
      PASSES(test_reduce_several),
      PASSES(test_reduce_body),
      PASSES(test_reduce_lanes),
      PASSES(test_reduce_floats),
      PASSES(test_mmaf),
      PASSES(test_mmaf_rounding),
      PASSES(test_mmaf_types),
      PASSES(test_mmai),
      PASSES(test_mmaf_scaled),
      PASSES(test_large_tiles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
