/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: compiled code as an engine for random_check, at a feature level and an optimisation
 * level. Needs the plugin's objects.
 */
#ifndef TSR_TESTS_RANDOM_COMPILED_H
#define TSR_TESTS_RANDOM_COMPILED_H

#include <stdlib.h>

#include "cpu_engine.h"
#include "random_check.h"

/* Scratch memory with a guard behind it, so that code which asks for too little is seen. */
static bool random_run_kernel(const cpu_kernel *kernel, rt_block *block) {
  enum { GUARD = 256 };
  size_t size = (kernel->sizes.scratch_bytes + 63) / 64 * 64;
  unsigned char *scratch = aligned_alloc(64, size + GUARD);
  memset(scratch, 0xa5, size + GUARD); /* nothing else may rely on zeros */
  memset(scratch, 0, kernel->sizes.keys_bytes);
  block->scratch = (char *)scratch;
  for (unsigned b = 0; b < RANDOM_BLOCKS; b++) {
    block->id[0] = (int32_t)b;
    block->id[1] = block->id[2] = 0;
    kernel->run(block);
  }
  bool clean = true;
  for (size_t i = size; i < size + GUARD; i++) clean &= scratch[i] == 0xa5;
  free(scratch);
  return clean;
}

static bool random_run_compiled(const random_engine *e, ir_module *m, ir_op *const *entries,
                                rt_block *blocks, unsigned n) {
  cpu_options options = {.level = (cpu_level)e->level, .opt_level = (uint8_t)e->opt_level};
  cpu_kernel *kernels = calloc(n, sizeof *kernels);
  bool ok = kernels && cpu_compile(m->ctx, m, entries, n, &options, kernels);
  bool compiled = ok;
  for (unsigned k = 0; k < n && ok; k++) ok = random_run_kernel(&kernels[k], &blocks[k]);
  for (unsigned k = 0; k < n && compiled; k++) tsr_llvm_plugin()->release(&kernels[k]);
  free(kernels);
  return ok;
}

#endif
