/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lines that will be written. A store waits for its line, and a nest that does little else than
 * store soon waits for all of its lines. What comes before it often has time: the exponentials of a
 * softmax, say, whose sum must be known before the first quotient is stored. So a nest that
 * computes much per element also fetches into L2 where the next store of as many elements will put
 * them.
 */
#include "cpu/memory/write_prefetch.h"

#include "cpu/plan/access.h"
#include "cpu/plan/plan.h"
#include "cpu/memory/prepare.h"
#include "cpu/memory/streaming.h"
#include "opt/rewrite.h"
#include "opt/undefined.h"

static bool is_before(lower *l, const ir_value *v, const ir_op *op) {
  const ir_block *home = v->is_arg ? v->owner.block : v->owner.op->block;
  return v->is_arg || (plan_order_of(l, v->owner.op) < plan_order_of(l, op) &&
                       (home == op->block || op == home->parent || ir_is_inside(op, home->parent)));
}

static bool says_where(const ir_op *store, const ir_value *v) {
  return v->type->kind != IR_TOKEN && v != stored_value(store);
}

ir_op *next_store(lower *l, ir_op *from) {
  for (ir_op *op = from->next; op; op = op->next) {
    if (!ir_is_store(op)) continue;
    for (uint32_t i = 0; i < op->n_operands; i++) {
      const ir_value *v = ir_operand(op, i);
      if (says_where(op, v) && !is_before(l, v, from)) return NULL;
    }
    return op;
  }
  return NULL;
}

/* Is this something that takes long, or that nobody can tell how long it takes? */
static bool takes_long(const ir_op *op) {
  switch (op->opcode) {
  case OP_for:
  case OP_loop:
  case OP_if:
  case OP_scan:
  case OP_mmaf:
  case OP_mmai: return true;
  default: return false;
  }
}

/* ---- addresses that are computed late -------------------------------------------------------- */

enum { FAR = 64, DEEP = 8 }; /* operations before a store that are looked at; of a chain */

static bool is_between(const ir_op *op, const ir_op *from, const ir_op *store) {
  while (from != store && from != op) from = from->next;
  return from != store;
}

/* Whether the value is there before `from`, or what computes it may be. */
static bool can_raise(const ir_value *v, const ir_op *from, const ir_op *store, unsigned depth) {
  if (v->is_arg || !is_between(v->owner.op, from, store)) return true;
  const ir_op *op = v->owner.op;
  if (depth == 0 || op->n_regions || !is_speculatable(op)) return false;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!can_raise(ir_operand(op, i), from, store, depth - 1)) return false;
  return true;
}

static void raise_value(ir_value *v, ir_op *from, const ir_op *store) {
  if (v->is_arg || !is_between(v->owner.op, from, store)) return;
  ir_op *op = v->owner.op;
  for (uint32_t i = 0; i < op->n_operands; i++) raise_value(ir_operand(op, i), from, store);
  rewrite_move_before(from, op);
}

static bool can_raise_all(const ir_op *store, const ir_op *from) {
  for (uint32_t i = 0; i < store->n_operands; i++) {
    const ir_value *v = ir_operand(store, i);
    if (says_where(store, v) && !can_raise(v, from, store, DEEP)) return false;
  }
  return true;
}

/* The earliest reduction in front of the store that its address can be computed before. */
static ir_op *earliest_reduction(ir_op *store) {
  ir_op *found = NULL, *op = store->prev;
  for (unsigned i = 0; i < FAR && op && !takes_long(op) && !ir_is_store(op); i++, op = op->prev)
    if (op->opcode == OP_reduce && can_raise_all(store, op)) found = op;
  return found;
}

void raise_store_addresses(ir_block *b) {
  for (ir_op *op = b->first; op; op = op->next) {
    for (unsigned i = 0; i < op->n_regions; i++)
      if (op->regions[i]) raise_store_addresses(op->regions[i]);
    ir_op *from = op->opcode == OP_store_ptr_tko ? earliest_reduction(op) : NULL;
    for (uint32_t i = 0; from && i < op->n_operands; i++)
      if (says_where(op, ir_operand(op, i))) raise_value(ir_operand(op, i), from, op);
  }
}

/* ---- the store after a group ----------------------------------------------------------------- */

/* The last operation of the group in program order. */
static ir_op *last_of(lower *l, const group *g) {
  ir_op *last = NULL;
  for (unsigned i = 0; i < g->n_roots; i++) {
    const root *r = &g->roots[i];
    ir_op *op = r->kind == ROOT_MATERIALISE ? ir_defining_op(r->value) : r->op;
    if (!op || r->kind == ROOT_STORE) return NULL;
    if (!last || plan_order_of(l, op) > plan_order_of(l, last)) last = op;
  }
  return last;
}

upcoming_store upcoming_store_of(lower *l, const group *g) {
  upcoming_store none = {0}, x = {0};
  ir_op *last = last_of(l, g), *store = last ? next_store(l, last) : NULL;
  if (!store || stored_value(store)->type->count != g->shape->count) return none;
  if (ir_int_attr(store, ATTR_memory_ordering_semantics) != ORDER_WEAK) return none;
  for (ir_op *op = last->next; op != store; op = op->next)
    if (takes_long(op)) return none;
  for (uint32_t i = 1; i < store->n_operands; i++)
    if (value_of(l, ir_operand(store, i))->pending) return none;
  access_prepare(l, store, &x.to);
  int64_t bytes = g->shape->count * access_unit(x.to);
  if (x.to->index || access_elem_bits(x.to) < 8 || bytes > cpu_l2_bytes(&l->e.core) / 4)
    return none;
  x.non_temporal = stream_is_much(l, store, bytes);
  return x;
}
