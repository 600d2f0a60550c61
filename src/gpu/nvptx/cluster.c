/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Clusters (simt/nvidia/cluster.h): where a tile block is in its own, which blocks it loads with,
 * and barriers across them.
 *
 * No block may copy to another, nor arrive at its barriers, before that has made them: all threads
 * meet after their initialisation. None may end while others still arrive at its barriers: the
 * consumers meet once more at the end. Threads that have ended count as having arrived.
 */
#include "gpu/nvptx/cluster.h"

#include "gpu/code.h"
#include "gpu/nvptx/pipeline.h"
#include "gpu/nvptx/state.h"
#include "gpu/values.h"
#include "simt/nvidia/cluster.h"

bool nvptx_is_clustered(const gen *g) {
  return simt_bulk_of(g->plan) && simt_cluster_blocks(simt_bulk_of(g->plan)) > 1;
}

llv nvptx_cluster_coordinate(gen *g, unsigned d) {
  static const char *const names[] = {"llvm.nvvm.read.ptx.sreg.cluster.ctaid.x",
                                      "llvm.nvvm.read.ptx.sreg.cluster.ctaid.y",
                                      "llvm.nvvm.read.ptx.sreg.cluster.ctaid.z"};
  if (simt_bulk_of(g->plan)->cluster[d] == 1) return k32(g, 0);
  return emit_intrinsic(&g->e, names[d], NULL, 0, NULL, 0);
}

/* The rank of the block whose coordinates in `dims` are this one's, and 0 else. */
static llv rank_in(gen *g, unsigned dims) {
  llv sum = k32(g, 0);
  for (unsigned d = 0; d < 3; d++)
    if (dims >> d & 1)
      sum = fold_add(g, sum,
                     fold_mul(g, nvptx_cluster_coordinate(g, d),
                              k32(g, simt_cluster_stride(simt_bulk_of(g->plan), d))));
  return sum;
}

llv nvptx_cluster_mask(gen *g, unsigned dims) {
  llv pattern = k32(g, simt_cluster_pattern(simt_bulk_of(g->plan), dims));
  return LLVMBuildShl(g->e.b, pattern, rank_in(g, ~dims), "");
}

llv nvptx_cluster_slice(gen *g, unsigned dims) {
  const simt_bulk *b = simt_bulk_of(g->plan);
  llv slice = k32(g, 0);
  uint32_t stride = 1;
  for (unsigned d = 0; d < 3; d++) {
    if (!(dims >> d & 1)) continue;
    slice = fold_add(g, slice, fold_mul(g, nvptx_cluster_coordinate(g, d), k32(g, stride)));
    stride *= b->cluster[d];
  }
  return slice;
}

llv nvptx_cluster_peers(gen *g) {
  const simt_bulk *b = simt_bulk_of(g->plan);
  llv peers = k32(g, 0);
  for (uint32_t i = 0; i < b->n_loops; i++)
    for (uint32_t k = 0; k < b->loops[i].pipeline->n_loads; k++)
      peers = LLVMBuildOr(g->e.b, peers, nvptx_cluster_mask(g, b->loops[i].shared[k].dims), "");
  return peers;
}

/* What this tells is that a stage has been read, and those reads are over (wgmma.wait_group, loads
 * whose values have been used), so nothing has to become visible: a release for the whole cluster
 * would wait for all of the thread's memory operations on the GPU, each time as long as a dozen
 * products. */
void nvptx_cluster_arrive_as_warp(gen *g, llv barrier, llv really) {
  static const char text[] = "{\n\t.reg .b32 there;\n\t"
                             "@$2 mapa.shared::cluster.u32 there, $0, $1;\n\t"
                             "@$2 mbarrier.arrive.release.cta.shared::cluster.b64 _, [there];\n\t}";
  LLVMBuilderRef b = g->e.b;
  llv bit = LLVMBuildAnd(b, LLVMBuildLShr(b, own_of(g)->cluster_peers, g->lane, ""), k32(g, 1), "");
  llv is_peer = fold_and(g, LLVMBuildICmp(b, LLVMIntNE, bit, k32(g, 0), ""), really);
  gpu_asm(g, g->e.void_, text, "r,r,b,~{memory}", (llv[]){barrier, g->lane, is_peer}, 3, true);
}

void nvptx_cluster_meet(gen *g) {
  gpu_asm(g, g->e.void_, "barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;",
          "~{memory}", NULL, 0, true);
}

void nvptx_other_begin(gen *g) {
  size_t bytes = g->plan->n_values * sizeof *g->values;
  own_of(g)->other =
      (other_block){.values = arena_array(g->arena, value, MAX(g->plan->n_values, 1))};
  memcpy(own_of(g)->other.values, g->values, bytes);
  gpu_cache_init(g, &own_of(g)->other.cache);
}

void nvptx_other_switch(gen *g) {
  other_block *o = &own_of(g)->other;
  value *values = g->values;
  g->values = o->values;
  o->values = values;
  tile_cache cache = g->cache;
  g->cache = o->cache;
  o->cache = cache;
  o->is_swapped_in = !o->is_swapped_in;
}
