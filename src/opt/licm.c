/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * licm: moves what every iteration of a loop would compute alike in front of it. Inner loops come
 * first, so that what leaves one may leave the next. What could be undefined is moved only when the
 * loop certainly gets to it.
 */
#include "num/num.h"
#include "opt/opt.h"
#include "opt/undefined.h"
#include "opt/rewrite.h"

static bool is_invariant(const ir_op *op, const ir_block *body) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (block_of(ir_operand(op, i)) == body) return false;
  return true;
}

/* Whether the body is entered at all. */
static bool runs(const ir_op *loop) {
  uint64_t low, high;
  if (loop->opcode == OP_loop) return true;
  if (!splat_of(ir_operand(loop, 0), &low) || !splat_of(ir_operand(loop, 1), &high)) return false;
  unsigned width = tsr_elem_bits((tsr_elem)ir_operand(loop, 0)->type->elem);
  bool is_signed = !ir_int_attr(loop, ATTR_unsignedCmp);
  return num_int_value(low, width, is_signed) < num_int_value(high, width, is_signed);
}

static bool is_pure(const ir_op *op) {
  return ir_row(op)->traits & (TRAIT_PURE | TRAIT_NO_EFFECT) && !op->n_regions &&
         !(ir_row(op)->traits & TRAIT_TERMINATOR);
}

/* What an operation could do so that those behind it are not reached: leave the loop, stop the
 * kernel, never end. */
static bool may_stop(const ir_op *op) {
  if (op->opcode == OP_assert) return true;
  return op->n_regions && op->opcode != OP_reduce && op->opcode != OP_scan && has_effect(op);
}

static void hoist(opt_run *r, ir_op *loop) {
  ir_block *body = loop->regions[0];
  bool reached = runs(loop);
  for (ir_op *op = body->first, *next; op; op = next) {
    next = op->next;
    if ((is_speculatable(op) || (reached && is_pure(op))) && is_invariant(op, body)) {
      rewrite_move_before(loop, op);
      r->changes++;
    } else if (reached && may_stop(op)) {
      reached = false;
    }
  }
}

static void walk_block(opt_run *r, ir_block *b) {
  for (ir_op *op = b->first; op; op = op->next) {
    for (unsigned k = 0; k < op->n_regions; k++)
      if (op->regions[k]) walk_block(r, op->regions[k]);
    if (op->opcode == OP_for || op->opcode == OP_loop) hoist(r, op);
  }
}

void opt_licm(opt_run *r) {
  walk_block(r, ir_region(r->m->op, 0));
}
