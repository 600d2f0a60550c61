/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Error functions and their inverses, the gamma function, hyperbolic inverses, lengths of vectors.
 */
#include "ttir/compose.h"

static const double pi = 3.14159265358979324, log_of_2 = 0.693147180559945309;

static ir_value *times(lowering *l, ir_value *v, double factor) {
  return tt_binary(l, OP_mulf, v, tt_number(l, v, factor));
}
static ir_value *plus(lowering *l, ir_value *v, double more) {
  return tt_binary(l, OP_addf, v, tt_number(l, v, more));
}
static ir_value *from(lowering *l, double v, ir_value *less) {
  return tt_binary(l, OP_subf, tt_number(l, less, v), less);
}
static ir_value *into(lowering *l, double v, ir_value *parts) {
  return tt_binary(l, OP_divf, tt_number(l, parts, v), parts);
}
static ir_value *magnitude(lowering *l, ir_value *v) {
  return tt_unary(l, OP_absf, v);
}
static ir_value *square(lowering *l, ir_value *v) {
  return tt_binary(l, OP_mulf, v, v);
}

/* ---- error functions ----------------------------------------------------------------------------
 */

/* exp(factor * x * x). Rounding the square would cost as many units in the last place as it has
 * whole numbers: x is the sum of h, whose square is exact, and of a rest. */
static ir_value *exp_of_square(lowering *l, ir_value *x, double factor) {
  uint64_t low = x->type->elem == TSR_F64 ? (UINT64_C(1) << 27) - 1 : (UINT64_C(1) << 12) - 1;
  ir_value *bits = tt_bits_of(l, x);
  bits = tt_binary(l, OP_andi, bits, tt_int(l, bits->type, (int64_t)~low));
  ir_value *h = tt_of_bits(l, bits, x), *rest = tt_binary(l, OP_subf, x, h);
  rest = tt_binary(l, OP_mulf, rest, tt_binary(l, OP_addf, x, h));
  ir_value *large = tt_unary(l, OP_exp, times(l, square(l, h), factor));
  return tt_binary(l, OP_mulf, large, tt_unary(l, OP_exp, times(l, rest, factor)));
}

/* exp(x * x) * (1 - erf(x)) for x >= 0. */
static ir_value *scaled_rest(lowering *l, ir_value *x) {
  ir_value *t = into(l, 2, plus(l, x, 2));
  return tt_binary(l, OP_mulf, t, tt_fit(l, FIT_ERFCX, t));
}

/* Where x exceeds this, the results are too small for any number. */
static ir_value *at_most(lowering *l, ir_value *x, double wide, double narrow) {
  ir_value *v = tt_number(l, x, x->type->elem == TSR_F64 ? wide : narrow);
  return tt_with(tt_binary(l, OP_minf, x, v), ATTR_propagate_nan, 1);
}

ir_value *tt_erfc(lowering *l, ir_value *const *v) {
  ir_value *a = at_most(l, magnitude(l, v[0]), 28, 11);
  ir_value *rest = tt_binary(l, OP_mulf, exp_of_square(l, a, -1), scaled_rest(l, a));
  return tt_select(l, tt_below(l, v[0], 0), from(l, 2, rest), rest);
}

ir_value *tt_erfcx(lowering *l, ir_value *const *v) {
  ir_value *scaled = scaled_rest(l, magnitude(l, v[0])),
           *a = at_most(l, magnitude(l, v[0]), 28, 11);
  ir_value *other = tt_binary(l, OP_subf, times(l, exp_of_square(l, a, 1), 2), scaled);
  return tt_select(l, tt_below(l, v[0], 0), other, scaled);
}

/* Half of erfc(-x / sqrt(2)). */
ir_value *tt_normcdf(lowering *l, ir_value *const *v) {
  ir_value *a = at_most(l, magnitude(l, v[0]), 40, 16);
  ir_value *scaled = scaled_rest(l, times(l, a, 0.707106781186547524));
  ir_value *rest = times(l, tt_binary(l, OP_mulf, exp_of_square(l, a, -0.5), scaled), 0.5);
  return tt_select(l, tt_above(l, v[0], 0), from(l, 1, rest), rest);
}

