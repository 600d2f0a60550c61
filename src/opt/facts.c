/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * facts: sparse propagation. Every value starts as "not computed yet"; what is known of an
 * operation's operands gives what is known of its results; a result that became less certain puts
 * its users on a list. Loops thereby start with what enters them and lose certainty only as far as
 * an iteration takes it away. What would shrink step by step (the range of a counter) is given up
 * after a few steps, so that each value changes a bounded number of times.
 */
#include "opt/facts.h"

#include "num/num.h"
#include "opt/rewrite.h"

enum { MAX_STEPS = 4 /* changes of a value before its range is given up */ };

typedef struct state {
  fact f;
  uint8_t steps;
  bool reached;
} state;

struct facts {
  map index; /* value -> 1 + index into states */
  state *states;
};

typedef struct solver {
  facts *out;
  arena *arena;
  VEC(ir_op *) todo;
  bool first_walk; /* users of a value that is new lie ahead */
} solver;

/* ---- single facts --------------------------------------------------------------------------- */

static unsigned width_of(const ir_type *t) {
  return t->elem == TSR_PTR ? 64 : tsr_elem_bits((tsr_elem)t->elem);
}
static bool has_facts(const ir_type *t) {
  return t->kind == IR_TILE && (tsr_elem_is_int((tsr_elem)t->elem) || t->elem == TSR_PTR);
}

static fact unknown(const ir_type *t) {
  fact f = {.min = INT64_MIN, .max = INT64_MAX, .divisor = 1};
  if (!has_facts(t)) return f;
  f.min = num_int_min(width_of(t));
  f.max = num_int_max(width_of(t));
  f.uniform = t->count == 1;
  return f;
}

/* The largest power of two that divides a number; 0 for 0. */
static uint64_t power_in(uint64_t x) {
  return x & (0 - x);
}
static uint64_t smaller(uint64_t a, uint64_t b) { /* of divisors: gcd */
  if (a == 0 || b == 0) return a | b;
  return MIN(a, b);
}

/* A range in numbers without a width; beyond the type it says nothing. */
static void set_range(fact *f, const ir_type *t, num_i128 min, num_i128 max) {
  if (!num_int_fits(min, width_of(t), true) || !num_int_fits(max, width_of(t), true)) return;
  f->min = (int64_t)min;
  f->max = (int64_t)max;
}

static fact number(const ir_type *t, uint64_t pattern) {
  fact f = unknown(t);
  f.min = f.max = num_sext(pattern, width_of(t));
  f.divisor = power_in(pattern);
  f.uniform = true;
  return f;
}

static fact join(fact a, fact b) {
  return (fact){.min = MIN(a.min, b.min),
                .max = MAX(a.max, b.max),
                .divisor = smaller(a.divisor, b.divisor),
                .uniform = a.uniform && b.uniform};
}

static bool same(fact a, fact b) {
  return a.min == b.min && a.max == b.max && a.divisor == b.divisor && a.uniform == b.uniform;
}

/* ---- the state ------------------------------------------------------------------------------ */

static state *state_of(const facts *f, const ir_value *v) {
  uintptr_t *i = map_get(&f->index, (uintptr_t)v);
  return i ? &f->states[*i - 1] : NULL;
}

static void push_users(solver *s, const ir_value *v) {
  for (const ir_use *u = v->uses; u; u = u->next) vec_push(s->arena, s->todo, u->user);
}

static unsigned steps_taken(state *x) {
  if (x->steps <= MAX_STEPS) x->steps++;
  return x->steps;
}

/* What is known now, joined with what was; users hear of it when that is less. */
static void learn(solver *s, const ir_value *v, fact f) {
  state *x = state_of(s->out, v);
  if (!x) return;
  bool is_new = !x->reached;
  fact before = x->f, all = is_new ? f : join(before, f);
  if (!is_new && same(before, all)) return;
  if (!is_new && steps_taken(x) > MAX_STEPS) {
    fact none = unknown(v->type);
    if (all.min < before.min) all.min = none.min;
    if (all.max > before.max) all.max = none.max;
  }
  x->f = all;
  x->reached = true;
  if (!is_new || !s->first_walk) push_users(s, v);
}

