/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a program says of its numbers: tl.multiple_of, tl.max_constancy, tl.assume. It becomes
 * assumptions, which the sanitizer checks.
 */
#include "num/num.h"
#include "ttir/lower.h"

static ir_value *assumed(lowering *l, ir_value *v, ir_predicate predicate) {
  ir_predicate *p = arena_new(&l->m->arena, ir_predicate);
  *p = predicate;
  ir_value *made = tt_emit1(l, OP_assume, v->type, v);
  ir_set_attr(ir_defining_op(made), ATTR_predicate, (ir_attr){.predicate = p});
  return made;
}

static bool is_number(const ir_type *t) {
  return tsr_elem_is_int((tsr_elem)t->elem) && t->elem != TSR_I1;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static int64_t only_int(const tt_attr *a) {
  return !a                   ? 0
         : a->kind == TT_INT  ? a->i
         : a->kind == TT_INTS ? (a->n_ints == 1 ? a->ints[0] : 0)
                              : 0;
}

static void assume_divisor(lowering *l, ir_value **v, int64_t divisor) {
  const ir_type *t = (*v)->type;
  if (!ir_is_scalar(t) || (t->elem != TSR_PTR && !is_number(t))) return;
  if (divisor > 1 && !(divisor & (divisor - 1)))
    *v = assumed(l, *v, (ir_predicate){.kind = IR_DIV_BY, .divisor = (uint64_t)divisor});
}

/* Along each dimension, how many elements that follow each other are the same. */
static void assume_constancy(lowering *l, ir_value **v, const tt_attr *a) {
  const ir_type *t = (*v)->type;
  if (a->kind != TT_INTS || a->n_ints != t->rank || !t->rank || !is_number(t)) return;
  ir_ints *same = arena_alloc(&l->m->arena, sizeof *same + t->rank * sizeof same->data[0], 8);
  same->len = t->rank;
  for (unsigned d = 0; d < t->rank; d++) same->data[d] = MAX(1, MIN(a->ints[d], t->shape[d]));
  *v = assumed(l, *v, (ir_predicate){.kind = IR_SAME_ELEMENTS, .values = same});
}

void tt_assume_attrs(lowering *l, ir_value **v, const tt_attr *attrs) {
  const tt_attr *constancy = tt_find_attr(attrs, "tt.constancy");
  assume_divisor(l, v, only_int(tt_find_attr(attrs, "tt.divisibility")));
  if (constancy) assume_constancy(l, v, constancy);
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* The values that hold at once, as the comparison with a constant says. */
static ir_predicate bounds(ir_cmp_predicate how, int64_t k) {
  ir_predicate p = {.kind = IR_BOUNDED, .lower = k, .upper = k};
  p.has_lower = how == CMP_EQUAL || how == CMP_GREATER || how == CMP_GREATER_EQUAL;
  p.has_upper = how == CMP_EQUAL || how == CMP_LESS || how == CMP_LESS_EQUAL;
  p.lower += how == CMP_GREATER;
  p.upper -= how == CMP_LESS;
  return p;
}

static ir_cmp_predicate mirrored(ir_cmp_predicate how) {
  switch (how) {
  case CMP_LESS: return CMP_GREATER;
  case CMP_LESS_EQUAL: return CMP_GREATER_EQUAL;
  case CMP_GREATER: return CMP_LESS;
  case CMP_GREATER_EQUAL: return CMP_LESS_EQUAL;
  default: return how;
  }
}

/* Where the value was made, all that comes after the assumption sees it. */
static bool is_made_here(const lowering *l, const ir_value *v) {
  return (v->is_arg ? v->owner.block : v->owner.op->block) == l->block;
}

/* Of a remainder that is zero, what was divided is a multiple. */
static void suppose_multiple(lowering *l, const tt_value *remainder) {
  const tt_op *op = remainder->op;
  int64_t divisor;
  if (!op || !(str_is(op->name, "arith.remsi") || str_is(op->name, "arith.remui"))) return;
  tt_value *divided = op->operands[0];
  if (divided->now && op->operands[1]->now && is_made_here(l, divided->now) &&
      ir_constant_int(op->operands[1]->now, &divisor))
    assume_divisor(l, &divided->now, divisor);
}

static void suppose_bounds(lowering *l, tt_value *v, ir_cmp_predicate how, int64_t k) {
  unsigned bits = tsr_elem_bits((tsr_elem)v->now->type->elem);
  int64_t most = INT64_MAX >> (64 - bits);
  if (how == CMP_EQUAL && k == 0) suppose_multiple(l, v);
  if (!is_made_here(l, v->now) || how == CMP_NOT_EQUAL) return;
  if ((how == CMP_LESS && k == -most - 1) || (how == CMP_GREATER && k == most)) return;
  v->now = assumed(l, v->now, bounds(how, k));
}

static void suppose_comparison(lowering *l, const tt_op *op, const ir_op *made) {
  tt_value *a = op->operands[0], *b = op->operands[1];
  ir_cmp_predicate how = (ir_cmp_predicate)ir_int_attr(made, ATTR_comparison_predicate);
  bool exact = how == CMP_EQUAL || ir_int_attr(made, ATTR_signedness) == SIGN_SIGNED;
  int64_t k;
  if (!exact || !a->now || !b->now || !ir_is_scalar(a->now->type) || !is_number(a->now->type))
    return;
  if (ir_constant_int(b->now, &k))
    suppose_bounds(l, a, how, k);
  else if (ir_constant_int(a->now, &k))
    suppose_bounds(l, b, mirrored(how), k);
}

/* Conditions may be joined by `and`. */
static void suppose(lowering *l, const tt_value *condition, unsigned depth) {
  enum { MAX_DEPTH = 4 };
  const tt_op *op = condition->op;
  if (!op || !condition->now || condition->now->is_arg || depth > MAX_DEPTH) return;
  if (str_is(op->name, "arith.andi")) {
    suppose(l, op->operands[0], depth + 1);
    suppose(l, op->operands[1], depth + 1);
  } else if (str_is(op->name, "arith.cmpi") && ir_defining_op(condition->now)->opcode == OP_cmpi) {
    suppose_comparison(l, op, ir_defining_op(condition->now));
  }
}

/* Comparisons of scalars with constants are assumed; what else conditions say is dropped. */
bool tt_lower_assume(lowering *l, tt_op *op) {
  if (!op->n_operands || l->in_fold) return true;
  if (!tt_use(l, op, 0)) return false;
  suppose(l, op->operands[0], 0);
  return true;
}
