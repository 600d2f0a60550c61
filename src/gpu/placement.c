/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the tiles of a kernel of the tile level live: as the plan has it.
 */
#include "gpu/placement.h"

#include "gpu/shared.h"
#include "gpu/values.h"
#include "simt/stores.h"

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

/* There is shared memory for all of it, padded, if it must go through there. */
static bool may_convert(gen *g, const ir_value *v) {
  uint64_t bytes = (uint64_t)v->type->count * gpu_shared_bytes((tsr_elem)v->type->elem);
  return v->type->count == 1 || bytes + bytes / 4 <= gpu_scratch_limit(g);
}

static simt_dist stored(gen *g, const ir_op *op, const ir_value *v) {
  bool is_view = op->opcode == OP_store_view_tko;
  if (is_view && g->plan->own && !may_convert(g, v)) return gpu_home_dist(g, v);
  return simt_store_dist(g->plan, op, v);
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
                                      .stored = stored,
                                      .lower = lower};

void gpu_follow_plan(gen *g, const simt_plan *plan) {
  g->placement = &by_plan;
  g->plan = plan;
  g->block = simt_plan_threads(plan);
  g->threads = 1u << simt_thread_bits(g->block);
  g->facts = plan->facts;
  g->n_values = plan->n_values;
}
