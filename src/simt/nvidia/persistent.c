/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/nvidia/persistent.h"

#include "simt/nvidia/cluster.h"

/* ---- whether it may be ---------------------------------------------------------------------- */

static bool is_allowed(void *user, ir_op *op) {
  (void)user;
  return op->opcode != OP_assert && (op->opcode != OP_loop || !ir_communicates(op));
}

/* Memory after the stages must do for everything. */
static bool has_room(simt_plan *plan, ir_op *entry) {
  uint32_t scratch = simt_scratch_of(plan, entry);
  return simt_bulk_of(plan)->bytes + (uint64_t)scratch <= plan->target.gpu->shared_bytes;
}

/* ---- whether it should ---------------------------------------------------------------------- */

/* By registers or by shared memory. */
static bool is_alone(const simt_plan *p) {
  const gpu_target *gpu = p->target.gpu;
  unsigned threads = (1u << (p->lanes + p->warps)) + SIMT_PRODUCER_THREADS;
  return 2 * threads * simt_bulk_of(p)->registers > gpu->registers ||
         2 * (simt_bulk_of(p)->bytes + gpu->block_reserved) > gpu->shared_sm;
}

void simt_plan_persistent(simt_plan *plan, ir_op *entry) {
  simt_bulk *b = simt_bulk_of(plan);
  int64_t hint = simt_hint_or(entry, plan->target.gpu, "persistent", -1);
  bool wanted = hint < 0 ? is_alone(plan) && !simt_bounds_depend(plan, entry, b) : hint > 0;
  b->persistent = wanted && ir_walk(entry, is_allowed, NULL) && has_room(plan, entry);
}
