/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/linear.h: values that are linear in the bits of their index, as lanes.
 */
#ifndef TSR_CPU_NEST_LINEAR_H
#define TSR_CPU_NEST_LINEAR_H

#include "cpu/nest/nest.h"
#include "cpu/plan/affine.h"

/* base + sum of coefficients, in integers of `width` bits; `key` names them for reuse. */
lane_value gen_linear(nest *n, const void *key, llv base, const coef *c, unsigned width,
                      const index_map *m);
/* A part of that: what loops and fixed bits give. */
lane_value linear_scalar(nest *n, const void *key, llv base, const coef *c, unsigned width,
                         const index_map *m);
/* The other part: coefficients by bit of the lane's number; false when none counts. */
bool lane_coefs(nest *n, const coef *c, const index_map *m, coef out[LANE_BITS]);
/* <0, c0, c1, c0 + c1, …>, in front of all loops: no coefficient changes in them. */
llv lane_offsets(nest *n, const coef c[LANE_BITS], unsigned width);

#endif
