/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/product.h: matrix products: by the vendor's matrix instructions where the plan says so
 * (gpu_hooks.product), else by multiply-adds on operands in shared memory.
 */
#ifndef TSR_GPU_PRODUCT_H
#define TSR_GPU_PRODUCT_H

#include "gpu/gen.h"

void gpu_product(gen *g, ir_op *op);

#endif
