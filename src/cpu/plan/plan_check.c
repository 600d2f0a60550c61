/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cpu/plan/plan_check.h"

#include "cpu/plan/plan.h"

typedef struct plan_check {
  lower *l;
  uint32_t position; /* of the next operation */
  const char *problem;
} plan_check;

static bool wrong(plan_check *c, const char *problem) {
  c->problem = problem;
  return false;
}

/* When an operation needs its operands, at least: an expression that nobody needs never does. */
static uint32_t needs_until(plan_check *c, const ir_op *op, uint32_t at) {
  const ir_value *r = op->n_results ? ir_result(op, 0) : NULL;
  if (!r || r->type->kind != IR_TILE || r->type->count == 1) return at;
  return MIN(at, value_of(c->l, r)->last);
}

/* A value's definition comes before its uses, and none of them behind the last root that needs it.
 */
static bool check_operand(plan_check *c, const ir_value *v, uint32_t at, uint32_t until) {
  if (v->number >= c->l->n_values) return wrong(c, "a value has no number");
  const value *x = value_of(c->l, v);
  if (!v->is_arg && x->order >= at) return wrong(c, "a value is defined behind a use");
  if (x->last < until) return wrong(c, "a value is used behind the last root that needs it");
  return true;
}

/* A tile that is put into a buffer costs what a load of it does, whatever made it. */
static bool check_result(plan_check *c, const ir_value *v, uint32_t at) {
  if (v->number >= c->l->n_values) return wrong(c, "a value has no number");
  const value *x = value_of(c->l, v);
  if (x->order != at) return wrong(c, "a value is not where its operation is");
  if (x->last && x->last <= at) return wrong(c, "a value is needed in front of its definition");
  if (x->materialise && (v->type->kind != IR_TILE || v->type->count == 1))
    return wrong(c, "what is no tile of several elements is put into a buffer");
  if (x->materialise && x->depth != 1) return wrong(c, "a buffer is a deep expression");
  return true;
}

static bool check_op(void *user, ir_op *op) {
  plan_check *c = user;
  uint32_t at = c->position++;
  if (plan_order_of(c->l, op) != at) return wrong(c, "an operation is not where the plan says");
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!check_operand(c, ir_operand(op, i), at, needs_until(c, op, at))) return false;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (!check_result(c, ir_result(op, i), at)) return false;
  return true;
}

const char *plan_problem(lower *l) {
  plan_check c = {.l = l};
  ir_walk(l->entry, check_op, &c);
  return c.problem;
}
