/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/load_hoist.h"

#include "opt/order.h"

static simt_effect own_effect(const ir_op *op) {
  switch (ir_effect(op)) {
  case EFFECT_NONE: return op->opcode == OP_return ? SIMT_ORDERS : SIMT_NO_EFFECT;
  case EFFECT_REGIONS: return SIMT_NO_EFFECT;
  case EFFECT_READS: return order_is_weak(op) ? SIMT_NO_EFFECT : SIMT_ORDERS;
  case EFFECT_WRITES: return order_is_weak(op) ? SIMT_STORES : SIMT_ORDERS;
  default: return SIMT_ORDERS;
  }
}

static bool find_strongest(void *user, ir_op *op) {
  simt_effect *q = user;
  *q = MIN(*q, own_effect(op));
  return *q != SIMT_ORDERS;
}

simt_effect simt_effect_of(ir_op *op) {
  simt_effect q = SIMT_NO_EFFECT;
  ir_walk(op, find_strongest, &q);
  return q;
}

static ir_op *entry_of(ir_op *op) {
  while (op->opcode != OP_entry) op = op->block->parent;
  return op;
}

typedef struct passing {
  const alias *places;
  const ir_op *load;
  const ir_block *body;
} passing;

/* Of stores to other memory tokens tell all. */
static bool is_passed(void *user, ir_op *op) {
  const passing *p = user;
  if (!ir_is_store(op)) return true;
  ir_root from = ir_root_of(&p->places->roots, ir_accessed(p->load));
  ir_root to = ir_root_of(&p->places->roots, ir_accessed(op));
  bool other = from >= IR_ROOT_FIRST && to >= IR_ROOT_FIRST && from != to;
  return other || alias_apart(p->places, p->load, op, p->body);
}

bool simt_may_pass(simt_plan *p, ir_op *load, ir_op *loop) {
  if (!p->order) p->order = order_of_entry(p->module, entry_of(load), p->facts, p->arena);
  passing x = {.places = &p->order->places, .load = load, .body = ir_region(loop, 0)};
  return ir_walk(loop, is_passed, &x) && !order_behind(p->order, load, loop).failed;
}

bool simt_may_defer(const ir_op *load) {
  const ir_value *v = ir_result(load, 0);
  if (v->type->count == 1 || !ir_has_one_use(v) || !order_is_weak(load)) return false;
  const ir_op *user = v->uses->user;
  if (user->opcode == OP_permute && ir_has_one_use(ir_result(user, 0)))
    user = ir_result(user, 0)->uses->user;
  bool product = user->opcode == OP_mmaf || user->opcode == OP_mmai;
  if (!product || user->block != load->block) return false;
  for (const ir_op *between = load->next; between != user; between = between->next)
    if (!between || between->n_regions || effect_writes(ir_effect(between))) return false;
  return true;
}
