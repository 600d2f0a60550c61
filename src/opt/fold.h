/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Folds: what an operation can be replaced by, seen from the operation and what defines its
 * operands. Every fold keeps every bit of every defined result.
 */
#ifndef TSR_OPT_FOLD_H
#define TSR_OPT_FOLD_H

#include "opt/rewrite.h"

enum {
  FOLD_MAX_ELEMENTS = 1024, /* no fold makes a constant that lists more elements */
};

typedef struct folder {
  ir_module *m;
  arena *temp;
  uint64_t changes;
} folder;

/* What result 0 of `op` can be replaced by: a value that exists, or the result of an operation made
 * before `op`. NULL when there is nothing; then the operation may have been changed in place, which
 * counts as a change. */
typedef ir_value *(*fold_fn)(folder *f, ir_op *op);

ir_value *fold_constants(folder *f, ir_op *op); /* operations on constants */
ir_value *fold_integer(folder *f, ir_op *op);
ir_value *fold_float(folder *f, ir_op *op);
ir_value *fold_shape(folder *f, ir_op *op);
ir_value *fold_misc(folder *f, ir_op *op); /* assume, tokens */

/* Folds of operations that are no single value: they replace what they can in place and may erase
 * the operation, about which they return true. */
bool fold_effect(folder *f, ir_op *op); /* loads, stores, assert, shapes of views */

/* reduce, scan; true when it is gone. */
bool fold_reduction(folder *f, ir_op *op);

/* if, for, loop, before and after the walk through their regions. Operations that take the
 * place of `op` are put before `*next`, which is what to look at next. */
bool fold_control_before(folder *f, ir_op *op, ir_op **next);
bool fold_control_behind(folder *f, ir_op *op);

/* An if with what is after it, with the if that is all it holds, with the next on its condition.
 */
bool fold_leaving_if(folder *f, ir_op *op);
bool fold_nested_if(folder *f, ir_op *op);
ir_op *fold_following_if(folder *f, ir_op *op);

/* Loads and stores directly after stores to the same place; tokens that say nothing. */
ir_value *fold_join(folder *f, ir_op *op);

/* Whether two assumptions say the same. */
bool same_predicate(const ir_predicate *a, const ir_predicate *b);

/* ---- for folds ------------------------------------------------------------------------------ */

/* A new operation before `op` that will replace it. */
static inline ir_value *fold_make(folder *f, ir_op *op, op_code opcode, uint32_t n,
                                  ir_value *const *operands) {
  return ir_result(rewrite_make(f->m, op, opcode, ir_result(op, 0)->type, n, operands), 0);
}
/* A constant of result 0's type. */
static inline ir_value *fold_splat(folder *f, ir_op *op, uint64_t pattern) {
  return rewrite_splat(f->m, op, ir_result(op, 0)->type, pattern);
}
static inline void fold_set_operand(folder *f, ir_op *op, uint32_t i, ir_value *v) {
  ir_set_operand(op, i, v);
  f->changes++;
}
/* The operation that makes a value, if it is of this kind. */
static inline ir_op *made_by(const ir_value *v, op_code opcode) {
  ir_op *op = ir_defining_op(v);
  return op && op->opcode == opcode ? op : NULL;
}
/* Whether a constant may have this type: not pointers, not i4. */
bool fold_can_be_constant(const ir_type *t);

#endif
