/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loops that copy ahead (simt/pipeline.h). With N stages:
 *
 *   fill    copies of iterations 0 … N-2, a group of cp.async each
 *   loop    wait until all groups but N-2 are complete; a barrier, after which every thread's part
 *           of the stage is there, and nobody reads the stage of the iteration before
 *           begin copies of iteration i + N-1 into that stage, and make a group of them
 *           multiply what is in stage i mod N
 *
 * Where an iteration to be copied for does not exist the group is empty, so that counting groups
 * stays right. Where elements of a chunk lie outside of the view nothing is read; zeros are written
 * by cp.async, other padding by stores, which the same barrier orders.
 */
#include "gpu/nvptx/pipeline.h"

#include <stdio.h>

#include "gpu/code.h"
#include "gpu/control.h"
#include "gpu/index.h"
#include "gpu/invariant.h"
#include "gpu/kernel.h"
#include "gpu/memory.h"
#include "gpu/nvptx/copy.h"
#include "gpu/nvptx/threads.h"
#include "gpu/shared.h"
#include "gpu/values.h"

/* ---- addresses in a stage ------------------------------------------------------------------- */

static llv shared_base(gen *g) {
  const pipeline *p = g->pipeline;
  uint32_t bytes = p->plan->stages * p->plan->stage_bytes;
  g->scratch_size = MAX(g->scratch_size, p->base + bytes);
  g->scratch_align = MAX(g->scratch_align, (uint32_t)SIMT_STAGE_ALIGN);
  return add_const(g, LLVMBuildPtrToInt(g->start, g->scratch, g->e.i32, "stages"), p->base);
}

static xor_place place_in(gen *g, llv stage, const simt_staged *s, const simt_dist *places,
                          const uint32_t *column) {
  llv base = add_const(g, add_of(g, shared_base(g), stage), s->offset);
  return gpu_xor_place(g, base, places, column);
}

llv nvptx_stage_base(gen *g, const simt_staged *s) {
  return add_const(g, add_of(g, shared_base(g), g->pipeline->read), s->offset);
}

xor_place nvptx_stage_place(gen *g, const simt_staged *s, const simt_dist *places,
                            const uint32_t *column) {
  return place_in(g, g->pipeline->read, s, places, column);
}

/* ---- copies --------------------------------------------------------------------------------- */

/* A word of what is in the place of elements that do not exist. */
static llv padding_word(gen *g, const access *a) {
  emit *e = &g->e;
  llv x = gpu_to_memory(g, (tsr_elem)a->elem, gpu_padding(g, a)[0]);
  unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(x));
  if (bits == 64) return x;
  x = LLVMBuildZExt(e->b, x, e->i32, "");
  for (; bits < 32; bits *= 2)
    x = LLVMBuildOr(e->b, x, LLVMBuildShl(e->b, x, k32(g, bits), ""), "");
  return x;
}

static void pad_chunk(gen *g, llv to, uint32_t offset, llv word, llv who) {
  bool wide = LLVMTypeOf(word) == g->e.i64;
  char text[96];
  snprintf(text, sizeof text, "@$1 st.shared.%s [$0+%u], %s;", wide ? "v2.b64" : "v4.b32", offset,
           wide ? "{$2, $2}" : "{$2, $2, $2, $2}");
  gpu_asm(g, g->e.void_, text, wide ? "r,b,l,~{memory}" : "r,b,r,~{memory}", (llv[]){to, who, word},
          3, true);
}

/* Begins the copies of one load for the iteration whose index is set, where `who` (i1). */
static void copy_tile(gen *g, const simt_staged *s, llv stage, llv who) {
  uint32_t column[SIMT_BITS] = {0};
  for (unsigned k = 0; k < s->to_operand.from_n; k++)
    column[k] = s->layout.column[s->to_operand.to[k]];
  access a = gpu_access(g, s->load, &s->copy);
  xor_place at = place_in(g, stage, s, &s->copy, column);
  uint32_t chunk = SIMT_CHUNK >> s->layout.elem_bytes;
  int64_t known;
  llv word = padding_word(g, &a);
  bool is_zero = is_const(word, &known) && known == 0;
  who = fold_and(g, who, gpu_owner(g, &s->copy));
  bool shared = gpu_share_parts(&a);
  for (uint32_t i = 0; i < slots_of(&s->copy); i += chunk) {
    uint32_t offset, beyond;
    llv to = gpu_xor_address(g, &at, simt_index_of_slot(&s->copy, i), &offset);
    llv from = gpu_address_near(g, &a, i, &beyond);
    if (is_zero) {
      nvptx_copy_async(g, SIMT_CHUNK, to, offset, from, beyond, who,
                       gpu_bytes_of_run(g, &a, i, SIMT_CHUNK));
      continue;
    }
    llv exists = gpu_exists(g, &a, i);
    if (!exists) {
      nvptx_copy_async(g, SIMT_CHUNK, to, offset, from, beyond, who, NULL);
      continue;
    }
    nvptx_copy_async(g, SIMT_CHUNK, to, offset, from, beyond, fold_and(g, who, exists), NULL);
    pad_chunk(g, to, offset, word, fold_and(g, who, LLVMBuildNot(g->e.b, exists, "")));
  }
  gpu_end_sharing(&a, shared);
}

/* Of all loads, for the iteration with this index, as a group. */
static void copy_all(gen *g, const pipeline *p, llv index, llv stage, llv who) {
  uint32_t mark = g->cache.made.len;
  gpu_place since = gpu_here(g);
  gpu_set_scalar(g, &ir_region(p->plan->loop, 0)->args[0], index);
  for (uint32_t i = 0; i < p->plan->n_slice; i++) gpu_body_op(g, p->plan->slice[i]);
  for (uint32_t i = 0; i < p->plan->n_loads; i++) copy_tile(g, &p->plan->loads[i], stage, who);
  gpu_move_invariants(g, since);
  gpu_forget(g, mark); /* they are another iteration's */
  nvptx_copy_commit(g);
}