/* The inverse of erf at x is x times a function of w = -log(1 - x * x). */
static ir_value *inverse_over(lowering *l, ir_value *w) {
  ir_value *far = tt_fit(l, FIT_ERFINV_FAR, tt_unary(l, OP_sqrt, w));
  return tt_select(l, tt_below(l, w, 6.25), tt_fit(l, FIT_ERFINV_NEAR, w), far);
}

static ir_value *minus_log(lowering *l, ir_value *a, ir_value *b) {
  return tt_unary(l, OP_negf, tt_unary(l, OP_log, tt_binary(l, OP_mulf, a, b)));
}

static ir_value *infinite_at(lowering *l, ir_value *end, ir_value *x, double at,
                             ir_value *otherwise) {
  ir_value *there = tt_compare_real(l, CMP_EQUAL, x, tt_number(l, x, at));
  return tt_select(l, there, end, otherwise);
}

ir_value *tt_erfinv(lowering *l, ir_value *const *v) {
  ir_value *x = v[0], *w = minus_log(l, from(l, 1, x), plus(l, x, 1));
  ir_value *y = tt_binary(l, OP_mulf, x, inverse_over(l, w));
  ir_value *end = tt_copy_sign(l, tt_number(l, x, INFINITY), x);
  return infinite_at(l, end, magnitude(l, x), 1, y);
}

ir_value *tt_erfcinv(lowering *l, ir_value *const *v) {
  ir_value *x = v[0], *w = minus_log(l, x, from(l, 2, x));
  ir_value *y = tt_binary(l, OP_mulf, from(l, 1, x), inverse_over(l, w));
  y = infinite_at(l, tt_number(l, x, INFINITY), x, 0, y);
  return infinite_at(l, tt_number(l, x, -INFINITY), x, 2, y);
}

ir_value *tt_normcdfinv(lowering *l, ir_value *const *v) {
  ir_value *twice = times(l, v[0], 2);
  return times(l, tt_erfcinv(l, &twice), -1.41421356237309505);
}

/* ---- sines of multiples of pi -------------------------------------------------------------------
 */

/* The sine of pi * (x + quarters / 2): x is n / 2 and a rest, by exact steps, and n says which of
 * the rest's sine and cosine it is and with what sign. */
static ir_value *sine_of_turns(lowering *l, ir_value *x, double quarters) {
  ir_value *n = tt_round_even(l, times(l, x, 2));
  ir_value *angle = times(l, tt_multiply_add(l, n, tt_number(l, x, -0.5), x), pi);
  n = plus(l, n, quarters);
  ir_value *four = tt_number(l, x, -4), *quarter = tt_unary(l, OP_floor, times(l, n, 0.25));
  n = tt_multiply_add(l, quarter, four, n);                 /* 0 to 3 */
  ir_value *half = tt_unary(l, OP_floor, times(l, n, 0.5)); /* 1: the sign is turned */
  ir_value *odd = tt_above(l, tt_multiply_add(l, half, tt_number(l, x, -2), n), 0);
  ir_value *s = tt_select(l, odd, tt_unary(l, OP_cos, angle), tt_unary(l, OP_sin, angle));
  return tt_select(l, tt_above(l, half, 0), tt_unary(l, OP_negf, s), s);
}

ir_value *tt_sinpi(lowering *l, ir_value *const *v) {
  return sine_of_turns(l, v[0], 0);
}

ir_value *tt_cospi(lowering *l, ir_value *const *v) {
  return sine_of_turns(l, magnitude(l, v[0]), 1);
}

/* ---- the gamma function -------------------------------------------------------------------------
 */

/* For x >= 8, by Stirling's formula. */
static ir_value *log_gamma_far(lowering *l, ir_value *x) {
  ir_value *log = plus(l, tt_unary(l, OP_log, x), -1);
  ir_value *rest = tt_fit(l, FIT_LGAMMA_FAR, into(l, 1, square(l, x)));
  rest = plus(l, tt_binary(l, OP_divf, rest, x), 0.418938533204672742); /* log(2 pi) / 2 - 1 / 2 */
  ir_value *far = tt_multiply_add(l, plus(l, x, -0.5), log, rest);
  return infinite_at(l, x, x, INFINITY, far);
}

