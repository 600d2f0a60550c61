/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/nvidia/overlap.h"

enum {
  LEAST_STAGES = 3, /* two are in use, and one is filled meanwhile */
  SPARE = 64,       /* registers for addresses, scalars and what is being computed */
};

/* Loads that a producer has copied as they are read, and what is known in front of the loop. */
static bool needs_no_iteration(const simt_plan *p, const ir_op *product) {
  for (unsigned i = 0; i < 3; i++) {
    const simt_staged *x = i < 2 ? simt_staged_operand(p, product, i == 0) : NULL;
    if (x && x->turned) return false;
    if (!x && !simt_is_outside(ir_operand(product, i), product->block)) return false;
  }
  return true;
}

/* Something is computed from the result, which the tensor cores need not wait for. */
static bool is_worth_it(const ir_op *product) {
  for (const ir_use *u = ir_result(product, 0)->uses; u; u = u->next)
    if (u->user->opcode != OP_continue) return true;
  return false;
}

/* 32-bit registers of a thread that hold a tile. */
static unsigned registers_of(const simt_plan *p, const ir_value *v) {
  if (v->type->kind != IR_TILE || simt_value_of(p, v)->home != SIMT_HELD) return 0;
  unsigned bits = tsr_elem_bits((tsr_elem)v->type->elem), n = 1u << simt_value_of(p, v)->dist.regs;
  return bits > 32 ? 2 * n : bits == 16 ? (n + 1) / 2 : n;
}

/* About what is alive in the loop at once: what it carries, the accumulators of other products (an
 * early one's twice), and the largest operand in registers. */
static unsigned registers_needed(const simt_plan *p, const simt_bulk_loop *l, const ir_op *early) {
  const ir_block *body = ir_region(l->pipeline->loop, 0);
  unsigned sum = 0, most = 0, other = 0;
  for (uint32_t i = 1; i < body->n_args; i++) sum += registers_of(p, &body->args[i]);
  for (uint32_t i = 0; i < l->n_products; i++) {
    if (!simt_carried_result(l->products[i]))
      other = MAX(other, registers_of(p, ir_result(l->products[i], 0)));
    if (!simt_staged_operand(p, l->products[i], true))
      most = MAX(most, registers_of(p, ir_operand(l->products[i], 0)));
  }
  return sum + most + (early ? 2 * registers_of(p, ir_result(early, 0)) : other);
}

const ir_op *simt_early_product(const simt_plan *p, const simt_bulk_loop *l, unsigned registers) {
  if (l->pipeline->stages < LEAST_STAGES) return NULL;
  for (uint32_t i = 0; i < l->n_products; i++) {
    const ir_op *op = l->products[i];
    if (!needs_no_iteration(p, op) || !is_worth_it(op)) continue;
    if (registers_needed(p, l, op) + SPARE <= registers) return op;
  }
  return NULL;
}

/* ---- late products -------------------------------------------------------------------------- */

/* Is `a` b, or does it stand in front of it in the block? */
static bool is_before(const ir_op *a, const ir_op *b) {
  while (a && a != b) a = a->next;
  return a == b;
}

const ir_value *simt_carried_result(const ir_op *product) {
  const ir_value *v = ir_result(product, 0);
  const ir_op *jump = ir_has_one_use(v) ? v->uses->user : NULL;
  if (!jump || jump->opcode != OP_continue || jump->block != product->block) return NULL;
  if (product->block->parent->opcode != OP_for) return NULL;
  for (uint32_t i = 0; i < jump->n_operands; i++)
    if (ir_operand(jump, i) == v) return &product->block->args[1 + i];
  return NULL;
}

/* The operation of the body that a use is in. */
static const ir_op *place_of(const ir_use *u, const ir_block *body) {
  const ir_op *op = u->user;
  while (op->block != body) op = op->block->parent;
  return op;
}

/* Computed where it is needed. */
static bool is_lazy(const simt_plan *p, const ir_op *op) {
  if (op->n_results != 1 || op->n_regions) return false;
  const ir_value *v = ir_result(op, 0);
  return v->type->kind == IR_TILE && simt_value_of(p, v)->home == SIMT_LAZY;
}

