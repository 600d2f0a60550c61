/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * propagate: uses what facts.h knows. Integers that can be one number only become constants,
 * comparisons that ranges decide among them, wherever control flow carries them; operations that
 * ranges or divisibility make superfluous go. canonicalize then removes branches and masks.
 */
#include "num/num.h"
#include "opt/facts.h"
#include "opt/fold.h"
#include "opt/opt.h"

typedef struct propagation {
  opt_run *run;
  facts *known;
} propagation;

static fact known(const propagation *p, const ir_op *op, uint32_t i) {
  return facts_of(p->known, ir_operand(op, i));
}

static void replace(propagation *p, ir_value *v, ir_value *by) {
  rewrite_replace_value(v, by);
  p->run->changes++;
}

/* A constant before `at`, when the value is one number. */
static void settle(propagation *p, ir_value *v, ir_op *at) {
  int64_t n;
  if (!v->uses || !v->type || !fold_can_be_constant(v->type)) return;
  if (!tsr_elem_is_int((tsr_elem)v->type->elem)) return;
  if (!fact_is_number(facts_of(p->known, v), &n)) return;
  unsigned width = tsr_elem_bits((tsr_elem)v->type->elem);
  replace(p, v, rewrite_splat(p->run->m, at, v->type, num_wrap((uint64_t)n, width)));
}

/* ---- superfluous operations ----------------------------------------------------------------- */

static ir_value *extreme(const propagation *p, const ir_op *op) {
  fact a = known(p, op, 0), b = known(p, op, 1);
  bool is_signed = ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
  if (!is_signed && (a.min < 0 || b.min < 0)) return NULL;
  bool is_max = op->opcode == OP_maxi;
  if (a.min >= b.max) return ir_operand(op, is_max ? 0 : 1);
  return b.min >= a.max ? ir_operand(op, is_max ? 1 : 0) : NULL;
}

/* A number below the divisor is its own remainder. */
static ir_value *remainder_of(const propagation *p, const ir_op *op) {
  fact a = known(p, op, 0), b = known(p, op, 1);
  return a.min >= 0 && a.max < b.min ? ir_operand(op, 0) : NULL;
}

/* A mask that takes away only zeros: above the range, below the divisor. */
static ir_value *masked(const propagation *p, const ir_op *op) {
  fact a = known(p, op, 0);
  unsigned width = tsr_elem_bits((tsr_elem)ir_operand(op, 0)->type->elem);
  uint64_t mask, zeros;
  if (!splat_of(ir_operand(op, 1), &mask)) return NULL;
  zeros = a.divisor ? a.divisor - 1 : num_mask(width);
  if (a.min >= 0) {
    uint64_t used = 0;
    while (used < (uint64_t)a.max) used = used << 1 | 1;
    zeros |= ~used;
  }
  return num_wrap(~mask & ~zeros, width) == 0 ? ir_operand(op, 0) : NULL;
}

static ir_value *superfluous(const propagation *p, const ir_op *op) {
  switch (op->opcode) {
  case OP_maxi:
  case OP_mini: return extreme(p, op);
  case OP_remi: return remainder_of(p, op);
  case OP_andi: return masked(p, op);
  default: return NULL;
  }
}

/* ---- the walk ------------------------------------------------------------------------------- */

static void walk_block(propagation *p, ir_block *b);

static void visit(propagation *p, ir_op *op) {
  for (unsigned r = 0; r < op->n_regions; r++)
    if (op->regions[r]) walk_block(p, op->regions[r]);
  if (op->opcode == OP_constant) return;
  ir_op *at = op->n_regions ? op->next : op; /* after it: regions hand results over */
  for (uint32_t i = 0; at && i < op->n_results; i++) settle(p, ir_result(op, i), at);
  ir_value *v = op->n_results == 1 && has_uses(op) ? superfluous(p, op) : NULL;
  if (v) replace(p, ir_result(op, 0), v);
}

static void walk_block(propagation *p, ir_block *b) {
  for (uint32_t i = 0; i < b->n_args && b->first; i++) settle(p, &b->args[i], b->first);
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    visit(p, op);
  }
}

void opt_propagate(opt_run *r) {
  propagation p = {.run = r, .known = facts_compute(r->m->op, r->temp)};
  walk_block(&p, ir_region(r->m->op, 0));
}
