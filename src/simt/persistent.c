/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/persistent.h"

#include "simt/cluster.h"

/* ---- whether it may be ---------------------------------------------------------------------- */

static bool is_allowed(void *user, ir_op *op) {
  (void)user;
  return op->opcode != OP_assert && (op->opcode != OP_loop || !ir_communicates(op));
}

/* Memory behind the stages must do for everything. */
static bool has_room(simt_plan *plan, ir_op *entry) {
  uint32_t scratch = simt_scratch_of(plan, entry);
  return plan->bulk->bytes + (uint64_t)scratch <= plan->target.shared_bytes;
}

/* ---- whether it should ---------------------------------------------------------------------- */

/* By registers, of which a multiprocessor has 65,536, or by shared memory, of which it has what a
 * block may have and 1 KiB, which every block takes besides its own. */
static bool is_alone(const simt_plan *p) {
  enum { REGISTERS = 65536, OF_BLOCK = 1024 };
  unsigned threads = (32u << p->warps) + SIMT_PRODUCER_THREADS;
  return 2 * threads * p->bulk->registers > REGISTERS ||
         2 * (p->bulk->bytes + OF_BLOCK) > p->target.shared_bytes + OF_BLOCK;
}

void simt_plan_persistent(simt_plan *plan, ir_op *entry) {
  simt_bulk *b = plan->bulk;
  int64_t hint = simt_hint_or(entry, plan->target.sm, "persistent", -1);
  bool wanted = hint < 0 ? is_alone(plan) && !simt_bounds_depend(plan, entry, b) : hint > 0;
  b->persistent = wanted && ir_walk(entry, is_allowed, NULL) && has_room(plan, entry);
}