static bool is_reached(const solver *s, const ir_value *v) {
  const state *x = state_of(s->out, v);
  return !x || x->reached;
}

fact facts_of(const facts *f, const ir_value *v) {
  const state *x = state_of(f, v);
  return x && x->reached ? x->f : unknown(v->type);
}

static fact known(const solver *s, const ir_op *op, uint32_t i) {
  return facts_of(s->out, ir_operand(op, i));
}

/* ---- constants ------------------------------------------------------------------------------ */

static fact of_constant(const ir_op *op) {
  enum { MAX_READ = 4096 };
  const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
  const ir_type *t = d->type;
  if (!has_facts(t)) return unknown(t);
  fact f = number(t, ir_dense_get(d, 0));
  if (d->splat) return f;
  if (t->count > MAX_READ) return unknown(t);
  for (int64_t i = 1; i < t->count; i++) f = join(f, number(t, ir_dense_get(d, i)));
  f.uniform = f.min == f.max;
  return f;
}

static fact of_iota(const ir_type *t) {
  fact f = unknown(t);
  set_range(&f, t, 0, t->count - 1);
  if (t->count == 1) f.divisor = 0;
  return f;
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

static bool keeps_signed(const ir_op *op) {
  return ir_int_attr(op, ATTR_overflow) & OVERFLOW_NSW;
}

/* A result that could leave its type has, with a promise, the part of the range that is left. */
static void set_promised(fact *f, const ir_op *op, const ir_type *t, num_i128 min, num_i128 max) {
  if (keeps_signed(op)) {
    num_i128 low = num_int_min(width_of(t)), high = num_int_max(width_of(t));
    min = MAX(min, low);
    max = MIN(max, high);
    if (min > max) return; /* undefined in any case */
  }
  set_range(f, t, min, max);
}

static uint64_t product_divisor(uint64_t a, uint64_t b) {
  uint64_t d;
  if (a == 0 || b == 0) return 0;
  return __builtin_mul_overflow(a, b, &d) ? UINT64_C(1) << 63 : d;
}

/* No divisor says more than the width can hold. */
static void trim_divisor(fact *f, const ir_type *t) {
  unsigned width = width_of(t);
  if (f->divisor && width < 64 && f->divisor >> width) f->divisor = UINT64_C(1) << width;
}

static fact of_sum(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), b = known(s, op, 1), f = unknown(t);
  f.divisor = smaller(a.divisor, b.divisor);
  f.uniform = a.uniform && b.uniform;
  if (op->opcode == OP_addi)
    set_promised(&f, op, t, (num_i128)a.min + b.min, (num_i128)a.max + b.max);
  else
    set_promised(&f, op, t, (num_i128)a.min - b.max, (num_i128)a.max - b.min);
  return f;
}

static fact of_product(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), b = known(s, op, 1), f = unknown(t);
  num_i128 p[] = {(num_i128)a.min * b.min, (num_i128)a.min * b.max, (num_i128)a.max * b.min,
                  (num_i128)a.max * b.max};
  num_i128 min = p[0], max = p[0];
  for (int i = 1; i < 4; i++) {
    min = MIN(min, p[i]);
    max = MAX(max, p[i]);
  }
  f.divisor = product_divisor(a.divisor, b.divisor);
  f.uniform = a.uniform && b.uniform;
  set_promised(&f, op, t, min, max);
  trim_divisor(&f, t);
  return f;
}

static fact of_shift_left(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), b = known(s, op, 1), f = unknown(t);
  int64_t by;
  f.uniform = a.uniform && b.uniform;
  if (!fact_is_number(b, &by) || by < 0 || by >= width_of(t)) return f;
  f.divisor = product_divisor(a.divisor, UINT64_C(1) << by);
  set_promised(&f, op, t, (num_i128)a.min * ((num_i128)1 << by),
               (num_i128)a.max * ((num_i128)1 << by));
  trim_divisor(&f, t);
  return f;
}

