/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Views and tiles of pointers of any strides (random_views.h) on the emulated GPU, which faults
 * where an access is not aligned, beside the interpreter.
 *
 *   test_nvptx_views [first seed [how many]]
 */
#include "random_views.h"

#include "gpu_engine.h"

enum { SEEDS = 150 };

static uint64_t first_seed = 1, seed_count = SEEDS;

static void test_views(void **state) {
  (void)state;
  static const char *const cards[] = {"sm_80", "sm_90a"};
  for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++)
    for (size_t i = 0; i < ARRAY_LEN(cards); i++) {
      engine_target = gpu_find_target(cards[i]);
      view_check(run_gpu, cards[i], seed);
    }
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_views)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
