/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/product.h: matrix products: by the vendor's matrix instructions where the plan says so
 * (gpu_hooks.product), else by multiply-adds on operands in shared memory.
 */
#ifndef TSR_GPU_PRODUCT_H
#define TSR_GPU_PRODUCT_H

#include "gpu/gen.h"

void gpu_product(gen *g, ir_op *op);

/* For matrix instructions: the accumulator as fragments have it (simt_op.sum), where rows are there
 * several times, and back to `c`, where it lies. */
llv *gpu_repeat_rows(gen *g, const simt_op *info, const simt_dist *c, llv *x);
llv *gpu_first_rows(gen *g, const simt_op *info, const simt_dist *c, llv *x);
/* Rounds the sums, as `c` has them, to the result's type. */
void gpu_round_product(gen *g, ir_op *op, llv *sum);

#endif
