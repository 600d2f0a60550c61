/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/plan/mask.h: which elements conditions on these hold for, as bounds.
 */
#ifndef TSR_CPU_PLAN_MASK_H
#define TSR_CPU_PLAN_MASK_H

#include "cpu/core/core.h"
#include "cpu/plan/map.h"

/* Bounds on what a group loads or stores, or on where a condition holds: elements in [lo, hi) along
 * some bits. */
typedef struct bound_use {
  int8_t first; /* of the bits of the iteration that are bounded, one behind the other; -1: others
                 * are, or some of them only */
  uint8_t n;
  llv lo;         /* i64, 0 … hi; NULL: 0 */
  llv hi, forced; /* as in access_bound and access */
  llv known;      /* i1: lo and hi are what they should be; NULL: always */
} bound_use;
typedef VEC(bound_use) bound_uses;

/* An i1 that implies that every element of the i1 tile is true; NULL when nothing is known. */
llv all_true(lower *l, ir_value *mask);
/* Of a comparison of integers: the one interval of elements along some bits for which it is true.
 * False: it is not known to be one. */
bool mask_interval(lower *l, ir_op *op, const index_map *m, bound_use *u);
/* Of a minimum or maximum with one number: the same, where it is the other operand. */
bool clamp_interval(lower *l, ir_op *op, const index_map *m, bound_use *u);
/* Between which numbers the elements of a tile of signed integers lie for which a mask (NULL: none)
 * is true, as i64 within ±2^57. `ok`: an i1, that this is so; NULL: always. False: nothing is
 * known.
 */
bool mask_range_of(lower *l, ir_value *v, ir_value *mask, llv *min, llv *max, llv *ok);
/* What all_true consists of: bounds, which it appends, and other conditions (NULL: true). False:
 * nothing is known. */
bool mask_bounds(lower *l, ir_value *mask, const index_map *m, bound_uses *uses, llv *others);
/* The same; false where it says more of single elements than the bounds do. */
bool mask_is_bounds(lower *l, ir_value *mask, const index_map *m, bound_uses *uses, llv *others);

#endif
