/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/pingpong.h: ping-pong scheduling of warpgroups of consumers, which alternate at
 * the tensor cores (simt/nvidia/pingpong.h).
 */
#ifndef TSR_GPU_NVPTX_PINGPONG_H
#define TSR_GPU_NVPTX_PINGPONG_H

#include "gpu/nvptx/pipeline.h"

/* Around a bulk loop whose warpgroups alternate. All these functions do nothing elsewhere. */
void nvptx_pingpong_begin(gen *g, pipeline *p);
void nvptx_pingpong_end(gen *g, pipeline *p);
/* Before a product's instructions in the loop, and when they have been begun. */
void nvptx_turn_take(gen *g, const ir_op *product);
void nvptx_turn_give(gen *g, const ir_op *product);
/* The other warpgroup's turn begins after the product, so the product should not be waited for
 * before that. */
bool nvptx_turn_ends(const gen *g, const ir_op *product);
/* Before and after a barrier of all consumers; resume only if pause returned true. */
bool nvptx_turn_pause(gen *g);
void nvptx_turn_resume(gen *g);

#endif