/* Nobody has the value's registers any more when the product is begun: those of the product's
 * result are to be the same. What is computed where it is needed has its operands till then. */
static bool ends_at(const simt_plan *p, const ir_value *v, const ir_op *product, unsigned depth) {
  enum { MOST_DEPTH = 8 };
  for (const ir_use *u = v->uses; u; u = u->next) {
    const ir_op *op = place_of(u, product->block);
    if (op == product && u->user == op && ir_operand(op, 0) != v && ir_operand(op, 1) != v)
      continue;
    if (op == product || !is_before(op, product) || depth == MOST_DEPTH) return false;
    if (is_lazy(p, op) && !ends_at(p, ir_result(op, 0), product, depth + 1)) return false;
  }
  return true;
}

/* Where the value's registers are wanted first. */
static const ir_op *first_use(const simt_plan *p, const ir_value *v, const ir_block *body) {
  const ir_op *first = NULL;
  for (const ir_use *u = v->uses; u; u = u->next) {
    const ir_op *op = place_of(u, body);
    if (op->block == body && is_lazy(p, op)) op = first_use(p, ir_result(op, 0), body);
    if (op && (!first || is_before(op, first))) first = op;
  }
  return first;
}

/* No product until then is waited for, and an early one has been begun: the tensor cores continue.
 */
static bool is_left_alone(const simt_plan *p, const simt_bulk_loop *l, const ir_op *use) {
  for (const ir_op *op = use->block->first; op != use; op = op->next) {
    bool product = op->opcode == OP_mmaf || op->opcode == OP_mmai;
    if (product && op != l->early && simt_op_of(p, op)->mma == SIMT_MMA_GROUP) return false;
  }
  return !l->early || is_before(l->early, use);
}

/* What tensor cores leave is what is carried: it is not rounded, not moved, and its NaNs are made
 * canonical where somebody looks. */
static bool is_carried_as_is(const simt_plan *p, const simt_bulk_loop *l, const ir_op *op,
                             const ir_value *carried) {
  const simt_value *result = simt_value_of(p, ir_result(op, 0)), *next = simt_value_of(p, carried);
  tsr_elem elem = (tsr_elem)carried->type->elem;
  if (tsr_elem_bits(elem) != 32 || !simt_dist_equal(&result->dist, &next->dist)) return false;
  return elem == TSR_I32 || simt_carries_canonical(l->pipeline->loop, carried->index - 1);
}

/* B is read from a stage, where nothing changes it until that is given back, or as A is from
 * memory that the loop keeps; A may be in registers. */
static bool may_be_late(const simt_plan *p, const simt_bulk_loop *l, const ir_op *op) {
  const ir_value *carried = simt_carried_result(op);
  return carried && simt_op_of(p, op)->mma == SIMT_MMA_GROUP &&
         is_carried_as_is(p, l, op, carried) && ends_at(p, carried, op, 0);
}

/* The only product of a loop, which only adds up: both operands are read from stages. */
static bool is_chain(const simt_plan *p, const simt_bulk_loop *l, const ir_op *op) {
  for (unsigned i = 0; i < 2; i++)
    if (!simt_staged_operand(p, op, i == 0)) return false;
  return l->n_products == 1 && simt_accumulates(ir_operand(op, 2));
}

const ir_op *simt_late_product(const simt_plan *p, const simt_bulk_loop *l, unsigned registers,
                               const ir_op **use) {
  *use = NULL;
  if (l->pipeline->stages < LEAST_STAGES) return NULL;
  for (uint32_t i = l->n_products; i-- > 0;) {
    const ir_op *op = l->products[i];
    if (!may_be_late(p, l, op)) continue;
    if (is_chain(p, l, op)) return op;
    if (registers_needed(p, l, l->early) + SPARE > registers) return NULL;
    const ir_op *first = first_use(p, simt_carried_result(op), op->block);
    if (!first || !is_left_alone(p, l, first)) continue;
    *use = first;
    return op;
  }
  return NULL;
}
