/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/kblock_slices.h: the slices of one iteration.
 */
#ifndef TSR_CPU_GEMM_KBLOCK_SLICES_H
#define TSR_CPU_GEMM_KBLOCK_SLICES_H

#include "cpu/gemm/kblock_chunk.h"

/* Writes one iteration's slices, or finds that they can stay where they are; when the chunk is full
 * it is multiplied before. */
void kblock_take_slices(lower *l, kblock *k);

#endif
