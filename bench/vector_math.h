/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of the C library over arrays of double, by its vector versions where it has them: fast
 * enough to be a reference for all 2^32 floats, good to a few units of the last place of double.
 * At the edges (infinities, NaN, overflow) they may be wrong.
 */
#ifndef TESSERA_BENCH_VECTOR_MATH_H
#define TESSERA_BENCH_VECTOR_MATH_H

typedef void (*vector_math_fn)(double *restrict out, const double *restrict x,
                               const double *restrict y, int count);

#define VECTOR_MATH(X)                                                                             \
  X(exp, exp(x))                                                                                   \
  X(exp2, exp2(x))                                                                                 \
  X(log, log(x))                                                                                   \
  X(log2, log2(x))                                                                                 \
  X(sin, sin(x))                                                                                   \
  X(cos, cos(x))                                                                                   \
  X(tan, tan(x))                                                                                   \
  X(sinh, sinh(x))                                                                                 \
  X(cosh, cosh(x))                                                                                 \
  X(tanh, tanh(x))                                                                                 \
  X(rsqrt, 1 / sqrt(x))                                                                            \
  X(pow, pow(x, y))                                                                                \
  X(atan2, atan2(x, y))

#define X(name, ...)                                                                               \
  void vector_##name(double *restrict out, const double *restrict a, const double *restrict b,     \
                     int count);
VECTOR_MATH(X)
#undef X

#endif
