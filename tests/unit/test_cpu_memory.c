/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compiled kernels: the programs of test_interp_memory.c with the results that they expect.
 */
#include "cpu_engine.h"

int interp_main(void);
#define main interp_main
#include "test_interp_memory.c"
#undef main

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(test_gather_and_scatter),
      LEVELS(test_masked_address),
      LEVELS(test_odd_elements),
      LEVELS(test_atomic_integers),
      LEVELS(test_atomic_floats),
      LEVELS(test_compare_and_swap),
      LEVELS(test_atomic_view),
      LEVELS(test_globals),
      LEVELS(test_alloca),
      LEVELS(test_partition_view),
      LEVELS(test_view_far_outside),
      LEVELS(test_dim_map),
      LEVELS(test_strided_view),
      LEVELS(test_gather_scatter_view),
      LEVELS(test_gathered_rows),
      LEVELS(test_pointers_by_rows),
      LEVELS(test_view_of_small_elements),
      LEVELS(test_padding),
      LEVELS(test_padded_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
