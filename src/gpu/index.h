/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/index.h: which elements a thread has: the part of their index that depends on the thread,
 * what that adds up to with weights, and who owns an element that several threads have.
 */
#ifndef TSR_GPU_INDEX_H
#define TSR_GPU_INDEX_H

#include "gpu/gen.h"

/* The part of an index that depends on the thread (i32), and the whole index of a register. */
llv gpu_thread_index(gen *g, const simt_dist *d);
llv gpu_index(gen *g, const simt_dist *d, uint32_t slot);
/* The same for a number that each bit of the index adds its weight to; `weight` by bit. */
llv gpu_thread_sum(gen *g, const simt_dist *d, const int32_t *weight);
/* The same by exclusive or. */
llv gpu_thread_xor(gen *g, const simt_dist *d, const uint32_t *column);
/* Such a number with these bits turned. */
llv gpu_turned(gen *g, llv x, uint32_t bits);
int32_t gpu_slot_sum(const simt_dist *d, uint32_t slot, const int32_t *weight);
/* An i1: this thread is the first of those that hold the same elements. NULL: it has them alone. */
llv gpu_owner(gen *g, const simt_dist *d);
/* i1, bit j of the lane or warp. */
llv gpu_lane_bit(gen *g, unsigned j);
llv gpu_warp_bit(gen *g, unsigned j);

#endif
