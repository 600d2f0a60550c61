/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/unit.h: products by wgmma as kernels of the block level ask for them.
 */
#ifndef TSR_GPU_NVPTX_UNIT_H
#define TSR_GPU_NVPTX_UNIT_H

#include "gpu/gen.h"

/* wgmma_fence, wgmma, wgmma_commit, wgmma_wait */
void nvptx_unit(gen *g, ir_op *op);
/* Before a jump to the next iteration of a loop: products that still read registers of this one, in
 * which the next will have other values, are waited for. */
void nvptx_settle_registers(gen *g, const ir_op *loop, const ir_op *jump);

#endif
