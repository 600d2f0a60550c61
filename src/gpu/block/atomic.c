/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Atomic updates of shared memory: each element by the thread that owns it, which hands what was
 * there to those with copies.
 */
#include "gpu/atomic.h"

#include "gpu/block/stated.h"
#include "gpu/block/storage.h"
#include "gpu/code.h"
#include "gpu/memory.h"
#include "gpu/shared.h"
#include "gpu/values.h"

static llv address_of(gen *g, part_place *p, uint32_t slot) {
  uint32_t offset;
  llv at = gpu_part_address(g, p, simt_index_of_slot(&p->d, slot), &offset);
  return add_const(g, to_i64(g, at), offset);
}

/* What was there, by register; of an element that is left out the operation's result. */
static llv *update_all(gen *g, ir_op *op, part_place *p, ir_value *mask, llv owner) {
  bool swap = op->opcode == OP_atomic_cas_shared;
  tsr_elem elem = (tsr_elem)ir_result(op, 0)->type->elem;
  llv *first = gpu_get(g, ir_operand(op, 0), &p->d), *r = gpu_registers(g, &p->d);
  llv *x = swap ? gpu_get(g, ir_operand(op, 1), &p->d) : first;
  llv *enabled = mask ? gpu_get(g, mask, &p->d) : NULL, all = LLVMConstInt(g->e.i1, 1, 0);
  unsigned space = g->space;
  g->space = p->part->type->remote ? SPACE_CLUSTER : SPACE_SHARED;
  for (uint32_t i = 0; i < slots_of(&p->d); i++) {
    llv exists = enabled ? fold_and(g, owner, enabled[i]) : owner;
    llv old = gpu_update(g, op, elem, address_of(g, p, i), exists ? exists : all, x[i],
                         swap ? first[i] : NULL);
    r[i] = gpu_from_memory(g, elem, old);
  }
  g->space = space;
  return r;
}

void gpu_atomic_shared(gen *g, ir_op *op) {
  bool swap = op->opcode == OP_atomic_cas_shared;
  ir_value *v = ir_result(op, 0), *dest = ir_operand_in(op, swap ? 2 : 1);
  simt_dist d = gpu_type_dist(g, v->type);
  part_place p;
  gpu_part_place(g, &p, value_of(g, dest)->storage, &d);
  llv owner = gpu_owner(g, &d);
  llv *r = update_all(g, op, &p, ir_operand_in(op, swap ? 3 : 2), owner);
  if (v->uses) r = gpu_spread_copies(g, (tsr_elem)v->type->elem, &d, r, owner);
  gpu_set(g, v, &d, r);
}
