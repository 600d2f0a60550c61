/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Control flow that is known: branches with a constant condition, loops that run once or never,
 * branches that only choose a value, iteration values that never change.
 */
#include "num/num.h"
#include "opt/fold.h"

/* ---- a region in place of its operation ----------------------------------------------------- */

/* Puts a region that is executed exactly once where its operation is, whose results become the
 * operands of the region's end. When that is a jump, nothing after it is ever executed. Returns
 * what to look at next. */
static ir_op *inline_region(folder *f, ir_op *op, ir_block *b, bool ends_here) {
  ir_op *end = b->last, *first = b->first == end ? NULL : b->first;
  f->changes++;
  rewrite_splice(b, op);
  if (!ends_here) {
    rewrite_erase_behind(op);
    rewrite_move_before(op, end);
    ir_op_erase(op);
    return first ? first : end;
  }
  ir_op *next = first ? first : op->next;
  ir_value **results = arena_array(f->temp, ir_value *, op->n_results + 1);
  for (uint32_t i = 0; i < op->n_results; i++) results[i] = ir_operand(end, i);
  rewrite_replace_op(op, results);
  return next;
}

/* ---- if ------------------------------------------------------------------------------------- */

static bool fold_known_if(folder *f, ir_op *op, ir_op **next) {
  uint64_t condition;
  if (!splat_of(ir_operand(op, 0), &condition)) return false;
  ir_block *taken = ir_region(op, condition ? 0 : 1);
  if (taken) {
    *next = inline_region(f, op, taken, taken->last->opcode == OP_yield);
  } else {
    *next = op->next;
    ir_op_erase(op);
    f->changes++;
  }
  return true;
}

/* `if (not c) a else b` is `if (c) b else a`. */
static void exchange_branches(folder *f, ir_op *op) {
  ir_op *not = made_by(ir_operand(op, 0), OP_xori);
  if (!not || !is_splat_of(ir_operand(not, 1), 1) || !ir_region(op, 1)) return;
  ir_block *then = op->regions[0];
  op->regions[0] = op->regions[1];
  op->regions[1] = then;
  fold_set_operand(f, op, 0, ir_operand(not, 0));
}

/* Inside a branch its condition is known. Conditions of very many uses are left alone, so that
 * many branches on one of them do not cost the square of their number. */
static void propagate_condition(folder *f, ir_op *op) {
  enum { MAX_USES = 64 };
  ir_value *c = ir_operand(op, 0), *known[2] = {NULL, NULL};
  unsigned n = 0;
  for (const ir_use *u = c->uses; u; u = u->next)
    if (++n > MAX_USES) return;
  for (ir_use *u = c->uses, *next; u && n > 1; u = next) {
    next = u->next;
    for (unsigned r = 0; r < 2; r++) {
      if (!ir_region(op, r) || !is_inside(u->user, op->regions[r])) continue;
      if (!known[r]) known[r] = rewrite_splat(f->m, op, c->type, r == 0);
      fold_set_operand(f, u->user, (uint32_t)(u - u->user->operands), known[r]);
      break;
    }
  }
}

/* What a branch gives for a result, if it ends with yield and that is known outside, as a constant
 * is wherever it stands. */
static ir_value *known_outside(const ir_op *op, unsigned r, uint32_t i) {
  const ir_block *b = op->regions[r];
  if (b->last->opcode != OP_yield) return NULL;
  ir_value *v = ir_operand(b->last, i);
  return block_of(v) == b && !constant_of(v) ? NULL : v;
}

/* A constant of a branch is moved in front of it. */
static ir_value *brought_out(ir_op *op, ir_value *v) {
  if (v && !v->is_arg && v->owner.op->block->parent == op) rewrite_move_before(op, v->owner.op);
  return v;
}

/* A scalar as a tile of the shape of `like`. */
static ir_value *filled(folder *f, ir_op *op, ir_value *v, const ir_type *like) {
  int64_t ones[IR_MAX_RANK];
  if (like->rank == 0) return v;
  for (unsigned d = 0; d < like->rank; d++) ones[d] = 1;
  const ir_type *one = ir_tile(f->m, (tsr_elem)v->type->elem, (tsr_elem)0, like->rank, ones);
  const ir_type *all = ir_tile_like(f->m, like, (tsr_elem)v->type->elem);
  v = ir_result(rewrite_make(f->m, op, OP_reshape, one, 1, &v), 0);
  return ir_result(rewrite_make(f->m, op, OP_broadcast, all, 1, &v), 0);
}

static ir_value *settled_result(folder *f, ir_op *op, uint32_t i) {
  bool yields[2] = {op->regions[0]->last->opcode == OP_yield,
                    op->regions[1]->last->opcode == OP_yield};
  ir_value *t = known_outside(op, 0, i), *e = known_outside(op, 1, i);
  if (!yields[0]) return brought_out(op, e); /* or NULL: then nothing after it is executed */
  if (!yields[1]) return brought_out(op, t);
  if (!t || !e) return NULL;
  if (t == e) return t;
  if (!ir_is_tile(t->type) || t->type->elem == TSR_F4E2M1FN) return NULL;
  ir_value *condition = filled(f, op, ir_operand(op, 0), t->type);
  ir_value *operands[] = {condition, brought_out(op, t), brought_out(op, e)};
  return ir_result(rewrite_make(f->m, op, OP_select, t->type, 3, operands), 0);
}

static void drop_unused_results(folder *f, ir_op *op) {
  bool *keep = arena_array(f->temp, bool, op->n_results + 1);
  uint32_t n = op->n_results, kept = 0;
  for (uint32_t i = 0; i < n; i++) kept += keep[i] = op->results[i].uses != NULL;
  if (kept == n) return;
  for (unsigned r = 0; r < 2; r++)
    if (op->regions[r]->last->opcode == OP_yield)
      rewrite_keep_operands(op->regions[r]->last, 0, n, keep, 0);
  rewrite_keep_results(op, keep);
  f->changes++;
}

