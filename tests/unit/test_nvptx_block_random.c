/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels of the block level on the emulated GPU leave what the interpreter leaves, and its
 * checks find nothing in them (random_block.h).
 *
 *   test_nvptx_block_random [first seed [how many]]     prints the program of the first that
 * differs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "random_block_seeds.h"
#include "random_gpu.h"

enum { SEEDS = 60 };

static uint64_t first_seed = 1, seed_count = SEEDS;

static void test_programs(void **state) {
  (void)state;
  static const random_engine engines[] = {RANDOM_GPU("sm_80"), RANDOM_GPU_UNFAIR("sm_90a")};
  const random_limits limits = {.ops = 10, .bits = 11, .card = true};
  random_block_seeds(first_seed, seed_count, engines, ARRAY_LEN(engines), &limits);
}

/* The same kernels with hardly any layouts. */
static void test_left_out(void **state) {
  (void)state;
  static const random_engine engines[] = {RANDOM_GPU("sm_80"), RANDOM_GPU_UNFAIR("sm_90a")};
  const random_limits limits = {.ops = 10, .bits = 11, .card = true, .left_out = 90};
  random_block_seeds(first_seed, seed_count / 2 + 1, engines, ARRAY_LEN(engines), &limits);
}

/* Kernels with groups of threads that wait for each other. */
static void test_groups(void **state) {
  (void)state;
  static const random_engine engines[] = {RANDOM_GPU("sm_80"), RANDOM_GPU_UNFAIR("sm_80"),
                                          RANDOM_GPU_UNFAIR("sm_90a")};
  const random_limits limits = {.ops = 10, .bits = 11, .card = true, .groups = true};
  random_block_seeds(first_seed, seed_count / 2 + 1, engines, ARRAY_LEN(engines), &limits);
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs),
                                     cmocka_unit_test(test_left_out),
                                     cmocka_unit_test(test_groups)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
