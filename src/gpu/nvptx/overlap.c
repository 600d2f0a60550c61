/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products by wgmma that run beside something else (simt/nvidia/overlap.h). Begun an iteration
 * early:
 *
 *   in front   the first iteration's product, whole
 *   head       its registers are carried, complete
 *   body       begin the next iteration's product with registers of its own; continue with what is
 *              computed from this one's
 *   end        wait for it
 *
 * Registers of instructions under way must not be touched: they go from the assembly that begins
 * the product straight into the one that waits, with nothing but those two between definition and
 * use. Groups of wgmma complete in order, so a product that is begun and waited for in between
 * waits for this one, too.
 *
 * The stage of the next iteration is released by the next iteration. Where there is none the
 * product reads this iteration's stage once more, which is released after it.
 *
 * Waited for an iteration late: its accumulator is carried under way, in the same registers always.
 *
 *   body       where its result is used first wait for the product of the iteration before and,
 *              which ptxas insists on, for the early one that was begun since; give back what both
 *              have read; begin the product
 *   after     wait for it; give the last stage back
 *
 * or, where nothing but the product itself has the result:
 *
 *   body       begin the product; wait until it is the only one; give the stage before back
 *
 * A, where it is in registers, is copied inside the assembly: the registers that instructions under
 * way read are nobody else's, and are written after the wait for those of the iteration before.
 */
#include "gpu/nvptx/overlap.h"

#include "gpu/code.h"
#include "gpu/control.h"
#include "gpu/nvptx/bulk.h"
#include "gpu/nvptx/pipeline.h"
#include "gpu/nvptx/wgmma.h"
#include "gpu/values.h"
#include "llvm/nans.h"
#include "simt/nvidia/overlap.h"

void nvptx_wait_for_products(gen *g, llv *sum, uint32_t n) {
  LLVMTypeRef *types = arena_array(g->arena, LLVMTypeRef, n);
  sbuf constraints = SBUF(g->arena);
  for (uint32_t i = 0; i < n; i++) {
    types[i] = LLVMTypeOf(sum[i]);
    sbuf_printf(&constraints, "=%c,", types[i] == g->e.i32 ? 'r' : 'f');
  }
  for (uint32_t i = 0; i < n; i++) sbuf_printf(&constraints, "%u,", i);
  sbuf_puts(&constraints, "~{memory}");
  LLVMTypeRef result = LLVMStructTypeInContext(g->e.llvm, types, n, 0);
  llv r = gpu_asm(g, result, "wgmma.wait_group.sync.aligned 0;", constraints.data, sum, n, true);
  for (uint32_t i = 0; i < n; i++) sum[i] = LLVMBuildExtractValue(g->e.b, r, i, "");
}

/* ---- in front of the loop ------------------------------------------------------------------- */

static ir_op *early_of(gen *g, const pipeline *p) {
  ir_op *op = p->bulk ? (ir_op *)(uintptr_t)p->bulk->early : NULL;
  return op && nvptx_group_is_in_place(g, op) ? op : NULL;
}

void nvptx_early_first(gen *g, pipeline *p) {
  LLVMBuilderRef b = g->e.b;
  early_product *x = &p->early;
  x->op = early_of(g, p);
  if (!x->op) return;
  simt_dist c = gpu_dist(g, ir_result(x->op, 0));
  uint32_t mark = g->cache.made.len;
  llblock before = LLVMGetInsertBlock(b), first = gpu_new_block(g, "first");
  llblock done = gpu_new_block(g, "first.end");
  llv stage, parity;
  x->n = slots_of(&c);
  LLVMBuildCondBr(b, p->bounds.any, first, done);
  LLVMPositionBuilderAtEnd(b, first);
  nvptx_bulk_next(g, p, &stage, &parity);
  nvptx_bulk_select(g, p, stage, parity);
  llv *sum = nvptx_group_multiply(g, x->op, 0);
  llblock here = LLVMGetInsertBlock(b);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, done);
  gpu_forget(g, mark); /* what was made in the branch is not there after it */
  x->first = gpu_registers(g, &c);
  x->now = gpu_registers(g, &c);
  for (uint32_t i = 0; i < x->n; i++) {
    x->first[i] = LLVMBuildPhi(b, LLVMTypeOf(sum[i]), "");
    llv from[] = {LLVMGetPoison(LLVMTypeOf(sum[i])), sum[i]};
    LLVMAddIncoming(x->first[i], from, (llblock[]){before, here}, 2);
  }
}

