/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which threads of a tile block execute an operation of the block level.
 */
#ifndef TSR_IR_BLOCK_GROUPS_H
#define TSR_IR_BLOCK_GROUPS_H

#include "ir/ir.h"

/* Neighbouring threads, counted in the tile block. */
typedef struct ir_threads {
  int32_t first, count;
} ir_threads;

/* Those of the body of `op`, which `around` execute; `around` when it is no group. */
ir_threads ir_threads_of(const ir_op *op, ir_threads around);
/* Those that execute `op`, which is inside of an entry. */
ir_threads ir_threads_at(const ir_op *op);
/* The group, role, elect or entry that `op` is directly in, loops and branches aside. */
const ir_op *ir_group_around(const ir_op *op);

/* Whether it is a group, role or elect. */
bool ir_is_group(const ir_op *op);
/* Whether it computes scalars from what all threads had before, so that it does not wait for the
 * groups in front of it. */
bool ir_is_scalar_work(const ir_op *op);

#endif
