/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels of the block level, which compiled code executes without threads: it leaves what
 * the interpreter leaves. So does the interpreter itself behind erasing, where the sanitizer finds
 * that tokens say the order of the program.
 *
 *   test_cpu_block [first seed [how many]]     prints the program of the first that differs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "block/erase.h"
#include "ir/verify.h"
#include "random_block_seeds.h"
#include "random_compiled.h"

enum { SEEDS = 160 };

static uint64_t first_seed = 1, seed_count = SEEDS;

/* Not of bounds: what is outside of a view is padding at the block level, wherever it is. */
static bool run_watched(const random_engine *e, ir_module *m, ir_op *entry, rt_block *block) {
  enum { CHECKS = TSR_SANITIZE_ALL & ~TSR_SANITIZE_BOUNDS };
  arena a;
  arena_init(&a, m->ctx);
  interp_program *p = interp_prepare_watched(m, entry);
  sanitizer *s = p ? random_sanitizer(&a, e, p, block, CHECKS) : NULL;
  bool ok = p != NULL;
  for (int32_t id = 0; id < RANDOM_BLOCKS && ok; id++) {
    block->id[0] = id;
    block->id[1] = block->id[2] = 0;
    ok = interp_run_watched(p, block, sanitizer_watcher(s));
  }
  ok = ok && sanitizer_finish(s) == 0;
  interp_destroy(p);
  arena_free(&a);
  return ok;
}

static bool run_erased(const random_engine *e, ir_module *m, ir_op *const *entries,
                       rt_block *blocks, unsigned n) {
  bool ok = block_erase_threads(m) && ir_verify(m);
  for (unsigned k = 0; k < n && ok; k++) ok = run_watched(e, m, entries[k], &blocks[k]);
  return ok;
}

static unsigned choose_engines(random_engine *out) {
  static const char *const names[] = {"baseline", "avx2", "avx512"};
  unsigned n = 0;
  for (cpu_level level = CPU_BASELINE; level < CPU_LEVEL_COUNT; level++)
    if (engine_level_here(level))
      out[n++] = (random_engine){
          .name = names[level], .run = random_run_compiled, .level = level, .opt_level = 3};
  out[n++] = (random_engine){.name = "without threads", .exact = true, .run = run_erased};
  return n;
}

static void test_random_kernels(void **state) {
  (void)state;
  static const random_limits limits = {.ops = 10, .bits = 9};
  random_engine engines[CPU_LEVEL_COUNT + 1];
  unsigned n = choose_engines(engines);
  random_block_seeds(first_seed, seed_count, engines, n, &limits);
}

/* The same kernels with hardly any layouts. */
static void test_left_out(void **state) {
  (void)state;
  static const random_limits limits = {.ops = 10, .bits = 9, .left_out = 90};
  random_engine engines[CPU_LEVEL_COUNT + 1];
  unsigned n = choose_engines(engines);
  random_block_seeds(first_seed, seed_count / 3 + 1, engines, n, &limits);
}

/* Kernels with groups of threads that wait for each other. */
static void test_groups(void **state) {
  (void)state;
  static const random_limits limits = {.ops = 10, .bits = 9, .groups = true};
  random_engine engines[CPU_LEVEL_COUNT + 1];
  unsigned n = choose_engines(engines);
  random_block_seeds(first_seed, seed_count / 4 + 1, engines, n, &limits);
}

/* Kernels whose tile blocks use each other's shared memory, in step or, with groups, in turns. */
static void test_clusters(void **state) {
  (void)state;
  random_engine engines[CPU_LEVEL_COUNT + 1];
  unsigned n = choose_engines(engines);
  for (unsigned groups = 0; groups < 2; groups++) {
    random_limits limits = {.ops = 8, .bits = 8, .groups = groups, .clusters = true};
    random_block_seeds(first_seed, seed_count / 16 + 1, engines, n, &limits);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_kernels),
                                     cmocka_unit_test(test_left_out), cmocka_unit_test(test_groups),
                                     cmocka_unit_test(test_clusters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
