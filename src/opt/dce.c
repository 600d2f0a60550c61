/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * dce: erases operations that nobody would miss, and what loops carry around for nobody. Walks
 * backwards, so that users go before what they use.
 */
#include "opt/opt.h"
#include "opt/rewrite.h"

static void walk_block(opt_run *r, ir_block *b);

/* ---- what loops carry ----------------------------------------------------------------------- */

/* Whether all that is computed from a value within a loop ends up in the next iteration's value of
 * the same position. Looks at no more than `budget` operations. */
static bool only_carried(const ir_op *loop, const ir_value *v, uint32_t position,
                         unsigned *budget) {
  for (const ir_use *u = v->uses; u; u = u->next) {
    const ir_op *user = u->user;
    if (user->opcode == OP_continue && jump_target(user) == loop) {
      if (u != &user->operands[position]) return false;
      continue;
    }
    if (!ir_only_computes(user) || !*budget) return false;
    --*budget;
    for (uint32_t i = 0; i < user->n_results; i++)
      if (!only_carried(loop, &user->results[i], position, budget)) return false;
  }
  return true;
}

static void keep_in_jumps(const op_list *jumps, op_code opcode, uint32_t n, const bool *keep) {
  for (uint32_t k = 0; k < jumps->len; k++)
    if (jumps->data[k]->opcode == opcode) rewrite_keep_operands(jumps->data[k], 0, n, keep, 0);
}

static void drop_carried(opt_run *r, ir_op *op) {
  enum { BUDGET = 32 };
  bool is_for = op->opcode == OP_for;
  ir_block *b = op->regions[0];
  uint32_t first = is_for, n = b->n_args - first, kept = 0;
  bool *keep = arena_array(r->temp, bool, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    bool wanted = is_for && op->results[i].uses;
    unsigned budget = BUDGET;
    kept += keep[i] = wanted || !only_carried(op, &b->args[first + i], i, &budget);
  }
  if (kept == n) return;
  op_list jumps = {0};
  collect_jumps(b, r->temp, &jumps);
  keep_in_jumps(&jumps, OP_continue, n, keep);
  for (uint32_t i = 0; i < n; i++) /* what was computed from it goes when the body is walked */
    if (!keep[i]) ir_replace_uses(&b->args[first + i], ir_operand(op, (is_for ? 3 : 0) + i));
  rewrite_keep_args(b, first, keep);
  rewrite_keep_operands(op, is_for ? 3 : 0, n, keep, is_for ? 3 : 0);
  if (is_for) rewrite_keep_results(op, keep);
  r->changes++;
}

static void drop_loop_results(opt_run *r, ir_op *op) {
  uint32_t n = op->n_results, kept = 0;
  bool *keep = arena_array(r->temp, bool, n + 1);
  for (uint32_t i = 0; i < n; i++) kept += keep[i] = op->results[i].uses != NULL;
  if (kept == n) return;
  op_list jumps = {0};
  collect_jumps(op->regions[0], r->temp, &jumps);
  keep_in_jumps(&jumps, OP_break, n, keep);
  rewrite_keep_results(op, keep);
  r->changes++;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static bool erase_if_unused(opt_run *r, ir_op *op) {
  if (has_uses(op) || has_effect(op)) return false;
  ir_op_erase(op);
  r->changes++;
  return true;
}

static void visit(opt_run *r, ir_op *op) {
  if (ir_row(op)->traits & (TRAIT_TERMINATOR | TRAIT_SYMBOL | TRAIT_ISOLATED)) {
    if (op->n_regions && op->regions[0]) walk_block(r, op->regions[0]);
    return;
  }
  if (erase_if_unused(r, op) || !op->n_regions) return;
  if (op->opcode == OP_loop) drop_loop_results(r, op);
  if (op->opcode == OP_for || op->opcode == OP_loop) drop_carried(r, op);
  for (unsigned k = 0; k < op->n_regions; k++)
    if (op->regions[k]) walk_block(r, op->regions[k]);
  if (op->opcode == OP_for || op->opcode == OP_loop) drop_carried(r, op);
  erase_if_unused(r, op);
}

static void walk_block(opt_run *r, ir_block *b) {
  for (ir_op *op = b->last, *prev; op; op = prev) {
    prev = op->prev;
    visit(r, op);
  }
}

void opt_dce(opt_run *r) {
  walk_block(r, ir_region(r->m->op, 0));
}
