/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels of the block level: the sanitizer finds nothing in them and changes nothing, and
 * engines that compile them leave the same as the interpreter.
 *
 *   test_block_random [first seed [how many]]     prints the program of the first that differs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random_block_seeds.h"

enum { SEEDS = 300 };

static uint64_t first_seed = 1, seed_count = SEEDS;

static void test_sanitizer(void **state) {
  (void)state;
  static const random_engine engines[] = {
      {.name = "sanitizer", .exact = true, .run = random_sanitize}};
  random_block_seeds(first_seed, seed_count, engines, 1, &(random_limits){.ops = 10, .bits = 9});
}

/* The same kernels with hardly any layouts. */
static void test_left_out(void **state) {
  (void)state;
  static const random_engine engines[] = {
      {.name = "sanitizer", .exact = true, .run = random_sanitize}};
  random_block_seeds(first_seed, seed_count, engines, 1,
                     &(random_limits){.ops = 10, .bits = 9, .left_out = 90});
}

/* Kernels with groups of threads that wait for each other. */
static void test_groups(void **state) {
  (void)state;
  static const random_engine engines[] = {
      {.name = "sanitizer", .exact = true, .run = random_sanitize}};
  random_block_seeds(first_seed, seed_count, engines, 1,
                     &(random_limits){.ops = 10, .bits = 9, .groups = true});
}

/* Kernels whose tile blocks use each other's shared memory. */
static void test_clusters(void **state) {
  (void)state;
  static const random_engine engines[] = {
      {.name = "sanitizer", .exact = true, .run = random_sanitize}};
  random_block_seeds(first_seed, seed_count / 3, engines, 1,
                     &(random_limits){.ops = 10, .bits = 9, .clusters = true});
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sanitizer),
                                     cmocka_unit_test(test_left_out), cmocka_unit_test(test_groups),
                                     cmocka_unit_test(test_clusters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
