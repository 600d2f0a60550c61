/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that Tile IR has not, composed of what it has. Operands are tiles of one shape, of f32
 * or f64 unless something else is said; results have the type of the first operand.
 */
#ifndef TSR_TTIR_COMPOSE_H
#define TSR_TTIR_COMPOSE_H

#include <math.h>

#include "ttir/lower.h"

/* ---- compose.c: what functions are made of ------------------------------------------------------
 */

ir_value *tt_number(lowering *l, const ir_value *like, double v); /* of the type of `like` */
ir_value *tt_unary(lowering *l, op_code code, ir_value *v);
ir_value *tt_binary(lowering *l, op_code code, ir_value *a, ir_value *b);
ir_value *tt_multiply_add(lowering *l, ir_value *a, ir_value *b, ir_value *c); /* a * b + c */
/* Ordered comparisons: false when an operand is NaN. */
ir_value *tt_compare_real(lowering *l, ir_cmp_predicate p, ir_value *a, ir_value *b);
ir_value *tt_above(lowering *l, ir_value *a, double b);
ir_value *tt_below(lowering *l, ir_value *a, double b);
/* c[n-1] * x^(n-1) + … + c[0] */
ir_value *tt_polynomial(lowering *l, ir_value *x, const double *c, unsigned n);

/* The bits of floats as integers, and back. */
ir_value *tt_bits_of(lowering *l, ir_value *v);
ir_value *tt_of_bits(lowering *l, ir_value *bits, const ir_value *like);

ir_value *tt_copy_sign(lowering *l, ir_value *magnitude, ir_value *sign);
ir_value *tt_truncate(lowering *l, ir_value *x);
ir_value *tt_round_away(lowering *l, ir_value *x);
ir_value *tt_round_even(lowering *l, ir_value *x);

/* ---- math.c ------------------------------------------------------------------------------------
 */

ir_value *tt_log1p(lowering *l, ir_value *x);
ir_value *tt_expm1(lowering *l, ir_value *x);
ir_value *tt_cbrt(lowering *l, ir_value *x);
ir_value *tt_erf(lowering *l, ir_value *x);
ir_value *tt_asin(lowering *l, ir_value *x);
ir_value *tt_acos(lowering *l, ir_value *x);

/* The function of libdevice that `which` (tt_composed, rows.h) names, of the operation's operands.
 */
bool tt_lower_composed_as(lowering *l, tt_op *op, int which);

/* ---- special.c, bessel.c: by their operands, as rows of libdevice.c have them -------------------
 */

typedef ir_value *tt_builder(lowering *l, ir_value *const *v);

tt_builder tt_erfc, tt_erfcx, tt_erfinv, tt_erfcinv, tt_normcdf, tt_normcdfinv, tt_lgamma,
    tt_tgamma;
tt_builder tt_sinpi, tt_cospi, tt_acosh, tt_asinh, tt_atanh;
tt_builder tt_hypot, tt_rhypot, tt_norm3d, tt_rnorm3d, tt_norm4d, tt_rnorm4d;
tt_builder tt_j0, tt_j1, tt_y0, tt_y1, tt_i0, tt_i1;

/* orders.c: of an order, which is an i32, and a number. NULL: they are refused here. */
tt_builder tt_jn, tt_yn;

/* ---- fits.c ------------------------------------------------------------------------------------
 */

/* Functions that polynomials stand for, each in pieces of what it is a function of. */
typedef enum tt_fitted {
  FIT_ERFCX,         /* erfcx(x) / t of t = 2 / (2 + x), x >= 0 */
  FIT_ERFINV_NEAR,   /* erfinv(x) / x of w = -log(1 - x * x), w < 6.25 */
  FIT_ERFINV_FAR,    /* likewise of sqrt(w) */
  FIT_LGAMMA_ZERO,   /* lgamma(1 + x) / x, 0 <= x <= 0.5 */
  FIT_LGAMMA_NEAR,   /* lgamma(x) / ((x - 1) * (x - 2)), 0.5 <= x <= 3 */
  FIT_LGAMMA_MIDDLE, /* lgamma(x), 3 <= x <= 8 */
  FIT_LGAMMA_FAR,    /* x * (lgamma(x) - Stirling's formula) of 1 / (x * x), x >= 8 */
  FIT_GAMMA_NEAR,    /* tgamma(x), 2 <= x <= 3 */
  FIT_GAMMA_FAR,     /* tgamma(x) / Stirling's formula of 1 / x, x >= 8 */
  FIT_J0_NEAR,       /* J0(x) of x * x, x <= 8 */
  FIT_J1_NEAR,       /* J1(x) / x of x * x */
  FIT_Y0_NEAR,       /* Y0(x) - 2 / pi * log(x) * J0(x) of x * x */
  FIT_Y1_NEAR,       /* (Y1(x) - 2 / pi * (log(x) * J1(x) - 1 / x)) / x of x * x */
  FIT_P0,            /* of 64 / (x * x), x >= 8: J0(x) = sqrt(2 / (pi * x)) * */
  FIT_Q0,            /* (P0 * cos(x - pi / 4) - 8 / x * Q0 * sin(x - pi / 4)) */
  FIT_P1,            /* likewise of J1 and x - 3 * pi / 4 */
  FIT_Q1,
  FIT_I0_NEAR, /* I0(x) of x * x, x <= 8 */
  FIT_I1_NEAR, /* I1(x) / x of x * x */
  FIT_I0_FAR,  /* I0(x) * exp(-x) * sqrt(x) of 1 / x, x >= 8 */
  FIT_I1_FAR,
  FIT_COUNT,
} tt_fitted;

ir_value *tt_fit(lowering *l, tt_fitted which, ir_value *of);

/* ---- exponent.c: exponents, remainders, neighbours ----------------------------------------------
 */

tt_builder tt_remainder, tt_nextafter, tt_ilogb, tt_logb, tt_ldexp, tt_fdim, tt_saturate,
    tt_signbit;

/* ---- convert.c: conversions with a rounding in their names, without "__nv_"
 * ----------------------
 */

bool tt_is_conversion(str name);
bool tt_lower_conversion(lowering *l, tt_op *op, str name);
tt_builder tt_llrint, tt_llround;

/* ---- bits.c: of integers ------------------------------------------------------------------------
 */

tt_builder tt_clz, tt_popc, tt_ffs, tt_brev, tt_byte_perm, tt_mul24, tt_umul24;
tt_builder tt_hadd, tt_uhadd, tt_rhadd, tt_urhadd, tt_sad, tt_usad;
tt_builder tt_double_high, tt_double_low, tt_double_of_halves, tt_half_reciprocal;

#endif
