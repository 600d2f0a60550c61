/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/placement.h: who says where the tiles of a kernel live. Of a kernel of the tile level that is
 * simt's plan, of one of the block level its types (gpu/block/). The lowerings of this folder ask
 * here and know neither.
 */
#ifndef TSR_GPU_PLACEMENT_H
#define TSR_GPU_PLACEMENT_H

#include "gpu/gen.h"

typedef struct gpu_placement {
  /* Where a tile lies in registers. */
  simt_dist (*home)(gen *g, const ir_value *v);
  /* The same of an expression, which nobody may have wanted anywhere in particular. */
  simt_dist (*wanted)(gen *g, const ir_value *v);
  /* It takes no registers: whoever wants elements computes them. */
  bool (*is_expression)(const gen *g, const ir_value *v);
  /* Every use takes one element at a time: what is loaded may stay as it is in memory, several to a
   * register, and what is computed from that is an expression. */
  bool (*is_fused)(const gen *g, const ir_value *v);
  /* Where the operands of reduce, scan, pack and unpack are wanted. */
  simt_dist (*operands)(gen *g, const ir_op *op);
  /* Where a tile is to lie whose elements the operation stores. */
  simt_dist (*stored)(gen *g, const ir_op *op, const ir_value *v);
  /* Operations that have another lowering than that of kernel.c; false, having done nothing: this
   * one hasn't. */
  bool (*lower)(gen *g, ir_op *op);
} gpu_placement;

/* Lowers gen.entry by a plan. */
void gpu_follow_plan(gen *g, const simt_plan *plan);

#endif