/* For x > 0, each piece with its own zeros. */
static ir_value *log_gamma(lowering *l, ir_value *x) {
  ir_value *zero = tt_binary(l, OP_mulf, x, tt_fit(l, FIT_LGAMMA_ZERO, x));
  zero = tt_binary(l, OP_subf, zero, tt_unary(l, OP_log, x));
  ir_value *zeros = tt_binary(l, OP_mulf, plus(l, x, -1), plus(l, x, -2));
  ir_value *near = tt_binary(l, OP_mulf, zeros, tt_fit(l, FIT_LGAMMA_NEAR, x));
  near = tt_select(l, tt_below(l, x, 0.5), zero, near);
  ir_value *middle = tt_select(l, tt_below(l, x, 3), near, tt_fit(l, FIT_LGAMMA_MIDDLE, x));
  return tt_select(l, tt_below(l, x, 8), middle, log_gamma_far(l, x));
}

/* Below zero by reflection: gamma(x) * gamma(-x) = -pi / (x * sin(pi * x)). */
static ir_value *reflection(lowering *l, ir_value *x) {
  return tt_binary(l, OP_mulf, x, sine_of_turns(l, x, 0));
}

ir_value *tt_lgamma(lowering *l, ir_value *const *v) {
  ir_value *x = v[0], *positive = log_gamma(l, magnitude(l, x));
  ir_value *log = tt_unary(l, OP_log, into(l, pi, magnitude(l, reflection(l, x))));
  ir_value *y = tt_binary(l, OP_subf, log, positive);
  y = infinite_at(l, tt_number(l, x, INFINITY), x, -INFINITY, y);
  return tt_select(l, tt_below(l, x, 0), y, positive);
}

/* For 0 < x < 8: steps of 1 lead to the piece from 2 to 3. */
static ir_value *gamma_near(lowering *l, ir_value *x) {
  enum { DOWN = 5, UP = 2 };
  ir_value *factor = tt_number(l, x, 1), *divisor = factor;
  for (unsigned i = 0; i < DOWN; i++) {
    ir_value *less = plus(l, x, -1);
    ir_value *large = tt_compare_real(l, CMP_GREATER_EQUAL, x, tt_number(l, x, 3));
    factor = tt_select(l, large, tt_binary(l, OP_mulf, factor, less), factor);
    x = tt_select(l, large, less, x);
  }
  for (unsigned i = 0; i < UP; i++) {
    ir_value *small = tt_below(l, x, 2);
    divisor = tt_select(l, small, tt_binary(l, OP_mulf, divisor, x), divisor);
    x = tt_select(l, small, plus(l, x, 1), x);
  }
  factor = tt_binary(l, OP_mulf, factor, tt_fit(l, FIT_GAMMA_NEAR, x));
  return tt_binary(l, OP_divf, factor, divisor);
}

/* The power is taken in two halves, as it exceeds all numbers where the result does not yet. */
static ir_value *gamma_far(lowering *l, ir_value *x) {
  ir_value *exponent = tt_multiply_add(l, x, tt_number(l, x, 0.5), tt_number(l, x, -0.25));
  ir_value *half = tt_binary(l, OP_pow, x, exponent);
  ir_value *fit = times(l, tt_fit(l, FIT_GAMMA_FAR, into(l, 1, x)), 2.50662827463100050);
  ir_value *y = tt_binary(l, OP_mulf, half, tt_unary(l, OP_exp, tt_unary(l, OP_negf, x)));
  y = tt_binary(l, OP_mulf, tt_binary(l, OP_mulf, y, fit), half);
  double most = x->type->elem == TSR_F64 ? 172 : 36;
  return tt_select(l, tt_above(l, x, most), tt_number(l, x, INFINITY), y);
}

