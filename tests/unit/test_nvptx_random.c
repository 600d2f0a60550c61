/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels on the emulated GPU leave what the interpreter leaves (random_gpu.h).
 * `make fuzz ONLY=programs` runs many more.
 *
 *   test_nvptx_random [first seed [how many]]     prints the program of the first that differs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "random_gpu.h"

enum { SEEDS = 24, KERNELS = 4 };

static uint64_t first_seed = 1, seed_count = SEEDS;

#ifndef GPU_ENGINES /* a test of other targets includes this file */
#define GPU_ENGINES RANDOM_GPU("sm_80"), RANDOM_GPU("sm_90a"), RANDOM_GPU_UNFAIR("sm_90a")
#endif

static void compare(uint64_t from, uint64_t count, const random_limits *limits) {
  static const random_engine engines[] = {GPU_ENGINES};
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
  compare(first_seed, seed_count, &(random_limits){.ops = 12, .bits = 5, .card = true});
}

/* Tiles of up to 1024 elements: several warps, registers by the dozen. */
static void test_large_programs(void **state) {
  (void)state;
  compare(first_seed, seed_count / 2,
          &(random_limits){.ops = 16, .bits = 10, .wild = true, .card = true});
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_programs),
                                     cmocka_unit_test(test_large_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
