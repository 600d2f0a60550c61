/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/vmath.h: what the functions of vmath32.c and vmath64.c share, and the functions themselves.
 *
 * A function takes float (vmath32.c) or double (vmath64.c) lanes and gives the same. Every special
 * value is right; NaN results are any NaN. No branches and no calls, except where a function is
 * put out of line by vmath_call: its body then is a function of the module for one register's
 * width, and may branch.
 *
 * Polynomials were fitted by Remez' algorithm to the smallest maximum error over the interval
 * stated, coefficients rounded to the precision they are used in one after the other, the rest
 * refitted each time: scripts/fit-math does that, and gives these up to last digits.
 */
#ifndef TSR_LLVM_VMATH_H
#define TSR_LLVM_VMATH_H

#include "llvm/arith.h"

typedef lanes (*vmath_fn)(emit *e, lanes *x);

/* NULL where a function isn't implemented. */
vmath_fn vmath32_function(op_code opcode);
vmath_fn vmath64_function(op_code opcode);

/* The function of floats where that is short for usual arguments and put out of line for others,
 * and in which lanes it is wrong; else NULL. Usual arguments never give NaN. */
lanes vmath32_usual(emit *e, op_code opcode, lanes x, lanes *is_rare);

/* c[0] + c[1] x + c[2] x^2 + … */
lanes vmath_poly(emit *e, lanes x, const double *c, unsigned n);
#define POLY(e, x, ...)                                                                            \
  vmath_poly((e), (x), (const double[]){__VA_ARGS__},                                              \
             sizeof((double[]){__VA_ARGS__}) / sizeof(double))

/* x between the bounds; NaN stays NaN. */
lanes vmath_clamp(emit *e, lanes x, double low, double high);

/* x plus a number so large that its last bit counts ones: the sum rounds x to an integer, which
 * then also stands in the low bits. Good for |x| < 2^22 (float), 2^51 (double). */
lanes vmath_shifted(emit *e, lanes x, double times); /* x * times + 1.5 * 2^23 (2^52) */
lanes vmath_unshifted(emit *e, lanes shifted);       /* the integer as a float again */
lanes vmath_nearest(emit *e, lanes x);               /* both at once */

/* 2^k for integral k of a normal result. */
lanes vmath_power2(emit *e, lanes k);
/* x * 2^k for integral k of any size met here (from -252 to 254 for floats, |k| < 1200), rounding
 * once. Where there is vmath_bounded: any k at all, of -infinity 0 and of +infinity infinity for
 * positive x and NaN. */
lanes vmath_scale(emit *e, lanes x, lanes k);
/* The same, where k + 1.5 * 2^23 is at hand (vmath_shifted). */
lanes vmath_scale_shifted(emit *e, lanes x, lanes shifted);

/* With AVX-512: x where |x| <= bound, else a number whose magnitude that is, also of NaN. There all
 * floats have exponents and significands in an instruction, and tables fit in registers. */
bool vmath_has_bounded(const emit *e);
lanes vmath_bounded(emit *e, lanes x, double bound);

/* x = m * 2^k with m from sqrt(1/2) to sqrt(2), for positive finite x, subnormal ones too. */
lanes vmath_split(emit *e, lanes x, lanes *k);

/* Calls `body` out of line under the name, for a register's width of lanes at a time. */
lanes vmath_call(emit *e, const char *name, vmath_fn body, unsigned n, lanes *x);

#endif
