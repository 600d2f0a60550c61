/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/product.h: products by matrix instructions (MFMA, WMMA), as gpu_hooks has them.
 */
#ifndef TSR_GPU_AMDGCN_PRODUCT_H
#define TSR_GPU_AMDGCN_PRODUCT_H

#include "gpu/gen.h"

void amdgcn_multiply(gen *g, const ir_op *op, const matrix_instruction *x, const llv *a,
                     const llv *b, llv *sum);
unsigned amdgcn_carried_together(const gen *g, const ir_value *carried); /* of gpu_hooks */
bool amdgcn_product(gen *g, ir_op *op);

#endif
