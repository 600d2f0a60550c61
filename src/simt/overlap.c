/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/overlap.h"

enum {
  LEAST_STAGES = 3, /* two are in use, and one is filled meanwhile */
  SPARE = 64,       /* registers for addresses, scalars and what is being computed */
};

/* Loads that a producer has copied, and what is known in front of the loop. */
static bool needs_no_iteration(const simt_plan *p, const ir_op *product) {
  for (unsigned i = 0; i < 3; i++) {
    bool staged = i < 2 && simt_staged_operand(p, product, i == 0);
    if (!staged && !simt_is_outside(ir_operand(product, i), product->block)) return false;
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

/* About what is alive in the loop at once: what it carries, the accumulator twice, and the largest
 * operand in registers. */
static unsigned registers_needed(const simt_plan *p, const simt_bulk_loop *l, const ir_op *early) {
  const ir_block *body = early->block;
  unsigned sum = 2 * registers_of(p, ir_result(early, 0)), most = 0;
  for (uint32_t i = 1; i < body->n_args; i++) sum += registers_of(p, &body->args[i]);
  for (uint32_t i = 0; i < l->n_products; i++)
    if (!simt_staged_operand(p, l->products[i], true))
      most = MAX(most, registers_of(p, ir_operand(l->products[i], 0)));
  return sum + most;
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

/* Both operands are read from stages, where nothing changes them until these are given back. */
const ir_op *simt_late_product(const simt_plan *p, const simt_bulk_loop *l) {
  const ir_op *op = l->products[0];
  if (l->n_products != 1 || l->pipeline->stages < LEAST_STAGES) return NULL;
  for (unsigned i = 0; i < 2; i++)
    if (!simt_staged_operand(p, op, i == 0)) return NULL;
  bool whole = tsr_elem_bits((tsr_elem)ir_result(op, 0)->type->elem) == 32; /* else it is rounded */
  return whole && simt_accumulates(ir_operand(op, 2)) ? op : NULL;
}
