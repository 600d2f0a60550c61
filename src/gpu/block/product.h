/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/block/product.h: matrix products by the instruction that the layouts of their tiles ask for.
 */
#ifndef TSR_GPU_BLOCK_PRODUCT_H
#define TSR_GPU_BLOCK_PRODUCT_H

#include "gpu/gen.h"

void gpu_stated_product(gen *g, ir_op *op);

#endif
