/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Bessel functions of orders 0 and 1. Up to 8 they are polynomials of x * x; beyond it J and Y are
 * an amplitude times cosines and sines, I an exponential, times polynomials of 1 / x. Near their
 * zeros J and Y have the absolute error that they have between them.
 */
#include "ttir/compose.h"

enum { MIDDLE = 8 }; /* where the pieces meet */

static const double two_over_pi = 0.636619772367581343;

static ir_value *mul(lowering *l, ir_value *a, ir_value *b) {
  return tt_binary(l, OP_mulf, a, b);
}

/* cos and sin of x - pi / 4, or of x - 3 * pi / 4, times the square root of 2. */
typedef struct phase {
  ir_value *cosine, *sine;
} phase;

static phase phase_of(lowering *l, ir_value *x, unsigned order) {
  ir_value *c = tt_unary(l, OP_cos, x), *s = tt_unary(l, OP_sin, x);
  ir_value *sum = tt_binary(l, OP_addf, s, c), *difference = tt_binary(l, OP_subf, s, c);
  if (order == 0) return (phase){.cosine = sum, .sine = difference};
  return (phase){.cosine = difference, .sine = tt_unary(l, OP_negf, sum)};
}

/* J, or Y, of x > 8. */
static ir_value *far(lowering *l, ir_value *x, unsigned order, bool second) {
  phase angle = phase_of(l, x, order);
  ir_value *y = tt_binary(l, OP_divf, tt_number(l, x, 8), x), *z = mul(l, y, y);
  ir_value *p = tt_fit(l, order ? FIT_P1 : FIT_P0, z), *q = tt_fit(l, order ? FIT_Q1 : FIT_Q0, z);
  q = mul(l, q, y);
  ir_value *a = second ? angle.sine : angle.cosine;
  ir_value *b = second ? angle.cosine : tt_unary(l, OP_negf, angle.sine);
  ir_value *wave = tt_multiply_add(l, p, a, mul(l, q, b));
  ir_value *part = tt_binary(l, OP_divf, tt_number(l, x, two_over_pi / 2), x);
  ir_value *v = mul(l, tt_unary(l, OP_sqrt, part), wave);
  ir_value *end = tt_compare_real(l, CMP_EQUAL, x, tt_number(l, x, INFINITY));
  return tt_select(l, end, tt_number(l, x, 0), v);
}

/* J of 0 <= x <= 8. */
static ir_value *first_near(lowering *l, ir_value *x, unsigned order) {
  ir_value *v = tt_fit(l, order ? FIT_J1_NEAR : FIT_J0_NEAR, mul(l, x, x));
  return order ? mul(l, v, x) : v;
}

/* Y of 0 < x <= 8. */
static ir_value *second_near(lowering *l, ir_value *x, unsigned order) {
  ir_value *rest = tt_fit(l, order ? FIT_Y1_NEAR : FIT_Y0_NEAR, mul(l, x, x));
  ir_value *v = mul(l, tt_unary(l, OP_log, x), first_near(l, x, order));
  if (order) {
    rest = mul(l, rest, x);
    v = tt_binary(l, OP_subf, v, tt_binary(l, OP_divf, tt_number(l, x, 1), x));
  }
  return tt_multiply_add(l, v, tt_number(l, x, two_over_pi), rest);
}

static ir_value *first(lowering *l, ir_value *x, unsigned order) {
  ir_value *a = tt_unary(l, OP_absf, x);
  ir_value *v =
      tt_select(l, tt_above(l, a, MIDDLE), far(l, a, order, false), first_near(l, a, order));
  if (order == 0) return v;
  return tt_select(l, tt_below(l, x, 0), tt_unary(l, OP_negf, v), v);
}

static ir_value *second(lowering *l, ir_value *x, unsigned order) {
  ir_value *v =
      tt_select(l, tt_above(l, x, MIDDLE), far(l, x, order, true), second_near(l, x, order));
  ir_value *zero = tt_compare_real(l, CMP_EQUAL, x, tt_number(l, x, 0));
  v = tt_select(l, zero, tt_number(l, x, -INFINITY), v);
  return tt_select(l, tt_below(l, x, 0), tt_number(l, x, NAN), v);
}

/* The exponential is taken in two halves, as it exceeds all numbers where the result does not yet.
 */
static ir_value *modified_far(lowering *l, ir_value *a, unsigned order) {
  ir_value *one = tt_number(l, a, 1), *y = tt_binary(l, OP_divf, one, a);
  ir_value *half = tt_unary(l, OP_exp, mul(l, a, tt_number(l, a, 0.5)));
  ir_value *v = mul(l, tt_fit(l, order ? FIT_I1_FAR : FIT_I0_FAR, y), half);
  v = mul(l, tt_binary(l, OP_divf, v, tt_unary(l, OP_sqrt, a)), half);
  ir_value *end = tt_compare_real(l, CMP_EQUAL, a, tt_number(l, a, INFINITY));
  return tt_select(l, end, a, v);
}

static ir_value *modified(lowering *l, ir_value *x, unsigned order) {
  ir_value *a = tt_unary(l, OP_absf, x);
  ir_value *near = tt_fit(l, order ? FIT_I1_NEAR : FIT_I0_NEAR, mul(l, a, a));
  if (order) near = mul(l, near, a);
  ir_value *v = tt_select(l, tt_above(l, a, MIDDLE), modified_far(l, a, order), near);
  return order ? tt_copy_sign(l, v, x) : v;
}

ir_value *tt_j0(lowering *l, ir_value *const *v) {
  return first(l, v[0], 0);
}
ir_value *tt_j1(lowering *l, ir_value *const *v) {
  return first(l, v[0], 1);
}
ir_value *tt_y0(lowering *l, ir_value *const *v) {
  return second(l, v[0], 0);
}
ir_value *tt_y1(lowering *l, ir_value *const *v) {
  return second(l, v[0], 1);
}
ir_value *tt_i0(lowering *l, ir_value *const *v) {
  return modified(l, v[0], 0);
}
ir_value *tt_i1(lowering *l, ir_value *const *v) {
  return modified(l, v[0], 1);
}
