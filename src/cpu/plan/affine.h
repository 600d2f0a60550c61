/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/plan/affine.h: integers and addresses that are linear in the bits of their index.
 *
 * Strides are coefficients of these forms, so what asks an access for its strides includes this.
 */
#ifndef TSR_CPU_PLAN_AFFINE_H
#define TSR_CPU_PLAN_AFFINE_H

#include "cpu/core/core.h"
#include "cpu/plan/map.h"

/* m * s modulo the width of what it belongs to; s NULL stands for 1. */
typedef struct coef {
  int64_t m;
  llv s;
} coef;

/* value[i] = base + sum of c[k] over the bits k that are set in i, modulo 2^width. */
typedef struct affine {
  uint8_t n;
  uint8_t width; /* bits of base and of every coefficient: 8 … 64 */
  bool narrow;   /* widened, and nothing else: base and coefficients have fewer */
  llv base;
  llv root; /* base is root + offset: what forms that differ by a number share; NULL: base itself */
  int64_t offset;
  coef c[MAP_BITS];
  llv ok; /* an i1 that says whether this holds in this run; NULL: it always does */
} affine;

/* What pointers are but for what is linear in them: pointers, and signed integers that count
 * elements, of the same shape. bits: of the index, on which they depend. */
enum { MAX_TERMS = 2 };
typedef struct pointer_terms {
  ir_value *v[MAX_TERMS];
  unsigned n;
  uint64_t bits;
} pointer_terms;

/* The form of an operation's result or of a value; NULL: it has none. */
affine *affine_of_op(lower *l, ir_op *op);
/* The form of what has none, as in value.clamped. */
affine *affine_clamped_of_op(lower *l, ir_op *op);
/* The same, as in value.bitwise. */
affine *affine_bitwise_of_op(lower *l, ir_op *op);
affine *affine_of(lower *l, const ir_value *v);
affine *affine_shifted(lower *l, const affine *a, llv by);
/* Is it the same in every element? */
bool affine_is_uniform(const affine *a);
/* What is linear in pointers, which are the sum of that and the terms; NULL: these are too many. */
affine *affine_split(lower *l, ir_value *pointers, pointer_terms *t);
/* The smallest and largest value, as i64; exact when the affine value came from affine_widen. */
void affine_range(lower *l, const affine *a, llv *min, llv *max);
affine *affine_widen(lower *l, const affine *a, bool is_signed);
/* The same form as affine_widen gives, for comparing. */
affine *affine_comparable(lower *l, const affine *a, bool is_signed);

llv coef_value(lower *l, coef c, unsigned width);
bool coef_is_zero(coef c);
bool coef_is_same(coef a, coef b);
/* Do two instructions compute the same? False where that isn't seen. */
bool is_same_number(llv a, llv b);
bool coef_const(coef c, int64_t *out);

#endif
