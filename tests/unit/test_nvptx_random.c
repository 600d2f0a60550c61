/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels: the GPU backend takes them, and leaves the memory that the
 * interpreter leaves.
 *
 *   test_nvptx_random [first seed [how many]]     prints the program of the first that differs
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gpu_engine.h"
#include "random_program.h"

enum { SEEDS = 20 };

static uint64_t first_seed = 1, seed_count = SEEDS;

static void test_random_programs(void **state) {
  (void)state;
  static uint8_t expected[RANDOM_MEMORY], memory[RANDOM_MEMORY];
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  unsigned ran = 0;
  for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
    static run_log log;
    random_program g = random_make(&a, seed, false);
    const char *text = g.text;
    uint64_t args[5];
    random_fill(expected, seed);
    random_arguments(args, expected, seed);
    if (!run_program_on(run_interp, text, "k", (run_grid){1, 1, 1}, args, &log))
      fail_msg("seed %llu is no program: %s\n%s", (unsigned long long)seed, log.diagnostics, text);
    for (unsigned t = 0; t < 2; t++) {
      engine_target = gpu_find_target(t ? "sm_90a" : "sm_80");
      random_fill(memory, seed);
      random_arguments(args, memory, seed);
      if (!run_compiled(text, "k", (run_grid){1, 1, 1}, args, &log)) {
        puts(text);
        fail_msg("seed %llu, target %s: %s", (unsigned long long)seed, engine_target->name,
                 log.diagnostics);
      }
      if (!random_same(&g, expected, memory)) {
        puts(text);
        fail_msg("seed %llu, target %s: results differ", (unsigned long long)seed,
                 engine_target->name);
      }
    }
    ran++;
    arena_free(&a);
  }
  assert_int_equal(ran, seed_count);
  tsr_context_destroy(ctx);
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
