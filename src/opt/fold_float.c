/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What may be done to floating-point operations without changing a bit. Three things make most
 * identities of the reals wrong:
 *
 *   -0   x + 0 is not x for x = -0, but x + -0 is, unless it rounds towards negative infinity;
 *   NaN  every operation gives the canonical NaN, so "x" may stand for "x * 1" only where x cannot
 *        be another one: when arithmetic made it (is_canonical);
 *   subnormal numbers become zeros under flush_to_zero: such operations are left alone.
 */
#include "num/num.h"
#include "opt/fold.h"

static ir_value *operand(const ir_op *op, uint32_t i) {
  return ir_operand(op, i);
}
static const num_format *format_of(const ir_op *op) {
  return num_format_of((tsr_elem)operand(op, 0)->type->elem);
}
static bool flushes(const ir_op *op) {
  return ir_attr_slot((op_code)op->opcode, ATTR_flush_to_zero) >= 0 &&
         ir_int_attr(op, ATTR_flush_to_zero);
}
static bool rounds_down(const ir_op *op) {
  return ir_int_attr(op, ATTR_rounding_mode) == ROUND_NEGATIVE_INF;
}
static bool is_one(const ir_op *op, const ir_value *v, bool negative) {
  const num_format *f = format_of(op);
  return is_splat_of(v, negative ? num_neg(f, num_one(f)) : num_one(f));
}
static bool is_zero(const ir_op *op, const ir_value *v, bool negative) {
  return is_splat_of(v, num_zero(format_of(op), negative));
}

/* Whether every NaN in the value is the canonical one. Looks through a few moves of elements. */
static bool is_canonical(const ir_value *v) {
  for (int depth = 0; depth < 8; depth++) {
    const ir_op *op = ir_defining_op(v);
    uint64_t pattern;
    if (!op) return false;
    if (splat_of(v, &pattern)) {
      const num_format *f = num_format_of((tsr_elem)v->type->elem);
      return !num_is_nan(f, pattern) || pattern == num_nan(f);
    }
    const op_row *row = ir_row(op);
    if (row->group == GROUP_FLOAT && row->traits & TRAIT_ELEMENTWISE) return true;
    if (op->opcode == OP_itof || op->opcode == OP_ftof) return true;
    if (!(row->traits & TRAIT_INDEX_MAP) && op->opcode != OP_extract) return false;
    v = operand(op, 0);
  }
  return false;
}

static ir_value *make_like(folder *f, ir_op *op, op_code opcode, uint32_t n, ir_value **operands) {
  ir_value *v = fold_make(f, op, opcode, n, operands);
  rewrite_copy_attrs(v->owner.op, op);
  return v;
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* x + (-y) is x - y, x - (-y) is x + y, in every mode. A product goes to the left, where fuse-fma
 * looks for it. */
static ir_value *fold_addf(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1);
  ir_op *minus = made_by(y, OP_negf);
  if (!flushes(op) && !rounds_down(op) && is_zero(op, y, true) && is_canonical(x)) return x;
  if (minus) return make_like(f, op, OP_subf, 2, (ir_value *[]){x, operand(minus, 0)});
  if (made_by(y, OP_mulf) && !made_by(x, OP_mulf)) {
    fold_set_operand(f, op, 0, y);
    fold_set_operand(f, op, 1, x);
  }
  return NULL;
}

static ir_value *fold_subf(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1);
  ir_op *minus = made_by(y, OP_negf);
  if (!flushes(op) && !rounds_down(op) && is_zero(op, y, false) && is_canonical(x)) return x;
  if (minus) return make_like(f, op, OP_addf, 2, (ir_value *[]){x, operand(minus, 0)});
  return NULL;
}

/* ---- products ------------------------------------------------------------------------------- */

static ir_value *fold_times_one(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1);
  if (flushes(op)) return NULL;
  if (is_one(op, y, false) && is_canonical(x)) return x;
  return is_one(op, y, true) ? fold_make(f, op, OP_negf, 1, &x) : NULL;
}

/* 1 / pattern, when that is a normal power of two: multiplying with it is dividing, exactly. */
static bool reciprocal(const num_format *f, uint64_t pattern, uint64_t *out) {
  uint64_t one = num_one(f);
  if (!num_is_finite(f, pattern) || num_is_zero(f, pattern) || num_is_subnormal(f, pattern))
    return false;
  *out = num_div(f, one, pattern, NUM_NEAREST_EVEN, false);
  if (!num_is_finite(f, *out) || num_is_subnormal(f, *out) || num_is_zero(f, *out)) return false;
  return num_magnitude(f, pattern) << (64 - f->mantissa_bits) == 0;
}

