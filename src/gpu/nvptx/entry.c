/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A form of a kernel: its function with what PTX says of it, the parts around its program, and what
 * a launcher must know.
 */
#include "gpu/nvptx/entry.h"

#include "gpu/code.h"
#include "gpu/kernel.h"
#include "gpu/nvptx/boxes.h"
#include "gpu/nvptx/bulk.h"
#include "gpu/nvptx/bulk_store.h"
#include "gpu/nvptx/cluster.h"
#include "gpu/nvptx/engine.h"
#include "gpu/nvptx/nvptx.h"
#include "gpu/nvptx/persistent.h"
#include "gpu/nvptx/state.h"
#include "gpu/nvptx/threads.h"
#include "gpu/nvptx/vendor.h"
#include "gpu/vendor.h"
#include "ir/block/clusters.h"

/* ---- the function --------------------------------------------------------------------------- */

static void set_attribute(gen *g, const char *name, const char *text) {
  LLVMAttributeRef a = LLVMCreateStringAttribute(g->e.llvm, name, (unsigned)strlen(name), text,
                                                 (unsigned)strlen(text));
  LLVMAddAttributeAtIndex(g->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

static uint32_t threads_of(const gen *g) {
  return gpu_threads(g) + (simt_bulk_of(g->plan) ? SIMT_PRODUCER_THREADS : 0);
}

/* Of a kernel of the block level. */
static void set_cluster(gen *g) {
  uint32_t size[3];
  if (!ir_has_cluster(g->entry)) return;
  ir_cluster_of(g->entry, size);
  set_attribute(g, "nvvm.cluster_dim",
                arena_printf(g->arena, "%u,%u,%u", size[0], size[1], size[2]));
}

void nvptx_declare(gen *g, const char *symbol) {
  enum { PTX_KERNEL = 71 };
  const simt_bulk *bulk = simt_bulk_of(g->plan);
  uint32_t n = nvptx_words(g), maps = bulk ? bulk->n_maps : own_of(g)->maps.len;
  LLVMTypeRef *types = arena_array(g->arena, LLVMTypeRef, MAX(n + maps, 1));
  for (uint32_t i = 0; i < n + maps; i++) types[i] = i < n ? g->e.i64 : g->e.ptr;
  g->function =
      LLVMAddFunction(g->e.module, symbol, LLVMFunctionType(g->e.void_, types, n + maps, 0));
  LLVMSetFunctionCallConv(g->function, PTX_KERNEL);
  set_attribute(g, "nvvm.reqntid", arena_printf(g->arena, "%u", threads_of(g)));
  nvptx_map_parameters(g, n, maps);
  if (g->registers) set_attribute(g, "nvvm.maxnreg", arena_printf(g->arena, "%u", g->registers));
  if (!bulk) set_cluster(g);
  if (!bulk) return;
  if (nvptx_is_clustered(g))
    set_attribute(
        g, "nvvm.cluster_dim",
        arena_printf(g->arena, "%u,%u,%u", bulk->cluster[0], bulk->cluster[1], bulk->cluster[2]));
  set_attribute(g, "nvvm.maxnreg", arena_printf(g->arena, "%u", bulk->registers));
}

/* ---- around the program --------------------------------------------------------------------- */

/* The consumers' part, for each tile block. */
static void walk_tiles(gen *g) {
  llblock exit = g->exit;
  nvptx_walk_begin(g);
  g->exit = own_of(g)->walk.next;
  gpu_block(g, ir_region(g->entry, 0));
  g->exit = exit;
  if (g->failed) return;
  nvptx_walk_end(g);
  if (simt_bulk_of(g->plan)->n_stores) nvptx_bulk_wait(g, true);
  LLVMBuildBr(g->e.b, exit);
}

void nvptx_body(gen *g) {
  if (simt_bulk_of(g->plan)) nvptx_bulk_begin(g);
  if (own_of(g)->maps.len) nvptx_take_maps(g, nvptx_words(g), own_of(g)->maps.len);
  if (nvptx_is_persistent(g))
    walk_tiles(g);
  else
    gpu_block(g, ir_region(g->entry, 0));
}

void nvptx_end(gen *g) {
  if (nvptx_is_clustered(g)) nvptx_cluster_meet(g);
}

void nvptx_leave(gen *g) {
  if (!nvptx_is_persistent(g) && (g->now.async_reads || g->now.async_stores))
    nvptx_bulk_wait(g, true);
}

llv nvptx_block_position(gen *g, unsigned dimension, bool is_grid) {
  static const char *const names[2][3] = {
      {"llvm.nvvm.read.ptx.sreg.ctaid.x", "llvm.nvvm.read.ptx.sreg.ctaid.y",
       "llvm.nvvm.read.ptx.sreg.ctaid.z"},
      {"llvm.nvvm.read.ptx.sreg.nctaid.x", "llvm.nvvm.read.ptx.sreg.nctaid.y",
       "llvm.nvvm.read.ptx.sreg.nctaid.z"}};
  const tile_walk *walk = &own_of(g)->walk;
  llv x = !nvptx_is_persistent(g) ? nvptx_special(g, names[is_grid][dimension])
          : is_grid               ? walk->grid[dimension]
                                  : walk->id[dimension];
  bool is_other = own_of(g)->other.is_swapped_in && !is_grid && dimension == 0;
  return is_other ? LLVMBuildXor(g->e.b, x, k32(g, 1), "") : x;
}

/* From sm_90 on; else there is nothing to say. */
void nvptx_grid_dependency(gen *g, bool waits) {
  if (!gpu_can(g->target, GPU_DEPENDENT_LAUNCH)) return;
  gpu_asm(g, g->e.void_, waits ? "griddepcontrol.wait;" : "griddepcontrol.launch_dependents;",
          "~{memory}", NULL, 0, true);
}

/* ---- what a launcher must know -------------------------------------------------------------- */

/* How many blocks of a persistent kernel a multiprocessor takes at the same time. */
static uint32_t blocks_per_sm(const gen *g, const nvptx_entry *e) {
  const gpu_target *t = g->target;
  const simt_bulk *b = simt_bulk_of(g->plan);
  if (!b || !b->persistent) return 0;
  uint32_t n = t->shared_sm / (e->shared_bytes + e->static_bytes + t->block_reserved);
  n = MIN(n, t->registers / (e->threads * b->registers));
  n = MIN(n, t->max_warps * gpu_lanes(t) / e->threads);
  return MAX(n, 1u);
}

/* Where shared memory leaves room for one block only, registers need not be saved for a second:
 * ptxas would rather spill a few than go beyond that. A block takes 1 KiB besides its own. */
static void limit_blocks(gen *g, const nvptx_entry *e) {
  uint32_t bytes = e->shared_bytes + e->static_bytes + 1024;
  if (g->target->shared_sm / bytes < 2 && !simt_bulk_of(g->plan) && !g->registers)
    set_attribute(g, "nvvm.minctasm", "1");
}

bool nvptx_kernel(gen *g, const char *symbol, nvptx_entry *out) {
  gpu_shared_use shared;
  g->vendor = &nvptx_vendor;
  g->own = arena_new(g->arena, nvptx_state);
  *own_of(g) = (nvptx_state){0};
  if (!nvptx_find_maps(g) || !gpu_kernel(g, symbol, &shared)) return false;
  const simt_bulk *bulk = simt_bulk_of(g->plan);
  out->shared_bytes = shared.dynamic;
  out->static_bytes = shared.fixed;
  out->shared_align = shared.align;
  out->symbol = symbol;
  out->n_params = ir_region(g->entry, 0)->n_args;
  out->threads = threads_of(g);
  out->blocks_per_sm = blocks_per_sm(g, out);
  limit_blocks(g, out);
  out->maps = own_of(g)->maps.data;
  out->n_maps = own_of(g)->maps.len;
  uint32_t size[3];
  ir_cluster_of(g->entry, size);
  for (unsigned i = 0; i < 3 && ir_has_cluster(g->entry); i++) out->cluster[i] = (uint8_t)size[i];
  if (!bulk) return true;
  out->maps = bulk->maps;
  out->n_maps = bulk->n_maps;
  out->optional = bulk->optional;
  memcpy(out->cluster, bulk->cluster, sizeof out->cluster);
  return true;
}
