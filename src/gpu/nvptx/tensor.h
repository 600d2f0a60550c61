/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/tensor.h: matrix products by mma.sync.
 */
#ifndef TSR_GPU_NVPTX_TENSOR_H
#define TSR_GPU_NVPTX_TENSOR_H

#include "gpu/gen.h"

/* Returns false, having done nothing, where the plan says otherwise. */
bool nvptx_tensor_product(gen *g, ir_op *op);

#endif
