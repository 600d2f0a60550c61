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

/* One instruction in assembly that begins with WGMMA_BEGIN: registers of the accumulator from
 * operand `first` on; A in registers, the text of a list, or (NULL) where the descriptor `a` says;
 * B where `b` says. `fresh`: the accumulator is zero. `…_across`: rows in shared memory run along m
 * or n. */
typedef struct wgmma_text {
  const matrix_instruction *x;
  unsigned columns;
  const char *sum, *a_type, *b_type, *a;
  uint32_t first, n;
  bool fresh, a_across, b_across;
} wgmma_text;
void nvptx_wgmma_text(sbuf *out, const wgmma_text *w);
#define WGMMA_BEGIN                                                                                \
  "{\n\t.reg .b64 a, b;\n\t.reg .pred on, off;\n\t"                                                \
  "setp.eq.u32 on, 0, 0;\n\tsetp.ne.u32 off, 0, 0;\n\t"

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
