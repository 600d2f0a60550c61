/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/overlap.h: products by wgmma that run beside something else (simt/nvidia/overlap.h):
 * begun an iteration early, or waited for an iteration late.
 */
#ifndef TSR_GPU_NVPTX_OVERLAP_H
#define TSR_GPU_NVPTX_OVERLAP_H

#include "gpu/nvptx/pipeline.h"

/* Around a bulk loop, as control.c makes it; all do nothing in loops without such a product.
 * In front: the first iteration's, if there is one. */
void nvptx_early_first(gen *g, pipeline *p);
void nvptx_early_head(gen *g, pipeline *p, llblock before);
/* In place of the product: begins the next iteration's. The registers of this iteration's; NULL: it
 * is another product. */
llv *nvptx_early_turn(gen *g, const ir_op *op);
/* At the end of an iteration: waits for the next one's product. */
void nvptx_early_wait(gen *g, pipeline *p);
void nvptx_early_continue(const pipeline *p, llblock here);
/* Of a product that is waited for an iteration late. In front of the loop: whether there is one. */
void nvptx_late_begin(gen *g, pipeline *p);
/* The iteration value that is its result, under way; NULL: there is none. */
const ir_value *nvptx_late_value(const pipeline *p);
/* How many products its instructions leave under way. */
int nvptx_late_left(const pipeline *p);
/* In front of each operation of a body (the late product itself: when its other operands are
 * there): waits if it is the first that looks at the result of the iteration before. */
void nvptx_late_wait(gen *g, const ir_op *op);
/* After the product: that of the iteration before is complete, and gives its stage back. */
void nvptx_late_turn(gen *g, const pipeline *p);
/* All products are complete, into these registers, which may be touched now. */
void nvptx_wait_for_products(gen *g, llv *sum, uint32_t n);
/* After the loop: waits for the last one, whose accumulator is in these registers. */
void nvptx_late_end(gen *g, const pipeline *p, llv *sum);

#endif
