/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/plan_check.h"

typedef struct plan_check {
  const simt_plan *plan;
  const char *problem;
} plan_check;

static bool wrong(plan_check *c, const char *problem) {
  c->problem = problem;
  return false;
}

/* Every element has one place but for copies, among the threads of the plan's block. */
static bool check_dist(plan_check *c, const simt_dist *d) {
  if (d->lanes != c->plan->lanes || d->warps != c->plan->warps)
    return wrong(c, "a distribution is one over other threads");
  if (!simt_dist_valid(d)) return wrong(c, "a distribution does not name each bit once");
  return true;
}

static bool check_value(plan_check *c, const ir_value *v) {
  if (v->number >= c->plan->n_values) return wrong(c, "a value has no number");
  const simt_value *x = simt_value_of(c->plan, v);
  if (x->home != SIMT_HELD) return true;
  if (v->type->kind != IR_TILE) return wrong(c, "what is no tile is held in registers");
  if (x->dist.n != simt_tile_bits(v->type))
    return wrong(c, "a distribution is one of a tile of another size");
  return check_dist(c, &x->dist);
}

/* What a product wants of its operands and its sum. */
static bool check_product(plan_check *c, const simt_op *info) {
  if (info->mma == SIMT_MMA_FMA) return true;
  if (!info->instruction) return wrong(c, "a product has no instruction");
  if (info->mma != SIMT_MMA_WARP) return true;
  return check_dist(c, &info->a) && check_dist(c, &info->b) && check_dist(c, &info->sum);
}

static bool is_product(const ir_op *op) {
  return op->opcode == OP_mmaf || op->opcode == OP_mmai || op->opcode == OP_mmaf_scaled;
}

static bool check_op(void *user, ir_op *op) {
  plan_check *c = user;
  const simt_op *info = simt_op_of(c->plan, op);
  for (uint32_t i = 0; i < op->n_results; i++)
    if (!check_value(c, ir_result(op, i))) return false;
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      if (!check_value(c, &op->regions[r]->args[i])) return false;
  if (!info) return true;
  return is_product(op) ? check_product(c, info) : check_dist(c, &info->operand);
}

const char *simt_plan_problem(const simt_plan *p, ir_op *entry) {
  plan_check c = {.plan = p};
  if (p->lanes + p->warps > SIMT_THREAD_BITS) return "a block has too many threads";
  ir_walk(entry, check_op, &c);
  return c.problem;
}
