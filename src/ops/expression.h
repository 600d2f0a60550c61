/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Expressions of tensors: numbers, names of one letter, + - * / and parentheses, comparisons (1 or
 * 0), and the functions of function.h.
 *
 *   relu(a * 2 + b)      where(a < b, a, -b)
 */
#ifndef TSR_OPS_EXPRESSION_H
#define TSR_OPS_EXPRESSION_H

#include "ops/function.h"

typedef enum expression_kind {
  EXPRESSION_NUMBER,
  EXPRESSION_TENSOR,
  EXPRESSION_FUNCTION,
  EXPRESSION_ADD,
  EXPRESSION_SUBTRACT,
  EXPRESSION_MULTIPLY,
  EXPRESSION_DIVIDE,
  EXPRESSION_COMPARE
} expression_kind;

typedef struct expression {
  uint8_t kind;       /* expression_kind */
  uint8_t tensor;     /* 0: a */
  uint8_t comparison; /* tsr_comparison */
  double number;
  const ops_function *function;
  struct expression *args[OPS_FUNCTION_ARGS];
} expression;

enum { EXPRESSION_TENSORS = 8 }; /* a to h */

/* In the arena; NULL when it is wrong. `used` gets a bit for each tensor. */
expression *expression_parse(arena *a, str text, unsigned *used, ops_why *why);
/* On tiles of one shape, f32 or f64; `like` is one of them. */
tsr_value expression_emit(ops_build *b, const expression *e, const tsr_value *tensors,
                          tsr_value like);
double expression_value(const expression *e, const double *tensors);
/* Whether it has a function that is an approximation for f32 only. */
bool expression_is_f32_only(const expression *e);

#endif
