/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels: compiled code and the interpreter must leave the same behind.
 * `make fuzz ONLY=programs` runs many more.
 *
 *   test_cpu_random [first seed [how many]]     prints the program of the first that differs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "random_compiled.h"

enum { SEEDS = 120, KERNELS = 8 };

static uint64_t first_seed = 1, seed_count = SEEDS;

enum { MORE = 2 /* engines beside the levels */ };

/* All levels; one of them with checks too, which must find nothing, and one without half of the
 * patterns. */
static unsigned choose_engines(unsigned opt_level, random_engine *out) {
  static const char *const names[] = {"baseline", "avx2", "avx512"};
  unsigned n = 0;
  for (cpu_level level = CPU_BASELINE; level < CPU_LEVEL_COUNT; level++) {
    if (!engine_level_here(level)) continue;
    out[n++] = (random_engine){
        .name = names[level], .run = random_run_compiled, .level = level, .opt_level = opt_level};
  }
  out[n] = out[opt_level % n];
  out[n].name = "with checks";
  out[n].checks = true;
  out[n + 1] = out[(opt_level + 1) % n];
  out[n + 1].name = "without patterns";
  out[n + 1].plainer = true;
  return n + MORE;
}

static void compare(uint64_t from, uint64_t count, const random_limits *limits) {
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  for (uint64_t seed = from; seed < from + count; seed += KERNELS) {
    unsigned kernels = (unsigned)MIN(from + count - seed, (uint64_t)KERNELS);
    random_engine engines[CPU_LEVEL_COUNT + MORE];
    unsigned n = choose_engines((unsigned)(seed / KERNELS % 4), engines);
    random_program p = random_make(&a, seed, kernels, limits);
    random_outcome o;
    random_check(&p, seed, engines, n, &o);
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

/* Tiles of up to 1024 elements: loops around lanes, tiles that are kept. */
static void test_large_programs(void **state) {
  (void)state;
  compare(first_seed, seed_count / 2, &(random_limits){.ops = 16, .bits = 10, .wild = true});
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_programs),
                                     cmocka_unit_test(test_large_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
