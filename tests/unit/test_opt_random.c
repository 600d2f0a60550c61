/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels before and after each pass, and after each level: under the interpreter they must
 * leave the same memory behind, to the last bit.
 *
 *   test_opt_random [first seed [how many]]     prints the program of the first that differs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/verify.h"
#include "opt/opt.h"
#include "random_program.h"
#include "run_program.h"

enum { SEEDS = 300 };

static uint64_t first_seed = 1, seed_count = SEEDS;
static const char *passes; /* that run_optimized runs */

/* The interpreter, behind passes that must leave the program valid. */
static bool run_optimized(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  tsr_status status = tsr_module_optimize(
      m, passes,
      &(tsr_optimize_options){.struct_size = sizeof(tsr_optimize_options), .verify_each = true});
  return status == TSR_OK && run_interp(m, entry, block, grid);
}

static void compare(uint64_t seed, bool rich) {
  /* Each pass alone, all together in several orders, each pass behind all. */
  static const char *const lists[] = {"canonicalize",
                                      "cse",
                                      "dce",
                                      "licm",
                                      "propagate",
                                      "loop-split",
                                      "O1",
                                      "O2",
                                      "O3",
                                      "loop-split,loop-split,canonicalize,cse,dce",
                                      "licm,propagate,cse,canonicalize,licm",
                                      "O3,O3"};
  static uint8_t expected[RANDOM_MEMORY], memory[RANDOM_MEMORY];
  static run_log log;
  uint64_t args[5];
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  random_program p = random_make(&a, seed, rich);
  random_fill(expected, seed);
  random_arguments(args, expected, seed);
  if (!run_program_on(run_interp, p.text, "k", (run_grid){1, 1, 1}, args, &log))
    fail_msg("seed %llu is no program: %s\n%s", (unsigned long long)seed, log.diagnostics, p.text);
  for (unsigned i = 0; i < ARRAY_LEN(lists); i++) {
    passes = lists[i];
    random_fill(memory, seed);
    random_arguments(args, memory, seed);
    bool ran = run_program_on(run_optimized, p.text, "k", (run_grid){1, 1, 1}, args, &log);
    if (ran && memcmp(expected, memory, sizeof memory) == 0) continue;
    puts(p.text);
    fail_msg("seed %llu%s, %s: %s", (unsigned long long)seed, rich ? ", rich" : "", passes,
             ran ? "results differ" : log.diagnostics);
  }
  arena_free(&a);
  tsr_context_destroy(ctx);
}

static void test_plain_programs(void **state) {
  (void)state;
  for (uint64_t seed = first_seed; seed < first_seed + seed_count / 3 + 1; seed++)
    compare(seed, false);
}

static void test_rich_programs(void **state) {
  (void)state;
  for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) compare(seed, true);
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain_programs),
                                     cmocka_unit_test(test_rich_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
