/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * mapa gives the address of a place in another tile block's shared memory. Addresses of shared
 * memory are the kernel's first one plus where an allocation begins, so what is kept of a remote
 * allocation is its address less that first one.
 */
#include "gpu/nvptx/remote.h"

#include "gpu/block/stated.h"
#include "gpu/block/storage.h"
#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/index.h"
#include "gpu/memory.h"
#include "gpu/nvptx/engine.h"
#include "gpu/nvptx/threads.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "ir/block/layouts.h"

static void rank(gen *g, ir_op *op) {
  simt_dist d = gpu_scalar_dist(g);
  llv *r = gpu_registers(g, &d);
  r[0] = nvptx_special(g, "llvm.nvvm.read.ptx.sreg.cluster.ctarank");
  gpu_set(g, ir_result(op, 0), &d, r);
}

static void map_remote(gen *g, ir_op *op) {
  const storage_ref *s = value_of(g, ir_operand(op, 0))->storage;
  llv first = LLVMBuildPtrToInt(g->start, g->scratch, g->e.i32, "shared");
  llv args[] = {fold_add(g, first, s->base), gpu_scalar(g, ir_operand(op, 1))};
  llv there =
      gpu_asm(g, g->e.i32, "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", args, 2, false);
  gpu_set_storage(g, ir_result(op, 0), LLVMBuildSub(g->e.b, there, first, ""), s->offset);
}

static void arrive(gen *g, const ir_op *op) {
  bool relaxed = op->opcode == OP_cluster_arrive && ir_has_attr(op, ATTR_relaxed);
  gpu_asm(g, g->e.void_,
          relaxed ? "barrier.cluster.arrive.relaxed;" : "barrier.cluster.arrive.release;",
          "~{memory}", NULL, 0, true);
}

static void wait_for_cluster(gen *g) {
  gpu_asm(g, g->e.void_, "barrier.cluster.wait.acquire;", "~{memory}", NULL, 0, true);
}

/* ---- copies --------------------------------------------------------------------------------- */

static void bulk_copy(gen *g, ir_op *op) {
  static const char text[] =
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
      "[$0], [$1], $2, [$3];";
  const storage_ref *from = value_of(g, ir_operand_in(op, 0))->storage;
  const storage_ref *to = value_of(g, ir_operand_in(op, 1))->storage;
  const ir_type *t = from->type;
  uint32_t bytes = gpu_shared_bytes((tsr_elem)t->elem);
  uint32_t unit = MAX((uint32_t)ir_memory_period(t->memory) * bytes, (uint32_t)16);
  if (!nvptx_check_start(g, op, from, unit) || !nvptx_check_start(g, op, to, unit)) return;
  llv args[] = {nvptx_part_start(g, to), nvptx_part_start(g, from),
                k32(g, (uint32_t)t->count * bytes),
                nvptx_barrier_at(g, ir_operand_in(op, 2), ir_operand_in(op, 3))};
  gpu_asm(g, g->e.void_, text, "r,r,r,r,~{memory}", args, 4, true);
}

/* So many words from consecutive registers. */
static void store_words(gen *g, llv at, uint32_t offset, const llv *words, unsigned n,
                        llv barrier) {
  static const char *const texts[] = {
      [1] = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $2, [$1];",
      [2] = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [$0], {$2, $3}, "
            "[$1];",
      [4] = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [$0], {$2, $3, $4, "
            "$5}, [$1];"};
  static const char *const constraints[] = {
      [1] = "r,r,r,~{memory}", [2] = "r,r,r,r,~{memory}", [4] = "r,r,r,r,r,r,~{memory}"};
  llv args[6] = {add_const(g, at, offset), barrier};
  for (unsigned k = 0; k < n; k++) args[2 + k] = words[k];
  gpu_asm(g, g->e.void_, texts[n], constraints[n], args, 2 + n, true);
}

/* What a thread stores at once, as words. */
static unsigned words_of(gen *g, llv x, uint32_t bytes, llv *out) {
  unsigned n = bytes / 4;
  LLVMBuilderRef b = g->e.b;
  llv all = LLVMBuildBitCast(b, x, n > 1 ? LLVMVectorType(g->e.i32, n) : g->e.i32, "");
  for (unsigned k = 0; k < n; k++)
    out[k] = n > 1 ? LLVMBuildExtractElement(b, all, k32(g, k), "") : all;
  return n;
}

/* Registers in the order in which most of them are stored at once. */
static void store_async(gen *g, ir_op *op) {
  ir_value *v = ir_operand_in(op, 0);
  const storage_ref *s = value_of(g, ir_operand_in(op, 1))->storage;
  tsr_elem elem = (tsr_elem)v->type->elem;
  uint32_t bytes = gpu_shared_bytes(elem);
  unsigned run;
  simt_dist home = gpu_type_dist(g, v->type), d = gpu_part_order(g, s, &home, &run);
  if (bytes << run < 4) {
    gpu_unsupported(g, op,
                    "the instruction stores words of 4 bytes, and a thread has no neighbouring "
                    "elements that fill one; use store_shared, or a layout such as local(1, 4)");
    return;
  }
  llv barrier = nvptx_barrier_at(g, ir_operand_in(op, 2), ir_operand_in(op, 3));
  tile t = gpu_elements_at(g, v, &home);
  if (!simt_dist_equal(&home, &d)) t = gpu_reordered(g, &t, &d);
  part_place p;
  gpu_part_place(g, &p, s, &d);
  llblock done = gpu_begin_owner(g, gpu_owner(g, &d));
  for (uint32_t i = 0; i < slots_of(&d); i += 1u << run) {
    llv words[4];
    uint32_t offset;
    unsigned n = words_of(g, gpu_memory_run(g, elem, &t, i, 1u << run), bytes << run, words);
    llv at = gpu_part_address(g, &p, simt_index_of_slot(&d, i), &offset);
    store_words(g, at, offset, words, n, barrier);
  }
  if (done) gpu_go(g, done);
}

/* ---- operations ----------------------------------------------------------------------------- */

void nvptx_remote(gen *g, ir_op *op) {
  switch (op->opcode) {
  case OP_get_cluster_rank: rank(g, op); return;
  case OP_map_remote: map_remote(g, op); return;
  case OP_cluster_arrive: arrive(g, op); return;
  case OP_cluster_wait: wait_for_cluster(g); return;
  case OP_store_async: store_async(g, op); return;
  case OP_bulk_copy: bulk_copy(g, op); return;
  default: /* cluster_barrier */ arrive(g, op); wait_for_cluster(g);
  }
}
