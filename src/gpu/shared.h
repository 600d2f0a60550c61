/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/shared.h: shared memory and barriers. There is one piece of scratch memory for all
 * conversions, one after the other. A barrier is made only where what has happened since the last
 * one (gen.now) makes it necessary, so code that accesses memory says so here first.
 */
#ifndef TSR_GPU_SHARED_H
#define TSR_GPU_SHARED_H

#include "gpu/gen.h"

void gpu_barrier(gen *g);
/* What has happened on one of two ways. */
hazards gpu_either(hazards a, hazards b);
/* Before a load, store or other access to the program's memory: waits for what must come first. */
void gpu_before_load(gen *g);
void gpu_before_store(gen *g);
/* For a variable in shared memory: the kernel's own, as it stands outside of it when nobody uses
 * it. */
const char *gpu_shared_name(gen *g, const char *what);
/* Scratch memory of at least `bytes` from now on, free to be written. */
llv gpu_scratch(gen *g, uint32_t bytes);
llv gpu_scratch_aligned(gen *g, uint32_t bytes, uint32_t align);
/* Everybody has written; it may be read. */
void gpu_scratch_ready(gen *g);
/* Writes or reads registers of a tile in memory of SPACE_SHARED whose element k lies at
 * base + sum of weight[b] over the bits b of k. Of threads with the same elements one writes. */
void gpu_shared_store(gen *g, tsr_elem elem, const tile *t, llv base, const int32_t *weight);
/* Of the elements whose index has the bits of `want` where `mask` has ones. */
void gpu_shared_store_part(gen *g, tsr_elem elem, const tile *t, llv base, const int32_t *weight,
                           uint32_t mask, uint32_t want);
llv *gpu_shared_load(gen *g, tsr_elem elem, const simt_dist *d, llv base, const int32_t *weight);
unsigned gpu_shared_bytes(tsr_elem elem); /* that an element takes there */
/* The most scratch memory a kernel may use. */
uint32_t gpu_scratch_limit(const gen *g);
/* Bytes, rounded up so that what comes after them is aligned for the widest access. */
uint64_t gpu_whole_accesses(uint64_t bytes);
/* Continues in a block of owners only; end it with gpu_go to what this returns. NULL, and nothing
 * happens, when everybody is one. */
llblock gpu_begin_owner(gen *g, llv owner);

#endif
