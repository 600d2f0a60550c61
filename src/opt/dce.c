/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * dce: erases operations that nobody would miss, and what loops carry around for nobody. Walks
 * backwards, so that users go before what they use.
 */
#include "opt/opt.h"
#include "opt/rewrite.h"

static void walk_block(opt_run *r, ir_block *b);

/* ---- what loops carry ----------------------------------------------------------------------- */

/* Whether an iteration value is used only to hand it on to the next iteration. */
static bool only_carried(const ir_op *loop, const ir_value *arg, uint32_t position) {
  for (const ir_use *u = arg->uses; u; u = u->next)
    if (u->user->opcode != OP_continue || u != &u->user->operands[position] ||
        jump_target(u->user) != loop)
      return false;
  return true;
}

static void keep_in_jumps(const op_list *jumps, op_code opcode, uint32_t n, const bool *keep) {
  for (uint32_t k = 0; k < jumps->len; k++)
    if (jumps->data[k]->opcode == opcode) rewrite_keep_operands(jumps->data[k], 0, n, keep, 0);
}

static void drop_carried(opt_run *r, ir_op *op) {
  bool is_for = op->opcode == OP_for;
  ir_block *b = op->regions[0];
  uint32_t first = is_for, n = b->n_args - first, kept = 0;
  bool *keep = arena_array(r->temp, bool, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    bool wanted = is_for && op->results[i].uses;
    kept += keep[i] = wanted || !only_carried(op, &b->args[first + i], i);
  }
  if (kept == n) return;
  op_list jumps = {0};
  collect_jumps(b, r->temp, &jumps);
  keep_in_jumps(&jumps, OP_continue, n, keep);
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
