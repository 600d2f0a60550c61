/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/mma.h: how a matrix product is done on a target, and where its tiles live for that.
 */
#ifndef TSR_SIMT_MMA_H
#define TSR_SIMT_MMA_H

#include "simt/plan.h"

/* The sizes of mmaf, mmai or mmaf_scaled, log2; without a batch dimension `batch` is 0. */
typedef struct simt_product {
  unsigned batch, m, n, k;
} simt_product;
simt_product simt_product_of(const ir_op *op);

/* What a `for` carries is nothing but the accumulator of a product in its body. */
bool simt_accumulates(const ir_value *carried);

/* Whether what a `for` carries at this position may hold any NaN until its end, where it is made
 * the canonical one: arithmetic made all of it, here or in a loop whose result it begins with. */
bool simt_carries_canonical(const ir_op *loop, uint32_t i);

/* Fills `info`, but for `operand`, and gives the distribution of the accumulator and result. */
simt_dist simt_mma_choose(simt_op *info, const simt_plan *p, const ir_op *op);

/* The load whose tile B is computed from, element by element, and that is executed for this product
 * (or products that read it likewise) alone; NULL: there is none. */
const ir_op *simt_mma_direct_load(const simt_plan *p, const ir_op *product);

#endif
