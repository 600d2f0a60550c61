/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The GPU backend takes the programs of test_interp_memory.c.
 */
#include "gpu_engine.h"

int interp_main(void);
#define main interp_main
#include "test_interp_memory.c"
#undef main

#define BOTH(test) TARGET(test, "sm_80"), TARGET(test, "sm_90a")

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(test_gather_and_scatter),
      BOTH(test_masked_address),
      BOTH(test_odd_elements),
      BOTH(test_atomic_integers),
      BOTH(test_atomic_floats),
      BOTH(test_compare_and_swap),
      BOTH(test_atomic_view),
      BOTH(test_globals),
      BOTH(test_alloca),
      BOTH(test_partition_view),
      BOTH(test_view_far_outside),
      BOTH(test_dim_map),
      BOTH(test_strided_view),
      BOTH(test_gather_scatter_view),
      BOTH(test_view_of_small_elements),
      BOTH(test_padding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
