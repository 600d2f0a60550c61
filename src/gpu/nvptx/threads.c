/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Barriers, shuffles, thread numbers; byte permutations and packed multiply-adds.
 */
#include "gpu/nvptx/threads.h"

#include "gpu/code.h"
#include "gpu/nvptx/pingpong.h"
#include "simt/nvidia/bulk.h"

llv nvptx_special(gen *g, const char *name) {
  return emit_intrinsic(&g->e, name, NULL, 0, NULL, 0);
}

llv nvptx_thread(gen *g) {
  return nvptx_special(g, "llvm.nvvm.read.ptx.sreg.tid.x");
}

/* Of the consumers, without the producer. */
static void consumer_barrier(gen *g) {
  enum { CONSUMERS = 1 /* their barrier */ };
  llv args[] = {k32(g, CONSUMERS), k32(g, gpu_threads(g))};
  emit_intrinsic(&g->e, "llvm.nvvm.barrier.cta.sync.aligned.count", NULL, 0, args, 2);
}

/* Of the threads of a group. */
static void group_barrier(gen *g) {
  llv args[] = {k32(g, g->barrier), k32(g, gpu_threads(g))};
  emit_intrinsic(&g->e, "llvm.nvvm.barrier.cta.sync.aligned.count", NULL, 0, args, 2);
}

void nvptx_named_barrier(gen *g, unsigned id, uint32_t threads, bool waits) {
  const char *text = waits ? "bar.sync $0, $1;" : "bar.arrive $0, $1;";
  gpu_asm(g, g->e.void_, text, "n,n,~{memory}", (llv[]){k32(g, id), k32(g, threads)}, 2, true);
}

void nvptx_set_registers(gen *g, unsigned from, unsigned to) {
  if (from == to) return;
  char *text =
      arena_printf(g->arena, "setmaxnreg.%s.sync.aligned.u32 %u;", to > from ? "inc" : "dec", to);
  gpu_asm(g, g->e.void_, text, "~{memory}", NULL, 0, true);
}

/* The lanes of a warp that there are. */
static llv all_lanes(gen *g) {
  return k32(g, UINT32_MAX >> (32 - (1u << g->block.lanes)));
}

void nvptx_warp_barrier(gen *g) {
  llv all = all_lanes(g);
  emit_intrinsic(&g->e, "llvm.nvvm.bar.warp.sync", NULL, 0, &all, 1);
}

void nvptx_barrier(gen *g) {
  llv zero = k32(g, 0);
  if (gpu_threads(g) == 1) return;
  if (g->block.warps == 0) {
    nvptx_warp_barrier(g);
    return;
  }
  bool turn = nvptx_turn_pause(g);
  if (simt_bulk_of(g->plan))
    consumer_barrier(g);
  else if (g->barrier)
    group_barrier(g);
  else
    emit_intrinsic(&g->e, "llvm.nvvm.barrier.cta.sync.aligned.all", NULL, 0, &zero, 1);
  if (turn) nvptx_turn_resume(g);
}

void nvptx_fence_async(gen *g) {
  gpu_asm(g, g->e.void_, "fence.proxy.async.shared::cta;", "~{memory}", NULL, 0, true);
}

llv nvptx_shuffle_xor(gen *g, llv word, llv mask) {
  llv args[] = {all_lanes(g), word, mask, k32(g, 31)};
  return emit_intrinsic(&g->e, "llvm.nvvm.shfl.sync.bfly.i32", NULL, 0, args, 4);
}

llv nvptx_shuffle_from(gen *g, llv word, llv lane) {
  llv args[] = {all_lanes(g), word, lane, k32(g, 31)};
  return emit_intrinsic(&g->e, "llvm.nvvm.shfl.sync.idx.i32", NULL, 0, args, 4);
}

/* Matrix descriptors, which depend on the warp, must be in uniform registers; of what is computed
 * from a thread's number ptxas does not know that it is the same for all lanes. Elsewhere it
 * matters to nobody. */
llv nvptx_uniform(gen *g, llv word) {
  if (!simt_bulk_of(g->plan)) return word;
  return nvptx_shuffle_from(g, word, k32(g, 0));
}

llv nvptx_select_bytes(gen *g, llv low, llv high, uint32_t selector) {
  llv args[] = {low, high, k32(g, selector)};
  return emit_intrinsic(&g->e, "llvm.nvvm.prmt", NULL, 0, args, 3);
}

llv nvptx_round_halves(gen *g, tsr_elem elem, llv low, llv high) {
  llv args[] = {high, low};
  const char *name = elem == TSR_F16 ? "llvm.nvvm.ff2f16x2.rn" : "llvm.nvvm.ff2bf16x2.rn";
  llv pair = emit_intrinsic(&g->e, name, NULL, 0, args, 2);
  return LLVMBuildBitCast(g->e.b, pair, g->e.i32, "");
}

llv nvptx_fma_halves(gen *g, tsr_elem elem, llv x, llv y, llv z) {
  llv args[] = {x, y, z};
  const char *text =
      elem == TSR_BF16 ? "fma.rn.bf16x2 $0, $1, $2, $3;" : "fma.rn.f16x2 $0, $1, $2, $3;";
  return gpu_asm(g, g->e.i32, text, "=r,r,r,r", args, 3, false);
}
