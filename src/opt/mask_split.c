/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * split-masks: a `for` with matrix products whose tiles are masked because some of them reach over
 * an edge (keys that a query does not see, a ragged end) becomes two: one for the iterations whose
 * masks certainly are all true, which needs none, and one for the others.
 *
 *   for j in (low to high)                     middle = the tiles below the smallest limit
 *     mask = j * 64 + iota <= limits     ─►    for j in (low to middle)  … without mask
 *     …                                        for j in (middle to high) … as it was
 *
 * A mask counts if it compares, as signed numbers, what grows with the index,
 *
 *   index * factor + start + offsets     factor > 0; start a scalar from outside, not negative
 *
 * with limits from outside: a tile of which scalar operations in front of the loop find a lower
 * bound. Or offsets from outside with what falls, start - index * factor. Nothing here may overflow
 * unnoticed: sums that wrap are what they would be without end if that fits the type, and the
 * comparison says that it does, as neither the index nor what is added to it is negative.
 */
#include "opt/facts.h"
#include "opt/loop_cut.h"

enum {
  MOST_DEPTH = 24,       /* of operations behind a value */
  MOST_MASKS = 8,        /* of a loop */
  MOST_OFFSET = 1 << 20, /* and factor */
};

typedef struct splitter {
  opt_run *run;
  const facts *known;
  uint64_t budget; /* operations that may still be copied */
  ir_op *loop;
} splitter;

/* index * factor + start * sign + what is in [min, max]. */
typedef struct linear {
  int64_t factor, min, max;
  ir_value *start; /* a scalar from outside; NULL: there is none */
  int sign;
} linear;

/* In the iterations where `factor` * index + `above` <= limit (- start), with all of them the
 * comparison holds. */
typedef struct mask {
  ir_op *cmp;
  int64_t factor, above;
  ir_value *start; /* or NULL */
  ir_value *limit; /* a tile or a scalar */
} mask;

/* ---- what is compared ----------------------------------------------------------------------- */

static bool is_integer(const ir_value *v) {
  return v->type->kind == IR_TILE && (v->type->elem == TSR_I32 || v->type->elem == TSR_I64);
}

static bool moves_elements(const ir_op *op) {
  return op->opcode == OP_reshape || op->opcode == OP_broadcast || op->opcode == OP_permute;
}

/* The scalar of which all elements of a tile are copies; NULL: there is none. */
static ir_value *scalar_of(ir_value *v) {
  for (unsigned i = 0; i < MOST_DEPTH; i++) {
    if (ir_is_scalar(v->type)) return v;
    const ir_op *op = ir_defining_op(v);
    if (!op || !moves_elements(op)) return NULL;
    v = ir_operand(op, 0);
  }
  return NULL;
}

static bool is_small(const linear *x) {
  return x->min >= -MOST_OFFSET && x->max <= MOST_OFFSET && x->factor >= -MOST_OFFSET &&
         x->factor <= MOST_OFFSET;
}

static bool add_linear(linear *x, const linear *y, int sign) {
  if (x->start && y->start) return false;
  if (y->start) {
    x->start = y->start;
    x->sign = sign * y->sign;
  }
  x->factor += sign * y->factor;
  x->min += sign > 0 ? y->min : -y->max;
  x->max += sign > 0 ? y->max : -y->min;
  return is_small(x);
}

static bool scale_linear(linear *x, int64_t by) {
  if (x->start || by < -MOST_OFFSET || by > MOST_OFFSET) return false;
  int64_t a = x->min * by, b = x->max * by;
  *x = (linear){.factor = x->factor * by, .min = MIN(a, b), .max = MAX(a, b)};
  return is_small(x);
}

static bool describe(const splitter *q, ir_value *v, linear *out, unsigned depth);

static bool describe_op(const splitter *q, const ir_op *op, linear *out, unsigned depth) {
  linear y;
  int64_t by;
  switch (op->opcode) {
  case OP_addi:
  case OP_subi:
    return describe(q, ir_operand(op, 0), out, depth) &&
           describe(q, ir_operand(op, 1), &y, depth) &&
           add_linear(out, &y, op->opcode == OP_addi ? 1 : -1);
  case OP_muli:
    return fact_is_number(facts_of(q->known, ir_operand(op, 1)), &by) &&
           describe(q, ir_operand(op, 0), out, depth) && scale_linear(out, by);
  default: return moves_elements(op) && describe(q, ir_operand(op, 0), out, depth);
  }
}

