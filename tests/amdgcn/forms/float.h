/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Floats by MPFR, on their bits: what an operation of AMD's instructions gives, rounded once.
 */
#ifndef TSR_TESTS_AMDGCN_FORMS_FLOAT_H
#define TSR_TESTS_AMDGCN_FORMS_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum float_type { T_F16, T_BF16, T_F32, T_F64 } float_type;

typedef enum float_op {
  OP_ROUND, /* a itself, in the result's format */
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_FMA,
  OP_RCP,
  OP_SQRT,
  OP_RSQ,
  OP_EXP2,
  OP_LOG2,
  OP_SIN, /* of turns */
  OP_COS,
  OP_TRUNC,
  OP_CEIL,
  OP_FLOOR,
  OP_EVEN, /* to the nearest whole number, ties to even */
  OP_FRACT,
  OP_LDEXP, /* by the signed number in b */
} float_op;

typedef enum float_rounding { ROUND_EVEN, ROUND_ZERO, ROUND_UP, ROUND_DOWN } float_rounding;

/* Operands of format `in`, the result of format `out`; a NaN is any quiet one. */
uint64_t mp_do(float_op op, float_type in, float_type out, float_rounding r, uint64_t a, uint64_t b,
               uint64_t c);
/* (a b + c) 2^by, rounded once. */
uint64_t mp_scaled_fma(float_type t, uint64_t a, uint64_t b, uint64_t c, int by);
/* The sum of products of `n` pairs and c, without rounding in between. */
uint64_t mp_dot(float_type in, const uint64_t *a, const uint64_t *b, unsigned n, uint64_t c);

bool mp_is_nan(float_type t, uint64_t v);
bool mp_is_infinite(float_type t, uint64_t v);
bool mp_is_zero(float_type t, uint64_t v);
bool mp_is_subnormal(float_type t, uint64_t v);
bool mp_sign(float_type t, uint64_t v);
uint64_t mp_flush(float_type t, uint64_t v); /* subnormals to zeroes of their sign */
uint64_t mp_nan(float_type t);
uint64_t mp_infinity(float_type t, bool negative);
/* -1, 0, 1; 2: one is a NaN. Zeroes are equal. */
int mp_order(float_type t, uint64_t a, uint64_t b);
/* The distance in units of the last place; 0 also for two NaNs. */
uint64_t mp_distance(float_type t, uint64_t a, uint64_t b);
/* x = m * 2^e with 0.5 <= |m| < 1; of what is not finite, or zero, m is x and e 0. */
uint64_t mp_take_apart(float_type t, uint64_t v, int *exponent);
/* The whole number towards zero, within a range; of a NaN 0. */
int64_t mp_to_integer(float_type t, uint64_t v, int64_t least, int64_t most);
uint64_t mp_of_integer(float_type t, int64_t v);

#endif
