/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "opt/loop_cut.h"

bool loop_excludes(const ir_op *loop, const ir_value *v) {
  if (v->is_arg && v->owner.block == loop->regions[0]) return false;
  return v->is_arg ? !is_inside(v->owner.block->parent, loop->regions[0])
                   : !is_inside(v->owner.op, loop->regions[0]);
}

static bool count_one(void *user, ir_op *op) {
  (void)op;
  ++*(uint64_t *)user;
  return true;
}

uint64_t loop_size(ir_op *op) {
  uint64_t n = 0;
  ir_walk(op, count_one, &n);
  return n;
}

/* ---- operations ----------------------------------------------------------------------------- */

ir_value *loop_make(const maker *k, op_code opcode, ir_value *a, ir_value *b) {
  return ir_result(rewrite_make(k->m, k->at, opcode, a->type, 2, (ir_value *[]){a, b}), 0);
}

ir_value *loop_make_signed(const maker *k, op_code opcode, ir_value *a, ir_value *b, bool sign) {
  ir_value *v = loop_make(k, opcode, a, b);
  ir_set_int(v->owner.op, ATTR_signedness, sign ? SIGN_SIGNED : SIGN_UNSIGNED);
  return v;
}

ir_value *loop_make_compare(const maker *k, ir_cmp_predicate p, ir_value *a, ir_value *b,
                            bool sign) {
  const ir_type *t = ir_scalar(k->m, TSR_I1);
  ir_op *op = rewrite_make(k->m, k->at, OP_cmpi, t, 2, (ir_value *[]){a, b});
  ir_set_int(op, ATTR_comparison_predicate, p);
  ir_set_int(op, ATTR_signedness, sign ? SIGN_SIGNED : SIGN_UNSIGNED);
  return ir_result(op, 0);
}

ir_value *loop_make_select(const maker *k, ir_value *c, ir_value *a, ir_value *b) {
  return ir_result(rewrite_make(k->m, k->at, OP_select, a->type, 3, (ir_value *[]){c, a, b}), 0);
}

/* ---- where to cut --------------------------------------------------------------------------- */

/* With all as distances from `low`, which are unsigned: ceil(distance / step) steps, unless so many
 * do not fit before `high`. */
ir_value *loop_align(const maker *k, ir_value *v, ir_value *low, ir_value *high, ir_value *step) {
  if (is_splat_of(step, 1)) return v;
  ir_value *distance = loop_make(k, OP_subi, v, low), *all = loop_make(k, OP_subi, high, low);
  ir_value *steps = loop_make_signed(k, OP_divi, distance, step, false);
  ir_set_int(steps->owner.op, ATTR_rounding, ROUND_POSITIVE_INF);
  ir_value *fitting = loop_make_signed(k, OP_divi, all, step, false);
  ir_value *too_many = loop_make_compare(k, CMP_GREATER, steps, fitting, false);
  ir_value *aligned = loop_make_select(k, too_many, all, loop_make(k, OP_muli, steps, step));
  return loop_make(k, OP_addi, low, aligned);
}

/* ---- cutting -------------------------------------------------------------------------------- */

void loop_settle(opt_run *r, ir_op *cmp, bool holds) {
  ir_value *known = rewrite_splat(r->m, cmp, ir_result(cmp, 0)->type, holds);
  rewrite_replace_op(cmp, &known);
}

ir_op *loop_cut_at(opt_run *r, ir_op *loop, ir_value *middle, value_map *vm) {
  ir_op *first = rewrite_clone(r->m, loop, vm);
  ir_op_insert_before(loop, first);
  ir_set_operand(first, 1, middle);
  ir_set_operand(loop, 0, middle);
  for (uint32_t i = 0; i < loop->n_results; i++) ir_set_operand(loop, 3 + i, ir_result(first, i));
  r->changes++;
  return first;
}