static bool describe(const splitter *q, ir_value *v, linear *out, unsigned depth) {
  fact f = facts_of(q->known, v);
  *out = (linear){.sign = 1};
  if (v == ir_counter(q->loop)) {
    out->factor = 1;
    return true;
  }
  if (loop_excludes(q->loop, v) && f.min >= 0 && f.max <= MOST_OFFSET) {
    out->min = f.min;
    out->max = f.max;
    return true;
  }
  const ir_op *op = ir_defining_op(v);
  if (op && depth < MOST_DEPTH && describe_op(q, op, out, depth + 1)) return true;
  *out = (linear){.sign = 1, .start = scalar_of(v)};
  return out->start && loop_excludes(q->loop, out->start);
}

/* ---- limits --------------------------------------------------------------------------------- */

/* Whether lower_bound finds one. */
static bool has_bound(const splitter *q, ir_value *v, unsigned depth) {
  if (scalar_of(v)) return true;
  const ir_op *op = ir_defining_op(v);
  if (!op || depth == MOST_DEPTH) return false;
  ir_value *a = op->n_operands ? ir_operand(op, 0) : NULL;
  fact f = op->n_operands > 1 ? facts_of(q->known, ir_operand(op, 1)) : (fact){0};
  switch (op->opcode) {
  case OP_constant:
  case OP_iota: return true;
  case OP_addi: return scalar_of(a) && f.min >= 0 && f.max <= MOST_OFFSET;
  case OP_mini:
  case OP_maxi:
    return ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED && has_bound(q, a, depth + 1) &&
           has_bound(q, ir_operand(op, 1), depth + 1);
  case OP_select:
    return has_bound(q, ir_operand(op, 1), depth + 1) && has_bound(q, ir_operand(op, 2), depth + 1);
  default: return moves_elements(op) && has_bound(q, a, depth + 1);
  }
}

static ir_value *number(const maker *k, const ir_type *type, int64_t n) {
  return rewrite_splat(k->m, k->at, type, (uint64_t)n);
}

/* scalar + offsets of [min, max]: any number where the sum may wrap. */
static ir_value *bound_of_sum(const maker *k, ir_value *scalar, fact offsets) {
  bool wide = scalar->type->elem == TSR_I64;
  int64_t most = wide ? INT64_MAX : INT32_MAX, least = wide ? INT64_MIN : INT32_MIN;
  ir_value *last = number(k, scalar->type, most - offsets.max);
  ir_value *fits = loop_make_compare(k, CMP_LESS_EQUAL, scalar, last, true);
  ir_value *sum = loop_make(k, OP_addi, scalar, number(k, scalar->type, offsets.min));
  return loop_make_select(k, fits, sum, number(k, scalar->type, least));
}

/* A scalar that no element is less than. */
static ir_value *lower_bound(const splitter *q, const maker *k, ir_value *v) {
  ir_value *scalar = scalar_of(v);
  if (scalar) return scalar;
  const ir_op *op = ir_defining_op(v);
  fact f = facts_of(q->known, v);
  switch (op->opcode) {
  case OP_constant:
  case OP_iota: return number(k, ir_scalar(k->m, (tsr_elem)v->type->elem), f.min);
  case OP_addi:
    return bound_of_sum(k, scalar_of(ir_operand(op, 0)), facts_of(q->known, ir_operand(op, 1)));
  case OP_mini:
  case OP_maxi:
    return loop_make_signed(k, (op_code)op->opcode, lower_bound(q, k, ir_operand(op, 0)),
                            lower_bound(q, k, ir_operand(op, 1)), true);
  case OP_select: {
    ir_value *which = scalar_of(ir_operand(op, 0)), *a = lower_bound(q, k, ir_operand(op, 1)),
             *b = lower_bound(q, k, ir_operand(op, 2));
    return which ? loop_make_select(k, which, a, b) : loop_make_signed(k, OP_mini, a, b, true);
  }
  default: return lower_bound(q, k, ir_operand(op, 0));
  }
}

/* ---- masks ---------------------------------------------------------------------------------- */

/* a < b, or a <= b: in front of a comparison stand what must be less and what must be more. */
static bool take_sides(ir_op *cmp, ir_value **less, ir_value **more, bool *strict) {
  int64_t p = ir_int_attr(cmp, ATTR_comparison_predicate);
  if (ir_int_attr(cmp, ATTR_signedness) != SIGN_SIGNED) return false;
  if (p == CMP_EQUAL || p == CMP_NOT_EQUAL) return false;
  bool first = p == CMP_LESS || p == CMP_LESS_EQUAL;
  *less = ir_operand(cmp, first ? 0 : 1);
  *more = ir_operand(cmp, first ? 1 : 0);
  *strict = p == CMP_LESS || p == CMP_GREATER;
  return true;
}

static bool is_start(const splitter *q, const ir_value *v) {
  return !v || facts_of(q->known, v).min >= 0;
}

