/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels of the block level under several engines, for a range of seeds (cmocka).
 */
#ifndef TSR_TESTS_RANDOM_BLOCK_SEEDS_H
#define TSR_TESTS_RANDOM_BLOCK_SEEDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "random_block.h"
#include "random_check.h"

/* Kernels of the seeds [first, first + count), several to a module. Prints the first on which an
 * engine differs from the interpreter, and fails. */
static inline void random_block_seeds(uint64_t first, uint64_t count, const random_engine *engines,
                                      unsigned n, const random_limits *limits) {
  enum { KERNELS = 4 };
  tsr_context *ctx = tsr_context_create(NULL);
  for (uint64_t seed = first; seed < first + count; seed += KERNELS) {
    unsigned kernels = (unsigned)MIN(first + count - seed, (uint64_t)KERNELS);
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

#endif
