/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pipelined loops, as control.c makes them: whose threads copy ahead, or a producer; whose products
 * are begun early or waited for late; with ping-pong scheduling.
 */
#include "gpu/nvptx/loop.h"

#include "gpu/nvptx/bulk.h"
#include "gpu/nvptx/overlap.h"
#include "gpu/nvptx/pingpong.h"
#include "gpu/nvptx/pipeline.h"
#include "gpu/nvptx/state.h"
#include "gpu/nvptx/wgmma.h"
#include "gpu/vendor.h"

llv nvptx_loop_test(gen *g, const simt_pipeline *plan) {
  bool needs_none = simt_bulk_loop_of(g->plan, plan->loop) != NULL; /* maps are tested at launch */
  return needs_none ? NULL : nvptx_pipeline_test(g, plan);
}

pipeline *nvptx_loop_begin(gen *g, const simt_pipeline *plan, const loop_bounds *bounds) {
  pipeline *p = arena_new(g->arena, pipeline);
  *p = (pipeline){.plan = plan, .bounds = *bounds, .bulk = simt_bulk_loop_of(g->plan, plan->loop)};
  p->base = p->bulk ? p->bulk->offset : nvptx_stages_base(g);
  g->pipeline = p;
  if (!p->bulk) nvptx_pipeline_fill(g, p, bounds->lower, bounds->any);
  p->kept_mark = nvptx_keep_operands(g, plan);
  nvptx_pingpong_begin(g, p);
  nvptx_early_first(g, p);
  nvptx_late_begin(g, p);
  return p;
}

void nvptx_loop_head(gen *g, pipeline *p, llblock before) {
  if (!p->bulk) nvptx_pipeline_head(g, p, before);
  nvptx_early_head(g, p, before);
}

void nvptx_loop_body(gen *g, pipeline *p) {
  if (p->bulk)
    nvptx_bulk_turn(g, p);
  else
    nvptx_pipeline_turn(g, p);
  p->in_body = true;
}

void nvptx_loop_body_end(pipeline *p) {
  p->in_body = false;
}

void nvptx_loop_next(gen *g, pipeline *p) {
  if (p->early.op) nvptx_early_wait(g, p);
}

void nvptx_loop_continue(const pipeline *p, llblock here) {
  if (!p->bulk) nvptx_pipeline_continue(p, here);
  if (p->early.op) nvptx_early_continue(p, here);
}

void nvptx_loop_close(gen *g, pipeline *p) {
  nvptx_forget_operands(g, p->kept_mark);
  g->pipeline = NULL;
}

void nvptx_loop_end(gen *g, pipeline *p, llv *late) {
  if (late) nvptx_late_end(g, p, late);
  nvptx_pingpong_end(g, p);
  if (p->bulk) nvptx_bulk_end(g, p->plan->loop);
}

void nvptx_before_op(gen *g, const ir_op *op) {
  bool is_late = g->pipeline && g->pipeline->late == op; /* waits when its operands are there */
  if (!is_late) nvptx_late_wait(g, op);
}

uint32_t nvptx_stages_base(const gen *g) {
  if (!simt_bulk_of(g->plan)) return 0;
  return own_of(g)->bulk_busy ? simt_bulk_of(g->plan)->bytes
                              : (uint32_t)SIMT_STAGE_ALIGN; /* after barriers */
}

/* Stages, and operands that are kept, lie in front of scratch memory while they are in use, else it
 * has their place too. */
uint32_t nvptx_shared_taken(const gen *g) {
  const pipeline *p = g->pipeline;
  uint32_t kept = own_of(g)->kept_bytes;
  if (!p || p->bulk) return nvptx_stages_base(g) + kept;
  return p->base + p->plan->stages * p->plan->stage_bytes + kept;
}
