/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/pingpong.h: warpgroups of consumers that take turns at the tensor cores
 * (simt/nvidia/pingpong.h).
 */
#ifndef TSR_GPU_NVPTX_PINGPONG_H
#define TSR_GPU_NVPTX_PINGPONG_H

#include "gpu/nvptx/pipeline.h"

/* Around a bulk loop whose warpgroups take turns; all do nothing elsewhere. */
void nvptx_turns_begin(gen *g, pipeline *p);
void nvptx_turns_end(gen *g, pipeline *p);
/* In front of a product's instructions in the loop, and when they have been begun. */
void nvptx_turn_take(gen *g, const ir_op *product);
void nvptx_turn_give(gen *g, const ir_op *product);
/* Somebody else's turn begins behind the product, which had better not be waited for before. */
bool nvptx_turn_ends(const gen *g, const ir_op *product);
/* Around a barrier of all consumers; the second one if the first said so. */
bool nvptx_turn_pause(gen *g);
void nvptx_turn_resume(gen *g);

#endif
