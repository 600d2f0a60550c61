/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * opt/loop_cut.h: one `for` becomes two, of which the first executes the iterations up to a number
 * that is computed in front of them. What loop-split and split-masks share.
 */
#ifndef TSR_OPT_LOOP_CUT_H
#define TSR_OPT_LOOP_CUT_H

#include "opt/opt.h"
#include "opt/rewrite.h"

/* Where operations are made. */
typedef struct maker {
  ir_module *m;
  ir_op *at; /* they are made before it */
  bool is_signed;
} maker;

/* Operations of two operands of a type, the first one's, and with a signedness. */
ir_value *loop_make(const maker *k, op_code opcode, ir_value *a, ir_value *b);
ir_value *loop_make_signed(const maker *k, op_code opcode, ir_value *a, ir_value *b, bool sign);
ir_value *loop_make_compare(const maker *k, ir_cmp_predicate p, ir_value *a, ir_value *b,
                            bool sign);
ir_value *loop_make_select(const maker *k, ir_value *c, ir_value *a, ir_value *b);

/* The first of low, low + step, … that is not less than v, a number in [low, high]; or `high`. */
ir_value *loop_align(const maker *k, ir_value *v, ir_value *low, ir_value *high, ir_value *step);

/* Makes a copy of a `for` in front of it, which executes the iterations below `middle`, and hands
 * on to the others; returns it. `vm` leads from the body's values to the copy's. */
ir_op *loop_cut_at(opt_run *r, ir_op *loop, ir_value *middle, value_map *vm);
/* A comparison is the same in all elements of all iterations. */
void loop_settle(opt_run *r, ir_op *cmp, bool holds);

/* Whether a value is made outside of a loop. */
bool loop_excludes(const ir_op *loop, const ir_value *v);
/* Operations in one, and the operation itself. */
uint64_t loop_size(ir_op *op);

#endif