ir_value *tt_tgamma(lowering *l, ir_value *const *v) {
  ir_value *x = v[0], *a = magnitude(l, x);
  ir_value *positive = tt_select(l, tt_below(l, a, 8), gamma_near(l, a), gamma_far(l, a));
  ir_value *y = tt_binary(l, OP_divf, into(l, -pi, reflection(l, x)), positive);
  ir_value *whole = tt_compare_real(l, CMP_EQUAL, x, tt_unary(l, OP_floor, x));
  y = tt_select(l, whole, tt_number(l, x, NAN), y);
  y = tt_select(l, tt_below(l, x, 0), y, positive);
  return infinite_at(l, into(l, 1, x), x, 0, y);
}

/* ---- hyperbolic inverses ------------------------------------------------------------------------
 */

enum { LARGE = 1 << 14 }; /* squares of larger numbers are added to 1 for nothing */

/* The logarithm of twice a large number, else log(1 + t). */
static ir_value *log_of_twice(lowering *l, ir_value *x, ir_value *t) {
  ir_value *large = plus(l, tt_unary(l, OP_log, x), log_of_2);
  double limit = x->type->elem == TSR_F64 ? (double)LARGE * LARGE : LARGE;
  return tt_select(l, tt_above(l, x, limit), large, tt_log1p(l, t));
}

ir_value *tt_acosh(lowering *l, ir_value *const *v) {
  ir_value *t = plus(l, v[0], -1);
  ir_value *root = tt_unary(l, OP_sqrt, tt_binary(l, OP_mulf, t, plus(l, v[0], 1)));
  return log_of_twice(l, v[0], tt_binary(l, OP_addf, t, root));
}

ir_value *tt_asinh(lowering *l, ir_value *const *v) {
  ir_value *a = magnitude(l, v[0]), *s = square(l, a);
  ir_value *rest = tt_binary(l, OP_divf, s, plus(l, tt_unary(l, OP_sqrt, plus(l, s, 1)), 1));
  return tt_copy_sign(l, log_of_twice(l, a, tt_binary(l, OP_addf, a, rest)), v[0]);
}

ir_value *tt_atanh(lowering *l, ir_value *const *v) {
  ir_value *a = magnitude(l, v[0]);
  ir_value *t = tt_binary(l, OP_divf, times(l, a, 2), from(l, 1, a));
  ir_value *y = infinite_at(l, tt_number(l, a, INFINITY), a, 1, times(l, tt_log1p(l, t), 0.5));
  return tt_copy_sign(l, y, v[0]);
}

/* ---- lengths of vectors -------------------------------------------------------------------------
 */

/* The largest component is taken out, as squares may exceed all numbers. One infinite component
 * makes the length infinite, also beside NaN. */
static ir_value *length(lowering *l, ir_value *const *v, unsigned n, bool inverse) {
  ir_value *most = magnitude(l, v[0]), *sum = NULL;
  for (unsigned i = 1; i < n; i++) most = tt_binary(l, OP_maxf, most, magnitude(l, v[i]));
  ir_value *zero = tt_number(l, most, 0), *is_zero = tt_compare_real(l, CMP_EQUAL, most, zero);
  ir_value *scale = tt_select(l, is_zero, tt_number(l, most, 1), most);
  for (unsigned i = 0; i < n; i++) {
    ir_value *part = tt_binary(l, OP_divf, v[i], scale);
    sum = sum ? tt_multiply_add(l, part, part, sum) : square(l, part);
  }
  ir_value *y = tt_binary(l, OP_mulf, tt_unary(l, OP_sqrt, sum), most);
  y = infinite_at(l, most, most, INFINITY, y);
  return inverse ? into(l, 1, y) : y;
}

ir_value *tt_hypot(lowering *l, ir_value *const *v) {
  return length(l, v, 2, false);
}
ir_value *tt_rhypot(lowering *l, ir_value *const *v) {
  return length(l, v, 2, true);
}
ir_value *tt_norm3d(lowering *l, ir_value *const *v) {
  return length(l, v, 3, false);
}
ir_value *tt_rnorm3d(lowering *l, ir_value *const *v) {
  return length(l, v, 3, true);
}
ir_value *tt_norm4d(lowering *l, ir_value *const *v) {
  return length(l, v, 4, false);
}
ir_value *tt_rnorm4d(lowering *l, ir_value *const *v) {
  return length(l, v, 4, true);
}
