/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/function.h"

#include <math.h>

/* ---- pieces ---------------------------------------------------------------------------------- */

typedef tsr_value val;

static val number(ops_build *b, val like, double x) {
  return ops_full_like(b, like, x);
}

static val mul(ops_build *b, val x, val y) {
  return tsr_build_mulf(b->b, x, y);
}

static val add(ops_build *b, val x, val y) {
  return tsr_build_addf(b->b, x, y);
}

static val fma_of(ops_build *b, val x, val y, val z) {
  return tsr_build_fma(b->b, x, y, z);
}

static val is_negative(ops_build *b, val x) {
  return tsr_build_cmpf(b->b, x, number(b, x, 0), TSR_CMP_LESS_THAN, TSR_CMP_ORDERED);
}

/* 1 / (1 + e^-x) */
static val logistic(ops_build *b, val x) {
  val one = number(b, x, 1);
  val e = tsr_build_exp(b->b, tsr_build_negf(b->b, x));
  return tsr_build_divf(b->b, one, add(b, one, e));
}

static double logistic_value(double x) {
  return 1 / (1 + exp(-x));
}

/* The error function to 3e-7: M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions,
 * 7.1.26. */
static val error_function(ops_build *b, val x) {
  static const double a[] = {1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592};
  val one = number(b, x, 1), size = tsr_build_absf(b->b, x);
  val t = tsr_build_divf(b->b, one, fma_of(b, number(b, x, 0.3275911), size, one));
  val sum = number(b, x, a[0]);
  for (unsigned i = 1; i < ARRAY_LEN(a); i++) sum = fma_of(b, sum, t, number(b, x, a[i]));
  val e = tsr_build_exp(b->b, tsr_build_negf(b->b, mul(b, x, x)));
  val above = tsr_build_subf(b->b, one, mul(b, mul(b, sum, t), e));
  return tsr_build_select(b->b, is_negative(b, x), tsr_build_negf(b->b, above), above);
}

/* ---- one function each ----------------------------------------------------------------------- */

#define UNARY(id, emitted, number_of)                                                              \
  static val emit_##id(ops_build *b, const val *a) {                                               \
    val x = a[0];                                                                                  \
    return emitted;                                                                                \
  }                                                                                                \
  static double value_##id(const double *a) {                                                      \
    double x = a[0];                                                                               \
    return number_of;                                                                              \
  }
#define BINARY(id, emitted, number_of)                                                             \
  static val emit_##id(ops_build *b, const val *a) {                                               \
    val x = a[0], y = a[1];                                                                        \
    return emitted;                                                                                \
  }                                                                                                \
  static double value_##id(const double *a) {                                                      \
    double x = a[0], y = a[1];                                                                     \
    return number_of;                                                                              \
  }

static double larger(double x, double y) {
  return isnan(x) || isnan(y) ? NAN : fmax(x, y);
}

static double smaller(double x, double y) {
  return isnan(x) || isnan(y) ? NAN : fmin(x, y);
}

static val limit(ops_build *b, val x, val low, val high) {
  return ops_min(b, ops_max(b, x, low), high);
}

/* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 */
static val gelu_tanh(ops_build *b, val x) {
  val cube = mul(b, mul(b, x, x), x);
  val inner = mul(b, fma_of(b, cube, number(b, x, 0.044715), x), number(b, x, 0.7978845608028654));
  val gate = add(b, tsr_build_tanh(b->b, inner), number(b, x, 1));
  return mul(b, mul(b, x, number(b, x, 0.5)), gate);
}

static val gelu(ops_build *b, val x) {
  val e = error_function(b, mul(b, x, number(b, x, 0.7071067811865476)));
  return mul(b, mul(b, x, number(b, x, 0.5)), add(b, e, number(b, x, 1)));
}

/* log(1 + e^x) = max(x, 0) + log(1 + e^-|x|) */
static val softplus(ops_build *b, val x) {
  val e = tsr_build_exp(b->b, tsr_build_negf(b->b, tsr_build_absf(b->b, x)));
  val rest = tsr_build_log(b->b, add(b, number(b, x, 1), e));
  return add(b, ops_max(b, x, number(b, x, 0)), rest);
}

static val where_negative(ops_build *b, val x, val then) {
  return tsr_build_select(b->b, is_negative(b, x), then, x);
}

/* x clamp(x / 6 + 1 / 2, 0, 1) */
static val hardswish(ops_build *b, val x) {
  val gate = fma_of(b, x, number(b, x, 1.0 / 6), number(b, x, 0.5));
  return mul(b, x, limit(b, gate, number(b, x, 0), number(b, x, 1)));
}

UNARY(identity, ((void)b, x), x)
UNARY(neg, tsr_build_negf(b->b, x), -x)
UNARY(abs, tsr_build_absf(b->b, x), fabs(x))
UNARY(square, mul(b, x, x), x *x)
UNARY(sqrt, tsr_build_sqrt(b->b, x), sqrt(x))
UNARY(rsqrt, tsr_build_rsqrt(b->b, x), 1 / sqrt(x))
UNARY(rcp, tsr_build_divf(b->b, number(b, x, 1), x), 1 / x)
UNARY(exp, tsr_build_exp(b->b, x), exp(x))
UNARY(log, tsr_build_log(b->b, x), log(x))
UNARY(sin, tsr_build_sin(b->b, x), sin(x))
UNARY(cos, tsr_build_cos(b->b, x), cos(x))
UNARY(tan, tsr_build_tan(b->b, x), tan(x))
UNARY(sinh, tsr_build_sinh(b->b, x), sinh(x))
UNARY(cosh, tsr_build_cosh(b->b, x), cosh(x))
UNARY(tanh, tsr_build_tanh(b->b, x), tanh(x))
UNARY(ceil, tsr_build_ceil(b->b, x), ceil(x))
UNARY(floor, tsr_build_floor(b->b, x), floor(x))
UNARY(erf, error_function(b, x), erf(x))
UNARY(relu, ops_max(b, x, number(b, x, 0)), larger(x, 0))
UNARY(gelu, gelu(b, x), x * 0.5 * (1 + erf(x * 0.7071067811865476)))
UNARY(gelu_tanh, gelu_tanh(b, x),
      x * 0.5 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))))
