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

enum { THIN_ROWS = 16 };
typedef struct thin {
  nest *n;
  root *r;
  unsigned level; /* of the loop over k; n_levels: there is none */
  unsigned rows, copies;
  llv sum[MAX_UNROLL][THIN_ROWS], phi[MAX_UNROLL][THIN_ROWS];
} thin;
/* Is this a product of few rows whose right operand is best evaluated in registers? */
bool thin_fits(lower *l, const product *p);
/* May the two share a nest? Must they have one each nevertheless, without digits? */
bool thin_shares(lower *l, const root *a, const root *b);
bool thin_splits(lower *l, const group *g);
/* log2 of the copies of the body that have accumulators in registers. */
unsigned thin_copies(lower *l, const group *g, unsigned lane_count);
void thin_begin(thin *x, nest *n, root *r, unsigned level);
void thin_step(thin *x, unsigned copy, const index_map *m);
void thin_end(thin *x);

#endif
