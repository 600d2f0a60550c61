/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/skinny/skinny.h: products of few rows, whose right operand is evaluated in registers.
 * All roots of a group are such products, or none.
 */
#ifndef TSR_CPU_GEMM_SKINNY_SKINNY_H
#define TSR_CPU_GEMM_SKINNY_SKINNY_H

#include "cpu/nest/nest.h"
#include "cpu/nest/roots.h"
#include "cpu/plan/product.h"

enum { SKINNY_ROWS = 16 };
typedef struct skinny_product {
  nest *n;
  root *r;
  unsigned level; /* of the loop over k; n_levels: there is none */
  unsigned rows, copies;
  llv sum[MAX_UNROLL][SKINNY_ROWS], phi[MAX_UNROLL][SKINNY_ROWS];
} skinny_product;
/* Is this a product of few rows whose right operand is best evaluated in registers? */
bool skinny_fits(lower *l, const product *p);
/* May the two share a nest? Must they have one each nevertheless, without digits? */
bool skinny_shares(lower *l, const root *a, const root *b);
bool skinny_splits(lower *l, const group *g);
/* log2 of the copies of the body that have accumulators in registers. */
unsigned skinny_copies(lower *l, const group *g, unsigned lane_count);
void skinny_begin(skinny_product *x, nest *n, root *r, unsigned level);
void skinny_step(skinny_product *x, unsigned copy, const index_map *m);
void skinny_end(skinny_product *x);

#endif
