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

/* Addresses in shared memory of elements whose offset is the exclusive or of what the bits of their
 * index add, for threads that stand where `places` says. */
typedef struct xor_place {
  const simt_dist *places;
  const uint32_t *column; /* by bit of the index */
  llv base;               /* i32: where the memory begins */
  llv thread;             /* i32: what the thread's bits add up to */
  uint32_t thread_bits;   /* that may be set in it */
  struct {
    uint32_t bits;
    llv address;
  } made[8]; /* by the bits that are turned in `thread`; there are as many chunks in a panel's row
              */
  unsigned n_made;
} xor_place;
/* `places` and `column` stay the caller's. */
xor_place gpu_xor_place(gen *g, llv base, const simt_dist *places, const uint32_t *column);
/* The element whose index has the bits `index` besides the thread's: an address (i32) and a
 * constant to be added to it. */
llv gpu_xor_address(gen *g, xor_place *p, uint32_t index, uint32_t *offset);

#endif
