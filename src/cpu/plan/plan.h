/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/plan/plan.h: what is decided before any code is made: who uses what how often, which tiles
 * are worth keeping in memory, which loop-carried tiles are "the first one plus a number".
 */
#ifndef TSR_CPU_PLAN_PLAN_H
#define TSR_CPU_PLAN_PLAN_H

#include "cpu/core/core.h"

/* Before values have numbers: moves what says where results go in front of loops. Not in code with
 * checks, whose module is the caller's. */
void plan_places(lower *l);
/* Decides for all values. */
void plan_kernel(lower *l);
/* The operation's position in program order. */
uint32_t plan_order_of(lower *l, const ir_op *op);

/* Does the operation neither touch memory nor need what a store has stored? */
bool plan_touches_nothing(const ir_op *op);
/* The last of the stores that the store may share a nest with, which follow each other with nothing
 * in between that touches memory; itself where there is none. */
const ir_op *plan_last_store(lower *l, const ir_op *store);

/* What a store by a view or through pointers stores. */
ir_value *stored_value(const ir_op *store);
/* Does this operation (with what is inside it) write memory that a plain load could read? */
bool plan_writes(const ir_op *op);
/* The one-element value that fills `v` in every element: a scalar, or a splat constant. NULL when
 * it cannot be told. */
ir_value *plan_uniform(ir_value *v);

typedef struct shift_term {
  ir_value *value; /* uniform: all elements equal */
  const ir_op *op; /* the addition */
  bool negative;
} shift_term;
typedef VEC(shift_term) shift_terms;
/* Is `next` equal to `arg` plus the same number in every element? Gives the tiles or scalars that
 * are added, through `add` with their sign. */
bool plan_shift(lower *l, ir_value *arg, ir_value *next, shift_terms *out);
/* Is that so of a loop's iteration value, in every round? */
bool loop_shifts(lower *l, ir_op *loop, unsigned index);
/* Do two `for` count through the same numbers? */
bool for_same_rounds(const ir_op *a, const ir_op *b);

#endif
