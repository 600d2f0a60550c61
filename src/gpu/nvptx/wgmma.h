/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/wgmma.h: matrix products by wgmma (simt/nvidia/wgmma.h).
 */
#ifndef TSR_GPU_NVPTX_WGMMA_H
#define TSR_GPU_NVPTX_WGMMA_H

#include "gpu/gen.h"
#include "simt/nvidia/wgmma.h"

/* An operand of wgmma that lies in shared memory for the whole of a loop. */
typedef struct kept_operand {
  const ir_value *v;
  bool is_a;
  simt_stage_layout layout;
  llv base; /* i32 */
} kept_operand;

/* Returns false, having done nothing, where the plan says otherwise. */
bool nvptx_group_product(gen *g, ir_op *op);
/* The instructions of a product by wgmma: the accumulator's registers as they leave them. They wait
 * until as many products are left under way; NVPTX_NO_WAIT: that is the caller's to do. */
enum { NVPTX_NO_WAIT = -1 };
llv *nvptx_group_multiply(gen *g, ir_op *op, int left);
/* Its operands are where wgmma finds them, without being stored to scratch memory first. */
bool nvptx_group_is_in_place(gen *g, ir_op *op);
/* In front of a pipelined loop: stores operands of wgmma that it does not change; after it they
 * are forgotten. */
uint32_t nvptx_keep_operands(gen *g, const simt_pipeline *plan);
void nvptx_forget_operands(gen *g, uint32_t mark);

#endif
