/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/kblock_multiply.h: the product of a chunk.
 */
#ifndef TSR_CPU_GEMM_KBLOCK_MULTIPLY_H
#define TSR_CPU_GEMM_KBLOCK_MULTIPLY_H

#include "cpu/gemm/kblock_chunk.h"

/* Before a slice: multiplies the chunk if there is no room, or when `ends` says so (if not NULL).
 * Not after the slice that fills it, because the last one is multiplied after the loop. Gives how
 * many slices there are now. */
llv kblock_multiply_full(lower *l, kblock *k, llv filled, llv ends);
/* After the loop: multiplies what is left. */
void kblock_finish(lower *l, kblock *k);

#endif
