/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/values.h: the registers of a tile in the distribution that is asked for. What the plan holds
 * is taken or converted; an expression is computed, once for each distribution and region that asks
 * for it. Also a thread's part of an index, and who owns an element that several threads have.
 */
#ifndef TSR_GPU_VALUES_H
#define TSR_GPU_VALUES_H

#include "gpu/gen.h"

/* Registers of a value in a distribution; the same array may be handed out again: not to be
 * written to. */
llv *gpu_get(gen *g, ir_value *v, const simt_dist *d);
llv *gpu_home(gen *g, ir_value *v, simt_dist *d); /* where it lies, or would like to */
simt_dist gpu_home_dist(gen *g, const ir_value *v);
llv gpu_scalar(gen *g, ir_value *v); /* of a tile of one element */
void gpu_set(gen *g, ir_value *v, const simt_dist *d, llv *registers);
void gpu_set_scalar(gen *g, ir_value *v, llv s);
simt_dist gpu_dist(gen *g, const ir_value *v); /* the plan's */
simt_dist gpu_scalar_dist(gen *g);
llv *gpu_registers(gen *g, const simt_dist *d); /* an array to be filled */
/* Registers of floats before their NaNs were made canonical, if they were: see lanes_any_nan. */
llv *gpu_any_nan(gen *g, const simt_dist *d, llv *x);
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
/* Cache entries made behind this mark are valid inside the region only that is being made. */
void gpu_forget(gen *g, uint32_t mark);

#endif
