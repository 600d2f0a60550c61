/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of double lanes: those with a short good form. The trigonometric ones need a reduction
 * by a thousand bits of 2/pi and pow a logarithm of twice the precision; they stay with the
 * runtime. The methods for logarithms are those of Sun's fdlibm.
 */
#include <math.h>

#include "llvm/lanes.h"
#include "llvm/vmath.h"

/* ---- exponentials --------------------------------------------------------------------------- */

/* ln 2 in two parts; multiples of the first by up to 2^20 are exact. */
static const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;

/* x = k ln 2 + r, |r| <= ln 2 / 2. */
static lanes reduce_exp(emit *e, lanes x, lanes *k) {
  *k = vmath_unshifted(e, vmath_shifted(e, x, 0x1.71547652b82fep0));
  x = f_mul_add(e, *k, lanes_real(e, x, -ln2_high), x);
  return f_mul_add(e, *k, lanes_real(e, x, -ln2_low), x);
}

/* e^r - 1; relative error 2^-59. */
static lanes expm1_of_reduced(emit *e, lanes r) {
  lanes q = POLY(e, r, 0.5, 0x1.5555555555558p-3, 0x1.5555555555555p-5, 0x1.111111110fd16p-7,
                 0x1.6c16c16c178adp-10, 0x1.a01a01ad15f35p-13, 0x1.a01a019b7cc10p-16,
                 0x1.71ddffb7d7eb6p-19, 0x1.27e50922e8235p-22, 0x1.af51b09ba29cbp-26,
                 0x1.1efb7b96753d1p-29);
  return f_mul_add(e, f_mul(e, r, r), q, r);
}

static lanes exp64(emit *e, lanes *x) {
  lanes k, r = reduce_exp(e, vmath_clamp(e, x[0], -746, 710), &k);
  return vmath_scale(e, f_addk(e, expm1_of_reduced(e, r), 1), k);
}

static lanes exp2_64(emit *e, lanes *x) {
  lanes y = vmath_clamp(e, x[0], -1077, 1025);
  lanes k = vmath_nearest(e, y), r = f_sub(e, y, k);
  lanes p = POLY(e, r, 1, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a203p-5,
                 0x1.3b2ab6fba4d66p-7, 0x1.5d87fe7868304p-10, 0x1.430912f8b259fp-13,
                 0x1.ffcbfd8addd72p-17, 0x1.62c021402c16bp-20, 0x1.b522a1c9c30e8p-24,
                 0x1.e4d27306b9ad4p-28, 0x1.ed4ff91ec6c6ap-32, 0x1.c06075f63756ep-36);
  return vmath_scale(e, p, k); /* relative error of p 2^-58 */
}

/* e^x - 1 for 0 <= x < 700, with a small relative error also near 0. */
static lanes expm1_positive(emit *e, lanes x) {
  lanes k, r = reduce_exp(e, x, &k), power = vmath_power2(e, k);
  return f_mul_add(e, power, expm1_of_reduced(e, r), f_subk(e, power, 1));
}

static lanes tanh_body(emit *e, lanes *x) {
  /* From 22 on it is 1. */
  lanes y = vmath_clamp(e, f_abs(e, x[0]), 0, 22);
  lanes m = expm1_positive(e, f_add(e, y, y));
  return f_copysign(e, f_div(e, m, f_addk(e, m, 2)), x[0]);
}

/* e^|x| / 2, which is finite where sinh and cosh are. */
static lanes half_exp(emit *e, lanes x) {
  lanes k, r = reduce_exp(e, vmath_clamp(e, f_abs(e, x), 0, 712), &k);
  return vmath_scale(e, f_addk(e, expm1_of_reduced(e, r), 1), f_subk(e, k, 1));
}

static lanes sinh_body(emit *e, lanes *x) {
  lanes h = half_exp(e, x[0]);
  lanes large = f_sub(e, h, f_div(e, lanes_real(e, h, 0.25), h));
  large = f_copysign(e, large, x[0]);
  lanes z = f_mul(e, x[0], x[0]);
  lanes p = POLY(e, z, 0x1.5555555555555p-3, 0x1.11111111111a4p-7, 0x1.a01a01a005631p-13,
                 0x1.71de3a6b0840bp-19, 0x1.ae643e7841707p-26, 0x1.6132ff10dd906p-33,
                 0x1.a54d5749712f3p-41, 0x1.f6c530e05271cp-48);
  lanes small = f_mul_add(e, f_mul(e, x[0], z), p, x[0]);
  return l_select(e, f_cmpk(e, LLVMRealOLT, f_abs(e, x[0]), 1), small, large);
}

