/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the tiles of a kernel of the tile level live: as the plan has it.
 */
#include "gpu/placement.h"

static simt_dist home(gen *g, const ir_value *v) {
  return simt_value_of(g->plan, v)->dist;
}

static simt_dist wanted(gen *g, const ir_value *v) {
  const simt_value *planned = simt_value_of(g->plan, v);
  return planned->rank ? planned->dist : simt_default_dist(g->plan, v->type);
}

static bool is_expression(const gen *g, const ir_value *v) {
  return simt_value_of(g->plan, v)->home == SIMT_LAZY;
}

static bool is_fused(const gen *g, const ir_value *v) {
  return simt_value_of(g->plan, v)->fused;
}

static simt_dist operands(gen *g, const ir_op *op) {
  return simt_op_of(g->plan, op)->operand;
}

static bool lower(gen *g, ir_op *op) {
  (void)g;
  (void)op;
  return false;
}

static const gpu_placement by_plan = {.home = home,
                                      .wanted = wanted,
                                      .is_expression = is_expression,
                                      .is_fused = is_fused,
                                      .operands = operands,
                                      .lower = lower};

void gpu_follow_plan(gen *g, const simt_plan *plan) {
  g->placement = &by_plan;
  g->plan = plan;
  g->block = simt_plan_threads(plan);
  g->facts = plan->facts;
  g->n_values = plan->n_values;
}