static fact of_shift_right(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), b = known(s, op, 1), f = unknown(t);
  int64_t by;
  f.uniform = a.uniform && b.uniform;
  if (!fact_is_number(b, &by) || by < 0 || by >= width_of(t)) return f;
  if (a.divisor == 0)
    f.divisor = 0;
  else
    f.divisor = MAX(a.divisor >> by, UINT64_C(1));
  bool is_signed = ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
  if (is_signed || a.min >= 0)
    set_range(&f, t, a.min >> by, a.max >> by);
  else if (by > 0)
    set_range(&f, t, 0, (num_i128)(num_mask(width_of(t)) >> by));
  return f;
}

/* Of what may be negative, by what is positive. Unsigned, that is a large number. */
static void of_any_division(fact *f, const ir_op *op, const ir_type *t, fact a, fact b, bool up) {
  bool is_signed = ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
  bool down = op->opcode == OP_divi && ir_int_attr(op, ATTR_rounding) == ROUND_NEGATIVE_INF;
  num_i128 most = ((num_i128)1 << width_of(t)) - 1;
  if (op->opcode == OP_remi)
    set_range(f, t, is_signed ? 1 - (num_i128)b.max : 0, b.max - 1);
  else if (!is_signed)
    set_range(f, t, 0, most / b.min + (up && most % b.min != 0));
  else
    set_range(f, t, a.min / b.min - (down && a.min % b.min != 0),
              a.max < 0 ? 0 : a.max / b.min + (up && a.max % b.min != 0));
}

/* A multiple of a power of two is divided by it without a rest, whatever its sign. */
static uint64_t quotient_divisor(fact a, fact b) {
  int64_t by;
  if (a.divisor == 0) return 0;
  if (!fact_is_number(b, &by) || power_in((uint64_t)by) != (uint64_t)by) return 1;
  return MAX(a.divisor / (uint64_t)by, UINT64_C(1));
}

static fact of_division(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), b = known(s, op, 1), f = unknown(t);
  f.uniform = a.uniform && b.uniform;
  if (b.min <= 0) return f;
  bool up = op->opcode == OP_divi && ir_int_attr(op, ATTR_rounding) == ROUND_POSITIVE_INF;
  f.divisor = op->opcode == OP_remi ? smaller(a.divisor, b.divisor) : quotient_divisor(a, b);
  if (a.min < 0)
    of_any_division(&f, op, t, a, b, up);
  else if (op->opcode == OP_remi)
    set_range(&f, t, 0, MIN(a.max, b.max - 1));
  else
    set_range(&f, t, a.min / b.max, (a.max / b.min) + (up && a.max % b.min != 0));
  return f;
}

static fact of_extreme(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), b = known(s, op, 1), f = join(a, b);
  bool is_signed = ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
  (void)t;
  if (!is_signed && (a.min < 0 || b.min < 0)) return f;
  if (op->opcode == OP_maxi)
    f.min = MAX(a.min, b.min);
  else
    f.max = MIN(a.max, b.max);
  return f;
}

/* A mask of low bits keeps the rest of a division by a power of two. */
static fact of_bits(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), b = known(s, op, 1), f = unknown(t);
  f.uniform = a.uniform && b.uniform;
  if (op->opcode == OP_andi) {
    if (a.divisor == 0 || b.divisor == 0)
      f.divisor = 0;
    else
      f.divisor = MAX(a.divisor, b.divisor);
    if (a.min >= 0 && b.min >= 0)
      set_range(&f, t, 0, MIN(a.max, b.max));
    else if (a.min >= 0)
      set_range(&f, t, 0, a.max);
    else if (b.min >= 0)
      set_range(&f, t, 0, b.max);
    return f;
  }
  f.divisor = smaller(a.divisor, b.divisor);
  if (a.min < 0 || b.min < 0) return f;
  uint64_t high = (uint64_t)(a.max | b.max), all = 0;
  while (all < high) all = all << 1 | 1;
  set_range(&f, t, 0, (num_i128)all);
  return f;
}

