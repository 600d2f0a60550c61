/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/pipeline.h: loops that copy ahead through registers (simt/amd/amd.h), as control.c
 * makes them, and operands in their stages.
 */
#ifndef TSR_GPU_AMDGCN_PIPELINE_H
#define TSR_GPU_AMDGCN_PIPELINE_H

#include "gpu/index.h"
#include "gpu/vendor.h"

/* The loop's own index is what is multiplied. Registers hold the next iteration, or again the last
 * one where there is none; `ahead` is that of the one that is loaded after it, likewise. */
struct pipeline {
  const simt_pipeline *plan;
  loop_bounds bounds;
  uint32_t n;      /* words and vectors of words that are loaded for an iteration */
  llv *words;      /* of the next iteration: phis */
  llv *next_words; /* of the one after it */
  llv ahead, next_ahead;
  llv read, next_read; /* i32: the stage that is multiplied, bytes from the first; NULL: there is
                          but one */
};

/* The functions of gpu_hooks. */
llv amdgcn_version_test(gen *g, ir_op *from);
bool amdgcn_loop_is_plain(const gen *g, const simt_pipeline *plan);
llv amdgcn_loop_test(gen *g, const simt_pipeline *plan);
pipeline *amdgcn_loop_begin(gen *g, const simt_pipeline *plan, const loop_bounds *bounds);
const ir_value *amdgcn_loop_late(const pipeline *p);
void amdgcn_loop_head(gen *g, pipeline *p, llblock before);
void amdgcn_loop_body(gen *g, pipeline *p);
void amdgcn_loop_body_end(pipeline *p);
void amdgcn_loop_next(gen *g, pipeline *p);
void amdgcn_loop_continue(const pipeline *p, llblock here);
void amdgcn_loop_close(gen *g, pipeline *p);
void amdgcn_loop_end(gen *g, pipeline *p, llv *late);
uint32_t amdgcn_shared_taken(const gen *g);

/* Of the stage that is multiplied. `places` stays the caller's. */
xor_place amdgcn_stage_place(gen *g, const simt_staged *s, const simt_dist *places);

#endif