static lanes cosh_body(emit *e, lanes *x) {
  lanes h = half_exp(e, x[0]);
  return f_add(e, h, f_div(e, lanes_real(e, h, 0.25), h));
}

static lanes tanh64(emit *e, lanes *x) {
  return vmath_call(e, "tanh.f64", tanh_body, 1, x);
}
static lanes sinh64(emit *e, lanes *x) {
  return vmath_call(e, "sinh.f64", sinh_body, 1, x);
}
static lanes cosh64(emit *e, lanes *x) {
  return vmath_call(e, "cosh.f64", cosh_body, 1, x);
}

/* ---- logarithms ----------------------------------------------------------------------------- */

/* ln(1 + f) = f - half_square + rest, from sqrt(1/2) to sqrt(2): with s = f / (2 + f) it is
 * 2 atanh(s), a series in s^2, of which 2 s = f - half_square + s * half_square. */
typedef struct log_parts {
  lanes f, half_square, rest;
} log_parts;

static log_parts log_of_mantissa(emit *e, lanes m) {
  log_parts l = {.f = f_subk(e, m, 1)};
  lanes s = f_div(e, l.f, f_addk(e, l.f, 2)), z = f_mul(e, s, s);
  lanes p = POLY(e, z, 0x1.5555555555555p-1, 0x1.9999999999d12p-2, 0x1.24924924394a9p-2,
                 0x1.c71c724bc9225p-3, 0x1.745ce1a07ef91p-3, 0x1.3b202cc33063cp-3,
                 0x1.0f666f9894aa1p-3, 0x1.0f162d7be3fbdp-3); /* error of the whole 2^-66 */
  l.half_square = f_mulk(e, f_mul(e, l.f, l.f), 0.5);
  l.rest = f_mul(e, s, f_mul_add(e, z, p, l.half_square));
  return l;
}

/* What logarithms are where the argument isn't positive and finite. */
static lanes log_specials(emit *e, lanes x, lanes r) {
  r = l_select(e, f_cmpk(e, LLVMRealOEQ, x, INFINITY), x, r);
  r = l_select(e, f_cmpk(e, LLVMRealULT, x, 0), lanes_real(e, x, (double)NAN), r);
  return l_select(e, f_cmpk(e, LLVMRealOEQ, x, 0), lanes_real(e, x, -INFINITY), r);
}

static lanes log_body(emit *e, lanes *x) {
  lanes k;
  log_parts l = log_of_mantissa(e, vmath_split(e, x[0], &k));
  lanes low = f_mul_add(e, k, lanes_real(e, k, ln2_low), l.rest);
  low = f_sub(e, f_sub(e, l.half_square, low), l.f);
  lanes r = f_sub(e, f_mulk(e, k, ln2_high), low);
  return log_specials(e, x[0], r);
}

/* The logarithm's leading half, cut to 21 bits, times the leading bits of log2 e is exact. */
static lanes log2_body(emit *e, lanes *x) {
  const double log2e_high = 0x1.71547652p0, log2e_low = 0x1.705fc2eefa2p-33;
  lanes k;
  log_parts l = log_of_mantissa(e, vmath_split(e, x[0], &k));
  lanes high = l_bitcast(e, f_sub(e, l.f, l.half_square), e->i64);
  high = l_bitcast(e, i_andk(e, high, UINT64_C(0xffffffff00000000)), e->f64);
  lanes low = f_add(e, f_sub(e, f_sub(e, l.f, high), l.half_square), l.rest);
  lanes product = f_mulk(e, high, log2e_high);
  lanes product_low =
      f_mul_add(e, f_add(e, low, high), lanes_real(e, low, log2e_low), f_mulk(e, low, log2e_high));
  lanes sum = f_add(e, k, product);
  product_low = f_add(e, product_low, f_add(e, f_sub(e, k, sum), product));
  return log_specials(e, x[0], f_add(e, sum, product_low));
}

static lanes log64(emit *e, lanes *x) {
  return vmath_call(e, "log.f64", log_body, 1, x);
}
static lanes log2_64(emit *e, lanes *x) {
  return vmath_call(e, "log2.f64", log2_body, 1, x);
}

