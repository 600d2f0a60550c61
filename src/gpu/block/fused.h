/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/block/fused.h: tiles of a kernel of the block level whose registers are never all needed at
 * once: what is loaded, or cut from words, and, on its way to a product or to shared memory,
 * widened, scaled or put in another order. The loaded words are held, and each element is made
 * where it is taken (gpu/elements.h).
 */
#ifndef TSR_GPU_BLOCK_FUSED_H
#define TSR_GPU_BLOCK_FUSED_H

#include "gpu/gen.h"

/* Sets gen.fused; the values are numbered. */
void gpu_find_fused(gen *g);
/* Whether the operation gives words in which elements are as in memory: it loads them, or cuts
 * other words into elements of a few bits. */
bool gpu_begins_fused(const ir_op *op);

#endif