static ir_value *fold_divf(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1), *v = fold_times_one(f, op);
  uint64_t by;
  if (v || !splat_of(y, &by) || !reciprocal(format_of(op), by, &by)) return v;
  int64_t mode = ir_int_attr(op, ATTR_rounding_mode);
  v = make_like(f, op, OP_mulf, 2, (ir_value *[]){x, rewrite_splat(f->m, op, y->type, by)});
  if (mode == ROUND_APPROX || mode == ROUND_FULL)
    ir_set_int(v->owner.op, ATTR_rounding_mode, ROUND_NEAREST_EVEN);
  return v;
}

/* x * 1 + z, and x * y + -0. */
static ir_value *fold_fma(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1), *z = operand(op, 2);
  if (constant_of(x) && !constant_of(y)) {
    fold_set_operand(f, op, 0, y);
    fold_set_operand(f, op, 1, x);
    return NULL;
  }
  if (flushes(op)) return NULL;
  if (is_one(op, y, false)) return make_like(f, op, OP_addf, 2, (ir_value *[]){x, z});
  if (!rounds_down(op) && is_zero(op, z, true))
    return make_like(f, op, OP_mulf, 2, (ir_value *[]){x, y});
  return NULL;
}

/* ---- signs, integers, extremes -------------------------------------------------------------- */

static ir_value *fold_sign(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0);
  ir_op *neg = made_by(x, OP_negf);
  if (op->opcode == OP_absf && made_by(x, OP_absf)) return x;
  if (op->opcode == OP_absf && neg) {
    fold_set_operand(f, op, 0, operand(neg, 0));
    return NULL;
  }
  return neg && is_canonical(operand(neg, 0)) ? operand(neg, 0) : NULL;
}

/* What is an integer stays one. */
static ir_value *fold_rounding(const ir_op *op) {
  ir_value *x = operand(op, 0);
  return made_by(x, OP_floor) || made_by(x, OP_ceil) ? x : NULL;
}

static ir_value *fold_maxf(const ir_op *op) {
  ir_value *x = operand(op, 0);
  return x == operand(op, 1) && !flushes(op) && is_canonical(x) ? x : NULL;
}

/* A value with itself: equal, or NaN. With a constant NaN: settled. */
static ir_value *fold_cmpf(folder *f, ir_op *op) {
  int64_t p = ir_int_attr(op, ATTR_comparison_predicate);
  bool ordered = ir_int_attr(op, ATTR_comparison_ordering) == CMP_ORDERED;
  bool if_equal = p == CMP_EQUAL || p == CMP_LESS_EQUAL || p == CMP_GREATER_EQUAL;
  uint64_t pattern;
  for (uint32_t i = 0; i < 2; i++)
    if (splat_of(operand(op, i), &pattern) && num_is_nan(format_of(op), pattern))
      return fold_splat(f, op, !ordered);
  if (operand(op, 0) != operand(op, 1) || if_equal != !ordered) return NULL;
  return fold_splat(f, op, if_equal);
}

/* ---- conversions ---------------------------------------------------------------------------- */

/* Whether every value of `a` is one of `b`, NaN and infinities included. */
static bool fits_into(tsr_elem a, tsr_elem b) {
  const num_format *f = num_format_of(a), *g = num_format_of(b);
  return f->nan == NUM_NAN_IEEE && g->nan == NUM_NAN_IEEE && !f->saturates && !g->saturates &&
         f->exponent_bits <= g->exponent_bits && f->mantissa_bits <= g->mantissa_bits;
}

/* There and back; and through a type that loses nothing. */
static ir_value *fold_ftof(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *r = ir_result(op, 0);
  ir_op *inner = made_by(x, OP_ftof);
  if (x->type == r->type) return is_canonical(x) ? x : NULL;
  if (!inner) return NULL;
  ir_value *from = operand(inner, 0);
  if (!fits_into((tsr_elem)from->type->elem, (tsr_elem)x->type->elem)) return NULL;
  if (from->type == r->type) return is_canonical(from) ? from : NULL;
  fold_set_operand(f, op, 0, from);
  return NULL;
}

/* ---- all of them ---------------------------------------------------------------------------- */

ir_value *fold_float(folder *f, ir_op *op) {
  switch (op->opcode) {
  case OP_addf: return fold_addf(f, op);
  case OP_subf: return fold_subf(f, op);
  case OP_mulf: return fold_times_one(f, op);
  case OP_divf: return fold_divf(f, op);
  case OP_fma: return fold_fma(f, op);
  case OP_absf:
  case OP_negf: return fold_sign(f, op);
  case OP_floor:
  case OP_ceil: return fold_rounding(op);
  case OP_maxf:
  case OP_minf: return fold_maxf(op);
  case OP_cmpf: return fold_cmpf(f, op);
  case OP_ftof: return fold_ftof(f, op);
  default: return NULL;
  }
}
