/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Persistent kernels (simt/nvidia/persistent.h): the walk over tile blocks, which the producer and
 * the consumers make each for themselves. Two words after the kernel's arguments hold the grid: x,
 * y in the upper half of the first, z; it has less than 2^31 tile blocks. A cluster takes tile
 * blocks that are a cluster of the grid; it is launched as one along x.
 */
#include "gpu/nvptx/persistent.h"

#include "gpu/code.h"
#include "gpu/nvptx/cluster.h"
#include "gpu/nvptx/nvptx.h"
#include "gpu/nvptx/state.h"
#include "gpu/nvptx/threads.h"
#include "simt/nvidia/persistent.h"

bool nvptx_is_persistent(const gen *g) {
  return simt_bulk_of(g->plan) && simt_bulk_of(g->plan)->persistent;
}

uint32_t nvptx_words(const gen *g) {
  return ir_region(g->entry, 0)->n_args + (nvptx_is_persistent(g) ? NVPTX_GRID_WORDS : 0);
}

/* Tile blocks of a cluster go through the grid together: positions are those of clusters. */
static llv clusters_along(gen *g, unsigned d) {
  return LLVMBuildUDiv(g->e.b, own_of(g)->walk.grid[d], k32(g, simt_bulk_of(g->plan)->cluster[d]),
                       "");
}

/* The tile block's coordinate, of a cluster's. */
static llv in_cluster(gen *g, unsigned d, llv cluster) {
  llv first = fold_mul(g, cluster, k32(g, simt_bulk_of(g->plan)->cluster[d]));
  return fold_add(g, first, nvptx_cluster_coordinate(g, d));
}

static void read_grid(gen *g) {
  LLVMBuilderRef b = g->e.b;
  uint32_t first = ir_region(g->entry, 0)->n_args;
  llv xy = LLVMGetParam(g->function, first), z = LLVMGetParam(g->function, first + 1);
  llv y = LLVMBuildLShr(b, xy, k64(g, 32), "");
  own_of(g)->walk.grid[0] = LLVMBuildTrunc(b, xy, g->e.i32, "grid.x");
  own_of(g)->walk.grid[1] = LLVMBuildTrunc(b, y, g->e.i32, "grid.y");
  own_of(g)->walk.grid[2] = LLVMBuildTrunc(b, z, g->e.i32, "grid.z");
}

/* The quotient; *rest: what is left. */
static llv divide(gen *g, llv a, llv by, llv *rest) {
  llv q = LLVMBuildUDiv(g->e.b, a, by, "");
  *rest = LLVMBuildSub(g->e.b, a, LLVMBuildMul(g->e.b, q, by, ""), "");
  return q;
}

/* The tile block at a position of its cluster. */
static void place_tile(gen *g, llv position) {
  LLVMBuilderRef b = g->e.b;
  llv x = clusters_along(g, 0), y = clusters_along(g, 1), most = k32(g, SIMT_BAND);
  llv in_plane, in_band, in_column;
  llv z = divide(g, position, LLVMBuildMul(b, x, y, ""), &in_plane);
  llv band = divide(g, in_plane, LLVMBuildMul(b, x, most, ""), &in_band);
  llv first = LLVMBuildMul(b, band, most, "");
  llv rows = LLVMBuildSub(b, y, first, "");
  rows = emit_intrinsic(&g->e, "llvm.umin", &g->e.i32, 1, (llv[]){rows, most}, 2);
  own_of(g)->walk.id[0] = in_cluster(g, 0, divide(g, in_band, rows, &in_column));
  own_of(g)->walk.id[1] = in_cluster(g, 1, add_of(g, first, in_column));
  own_of(g)->walk.id[2] = in_cluster(g, 2, z);
}

void nvptx_walk_begin(gen *g) {
  LLVMBuilderRef b = g->e.b;
  tile_walk *w = &own_of(g)->walk;
  read_grid(g);
  llv all = clusters_along(g, 0);
  for (unsigned d = 1; d < 3; d++) all = LLVMBuildMul(b, all, clusters_along(g, d), "");
  llv first = nvptx_special(g, nvptx_is_clustered(g) ? "llvm.nvvm.read.ptx.sreg.clusterid.x"
                                                     : "llvm.nvvm.read.ptx.sreg.ctaid.x");
  llblock before = LLVMGetInsertBlock(b), body = gpu_new_block(g, "tile.body");
  w->head = gpu_new_block(g, "tile");
  w->next = gpu_new_block(g, "tile.next");
  w->done = gpu_new_block(g, "tile.done");
  gpu_go(g, w->head);
  w->position = LLVMBuildPhi(b, g->e.i32, "position");
  LLVMAddIncoming(w->position, &first, &before, 1);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, w->position, all, ""), body, w->done);
  LLVMPositionBuilderAtEnd(b, body);
  place_tile(g, w->position);
  /* Tile blocks are not ordered with each other; only their shared memory is the same. */
  g->now = (hazards){.shared_read = true, .async_reads = simt_bulk_of(g->plan)->n_stores > 0};
}

void nvptx_walk_end(gen *g) {
  LLVMBuilderRef b = g->e.b;
  tile_walk *w = &own_of(g)->walk;
  LLVMPositionBuilderAtEnd(b, w->next);
  llv step = nvptx_special(g, nvptx_is_clustered(g) ? "llvm.nvvm.read.ptx.sreg.nclusterid.x"
                                                    : "llvm.nvvm.read.ptx.sreg.nctaid.x");
  llv position = add_of(g, w->position, step);
  LLVMAddIncoming(w->position, &position, &w->next, 1);
  LLVMBuildBr(b, w->head);
  LLVMPositionBuilderAtEnd(b, w->done);
}