static fact of_sign(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), f = unknown(t);
  num_i128 min = -(num_i128)a.max, max = -(num_i128)a.min;
  f.divisor = a.divisor;
  f.uniform = a.uniform;
  if (op->opcode == OP_absi) { /* the smallest number stays what it is */
    if (!num_int_fits(max, width_of(t), true)) return f;
    max = MAX(max, a.max);
    min = a.min > 0 ? a.min : a.max < 0 ? min : 0;
  }
  set_range(&f, t, min, max);
  return f;
}

static fact of_cmpi(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), b = known(s, op, 1), f = unknown(t);
  f.uniform = a.uniform && b.uniform;
  if (ir_int_attr(op, ATTR_signedness) == SIGN_UNSIGNED && (a.min < 0 || b.min < 0)) return f;
  bool less = a.max<b.min, less_equal = a.max <= b.min, more = a.min> b.max,
       more_equal = a.min >= b.max, yes, no;
  switch (ir_int_attr(op, ATTR_comparison_predicate)) {
  case CMP_LESS: yes = less, no = more_equal; break;
  case CMP_LESS_EQUAL: yes = less_equal, no = more; break;
  case CMP_GREATER: yes = more, no = less_equal; break;
  case CMP_GREATER_EQUAL: yes = more_equal, no = less; break;
  case CMP_EQUAL: yes = less_equal && more_equal, no = less || more; break;
  default: yes = less || more, no = less_equal && more_equal; break;
  }
  return yes || no ? number(t, yes) : f;
}

/* ---- conversions ---------------------------------------------------------------------------- */

static fact of_widening(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), f = unknown(t);
  unsigned from = width_of(ir_operand(op, 0)->type);
  f.uniform = a.uniform;
  f.divisor = a.divisor;
  if (ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED || a.min >= 0)
    set_range(&f, t, a.min, a.max);
  else
    set_range(&f, t, 0, (num_i128)num_mask(from));
  return f;
}

static fact of_narrowing(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), f = unknown(t);
  f.uniform = a.uniform;
  f.divisor = a.divisor;
  set_promised(&f, op, t, a.min, a.max);
  trim_divisor(&f, t);
  return f;
}

/* Addresses: alignment only. */
static fact of_address(const solver *s, const ir_op *op, const ir_type *t) {
  fact a = known(s, op, 0), f = unknown(t);
  f.divisor = a.divisor;
  f.uniform = a.uniform;
  if (op->opcode != OP_offset) return f;
  fact b = known(s, op, 1);
  f.uniform = a.uniform && b.uniform;
  uint64_t by = b.divisor;
  unsigned bits = tsr_elem_bits((tsr_elem)t->pointee);
  if (num_shares_bytes(bits))
    by = 1; /* the pointer's high bits say where in its byte an element begins */
  else if (bits == 4)
    by = by == 1 ? 1 : by / 2;
  else
    by = product_divisor(by, tsr_elem_storage((tsr_elem)t->pointee, 1));
  f.divisor = smaller(a.divisor, by);
  return f;
}

/* ---- assumptions ---------------------------------------------------------------------------- */

static fact of_assume(const solver *s, const ir_op *op, const ir_type *t) {
  const ir_predicate *p = ir_get_attr(op, ATTR_predicate)->predicate;
  fact f = known(s, op, 0);
  switch ((ir_predicate_kind)p->kind) {
  case IR_DIV_BY:
    if (!p->has_every && f.divisor && p->divisor > f.divisor) f.divisor = power_in(p->divisor);
    break;
  case IR_BOUNDED:
    if (p->has_lower && p->lower <= f.max) f.min = MAX(f.min, p->lower);
    if (p->has_upper && p->upper >= f.min) f.max = MIN(f.max, p->upper);
    break;
  default: { /* equal along all of every dimension */
    bool all = p->values->len == t->rank;
    for (uint32_t d = 0; all && d < t->rank; d++)
      all = t->shape[d] == 1 || p->values->data[d] == t->shape[d];
    f.uniform |= all;
  }
  }
  return f;
}

