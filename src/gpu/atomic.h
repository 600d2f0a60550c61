/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/atomic.h: atomics, and loads and stores with a memory order. Each element is accessed by one
 * thread; threads with copies get what that one has seen.
 */
#ifndef TSR_GPU_ATOMIC_H
#define TSR_GPU_ATOMIC_H

#include "gpu/gen.h"

void gpu_atomic(gen *g, ir_op *op);
void gpu_ordered_load(gen *g, ir_op *op);
void gpu_ordered_store(gen *g, ir_op *op);

/* The order that an atomic operation asks for; relaxed for those of shared memory, which only
 * barriers order. */
static inline ir_ordering gpu_order_of(const ir_op *op) {
  bool says = ir_attr_slot((op_code)op->opcode, ATTR_memory_ordering_semantics) >= 0;
  return says ? (ir_ordering)ir_int_attr(op, ATTR_memory_ordering_semantics) : ORDER_RELAXED;
}

/* One element of an update at an address in gen.space, if it exists: what was there, as an integer.
 * `expected`: of a compare-and-swap; NULL: what the operation's mode says. */
llv gpu_update(gen *g, const ir_op *op, tsr_elem elem, llv address, llv exists, llv x,
               llv expected);
/* Hands what the owners of elements hold to the threads with copies; `owner` as gpu_owner has it.
 */
llv *gpu_spread_copies(gen *g, tsr_elem elem, const simt_dist *d, llv *r, llv owner);

#endif
