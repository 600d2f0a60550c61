/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/loop.h: a pipelined loop from begin to end, in whichever of the ways the plan has
 * chosen (pipeline.h, bulk.h, overlap.h, pingpong.h): as gpu_hooks has it.
 */
#ifndef TSR_GPU_NVPTX_LOOP_H
#define TSR_GPU_NVPTX_LOOP_H

#include "gpu/vendor.h"

llv nvptx_loop_test(gen *g, const simt_pipeline *plan);
pipeline *nvptx_loop_begin(gen *g, const simt_pipeline *plan, const loop_bounds *bounds);
void nvptx_loop_head(gen *g, pipeline *p, llblock before);
void nvptx_loop_body(gen *g, pipeline *p);
void nvptx_loop_body_end(pipeline *p);
void nvptx_loop_next(gen *g, pipeline *p);
void nvptx_loop_continue(const pipeline *p, llblock here);
void nvptx_loop_close(gen *g, pipeline *p);
void nvptx_loop_end(gen *g, pipeline *p, llv *late);
/* In front of an operation of a block. */
void nvptx_before_op(gen *g, const ir_op *op);
/* Where stages of loops that all threads copy for begin in shared memory, bytes. */
uint32_t nvptx_stages_base(const gen *g);
/* Bytes of shared memory in front of scratch memory. */
uint32_t nvptx_shared_taken(const gen *g);

#endif
