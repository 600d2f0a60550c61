/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compiled with -ffast-math, which is what lets the compiler call vector functions.
 */
#include "vector_math.h"

#include <math.h>

#define X(name, ...)                                                                               \
  void vector_##name(double *restrict out, const double *restrict a, const double *restrict b,     \
                     int count) {                                                                  \
    for (int i = 0; i < count; i++) {                                                              \
      double x = a[i], y = b[i];                                                                   \
      (void)y;                                                                                     \
      out[i] = __VA_ARGS__;                                                                        \
    }                                                                                              \
  }
VECTOR_MATH(X)