/* ---- operations ----------------------------------------------------------------------------- */

static fact of_move(const solver *s, const ir_op *op, const ir_type *t) {
  fact f = known(s, op, 0);
  const ir_type *from = ir_operand(op, 0)->type;
  f.uniform |= t->count == 1 || from->count == 1;
  return f;
}

/* cat, insert: elements of either tile. */
static fact of_cat(const solver *s, const ir_op *op, const ir_type *t) {
  fact f = join(known(s, op, 0), known(s, op, 1));
  int64_t n;
  (void)t;
  f.uniform = fact_is_number(f, &n);
  return f;
}

static fact of_select(const solver *s, const ir_op *op, const ir_type *t) {
  fact c = known(s, op, 0), a = known(s, op, 1), b = known(s, op, 2);
  int64_t condition, n;
  (void)t;
  if (fact_is_number(c, &condition)) return condition ? a : b;
  fact f = join(a, b);
  f.uniform = fact_is_number(f, &n) || (c.uniform && f.uniform);
  return f;
}

/* The range of a tile block's position, of the grid and of extents: not negative. */
static fact of_count(const ir_op *op, const ir_type *t) {
  fact f = unknown(t);
  int64_t max = num_int_max(width_of(t));
  if (width_of(t) < 32) return f; /* an extent may wrap */
  if (op->opcode == OP_get_num_tile_blocks) set_range(&f, t, 1, max);
  if (op->opcode == OP_get_tile_block_id) set_range(&f, t, 0, max - 1);
  return f;
}

static fact of_result(const solver *s, const ir_op *op, const ir_type *t) {
  switch (op->opcode) {
  case OP_constant: return of_constant(op);
  case OP_iota: return of_iota(t);
  case OP_addi:
  case OP_subi: return of_sum(s, op, t);
  case OP_muli: return of_product(s, op, t);
  case OP_shli: return of_shift_left(s, op, t);
  case OP_shri: return of_shift_right(s, op, t);
  case OP_divi:
  case OP_remi: return of_division(s, op, t);
  case OP_maxi:
  case OP_mini: return of_extreme(s, op, t);
  case OP_andi:
  case OP_ori:
  case OP_xori: return of_bits(s, op, t);
  case OP_negi:
  case OP_absi: return of_sign(s, op, t);
  case OP_cmpi: return of_cmpi(s, op, t);
  case OP_exti: return of_widening(s, op, t);
  case OP_trunci: return of_narrowing(s, op, t);
  case OP_offset:
  case OP_ptr_to_ptr:
  case OP_ptr_to_int:
  case OP_int_to_ptr: return of_address(s, op, t);
  case OP_assume: return of_assume(s, op, t);
  case OP_reshape:
  case OP_permute:
  case OP_broadcast:
  case OP_extract: return of_move(s, op, t);
  case OP_cat:
  case OP_insert: return of_cat(s, op, t);
  case OP_select: return of_select(s, op, t);
  case OP_get_tile_block_id:
  case OP_get_num_tile_blocks: return of_count(op, t);
  default: return unknown(t);
  }
}

/* ---- control flow --------------------------------------------------------------------------- */

/* The induction variable starts at the lower bound, moves by the step and stays below the upper. */
static void visit_for(solver *s, const ir_op *op) {
  const ir_block *b = op->regions[0];
  fact low = known(s, op, 0), high = known(s, op, 1), step = known(s, op, 2), f = low;
  for (uint32_t i = 0; i < 3; i++)
    if (!is_reached(s, ir_operand(op, i))) return;
  fact none = unknown(b->args[0].type);
  bool is_unsigned = ir_int_attr(op, ATTR_unsignedCmp);
  f.divisor = smaller(low.divisor, step.divisor);
  f.max = high.max > none.min ? high.max - 1 : none.min;
  if (is_unsigned && (low.min < 0 || high.min < 0)) { /* numbers read as signed mean little */
    f.min = none.min;
    f.max = none.max;
  }
  if (f.max < f.min) f.max = f.min; /* it never runs */
  f.uniform = b->args[0].type->count == 1;
  learn(s, &b->args[0], f);
  for (uint32_t i = 1; i < b->n_args; i++) {
    if (!is_reached(s, ir_operand(op, 2 + i))) continue;
    learn(s, &b->args[i], known(s, op, 2 + i));
    learn(s, ir_result(op, i - 1), known(s, op, 2 + i)); /* it may run zero times */
  }
}

