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

#include "random_block.h"
#include "random_check.h"

enum { SEEDS = 300, KERNELS = 4 };

static uint64_t first_seed = 1, seed_count = SEEDS;

static void compare(const random_engine *engines, unsigned n, const random_limits *limits) {
  tsr_context *ctx = tsr_context_create(NULL);
  for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed += KERNELS) {
    unsigned kernels = (unsigned)MIN(first_seed + seed_count - seed, (uint64_t)KERNELS);
    arena a;
    arena_init(&a, ctx);
    random_program p = random_block_make(&a, seed, kernels, limits);
    random_outcome o;
    random_check(&p, seed, engines, n, &o);
    if (!o.agreed) {
      puts(o.what);
      puts(random_block_make(&a, seed + o.kernel, 1, limits).text);
      fail_msg("seed %llu, %s: %s", (unsigned long long)seed + o.kernel,
               o.engine ? o.engine->name : "interp", o.what);
    }
    arena_free(&a);
  }
  tsr_context_destroy(ctx);
}

static void test_sanitizer(void **state) {
  (void)state;
  static const random_engine engines[] = {
      {.name = "sanitizer", .exact = true, .run = random_sanitize}};
  compare(engines, 1, &(random_limits){.ops = 10, .bits = 9});
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sanitizer)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