/* ---- the rest ------------------------------------------------------------------------------- */

static lanes rsqrt64(emit *e, lanes *x) {
  return f_div(e, lanes_real(e, x[0], 1), l_call1(e, "llvm.sqrt", x[0]));
}

/* atan(t) for |t| <= tan(pi/8); relative error 2^-59. */
static lanes atan_reduced(emit *e, lanes t) {
  lanes z = f_mul(e, t, t);
  lanes p = POLY(e, z, -0x1.5555555555543p-2, 0x1.99999999962dfp-3, -0x1.24924922e35e5p-3,
                 0x1.c71c70f7fb1e8p-4, -0x1.745cfa9c50d94p-4, 0x1.3b1134967fb38p-4,
                 -0x1.10eccf32797f8p-4, 0x1.df1d931270c87p-5, -0x1.9d0d136005cb7p-5,
                 0x1.385cb5e3e5505p-5, -0x1.2679047f12332p-6);
  return f_mul_add(e, f_mul(e, t, z), p, t);
}

/* The angle of the point (x[1], x[0]): quarters of pi plus or minus an arc tangent. */
static lanes atan2_body(emit *e, lanes *x) {
  lanes y = f_abs(e, x[0]), d = f_abs(e, x[1]);
  lanes is_steep = f_cmp(e, LLVMRealOGT, y, d);
  lanes num = l_select(e, is_steep, d, y), den = l_select(e, is_steep, y, d);
  /* 0 / 0 is the angle 0 and inf / inf that of (1, 1). */
  lanes both_inf = f_cmpk(e, LLVMRealOEQ, num, INFINITY);
  num = l_select(e, both_inf, lanes_real(e, num, 1), num);
  lanes plain = i_or(e, both_inf, f_cmpk(e, LLVMRealOEQ, den, 0));
  den = l_select(e, plain, lanes_real(e, den, 1), den);
  /* Neither the sum below may overflow nor the product lose bits. */
  lanes scale = l_select(e, f_cmpk(e, LLVMRealOGE, den, 0x1p1000), lanes_real(e, den, 0x1p-4),
                         lanes_real(e, den, 1));
  scale = l_select(e, f_cmpk(e, LLVMRealOLT, den, 0x1p-900), lanes_real(e, den, 0x1p200), scale);
  num = f_mul(e, num, scale);
  den = f_mul(e, den, scale);
  lanes is_wide = f_cmp(e, LLVMRealOGT, num, f_mulk(e, den, 0x1.a827999fcef32p-2));
  lanes top = l_select(e, is_wide, f_sub(e, num, den), num);
  lanes a = atan_reduced(e, f_div(e, top, l_select(e, is_wide, f_add(e, num, den), den)));
  /* The angle is n pi/4 + a, reflected once at pi/4 and once at pi/2. */
  lanes zero = lanes_real(e, a, 0), n = l_select(e, is_wide, lanes_real(e, a, 1), zero);
  lanes is_left =
      i_cmpk(e, LLVMIntSLT, l_bitcast(e, x[1], e->i64), 0); /* -0 lies on the left too */
  n = l_select(e, is_steep, f_sub(e, lanes_real(e, n, 2), n), n);
  n = l_select(e, is_left, f_sub(e, lanes_real(e, n, 4), n), n);
  a = l_select(e, i_xor(e, is_steep, is_left), f_neg(e, a), a);
  lanes r = f_mul_add(e, n, lanes_real(e, n, 0x1.1a62633145c07p-55), a);
  r = f_mul_add(e, n, lanes_real(e, n, 0x1.921fb54442d18p-1), r);
  r = f_copysign(e, r, x[0]);
  lanes is_nan = f_cmp(e, LLVMRealUNO, x[0], x[1]);
  return l_select(e, is_nan, lanes_real(e, r, (double)NAN), r);
}
static lanes atan2_64(emit *e, lanes *x) {
  return vmath_call(e, "atan2.f64", atan2_body, 2, x);
}

vmath_fn vmath64_function(op_code opcode) {
  switch (opcode) {
  case OP_exp: return exp64;
  case OP_exp2: return exp2_64;
  case OP_log: return log64;
  case OP_log2: return log2_64;
  case OP_tanh: return tanh64;
  case OP_sinh: return sinh64;
  case OP_cosh: return cosh64;
  case OP_rsqrt: return rsqrt64;
  case OP_atan2: return atan2_64;
  default: return NULL;
  }
}
