/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels before and after each pass, and after each level: under the interpreter they must
 * leave the same behind, to the last bit. `make fuzz ONLY=programs` runs many more.
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

#include "random_check.h"

enum { SEEDS = 240, KERNELS = 8 };

static uint64_t first_seed = 1, seed_count = SEEDS;

/* Each pass alone, all together in several orders, each pass after all. */
#define BEHIND(list)                                                                               \
  { .name = list, .passes = list, .exact = true, .run = random_interpret }
static const random_engine engines[] = {
    BEHIND("canonicalize"),
    BEHIND("cse"),
    BEHIND("dce"),
    BEHIND("licm"),
    BEHIND("memory"),
    BEHIND("propagate"),
    BEHIND("loop-split"),
    BEHIND("split-masks"),
    BEHIND("join-steps"),
    BEHIND("loop-unroll"),
    BEHIND("narrow"),
    BEHIND("synthesize-debug-info-scopes"),
    BEHIND("O1"),
    BEHIND("O2"),
    BEHIND("O3"),
    BEHIND("loop-split,loop-split,canonicalize,cse,dce"),
    BEHIND("licm,propagate,memory,cse,canonicalize,licm"),
    BEHIND("O3,O3"),
    {.name = "bytecode", .bytecode = true, .exact = true, .run = random_interpret},
    {.name = "sanitizer", .exact = true, .run = random_sanitize}};

static void compare(uint64_t from, uint64_t count, const random_limits *limits) {
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  for (uint64_t seed = from; seed < from + count; seed += KERNELS) {
    unsigned kernels = (unsigned)MIN(from + count - seed, (uint64_t)KERNELS);
    random_program p = random_make(&a, seed, kernels, limits);
    random_outcome o;
    random_check(&p, seed, engines, ARRAY_LEN(engines), &o);
    if (o.agreed) continue;
    puts(o.what);
    puts(random_make(&a, seed + o.kernel, 1, limits).text);
    fail_msg("seed %llu, %s: %s", (unsigned long long)seed + o.kernel,
             o.engine ? o.engine->name : "interp", o.what);
  }
  arena_free(&a);
  tsr_context_destroy(ctx);
}

static void test_small_programs(void **state) {
  (void)state;
  compare(first_seed, seed_count, &(random_limits){.ops = 12, .bits = 5});
}

static void test_wild_programs(void **state) {
  (void)state;
  compare(first_seed, seed_count, &(random_limits){.ops = 12, .bits = 5, .wild = true});
}

static void test_large_programs(void **state) {
  (void)state;
  compare(first_seed, seed_count / 3 + 1, &(random_limits){.ops = 40, .bits = 8});
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_programs),
                                     cmocka_unit_test(test_wild_programs),
                                     cmocka_unit_test(test_large_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
