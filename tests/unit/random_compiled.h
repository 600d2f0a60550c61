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

/* ---- with checks ---------------------------------------------------------------------------- */

typedef struct random_checked {
  rt_hooks hooks; /* first */
  sanitizer *sanitizer;
} random_checked;

static uint8_t random_check_hook(rt_block *block, const void *op, const void *const *operands) {
  random_checked *c = (random_checked *)(uintptr_t)block->hooks;
  return sanitizer_check(c->sanitizer, block, op, operands);
}

/* Prepares a block for code with checks; they must find nothing. */
static void random_begin_checks(const random_engine *e, interp_program *p, rt_block *block,
                                arena *a) {
  random_checked *c = arena_new(a, random_checked);
  c->hooks = *block->hooks;
  c->hooks.check = random_check_hook;
  c->sanitizer = random_sanitizer(a, e, p, block, TSR_SANITIZE_BOUNDS | TSR_SANITIZE_ASSUME);
  block->bounds = sanitizer_bounds(c->sanitizer);
  block->hooks = &c->hooks;
}

static bool random_end_checks(const rt_block *block) {
  return sanitizer_finish(((const random_checked *)(const void *)block->hooks)->sanitizer) == 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Scratch memory with a guard after it, so that code which asks for too little is seen. */
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

static bool random_run_checked(const random_engine *e, ir_module *m, ir_op *entry,
                               const cpu_kernel *kernel, rt_block *block) {
  arena a;
  arena_init(&a, m->ctx);
  interp_program *p = interp_prepare_watched(m, entry);
  bool ok = p != NULL;
  if (ok) {
    random_begin_checks(e, p, block, &a);
    ok = random_run_kernel(kernel, block) && random_end_checks(block);
  }
  interp_destroy(p);
  arena_free(&a);
  return ok;
}

static bool random_run_compiled(const random_engine *e, ir_module *m, ir_op *const *entries,
                                rt_block *blocks, unsigned n) {
  cpu_options options = {.isa.level = (cpu_level)e->level,
                         .opt_level = (uint8_t)e->opt_level,
                         .isa.bf16 = cpu_has_bf16((cpu_level)e->level),
                         .checks = e->checks ? TSR_SANITIZE_BOUNDS | TSR_SANITIZE_ASSUME : 0};
  cpu_kernel *kernels = calloc(n, sizeof *kernels);
  m->without.patterns = e->without;
  m->level = 0; /* engines with passes in front of them run those themselves */
  bool ok = kernels && cpu_compile(m->ctx, m, entries, n, &options, kernels);
  bool compiled = ok;
  for (unsigned k = 0; k < n && ok; k++)
    ok = e->checks ? random_run_checked(e, m, entries[k], &kernels[k], &blocks[k])
                   : random_run_kernel(&kernels[k], &blocks[k]);
  for (unsigned k = 0; k < n && compiled; k++) cpu_llvm.release(&kernels[k]);
  free(kernels);
  return ok;
}

#endif