void nvptx_early_head(gen *g, pipeline *p, llblock before) {
  early_product *x = &p->early;
  for (uint32_t i = 0; i < x->n; i++) {
    x->now[i] = LLVMBuildPhi(g->e.b, LLVMTypeOf(x->first[i]), "");
    LLVMAddIncoming(x->now[i], &x->first[i], &before, 1);
  }
}

/* ---- in the loop ---------------------------------------------------------------------------- */

static llv index_of(gen *g, const pipeline *p) {
  return gpu_scalar(g, &ir_region(p->plan->loop, 0)->args[0]);
}

llv *nvptx_early_turn(gen *g, const ir_op *op) {
  pipeline *p = g->pipeline;
  if (!p || p->early.op != op) return NULL;
  llv stage = p->stage, parity = p->parity, next_stage, next_parity;
  llv more = gpu_has_next(g, index_of(g, p), p->bounds.upper, p->bounds.step, p->bounds.forward);
  nvptx_bulk_next(g, p, &next_stage, &next_parity);
  nvptx_bulk_select(g, p, LLVMBuildSelect(g->e.b, more, next_stage, stage, ""),
                    LLVMBuildSelect(g->e.b, more, next_parity, parity, ""));
  p->early.next = nvptx_group_multiply(g, p->early.op, NVPTX_NO_WAIT);
  nvptx_bulk_select(g, p, stage, parity);
  return p->early.now;
}

void nvptx_early_wait(gen *g, pipeline *p) {
  if (p->late_use) return; /* done there */
  nvptx_wait_for_products(g, p->early.next, p->early.n);
  nvptx_bulk_release(g, p, p->early.op, p->stage, NULL);
}

void nvptx_early_continue(const pipeline *p, llblock here) {
  const early_product *x = &p->early;
  for (uint32_t i = 0; i < x->n; i++) LLVMAddIncoming(x->now[i], &x->next[i], &here, 1);
}

/* ---- late products -------------------------------------------------------------------------- */

void nvptx_late_begin(gen *g, pipeline *p) {
  ir_op *op = p->bulk ? (ir_op *)(uintptr_t)p->bulk->late : NULL;
  if (!op || !nvptx_group_is_in_place(g, op)) return;
  p->late = op;
  p->late_use = p->bulk->late_use;
}

const ir_value *nvptx_late_value(const pipeline *p) {
  return p->late ? simt_carried_result(p->late) : NULL;
}

int nvptx_late_left(const pipeline *p) {
  return p->late_use ? NVPTX_NO_WAIT : 1;
}

void nvptx_late_turn(gen *g, const pipeline *p) {
  llv has_before = LLVMBuildICmp(g->e.b, LLVMIntNE, index_of(g, p), p->bounds.lower, "");
  nvptx_bulk_release(g, p, p->late, nvptx_bulk_before(g, p, p->stage), has_before);
}

void nvptx_late_wait(gen *g, const ir_op *op) {
  const pipeline *p = g->pipeline;
  if (!p || p->late_use != op) return;
  ir_value *v = (ir_value *)(uintptr_t)nvptx_late_value(p);
  simt_dist c = gpu_dist(g, v);
  uint32_t n = slots_of(&c), n_early = p->early.op ? p->early.n : 0;
  llv *sum = arena_array(g->arena, llv, n + n_early);
  memcpy(sum, value_of(g, v)->t.v, n * sizeof *sum);
  if (n_early) memcpy(sum + n, p->early.next, n_early * sizeof *sum);
  nvptx_wait_for_products(g, sum, n + n_early);
  if (n_early) memcpy(p->early.next, sum + n, n_early * sizeof *sum);
  if (v->type->elem == TSR_F32 && !simt_accumulates(v))
    for (uint32_t i = 0; i < n; i++) sum[i] = lanes_canonical(&g->e, sum[i]);
  gpu_set(g, v, &c, sum);
  nvptx_late_turn(g, p);
  if (n_early) nvptx_bulk_release(g, p, p->early.op, p->stage, NULL);
}

void nvptx_late_end(gen *g, const pipeline *p, llv *sum) {
  simt_dist c = gpu_dist(g, ir_result(p->late, 0));
  llv stage, parity;
  nvptx_wait_for_products(g, sum, slots_of(&c));
  nvptx_bulk_next(g, p, &stage, &parity);
  nvptx_bulk_release(g, p, p->late, nvptx_bulk_before(g, p, stage), p->bounds.any);
}
