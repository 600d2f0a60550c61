/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: the GPU backend as an engine for random_check, on the PTX emulator with all its checks
 * on (gpu_engine.h). Programs are made with random_limits.card. Needs the plugin's objects.
 */
#ifndef TSR_TESTS_RANDOM_GPU_H
#define TSR_TESTS_RANDOM_GPU_H

#include "gpu_engine.h"
#include "random_check.h"

/* What the checks find belongs to the outcome. */
static bool random_run_gpu(const random_engine *e, ir_module *m, ir_op *const *entries,
                           rt_block *blocks, unsigned n) {
  engine_target = gpu_find_target(e->target);
  engine_schedule = e->unfair ? EMU_ADVERSARIAL : EMU_RR;
  engine_keep_found = true;
  engine_bytes = e->memory;
  engine_found[0] = 0;
  bool ok = run_gpu_kernels(m, entries, blocks, n, (run_grid){RANDOM_BLOCKS, 1, 1});
  if (engine_found[0]) diag_error(m->ctx, NOWHERE, "the emulator found: %s", engine_found);
  return ok;
}

#define RANDOM_GPU(card)                                                                           \
  { .name = "gpu " card, .target = card, .stops = true, .run = random_run_gpu }
#define RANDOM_GPU_UNFAIR(card)                                                                    \
  {                                                                                                \
    .name = "gpu " card " unfair", .target = card, .unfair = true, .stops = true,                  \
    .run = random_run_gpu                                                                          \
  }

#endif
