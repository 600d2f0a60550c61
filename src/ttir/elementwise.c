/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element-wise operations: arith, math, conversions.
 */
#include "num/num.h"
#include "ttir/lower.h"
#include "ttir/rows.h"

bool tt_lower_constant(lowering *l, tt_op *op) {
  ir_value *v = tt_emit(l, OP_constant, op->constant->type, 0, NULL);
  ir_set_attr(ir_defining_op(v), ATTR_value, (ir_attr){.dense = op->constant});
  return tt_set(l, op, 0, v);
}

/* Any value will do: zero. */
bool tt_lower_poison(lowering *l, tt_op *op) {
  const ir_type *t = tt_result_tile(op, 0);
  if (!t) return tt_refuse(l, "an unspecified tensor descriptor");
  if (t->elem != TSR_PTR) return tt_set(l, op, 0, tt_constant(l, t, 0));
  return tt_set(l, op, 0, tt_emit1(l, OP_int_to_ptr, t, tt_int(l, tt_like(l, t, TSR_I64), 0)));
}

/* ---- the same operation in Tile IR -------------------------------------------------------------
 */

static void set_variant(ir_value *v, int64_t variant) {
  switch (variant) {
  case VARIANT_NONE: return;
  case VARIANT_FLOOR:
  case VARIANT_CEIL:
    tt_with(v, ATTR_signedness, SIGN_SIGNED);
    tt_with(v, ATTR_rounding, variant == VARIANT_FLOOR ? ROUND_NEGATIVE_INF : ROUND_POSITIVE_INF);
    return;
  case VARIANT_CEIL_UNSIGNED:
    tt_with(v, ATTR_signedness, SIGN_UNSIGNED);
    tt_with(v, ATTR_rounding, ROUND_POSITIVE_INF);
    return;
  case VARIANT_NAN: tt_with(v, ATTR_propagate_nan, 1); return;
  default: tt_with(v, ATTR_signedness, variant == VARIANT_SIGNED ? SIGN_SIGNED : SIGN_UNSIGNED);
  }
}

/* Tile IR computes with floats of 16 bits and more; f32 has what the narrower ones have, and
 * rounding to them afterwards rounds once. Conversions take any. */
static bool is_narrow(const tt_op *op, const ir_type *t) {
  return tsr_elem_is_float((tsr_elem)t->elem) && tsr_elem_bits((tsr_elem)t->elem) < 16 &&
         op->row->lower != tt_lower_cast && op->operands[0]->type.tile->elem == t->elem;
}

static bool lower_same(lowering *l, tt_op *op, uint32_t n) {
  ir_value *v[3] = {0};
  for (uint32_t i = 0; i < n; i++)
    if (!(v[i] = tt_use(l, op, i))) return false;
  const ir_type *t = tt_result_tile(op, 0);
  if (!t) return true; /* nobody asked for the result */
  tsr_elem narrow = is_narrow(op, t) ? (tsr_elem)t->elem : TSR_ELEM_COUNT;
  for (uint32_t i = 0; narrow < TSR_ELEM_COUNT && i < n; i++) v[i] = tt_float(l, v[i], TSR_F32);
  if (narrow < TSR_ELEM_COUNT) t = tt_like(l, t, TSR_F32);
  ir_value *result = tt_emit(l, op->row->opcode, t, n, v);
  set_variant(result, op->row->arg);
  return tt_set(l, op, 0, narrow < TSR_ELEM_COUNT ? tt_float(l, result, narrow) : result);
}

bool tt_lower_binary(lowering *l, tt_op *op) {
  return lower_same(l, op, op->row->least);
}

bool tt_lower_unary(lowering *l, tt_op *op) {
  return lower_same(l, op, 1);
}

bool tt_lower_minmax(lowering *l, tt_op *op) {
  return lower_same(l, op, 2);
}

/* ---- comparisons -------------------------------------------------------------------------------
 */

bool tt_lower_compare_int(lowering *l, tt_op *op) {
  static const char *const names[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                      "sge", "ult", "ule", "ugt", "uge"};
  static const uint8_t predicates[] = {CMP_EQUAL,   CMP_NOT_EQUAL,     CMP_LESS, CMP_LESS_EQUAL,
                                       CMP_GREATER, CMP_GREATER_EQUAL, CMP_LESS, CMP_LESS_EQUAL,
                                       CMP_GREATER, CMP_GREATER_EQUAL};
  int p = tt_enum(l, op, "predicate", 0, names, ARRAY_LEN(names));
  ir_value *a = tt_use(l, op, 0), *b = a ? tt_use(l, op, 1) : NULL;
  if (p < 0 || !b) return false;
  bool is_signed = p >= 2 && p <= 5;
  return tt_set(l, op, 0, tt_compare(l, (ir_cmp_predicate)predicates[p], is_signed, a, b));
}