UNARY(sigmoid, logistic(b, x), logistic_value(x))
UNARY(silu, mul(b, x, logistic(b, x)), x *logistic_value(x))
UNARY(hardswish, hardswish(b, x), x *fmin(fmax(x / 6 + 0.5, 0), 1))
UNARY(softplus, softplus(b, x), fmax(x, 0) + log1p(exp(-fabs(x))))
BINARY(swish, mul(b, x, logistic(b, mul(b, x, y))), x *logistic_value(x *y))
BINARY(leaky_relu, where_negative(b, x, mul(b, x, y)), x < 0 ? x * y : x)
BINARY(elu, where_negative(b, x, mul(b, y, add(b, tsr_build_exp(b->b, x), number(b, x, -1)))),
       x < 0 ? y * expm1(x) : x)
BINARY(max, ops_max(b, x, y), larger(x, y))
BINARY(min, ops_min(b, x, y), smaller(x, y))
BINARY(pow, tsr_build_pow(b->b, x, y), pow(x, y))

static val emit_clamp(ops_build *b, const val *a) {
  return limit(b, a[0], a[1], a[2]);
}

static double value_clamp(const double *a) {
  return smaller(larger(a[0], a[1]), a[2]);
}

static val emit_where(ops_build *b, const val *a) {
  val zero = number(b, a[0], 0);
  val is = tsr_build_cmpf(b->b, a[0], zero, TSR_CMP_NOT_EQUAL, TSR_CMP_UNORDERED);
  return tsr_build_select(b->b, is, a[1], a[2]);
}

static double value_where(const double *a) {
  return a[0] != 0 ? a[1] : a[2];
}

#define ROW(id, n_args, n_optional, is_f32_only, text, ...)                                        \
  {                                                                                                \
    .name = #id, .args = n_args, .optional = n_optional, .f32_only = is_f32_only,                  \
    .emit = emit_##id, .value = value_##id, .about = text, .numbers = {                            \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }

static const ops_function functions[] = {
    ROW(identity, 1, 0, false, "x", 0),
    ROW(neg, 1, 0, false, "-x", 0),
    ROW(abs, 1, 0, false, "|x|", 0),
    ROW(square, 1, 0, false, "x^2", 0),
    ROW(sqrt, 1, 0, false, "the square root", 0),
    ROW(rsqrt, 1, 0, false, "1 / sqrt(x)", 0),
    ROW(rcp, 1, 0, false, "1 / x", 0),
    ROW(exp, 1, 0, false, "e^x", 0),
    ROW(log, 1, 0, false, "the natural logarithm", 0),
    ROW(sin, 1, 0, false, "the sine", 0),
    ROW(cos, 1, 0, false, "the cosine", 0),
    ROW(tan, 1, 0, false, "the tangent", 0),
    ROW(sinh, 1, 0, false, "the hyperbolic sine", 0),
    ROW(cosh, 1, 0, false, "the hyperbolic cosine", 0),
    ROW(tanh, 1, 0, false, "the hyperbolic tangent", 0),
    ROW(ceil, 1, 0, false, "the least integer that is not less", 0),
    ROW(floor, 1, 0, false, "the greatest integer that is not more", 0),
    ROW(erf, 1, 0, true, "the error function, to 3e-7", 0),
    ROW(relu, 1, 0, false, "max(x, 0)", 0),
    ROW(gelu, 1, 0, true, "x (1 + erf(x / sqrt(2))) / 2, to 3e-7", 0),
    ROW(gelu_tanh, 1, 0, false, "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2", 0),
    ROW(sigmoid, 1, 0, false, "1 / (1 + e^-x)", 0),
    ROW(silu, 1, 0, false, "x / (1 + e^-x)", 0),
    ROW(swish, 2, 1, false, "x / (1 + e^(-y x)); y is 1", 0, 1),
    ROW(hardswish, 1, 0, false, "x clamp(x / 6 + 1 / 2, 0, 1)", 0),
    ROW(softplus, 1, 0, false, "log(1 + e^x)", 0),
    ROW(leaky_relu, 2, 1, false, "x, or y x where x < 0; y is 0.01", 0, 0.01),
    ROW(elu, 2, 1, false, "x, or y (e^x - 1) where x < 0; y is 1", 0, 1),
    ROW(clamp, 3, 0, false, "x, at least y and at most z", 0),
    ROW(max, 2, 0, false, "the larger one of x and y", 0),
    ROW(min, 2, 0, false, "the smaller one of x and y", 0),
    ROW(pow, 2, 0, false, "x^y", 0),
    ROW(where, 3, 0, false, "y where x is not 0, else z", 0),
};

const ops_function *ops_function_at(size_t index) {
  return index < ARRAY_LEN(functions) ? &functions[index] : NULL;
}

const ops_function *ops_function_find(str name) {
  for (size_t i = 0; i < ARRAY_LEN(functions); i++)
    if (str_is(name, functions[i].name)) return &functions[i];
  return NULL;
}
