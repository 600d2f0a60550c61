/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/effects.h: print and assert, by the functions that CUDA's driver provides.
 */
#ifndef TSR_GPU_NVPTX_EFFECTS_H
#define TSR_GPU_NVPTX_EFFECTS_H

#include "gpu/gen.h"

void nvptx_print(gen *g, ir_op *op);
void nvptx_assert(gen *g, ir_op *op);

#endif