static ir_value *compare_float(lowering *l, unsigned p, ir_value *a, ir_value *b) {
  enum { FALSE = 0, ORDERED = 7, UNORDERED = 14, TRUE = 15, FIRST_UNORDERED = 8 };
  static const uint8_t predicates[] = {CMP_EQUAL, CMP_GREATER,    CMP_GREATER_EQUAL,
                                       CMP_LESS,  CMP_LESS_EQUAL, CMP_NOT_EQUAL};
  const ir_type *t = tt_like(l, a->type, TSR_I1);
  if (p == FALSE || p == TRUE) return tt_constant(l, t, p == TRUE);
  if (p == ORDERED || p == UNORDERED) { /* of both: an operand differs from itself when it's NaN */
    bool ordered = p == ORDERED;
    unsigned self = ordered ? 1 : 13;
    ir_value *x = compare_float(l, self, a, a), *y = compare_float(l, self, b, b);
    return tt_emit2(l, ordered ? OP_andi : OP_ori, t, x, y);
  }
  bool unordered = p >= FIRST_UNORDERED;
  ir_value *v = tt_emit2(l, OP_cmpf, t, a, b);
  tt_with(v, ATTR_comparison_predicate, predicates[unordered ? p - FIRST_UNORDERED : p - 1]);
  return tt_with(v, ATTR_comparison_ordering, unordered ? CMP_UNORDERED : CMP_ORDERED);
}

bool tt_lower_compare_float(lowering *l, tt_op *op) {
  static const char *const names[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                      "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};
  int p = tt_enum(l, op, "predicate", 0, names, ARRAY_LEN(names));
  ir_value *a = tt_use(l, op, 0), *b = a ? tt_use(l, op, 1) : NULL;
  if (p < 0 || !b) return false;
  return tt_set(l, op, 0, compare_float(l, (unsigned)p, a, b));
}

/* One condition may decide about whole tiles. */
bool tt_lower_select(lowering *l, tt_op *op) {
  ir_value *c = tt_use(l, op, 0), *a = c ? tt_use(l, op, 1) : NULL,
           *b = a ? tt_use(l, op, 2) : NULL;
  if (!b) return false;
  if (ir_is_scalar(c->type)) c = tt_splat(l, c, a->type->rank, a->type->shape);
  return tt_set(l, op, 0, tt_select(l, c, a, b));
}

/* ---- conversions --------------------------------------------------------------------------------
 */

bool tt_lower_int_cast(lowering *l, tt_op *op) {
  ir_value *v = tt_use(l, op, 0);
  const ir_type *t = tt_result_tile(op, 0);
  if (!v || !t) return v != NULL;
  if (!tsr_elem_is_int((tsr_elem)t->elem) || !tsr_elem_is_int((tsr_elem)v->type->elem))
    return tt_refuse(l, "'" STR_FMT "' of what is no integer", STR_ARG(op->name));
  return tt_set(l, op, 0, tt_convert_int(l, v, (tsr_elem)t->elem, op->row->arg == VARIANT_SIGNED));
}

bool tt_lower_cast(lowering *l, tt_op *op) {
  return lower_same(l, op, 1);
}

bool tt_lower_fp_to_fp(lowering *l, tt_op *op) {
  static const char *const names[] = {"rtz", "rtne", "rs"};
  ir_value *v = tt_use(l, op, 0);
  const ir_type *t = tt_result_tile(op, 0);
  if (!v || !t) return v != NULL;
  int mode = tt_find_attr(op->attrs, "rounding") ? tt_enum(l, op, "rounding", 0, names, 3) : 1;
  if (mode == 2) return tt_refuse(l, "stochastic rounding; Tile IR has none");
  if (mode < 0) return false;
  ir_rounding way = mode == 0 ? ROUND_ZERO : ROUND_NEAREST_EVEN;
  return tt_set(l, op, 0, tt_round_float(l, v, (tsr_elem)t->elem, way));
}

bool tt_lower_bitcast(lowering *l, tt_op *op) {
  ir_value *v = tt_use(l, op, 0);
  const ir_type *t = tt_result_tile(op, 0);
  if (!v || !t) return v != NULL;
  if (t == v->type) {
    op->results[0].now = v;
    return true;
  }
  bool from = v->type->elem == TSR_PTR, to = t->elem == TSR_PTR;
  op_code code = from && to ? OP_ptr_to_ptr
                 : from     ? OP_ptr_to_int
                 : to       ? OP_int_to_ptr
                            : OP_bitcast;
  return tt_set(l, op, 0, tt_emit1(l, code, t, v));
}

/* min(max(x, low), high): where x is NaN without propagation, `low`. */
bool tt_lower_clamp(lowering *l, tt_op *op) {
  static const char *const names[] = {"none", "all"};
  ir_value *x = tt_use(l, op, 0), *low = x ? tt_use(l, op, 1) : NULL,
           *high = low ? tt_use(l, op, 2) : NULL;
  if (!high) return false;
  const tt_attr *a = tt_find_attr(op->attrs, "propagateNan");
  bool nan = a && a->kind == TT_INT ? a->i != 0 : a && !str_is(a->text, names[0]);
  ir_value *v = tt_emit2(l, OP_maxf, x->type, x, low);
  if (nan) tt_with(v, ATTR_propagate_nan, 1);
  v = tt_emit2(l, OP_minf, x->type, v, high);
  if (nan) tt_with(v, ATTR_propagate_nan, 1);
  return tt_set(l, op, 0, v);
}
