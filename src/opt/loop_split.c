/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * loop-split: a for whose body branches on how its induction variable i compares with a number that
 * does not change, v, becomes two: one for the iterations where the comparison gives one answer,
 * one for the others. In both the comparison is a constant, and canonicalize removes the branch.
 *
 *   for i in (low to high, step s) {           mid = the first of low, low + s, … that is not < v
 *     if (i < v) A else B                      for i in (low to mid, step s) A
 *   }                                    ─►    for i in (mid to high, step s) B
 *
 * mid is computed so that nothing overflows, whatever the numbers are. Each loop is split at most
 * once per run, and no run makes the program more than about three times as large.
 */
#include <stdlib.h>

#include "opt/loop_cut.h"

typedef struct splitter {
  opt_run *run;
  uint64_t budget; /* operations that may still be copied */
} splitter;

/* A comparison of a loop's induction variable, as "i < v" or "i <= v" or the opposite of one. */
typedef struct split {
  ir_op *loop, *cmp;
  ir_value *bound;   /* v */
  bool or_equal;     /* <= and > */
  bool second_holds; /* the comparison is false in the first loop: >= and > */
} split;

/* ---- what to split -------------------------------------------------------------------------- */

/* `cuda_tile.loop_split = 4` on an operation, the hint that the reference's pass reads: from how
 * many operations in a branch on it is worth a split; 0: never. -1: it is not there. */
static int64_t hint_of(const ir_op *op) {
  for (const ir_extra *e = op->extra; e; e = e->next)
    if (str_is(e->name, "cuda_tile.loop_split")) return strtoll(e->text.data, NULL, 10);
  return -1;
}

static int64_t threshold_of(const opt_run *r, const ir_op *loop, const ir_op *branch) {
  const ir_op *entry = loop;
  while (entry->opcode != OP_entry && entry->block) entry = entry->block->parent;
  const ir_op *asked[] = {branch, loop, entry};
  for (unsigned i = 0; i < ARRAY_LEN(asked); i++)
    if (hint_of(asked[i]) >= 0) return hint_of(asked[i]);
  return r->argument;
}

/* An atomic counts as any operation that is not heavy. */
static bool is_heavy(const ir_op *op) {
  switch ((op_cost)ir_row(op)->cost) {
  case COST_PRODUCT:
  case COST_REGIONS: return true;
  case COST_ACCESS: return !ir_is_atomic(op);
  default: return false;
  }
}

static bool is_worth_it(const ir_op *branch, int64_t threshold) {
  if (threshold == 0) return false;
  if (threshold == 1) return true;
  for (unsigned r = 0; r < branch->n_regions; r++) {
    int64_t n = -1; /* its end does not count */
    for (const ir_op *op = ir_region(branch, r) ? branch->regions[r]->first : NULL; op;
         op = op->next) {
      if (is_heavy(op) || ++n >= threshold) return true;
    }
  }
  return false;
}

/* Whether a comparison can be the reason for a split. */
static bool describe(const ir_op *loop, ir_op *cmp, split *s) {
  const ir_value *i = ir_counter(loop);
  int64_t p = ir_int_attr(cmp, ATTR_comparison_predicate);
  bool loop_signed = !ir_int_attr(loop, ATTR_unsignedCmp);
  if ((ir_int_attr(cmp, ATTR_signedness) == SIGN_SIGNED) != loop_signed) return false;
  bool left = ir_operand(cmp, 0) == i, right = ir_operand(cmp, 1) == i;
  if (left == right || p == CMP_EQUAL || p == CMP_NOT_EQUAL) return false;
  s->bound = ir_operand(cmp, left ? 1 : 0);
  bool less = p == CMP_LESS || p == CMP_LESS_EQUAL, strict = p == CMP_LESS || p == CMP_GREATER;
  s->second_holds = less != left; /* v < i is i > v */
  s->or_equal = strict == s->second_holds;
  s->cmp = cmp;
  return loop_excludes(loop, s->bound);
}

/* A comparison in the loop's own block, and a branch on it anywhere below that is worth it. */
static bool find_split(const opt_run *r, ir_op *loop, split *s) {
  s->loop = loop;
  for (ir_op *cmp = loop->regions[0]->first; cmp; cmp = cmp->next) {
    if (cmp->opcode != OP_cmpi || !ir_is_scalar(ir_operand(cmp, 0)->type)) continue;
    if (!describe(loop, cmp, s)) continue;
    for (const ir_use *u = ir_result(cmp, 0)->uses; u; u = u->next)
      if (u->user->opcode == OP_if && is_worth_it(u->user, threshold_of(r, loop, u->user)))
        return true;
  }
  return false;
}

/* ---- where to split ------------------------------------------------------------------------- */

/* The first number in [low, high] that is not < v (not <= v): v, or v + 1, kept in the range. */
static ir_value *clamp_bound(const maker *k, const split *s, ir_value *low, ir_value *high) {
  ir_value *v = s->bound;
  if (s->or_equal) { /* v + 1 only where v is less than something */
    ir_value *one = rewrite_splat(k->m, k->at, v->type, 1);
    ir_value *inside = loop_make_compare(k, CMP_LESS, v, high, k->is_signed);
    v = loop_make_select(k, inside, loop_make(k, OP_addi, v, one), high);
  } else {
    v = loop_make_signed(k, OP_mini, v, high, k->is_signed);
  }
  return loop_make_signed(k, OP_maxi, v, low, k->is_signed);
}

/* ---- splitting ------------------------------------------------------------------------------ */

static void apply(splitter *q, const split *s) {
  ir_op *loop = s->loop;
  ir_value *low = ir_operand(loop, 0), *high = ir_operand(loop, 1), *step = ir_operand(loop, 2);
  maker k = {q->run->m, loop, !ir_int_attr(loop, ATTR_unsignedCmp)};
  ir_value *middle = loop_align(&k, clamp_bound(&k, s, low, high), low, high, step);
  value_map vm = {.arena = q->run->temp};
  loop_cut_at(q->run, loop, middle, &vm);
  loop_settle(q->run, value_map_get(&vm, ir_result(s->cmp, 0))->owner.op, !s->second_holds);
  loop_settle(q->run, s->cmp, s->second_holds);
}

static void visit_loop(splitter *q, ir_op *loop) {
  split s;
  if (!find_split(q->run, loop, &s)) return;
  uint64_t n = loop_size(loop);
  if (n > q->budget) return;
  q->budget -= n;
  apply(q, &s);
}

/* Inner loops first; copies lie before what is looked at next. */
static void walk_block(splitter *q, ir_block *b) {
  for (ir_op *op = b->first; op; op = op->next) {
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) walk_block(q, op->regions[r]);
    if (op->opcode == OP_for) visit_loop(q, op);
  }
}

void opt_loop_split(opt_run *r) {
  splitter q = {.run = r, .budget = 1000 + 2 * loop_size(r->m->op)};
  walk_block(&q, ir_region(r->m->op, 0));
}
