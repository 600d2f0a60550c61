/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels: the GPU backend makes code of all of them.
 *
 *   test_nvptx_random [first seed [how many]]     prints the program of the first that differs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gpu_engine.h"
#include "random_check.h"

enum { SEEDS = 24, KERNELS = 8 };

static uint64_t first_seed = 1, seed_count = SEEDS;

static bool emit_and_interpret(const random_engine *e, ir_module *m, ir_op *const *entries,
                               rt_block *blocks, unsigned n) {
  engine_target = gpu_find_target(e->name);
  return make_code(m) && random_interpret(e, m, entries, blocks, n);
}

static void test_random_programs(void **state) {
  (void)state;
  static const random_engine engines[] = {{.name = "sm_80", .run = emit_and_interpret},
                                          {.name = "sm_90a", .run = emit_and_interpret}};
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  random_limits limits = {.ops = 12, .bits = 7};
  for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed += KERNELS) {
    unsigned kernels = (unsigned)MIN(first_seed + seed_count - seed, (uint64_t)KERNELS);
    random_program p = random_make(&a, seed, kernels, &limits);
    random_outcome o;
    random_check(&p, seed, engines, ARRAY_LEN(engines), &o);
    if (o.agreed) continue;
    puts(random_make(&a, seed + o.kernel, 1, &limits).text);
    fail_msg("seed %llu, %s: %s", (unsigned long long)seed + o.kernel,
             o.engine ? o.engine->name : "interp", o.what);
  }
  arena_free(&a);
  tsr_context_destroy(ctx);
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
