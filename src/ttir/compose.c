/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What composed functions are made of.
 */
#include "ttir/compose.h"
#include "num/num.h"

ir_value *tt_number(lowering *l, const ir_value *like, double v) {
  return tt_real(l, like->type, v);
}
ir_value *tt_unary(lowering *l, op_code code, ir_value *v) {
  return tt_emit1(l, code, v->type, v);
}
ir_value *tt_binary(lowering *l, op_code code, ir_value *a, ir_value *b) {
  return tt_emit2(l, code, a->type, a, b);
}
ir_value *tt_multiply_add(lowering *l, ir_value *a, ir_value *b, ir_value *c) {
  return tt_emit(l, OP_fma, a->type, 3, (ir_value *[]){a, b, c});
}

ir_value *tt_compare_real(lowering *l, ir_cmp_predicate p, ir_value *a, ir_value *b) {
  ir_value *v = tt_emit2(l, OP_cmpf, tt_like(l, a->type, TSR_I1), a, b);
  tt_with(v, ATTR_comparison_predicate, p);
  return tt_with(v, ATTR_comparison_ordering, CMP_ORDERED);
}

ir_value *tt_above(lowering *l, ir_value *a, double b) {
  return tt_compare_real(l, CMP_GREATER, a, tt_number(l, a, b));
}
ir_value *tt_below(lowering *l, ir_value *a, double b) {
  return tt_compare_real(l, CMP_LESS, a, tt_number(l, a, b));
}

ir_value *tt_polynomial(lowering *l, ir_value *x, const double *c, unsigned n) {
  ir_value *sum = tt_number(l, x, c[n - 1]);
  for (unsigned i = n - 1; i-- > 0;) sum = tt_multiply_add(l, sum, x, tt_number(l, x, c[i]));
  return sum;
}

/* ---- signs and integers
 * ---------------------------------------------------------------------------- */

static tsr_elem int_of(const ir_type *t) {
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  return bits == 16 ? TSR_I16 : bits == 32 ? TSR_I32 : TSR_I64;
}

ir_value *tt_bits_of(lowering *l, ir_value *v) {
  return tt_emit1(l, OP_bitcast, tt_like(l, v->type, int_of(v->type)), v);
}

ir_value *tt_of_bits(lowering *l, ir_value *bits, const ir_value *like) {
  return tt_emit1(l, OP_bitcast, like->type, bits);
}

ir_value *tt_copy_sign(lowering *l, ir_value *magnitude, ir_value *sign) {
  ir_value *m = tt_bits_of(l, magnitude), *s = tt_bits_of(l, sign);
  uint64_t top = UINT64_C(1) << (tsr_elem_bits((tsr_elem)m->type->elem) - 1);
  m = tt_binary(l, OP_andi, m, tt_constant(l, m->type, top - 1));
  s = tt_binary(l, OP_andi, s, tt_constant(l, m->type, top));
  return tt_of_bits(l, tt_binary(l, OP_ori, m, s), magnitude);
}

ir_value *tt_truncate(lowering *l, ir_value *x) {
  return tt_copy_sign(l, tt_unary(l, OP_floor, tt_unary(l, OP_absf, x)), x);
}

ir_value *tt_round_away(lowering *l, ir_value *x) {
  ir_value *a = tt_unary(l, OP_absf, x), *f = tt_unary(l, OP_floor, a);
  ir_value *up =
      tt_compare_real(l, CMP_GREATER_EQUAL, tt_binary(l, OP_subf, a, f), tt_number(l, x, 0.5));
  f = tt_select(l, up, tt_binary(l, OP_addf, f, tt_number(l, x, 1)), f);
  return tt_copy_sign(l, f, x);
}

/* Adding the power of two from which on all numbers are integers rounds to one. */
ir_value *tt_round_even(lowering *l, ir_value *x) {
  const num_format *f = num_format_of((tsr_elem)x->type->elem);
  ir_value *a = tt_unary(l, OP_absf, x), *big = tt_number(l, x, ldexp(1, f->mantissa_bits));
  ir_value *r = tt_binary(l, OP_subf, tt_binary(l, OP_addf, a, big), big);
  r = tt_select(l, tt_compare_real(l, CMP_LESS, a, big), r, a);
  return tt_copy_sign(l, r, x);
}