static bool is_empty(const ir_block *b) {
  return !b || (b->first == b->last && b->last->opcode == OP_yield && !b->last->n_operands);
}

static bool simplify_if(folder *f, ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++) {
    ir_value *v = op->results[i].uses ? settled_result(f, op, i) : NULL;
    if (!v) continue;
    rewrite_replace_value(ir_result(op, i), v);
    f->changes++;
  }
  if (op->n_results) drop_unused_results(f, op);
  if (op->n_results) return false;
  if (ir_region(op, 1) && is_empty(op->regions[1])) {
    ir_op_erase(op->regions[1]->last);
    op->regions[1] = NULL;
    f->changes++;
  }
  if (!is_empty(op->regions[0]) || ir_region(op, 1)) return false;
  ir_op_erase(op);
  f->changes++;
  return true;
}

/* ---- loops ---------------------------------------------------------------------------------- */

/* How often a for runs, when that is known to be 0 or 1; else 2. */
static int known_trips(const ir_op *op) {
  uint64_t bound[3];
  for (uint32_t i = 0; i < 2; i++)
    if (!splat_of(ir_operand(op, i), &bound[i]))
      return ir_operand(op, 0) == ir_operand(op, 1) ? 0 : 2;
  unsigned width = tsr_elem_bits((tsr_elem)ir_operand(op, 0)->type->elem);
  bool is_signed = !ir_int_attr(op, ATTR_unsignedCmp);
  num_i128 low = num_int_value(bound[0], width, is_signed),
           high = num_int_value(bound[1], width, is_signed);
  if (low >= high) return 0;
  if (!splat_of(ir_operand(op, 2), &bound[2])) return 2;
  num_i128 step = num_int_value(bound[2], width, is_signed);
  return step > 0 && low + step >= high ? 1 : 2;
}

/* Gives the arguments of a loop's body the values that they begin with. */
static void enter_once(ir_op *op) {
  ir_block *b = op->regions[0];
  uint32_t first = op->opcode == OP_for, inits = op->opcode == OP_for ? 3 : 0;
  if (first) rewrite_replace_value(&b->args[0], ir_operand(op, 0));
  for (uint32_t i = first; i < b->n_args; i++)
    rewrite_replace_value(&b->args[i], ir_operand(op, inits + i - first));
}

static bool fold_for(folder *f, ir_op *op, ir_op **next) {
  int trips = known_trips(op);
  if (trips == 0) {
    ir_value **inits = arena_array(f->temp, ir_value *, op->n_results + 1);
    for (uint32_t i = 0; i < op->n_results; i++) inits[i] = ir_operand(op, 3 + i);
    *next = op->next;
    rewrite_replace_op(op, inits);
    f->changes++;
    return true;
  }
  if (trips != 1 || has_early_exit(op->regions[0])) return false;
  enter_once(op);
  *next = inline_region(f, op, op->regions[0], true);
  return true;
}

/* A loop that breaks at the end of its first iteration. */
static bool fold_loop(folder *f, ir_op *op, ir_op **next) {
  ir_block *b = op->regions[0];
  if (b->last->opcode != OP_break || has_early_exit(b)) return false;
  enter_once(op);
  *next = inline_region(f, op, b, true);
  return true;
}

/* Iteration values that every iteration hands on as they are: the initial value stands for them. */
static void settle_carried(folder *f, ir_op *op) {
  ir_block *b = op->regions[0];
  uint32_t first = op->opcode == OP_for, inits = op->opcode == OP_for ? 3 : 0;
  op_list jumps = {0};
  if (b->n_args == first) return;
  collect_jumps(b, f->temp, &jumps);
  for (uint32_t i = first; i < b->n_args; i++) {
    ir_value *arg = &b->args[i], *init = ir_operand(op, inits + i - first);
    bool same = arg->uses != NULL;
    for (uint32_t k = 0; same && k < jumps.len; k++) {
      if (jumps.data[k]->opcode != OP_continue) continue;
      ir_value *v = ir_operand(jumps.data[k], i - first);
      same = v == arg || v == init;
    }
    if (!same) continue;
    ir_value *result = op->opcode == OP_for ? ir_result(op, i - first) : NULL;
    bool settled = !(result && result->uses);
    for (const ir_use *u = arg->uses; settled && u; u = u->next)
      settled = u->user->opcode == OP_continue && jump_target(u->user) == op;
    if (settled) continue; /* only dce has something to do here */
    ir_replace_uses(arg, init);
    if (result) rewrite_replace_value(result, init);
    f->changes++;
  }
}

static bool fold_next_if(folder *f, ir_op *op, ir_op **next) {
  ir_op *both = fold_following_if(f, op);
  if (both) *next = both;
  return both != NULL;
}

/* ---- all of them ---------------------------------------------------------------------------- */

bool fold_control_before(folder *f, ir_op *op, ir_op **next) {
  switch (op->opcode) {
  case OP_if:
    exchange_branches(f, op);
    if (fold_known_if(f, op, next)) return true;
    if (fold_leaving_if(f, op)) *next = op->next;
    propagate_condition(f, op);
    fold_nested_if(f, op);
    return fold_next_if(f, op, next);
  case OP_for:
    if (fold_for(f, op, next)) return true;
    settle_carried(f, op);
    return false;
  case OP_loop:
    if (fold_loop(f, op, next)) return true;
    settle_carried(f, op);
    return false;
  default: return false;
  }
}

bool fold_control_behind(folder *f, ir_op *op) {
  return op->opcode == OP_if && simplify_if(f, op);
}
