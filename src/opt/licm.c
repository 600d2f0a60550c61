/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * licm: moves what every iteration of a loop would compute alike in front of it. Inner loops come
 * first, so that what leaves one may leave the next. What could be undefined is moved only when the
 * loop certainly gets to it. That holds for weak loads too, of which nothing that is ordered before
 * them in any iteration may write to their place (order.h).
 */
#include "opt/opt.h"
#include "opt/order.h"
#include "opt/undefined.h"

typedef struct licm {
  opt_run *run;
  const facts *known;
  kernel_order *order; /* NULL outside of kernels */
} licm;

static bool is_invariant(const ir_op *op, const ir_block *body) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (block_of(ir_operand(op, i)) == body) return false;
  return true;
}

/* Whether the body is entered at all. */
static bool runs(const licm *c, const ir_op *loop) {
  if (loop->opcode == OP_loop) return true;
  fact low = facts_of(c->known, ir_operand(loop, 0)),
       high = facts_of(c->known, ir_operand(loop, 1));
  bool as_unsigned = ir_int_attr(loop, ATTR_unsignedCmp);
  return low.max < high.min && (!as_unsigned || low.min >= 0);
}

/* What an operation could do so that those after it are not reached: leave the loop, stop the
 * kernel, never end. */
static bool may_stop(const ir_op *op) {
  if (op->opcode == OP_assert) return true;
  return op->n_regions && op->opcode != OP_reduce && op->opcode != OP_scan && has_effect(op);
}

static void move(licm *c, ir_op *op, ir_op *loop) {
  rewrite_move_before(loop, op);
  c->run->changes++;
}

/* ---- loads ----------------------------------------------------------------------------------- */

static bool is_invariant_load(const licm *c, const ir_op *op, const ir_block *body) {
  if (!c->order || !ir_is_load(op) || !order_is_weak(op)) return false;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (ir_operand(op, i) != order_token(op) && block_of(ir_operand(op, i)) == body) return false;
  return true;
}

/* The load's token becomes what was before the loop. */
static void set_token(licm *c, ir_op *op, const order *o, ir_op *loop) {
  uint32_t last = op->n_operands - 1;
  if (o->n == 0) {
    bool keep = false;
    rewrite_keep_operands(op, last, 1, &keep, order_token_group((op_code)op->opcode));
    return;
  }
  ir_value *token = o->tokens[0];
  if (o->n > 1)
    token =
        ir_result(rewrite_make(c->run->m, loop, OP_join_tokens, token->type, o->n, o->tokens), 0);
  ir_set_operand(op, last, token);
}

/* What came after the load still comes after all that the load came after. */
static void keep_users_behind(licm *c, ir_op *op, ir_value *before) {
  ir_value *token = ir_result(op, 1);
  if (!token->uses) return;
  ir_value *both[] = {before, before};
  ir_op *join = rewrite_make(c->run->m, op, OP_join_tokens, token->type, 2, both);
  ir_replace_uses(token, ir_result(join, 0));
  ir_set_operand(join, 1, token);
}

static void hoist_load(licm *c, ir_op *op, ir_op *loop) {
  order o = order_behind(c->order, op, loop);
  if (o.failed) return;
  ir_value *before = order_token(op);
  if (before && block_of(before) == loop->regions[0]) {
    keep_users_behind(c, op, before);
    set_token(c, op, &o, loop);
  }
  move(c, op, loop);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void hoist(licm *c, ir_op *loop) {
  ir_block *body = loop->regions[0];
  bool reached = runs(c, loop);
  for (ir_op *op = body->first, *next; op; op = next) {
    next = op->next;
    if ((is_speculatable(op) || (reached && ir_only_computes(op))) && is_invariant(op, body))
      move(c, op, loop);
    else if (reached && is_invariant_load(c, op, body))
      hoist_load(c, op, loop);
    else if (reached && may_stop(op))
      reached = false;
  }
}

static void walk_block(licm *c, ir_block *b) {
  for (ir_op *op = b->first; op; op = op->next) {
    if (op->opcode == OP_entry) c->order = order_of_entry(c->run->m, op, c->known, c->run->temp);
    for (unsigned k = 0; k < op->n_regions; k++)
      if (op->regions[k]) walk_block(c, op->regions[k]);
    if (op->opcode == OP_for || op->opcode == OP_loop) hoist(c, op);
    if (op->opcode == OP_entry) c->order = NULL;
  }
}

void opt_licm(opt_run *r) {
  licm c = {.run = r, .known = facts_compute(r->m->op, r->temp)};
  walk_block(&c, ir_region(r->m->op, 0));
}