/* ---- which iteration ------------------------------------------------------------------------ */

/* The next index to copy for, and whether the loop gets there. */
static llv step_index(gen *g, const pipeline *p, llv index, llv ok, llv *next_ok) {
  llv more = gpu_has_next(g, index, p->bounds.upper, p->bounds.step, p->bounds.forward);
  *next_ok = LLVMBuildAnd(g->e.b, ok, more, "");
  return add_of(g, index, p->bounds.step);
}

void nvptx_pipeline_fill(gen *g, pipeline *p, llv lower, llv any) {
  LLVMBuilderRef b = g->e.b;
  uint32_t end = (p->plan->stages - 1) * p->plan->stage_bytes;
  gpu_before_load(g);
  if (g->now.shared_read) gpu_barrier(g); /* stages may still be read as scratch memory */
  g->now.loaded = true;
  llblock before = LLVMGetInsertBlock(b), fill = gpu_new_block(g, "fill");
  llblock done = gpu_new_block(g, "fill.end");
  gpu_go(g, fill);
  gpu_loop_open(g, before, fill);
  llv index = LLVMBuildPhi(b, LLVMTypeOf(lower), ""), ok = LLVMBuildPhi(b, g->e.i1, "");
  llv stage = LLVMBuildPhi(b, g->e.i32, "");
  copy_all(g, p, index, stage, ok);
  gpu_loop_close(g);
  p->next_ahead = step_index(g, p, index, ok, &p->next_ok);
  llv next = add_const(g, stage, p->plan->stage_bytes);
  llblock here = LLVMGetInsertBlock(b);
  LLVMAddIncoming(index, (llv[]){lower, p->next_ahead}, (llblock[]){before, here}, 2);
  LLVMAddIncoming(ok, (llv[]){any, p->next_ok}, (llblock[]){before, here}, 2);
  LLVMAddIncoming(stage, (llv[]){k32(g, 0), next}, (llblock[]){before, here}, 2);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, next, k32(g, end), ""), done, fill);
  LLVMPositionBuilderAtEnd(b, done);
  p->next_read = k32(g, 0);
  p->written = k32(g, end);
}

void nvptx_pipeline_head(gen *g, pipeline *p, llblock before) {
  LLVMBuilderRef b = g->e.b;
  p->ahead = LLVMBuildPhi(b, LLVMTypeOf(p->bounds.upper), "ahead");
  p->ahead_ok = LLVMBuildPhi(b, g->e.i1, "");
  p->read = LLVMBuildPhi(b, g->e.i32, "read");
  p->write = LLVMBuildPhi(b, g->e.i32, "write");
  nvptx_pipeline_continue(p, before);
}

/* wgmma reads shared memory on another path than threads write it. */
static bool feeds_wgmma(gen *g, const simt_pipeline *plan) {
  for (uint32_t i = 0; i < plan->n_loads; i++)
    if (simt_op_of(g->plan, plan->loads[i].product)->mma == SIMT_MMA_GROUP) return true;
  return false;
}

void nvptx_pipeline_turn(gen *g, pipeline *p) {
  LLVMBuilderRef b = g->e.b;
  uint32_t bytes = p->plan->stage_bytes;
  nvptx_copy_wait(g, p->plan->stages - 2);
  if (feeds_wgmma(g, p->plan)) nvptx_fence_async(g);
  gpu_barrier(g);
  g->now.loaded = true;
  copy_all(g, p, p->ahead, p->write, p->ahead_ok);
  p->next_ahead = step_index(g, p, p->ahead, p->ahead_ok, &p->next_ok);
  llv next = add_const(g, p->read, bytes);
  llv last = LLVMBuildICmp(b, LLVMIntEQ, next, k32(g, p->plan->stages * bytes), "");
  p->next_read = LLVMBuildSelect(b, last, k32(g, 0), next, "");
  p->written = p->read; /* what is read now is free in the next iteration */
}

void nvptx_pipeline_continue(const pipeline *p, llblock here) {
  llv phis[] = {p->ahead, p->ahead_ok, p->read, p->write};
  llv values[] = {p->next_ahead, p->next_ok, p->next_read, p->written};
  for (unsigned i = 0; i < ARRAY_LEN(phis); i++) LLVMAddIncoming(phis[i], &values[i], &here, 1);
}

/* ---- whether chunks are aligned ------------------------------------------------------------- */

llv nvptx_pipeline_test(gen *g, const simt_pipeline *plan) {
  LLVMBuilderRef b = g->e.b;
  llv sum = NULL;
  for (uint32_t i = 0; i < plan->n_loads; i++) {
    const simt_staged *s = &plan->loads[i];
    if (!s->test_base && !s->test_strides && !s->test_extents) continue;
    const view *v = value_of(g, s->view)->view;
    llv unit = k64(g, INT64_C(1) << s->layout.elem_bytes);
    if (s->test_base) sum = fold_or(g, sum, v->base);
    for (unsigned d = 0; d < v->type->rank; d++) {
      if (s->test_strides >> d & 1) sum = fold_or(g, sum, fold_mul(g, v->stride[d], unit));
      if (s->test_extents >> d & 1) sum = fold_or(g, sum, fold_mul(g, v->shape[d], unit));
    }
  }
  if (!sum) return NULL;
  llv low = LLVMBuildAnd(b, sum, k64(g, SIMT_CHUNK - 1), "");
  return LLVMBuildICmp(b, LLVMIntEQ, low, k64(g, 0), "aligned");
}
