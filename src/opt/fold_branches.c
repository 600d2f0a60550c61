/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Branches with other branches: two in a row on one condition, one directly in another, and those
 * after which nothing is ever executed.
 */
#include "opt/fold.h"

static bool ends_with_yield(const ir_block *b) {
  return b->last->opcode == OP_yield;
}

/* ---- both sides leave ----------------------------------------------------------------------- */

/* Whether a jump may end the block that `op` is in. */
static bool may_end(const ir_op *jump, const ir_op *op) {
  const op_row *row = ir_row(jump);
  op_code around = (op_code)op->block->parent->opcode;
  for (unsigned i = 0; i < ARRAY_LEN(row->parents) && row->parents[i]; i++)
    if (row->parents[i] == around) return true;
  return jump->opcode == OP_return && op_table[around].traits & TRAIT_SYMBOL; /* testing$func */
}

/* `if c { …; return } else { …; return }` and what follows it: the else region takes the place of
 * what follows, which is never executed. */
bool fold_leaving_if(folder *f, ir_op *op) {
  ir_block *then = op->regions[0], *other = ir_region(op, 1);
  if (!other || ends_with_yield(then) || ends_with_yield(other)) return false;
  ir_op *end = other->last;
  if (!may_end(end, op)) return false;
  rewrite_erase_behind(op);
  ir_block *around = op->block;
  while (other->first) {
    ir_op *first = other->first;
    ir_op_unlink(first);
    ir_op_append(around, first);
  }
  op->regions[1] = NULL;
  op->n_results = 0;
  f->changes++;
  return true;
}

/* ---- one in another ------------------------------------------------------------------------- */

/* `if a { if b { … } }`, where b is known outside, is `if a and b { … }`. */
bool fold_nested_if(folder *f, ir_op *op) {
  ir_block *b = op->regions[0];
  ir_op *inner = b->first;
  if (op->n_results || ir_region(op, 1) || inner->opcode != OP_if || inner->next != b->last)
    return false;
  if (!ends_with_yield(b) || inner->n_results || ir_region(inner, 1)) return false;
  ir_value *conditions[] = {ir_operand(op, 0), ir_operand(inner, 0)};
  if (block_of(conditions[1]) == b) return false;
  ir_op *both = rewrite_make(f->m, op, OP_andi, conditions[0]->type, 2, conditions);
  fold_set_operand(f, op, 0, ir_result(both, 0));
  ir_block *body = inner->regions[0];
  bool yields = ends_with_yield(body);
  rewrite_splice(body, inner);
  if (!yields) {
    ir_op *end = body->last;
    rewrite_erase_behind(inner);
    rewrite_move_before(inner, end);
  }
  ir_op_erase(inner);
  return true;
}

/* ---- two in a row --------------------------------------------------------------------------- */

enum { MAX_BETWEEN = 8 };

/* The next `if` on the same condition, when only pure operations that do not need the first one's
 * results stand between. */
static ir_op *partner_of(ir_op *op) {
  ir_op *p = op->next;
  for (unsigned n = 0; p && p->opcode != OP_if; p = p->next) {
    if (!(ir_row(p)->traits & TRAIT_PURE) || p->n_regions || ir_row(p)->traits & TRAIT_TERMINATOR)
      return NULL;
    if (++n > MAX_BETWEEN) return NULL;
    for (uint32_t i = 0; i < p->n_operands; i++)
      if (ir_defining_op(ir_operand(p, i)) == op) return NULL;
  }
  return p && ir_operand(p, 0) == ir_operand(op, 0) ? p : NULL;
}

/* The region of `op`, made when it is absent: an absent region yields nothing. */
static ir_block *region_of(folder *f, ir_op *op, unsigned r) {
  if (op->regions[r]) return op->regions[r];
  ir_block *b = ir_region_create(f->m, op, r, 0, NULL);
  ir_op_append(b, ir_op_create(f->m, &(ir_op_spec){.opcode = OP_yield, .loc = op->loc}));
  return b;
}

static ir_op *both_ifs(folder *f, ir_op *a, ir_op *b) {
  uint32_t n = a->n_results + b->n_results;
  const ir_type **types = arena_array(f->temp, const ir_type *, n + 1);
  for (uint32_t i = 0; i < n; i++)
    types[i] = i < a->n_results ? a->results[i].type : b->results[i - a->n_results].type;
  ir_value *condition = ir_operand(a, 0);
  ir_op *op = ir_op_create(f->m, &(ir_op_spec){.opcode = OP_if,
                                               .loc = a->loc,
                                               .n_operands = 1,
                                               .operands = &condition,
                                               .n_results = n,
                                               .result_types = types,
                                               .n_regions = 2});
  for (uint32_t i = 0; i < n; i++)
    op->results[i].name = i < a->n_results ? a->results[i].name : b->results[i - a->n_results].name;
  ir_op_insert_before(a, op);
  return op;
}

/* What a's region yields is what b's region sees of a's results. */
static void see_yielded(folder *f, ir_op *a, const ir_op *end, const ir_block *inside) {
  for (uint32_t i = 0; i < a->n_results; i++)
    for (ir_use *u = a->results[i].uses, *next; u; u = next) {
      next = u->next;
      if (is_inside(u->user, inside))
        fold_set_operand(f, u->user, (uint32_t)(u - u->user->operands), ir_operand(end, i));
    }
}

/* Moves the r-th regions of a and b into `op`, one after the other. */
static void join_regions(folder *f, ir_op *op, ir_op *a, ir_op *b, unsigned r) {
  ir_block *first = region_of(f, a, r), *second = region_of(f, b, r);
  ir_op *end = first->last, *last = second->last;
  op->regions[r] = first;
  first->parent = op;
  a->regions[r] = NULL;
  if (end->opcode != OP_yield) return; /* the second is not executed then, and goes with b */
  see_yielded(f, a, end, second);
  rewrite_splice(second, end);
  ir_op_unlink(last);
  if (last->opcode == OP_yield) {
    uint32_t n = end->n_operands + last->n_operands;
    ir_value **values = arena_array(f->temp, ir_value *, n + 1);
    for (uint32_t i = 0; i < n; i++)
      values[i] = i < end->n_operands ? ir_operand(end, i) : ir_operand(last, i - end->n_operands);
    ir_op *yield = ir_op_create(
        f->m,
        &(ir_op_spec){.opcode = OP_yield, .loc = end->loc, .n_operands = n, .operands = values});
    ir_op_insert_before(end, yield);
    ir_op_append(second, last); /* it goes with b */
  } else {
    ir_op_insert_before(end, last);
    b->regions[r] = NULL;
  }
  ir_op_erase(end);
}

/* `if c {A} else {B}; if c {C} else {D}` is `if c {A C} else {B D}`. Returns it; NULL. */
ir_op *fold_following_if(folder *f, ir_op *a) {
  ir_op *b = partner_of(a);
  if (!b) return NULL;
  while (a->next != b) rewrite_move_before(a, a->next);
  bool other = ir_region(a, 1) || ir_region(b, 1);
  ir_op *op = both_ifs(f, a, b);
  uint32_t n = a->n_results;
  for (unsigned r = 0; r < 1u + other; r++) join_regions(f, op, a, b, r);
  for (uint32_t i = 0; i < op->n_results; i++)
    ir_replace_uses(i < n ? &a->results[i] : &b->results[i - n], &op->results[i]);
  ir_op_erase(b);
  ir_op_erase(a);
  f->changes++;
  return op;
}