static void visit_loop(solver *s, const ir_op *op) {
  const ir_block *b = op->regions[0];
  for (uint32_t i = 0; i < b->n_args; i++)
    if (is_reached(s, ir_operand(op, i))) learn(s, &b->args[i], known(s, op, i));
}

/* Hands values to the arguments and results that get them. */
static void visit_jump(solver *s, const ir_op *op) {
  const ir_op *target = op->opcode == OP_yield ? op->block->parent : jump_target(op);
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (!is_reached(s, ir_operand(op, i))) continue;
    fact f = known(s, op, i);
    if (op->opcode == OP_yield && target->opcode != OP_if) continue;
    if (op->opcode != OP_continue) {
      learn(s, ir_result(target, i), f);
      continue;
    }
    learn(s, &target->regions[0]->args[i + (target->opcode == OP_for)], f);
    if (target->opcode == OP_for) learn(s, ir_result(target, i), f);
  }
}

/* Bodies of reduce and scan get elements, and what they give is not followed. */
static void visit_opaque(solver *s, const ir_op *op) {
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      learn(s, &op->regions[r]->args[i], unknown(op->regions[r]->args[i].type));
  for (uint32_t i = 0; i < op->n_results; i++)
    learn(s, ir_result(op, i), unknown(ir_result(op, i)->type));
}

static bool operands_reached(const solver *s, const ir_op *op) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!is_reached(s, ir_operand(op, i))) return false;
  return true;
}

static void visit(solver *s, const ir_op *op) {
  switch (op->opcode) {
  case OP_if: return; /* its results come from its yields */
  case OP_for: visit_for(s, op); return;
  case OP_loop: visit_loop(s, op); return;
  case OP_yield:
  case OP_break:
  case OP_continue: visit_jump(s, op); return;
  case OP_return: return;
  default: break;
  }
  if (op->n_regions) {
    visit_opaque(s, op);
    return;
  }
  if (!operands_reached(s, op)) return;
  for (uint32_t i = 0; i < op->n_results; i++)
    learn(s, ir_result(op, i), of_result(s, op, ir_result(op, i)->type));
}

/* ---- all of it ------------------------------------------------------------------------------ */

typedef struct numbering {
  facts *f;
  arena *arena;
  uintptr_t n;
} numbering;

static void number_value(numbering *q, const ir_value *v) {
  *map_put(q->arena, &q->f->index, (uintptr_t)v) = ++q->n;
}

static bool number_values(void *user, ir_op *op) {
  numbering *q = user;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (has_facts(op->results[i].type)) number_value(q, &op->results[i]);
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      if (has_facts(op->regions[r]->args[i].type)) number_value(q, &op->regions[r]->args[i]);
  return true;
}

static bool visit_first(void *user, ir_op *op) {
  visit(user, op);
  return true;
}

facts *facts_compute(ir_op *root, arena *a) {
  facts *f = arena_new(a, facts);
  numbering q = {.f = f, .arena = a};
  ir_walk(root, number_values, &q);
  f->states = arena_array(a, state, q.n + 1);
  memset(f->states, 0, (q.n + 1) * sizeof(state));
  solver s = {.out = f, .arena = a};
  /* Once in the order of the text, which settles all but what loops hand back; then that. */
  s.first_walk = true;
  ir_walk(root, visit_first, &s);
  s.first_walk = false;
  while (s.todo.len) visit(&s, vec_pop(s.todo));
  return f;
}
