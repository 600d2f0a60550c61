/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Views and tiles of pointers of any strides (random_views.h) compiled for the CPU, beside the
 * interpreter.
 *
 *   test_cpu_views [first seed [how many]]
 */
#include "cpu_engine.h"

#include "random_views.h"

enum { SEEDS = 150 };

static uint64_t first_seed = 1, seed_count = SEEDS;

static void test_views(void **state) {
  (void)state;
  for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++)
    view_check(run_cpu, "cpu", seed);
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {LEVELS(test_views)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
