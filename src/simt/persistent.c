/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/persistent.h"

/* ---- whether it may be ---------------------------------------------------------------------- */

static bool waits_for_none(void *user, ir_op *op) {
  (void)user;
  return op->opcode != OP_loop || !ir_communicates(op);
}

/* Memory behind the stages must do for everything. */
static bool has_room(simt_plan *plan, ir_op *entry) {
  uint32_t scratch = simt_scratch_of(plan, entry);
  return plan->bulk->bytes + (uint64_t)scratch <= plan->target.shared_bytes;
}

/* ---- whether it should ---------------------------------------------------------------------- */

/* Looks at no more than `left` values. */
static bool is_same_in_all_blocks(const ir_value *v, unsigned *left) {
  if (*left == 0) return false;
  --*left;
  if (v->is_arg) return v->owner.block->parent->opcode == OP_entry;
  const ir_op *op = v->owner.op;
  if (op->opcode == OP_get_tile_block_id) return false;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!is_same_in_all_blocks(ir_operand(op, i), left)) return false;
  return true;
}

static bool have_blocks_equal_work(const simt_bulk *b, const ir_op *entry) {
  unsigned left = 4096;
  for (uint32_t i = 0; i < b->n_loops; i++)
    for (const ir_op *up = b->loops[i].pipeline->loop; up != entry; up = up->block->parent)
      for (uint32_t k = 0; k < 3; k++)
        if (!is_same_in_all_blocks(ir_operand(up, k), &left)) return false;
  return true;
}

/* By registers, of which a multiprocessor has 65,536. */
static bool is_alone(const simt_plan *p) {
  unsigned threads = (32u << p->warps) + SIMT_PRODUCER_THREADS;
  return 2 * threads * p->bulk->registers > 65536;
}

void simt_plan_persistent(simt_plan *plan, ir_op *entry) {
  simt_bulk *b = plan->bulk;
  int64_t hint = simt_hint_or(entry, plan->target.sm, "persistent", -1);
  bool wanted = hint < 0 ? is_alone(plan) && have_blocks_equal_work(b, entry) : hint > 0;
  b->persistent = wanted && ir_walk(entry, waits_for_none, NULL) && has_room(plan, entry);
}
