/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The programs of test_interp_memory.c after each pass, with the results that they expect.
 */
#include "opt_engine.h"

int interp_main(void);
#define main interp_main
#include "test_interp_memory.c"
#undef main

int main(void) {
  const struct CMUnitTest tests[] = {
      PASSES(test_gather_and_scatter),
      PASSES(test_masked_address),
      PASSES(test_odd_elements),
      PASSES(test_atomic_integers),
      PASSES(test_atomic_floats),
      PASSES(test_compare_and_swap),
      PASSES(test_atomic_view),
      PASSES(test_globals),
      PASSES(test_alloca),
      PASSES(test_partition_view),
      PASSES(test_view_far_outside),
      PASSES(test_dim_map),
      PASSES(test_strided_view),
      PASSES(test_gather_scatter_view),
      PASSES(test_gathered_rows),
      PASSES(test_pointers_by_rows),
      PASSES(test_view_of_small_elements),
      PASSES(test_padding),
      PASSES(test_padded_rows),
      PASSES(test_threads),
      PASSES(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