/* What grows is compared with a limit. */
static bool take_growing(const splitter *q, ir_value *less, ir_value *more, mask *out) {
  linear x;
  if (!loop_excludes(q->loop, more) || !has_bound(q, more, 0)) return false;
  if (!describe(q, less, &x, 0) || x.factor < 1 || x.min < 0) return false;
  if (x.sign < 0 || !is_start(q, x.start)) return false;
  *out = (mask){.factor = x.factor, .above = x.max, .start = x.start, .limit = more};
  return true;
}

/* Offsets are compared with what falls. */
static bool take_falling(const splitter *q, ir_value *less, ir_value *more, mask *out) {
  linear x, y;
  if (!describe(q, less, &x, 0) || x.factor || x.start || x.min < 0) return false;
  if (!describe(q, more, &y, 0) || y.factor > -1 || !y.start || y.sign < 0) return false;
  if (y.min != 0 || y.max != 0) return false;
  *out = (mask){.factor = -y.factor, .above = x.max, .limit = y.start};
  return true;
}

static bool take_mask(const splitter *q, ir_op *cmp, mask *out) {
  ir_value *less, *more;
  bool strict;
  if (cmp->opcode != OP_cmpi || ir_is_scalar(ir_operand(cmp, 0)->type)) return false;
  if (!is_integer(ir_operand(cmp, 0)) || !take_sides(cmp, &less, &more, &strict)) return false;
  if (ir_operand(cmp, 0)->type->elem != ir_counter(q->loop)->type->elem) return false;
  if (!take_growing(q, less, more, out) && !take_falling(q, less, more, out)) return false;
  out->cmp = cmp;
  out->above += strict;
  return out->above >= 1;
}

/* How many iterations from 0 on it leaves whole: (limit - above - start) / factor + 1, at least 0.
 */
static ir_value *whole_iterations(const splitter *q, const maker *k, const mask *x) {
  const ir_type *type = ir_counter(q->loop)->type;
  ir_value *limit = lower_bound(q, k, x->limit), *above = number(k, type, x->above);
  limit = loop_make_signed(k, OP_maxi, limit, number(k, type, x->above - 1), true);
  ir_value *room = loop_make(k, OP_subi, limit, above);
  if (x->start) room = loop_make(k, OP_subi, room, x->start);
  if (x->factor != 1) {
    room = loop_make_signed(k, OP_divi, room, number(k, type, x->factor), true);
    ir_set_int(room->owner.op, ATTR_rounding, ROUND_NEGATIVE_INF);
  }
  room = loop_make(k, OP_addi, room, number(k, type, 1));
  return loop_make_signed(k, OP_maxi, room, number(k, type, 0), true);
}

/* ---- loops ---------------------------------------------------------------------------------- */

static bool has_product(const ir_op *loop) {
  for (const ir_op *op = loop->regions[0]->first; op; op = op->next)
    if (op->opcode == OP_mmaf || op->opcode == OP_mmai) return true;
  return false;
}

static void split(splitter *q, const mask *masks, unsigned n) {
  ir_op *loop = q->loop;
  ir_value *low = ir_operand(loop, 0), *high = ir_operand(loop, 1), *step = ir_operand(loop, 2);
  maker k = {q->run->m, loop, true};
  ir_value *middle = high;
  for (unsigned i = 0; i < n; i++)
    middle = loop_make_signed(&k, OP_mini, middle, whole_iterations(q, &k, &masks[i]), true);
  middle = loop_make_signed(&k, OP_maxi, middle, low, true);
  middle = loop_align(&k, middle, low, high, step);
  value_map vm = {.arena = q->run->temp};
  loop_cut_at(q->run, loop, middle, &vm);
  for (unsigned i = 0; i < n; i++)
    loop_settle(q->run, value_map_get(&vm, ir_result(masks[i].cmp, 0))->owner.op, true);
}

static void visit_loop(splitter *q, ir_op *loop) {
  mask masks[MOST_MASKS];
  unsigned n = 0;
  q->loop = loop;
  if (ir_int_attr(loop, ATTR_unsignedCmp) || !has_product(loop)) return;
  if (!is_integer(ir_counter(loop)) || facts_of(q->known, ir_counter(loop)).min < 0) return;
  for (ir_op *op = loop->regions[0]->first; op && n < MOST_MASKS; op = op->next)
    n += take_mask(q, op, &masks[n]);
  uint64_t size = loop_size(loop);
  if (n == 0 || size > q->budget) return;
  q->budget -= size;
  split(q, masks, n);
}

static void walk_block(splitter *q, ir_block *b) {
  for (ir_op *op = b->first; op; op = op->next) {
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) walk_block(q, op->regions[r]);
    if (op->opcode == OP_for) visit_loop(q, op);
  }
}

void opt_split_masks(opt_run *r) {
  splitter q = {.run = r, .known = facts_compute(r->m->op, r->temp)};
  q.budget = 1000 + 2 * loop_size(r->m->op);
  walk_block(&q, ir_region(r->m->op, 0));
}
