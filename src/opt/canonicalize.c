/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * canonicalize: walks through the program and folds each operation when its operands have been
 * seen. Most folds need one walk, because an operation stands after what it uses; what a later
 * operation made possible for an earlier one (around a loop, say) is found by another walk, of
 * which there are at most MAX_WALKS.
 */
#include "opt/fold.h"
#include "opt/opt.h"

enum { MAX_WALKS = 6, MAX_FOLDS = 16 /* in place, of one operation */ };

/* Constants to the right. */
static void order_operands(folder *f, ir_op *op) {
  if (!(ir_row(op)->traits & TRAIT_COMMUTATIVE)) return;
  ir_value *x = ir_operand(op, 0), *y = ir_operand(op, 1);
  if (!constant_of(x) || constant_of(y)) return;
  fold_set_operand(f, op, 0, y);
  fold_set_operand(f, op, 1, x);
}

static ir_value *fold_value(folder *f, ir_op *op) {
  static const fold_fn folds[] = {fold_constants, fold_integer, fold_float, fold_shape, fold_misc};
  for (unsigned i = 0; i < ARRAY_LEN(folds); i++) {
    ir_value *v = folds[i](f, op);
    if (v) return v;
  }
  return NULL;
}

/* A single result's operation. Returns whether it is gone. */
static bool fold_single(folder *f, ir_op *op) {
  for (int n = 0; n < MAX_FOLDS; n++) {
    uint64_t before = f->changes;
    order_operands(f, op);
    ir_value *v = fold_value(f, op);
    if (v) {
      rewrite_replace_op(op, &v);
      f->changes++;
      return true;
    }
    if (f->changes == before) return false;
  }
  return false;
}

/* What nothing uses is not worth a fold, and goes. */
static bool erase_unused(folder *f, ir_op *op) {
  if (!ir_only_computes(op) || has_uses(op)) return false;
  ir_op_erase(op);
  f->changes++;
  return true;
}

static void walk_block(folder *f, ir_block *b);

/* Returns what to look at next. What is made for `op` lies before it and is final. */
static ir_op *visit(folder *f, ir_op *op) {
  ir_op *next = op->next;
  if (erase_unused(f, op)) return next;
  if (op->n_regions) {
    if (fold_control_before(f, op, &next)) return next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) walk_block(f, op->regions[r]);
    next = op->next;
    if (op->opcode == OP_reduce || op->opcode == OP_scan)
      fold_reduction(f, op);
    else
      fold_control_behind(f, op);
    return next;
  }
  if (ir_row(op)->traits & TRAIT_CONSTANT) return next;
  if (op->n_results == 1 && fold_single(f, op)) return next;
  fold_effect(f, op);
  return next;
}

/* A branch that is taken to the end of the block takes what follows with it, so `next` is always
 * in the block that is walked. */
static void walk_block(folder *f, ir_block *b) {
  for (ir_op *op = b->first; op;) op = visit(f, op);
}

void opt_canonicalize(opt_run *r) {
  for (int n = 0; n < MAX_WALKS; n++) {
    folder f = {.m = r->m, .temp = r->temp};
    walk_block(&f, ir_region(r->m->op, 0));
    r->changes += f.changes;
    if (f.changes == 0) break;
  }
  opt_dce(r);
}
