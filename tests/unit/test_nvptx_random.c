/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels on the emulated GPU leave what the interpreter leaves (random_program.h).
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

enum { SEEDS = 24, KERNELS = 4 };

static uint64_t first_seed = 1, seed_count = SEEDS;

/* Where tile blocks work with atomics, additions to memory leave the hardware's NaN: all ones but
 * for the sign, of f64 the sign and the highest bit of the mantissa. */
static void canonical_sums(uint8_t *memory, const random_limits *limits) {
  size_t areas = (1 + RANDOM_BLOCKS) * TSR_ELEM_COUNT;
  size_t area = random_memory(limits) / (areas + RANDOM_BLOCKS * RANDOM_SLOTS);
  for (size_t i = TSR_ELEM_COUNT; i < areas; i++) {
    tsr_elem elem = (tsr_elem)(i % TSR_ELEM_COUNT);
    bool narrow = elem == TSR_F16 || elem == TSR_BF16, wide = elem == TSR_F64;
    uint64_t made = wide ? UINT64_C(0xfff8) << 48 : narrow ? 0x7fff : 0x7fffffff;
    uint64_t wanted = wide              ? UINT64_C(0x7ff8) << 48
                      : elem == TSR_F16 ? 0x7e00
                      : narrow          ? 0x7fc0
                                        : 0x7fc00000;
    size_t size = wide ? 8 : narrow ? 2 : 4;
    if (!narrow && !wide && elem != TSR_F32) continue;
    for (uint8_t *p = memory + i * area; p + size <= memory + (i + 1) * area; p += size)
      if (memcmp(p, &made, size) == 0) memcpy(p, &wanted, size);
  }
}

static const random_limits *limits_now;

static bool random_run_gpu(const random_engine *e, ir_module *m, ir_op *const *entries,
                           rt_block *blocks, unsigned n) {
  engine_target = gpu_target_at(e->level);
  if (!run_gpu_kernels(m, entries, blocks, n, (run_grid){RANDOM_BLOCKS, 1, 1})) return false;
  for (unsigned k = 0; k < n; k++)
    canonical_sums((uint8_t *)(uintptr_t)blocks[k].args[0], limits_now);
  return true;
}

static void compare(uint64_t from, uint64_t count, const random_limits *limits) {
  static const random_engine engines[] = {
      {.name = "sm_80", .run = random_run_gpu, .level = 0, .stops = true},
      {.name = "sm_90a", .run = random_run_gpu, .level = 4, .stops = true},
  };
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  limits_now = limits;
  for (uint64_t seed = from; seed < from + count; seed += KERNELS) {
    unsigned kernels = (unsigned)MIN(from + count - seed, (uint64_t)KERNELS);
    random_program p = random_make(&a, seed, kernels, limits);
    random_outcome o;
    random_check(&p, seed, engines, ARRAY_LEN(engines), &o);
    if (o.agreed) continue;
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
