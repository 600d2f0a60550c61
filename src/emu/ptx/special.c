/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Special registers: rows that are filled when a block begins, and clocks that are read.
 */
#include "emu/ptx/special.h"

#include <time.h>

#include "emu/ptx/frame.h"
#include "emu/ptx/image.h"

static void fill(emu_warp *w, ptx_special sr, uint64_t value) {
  uint8_t *row = w->bank[PTX_BANK_SPECIAL] + sr * PTX_SPECIAL_STRIDE;
  uint8_t bytes = ptx_specials[sr].bytes;
  if (bytes == 0) {
    *(uint32_t *)row = value ? PTX_ALL_LANES : 0;
    return;
  }
  for (unsigned l = 0; l < PTX_LANES; l++) {
    if (bytes == 8)
      ((uint64_t *)row)[l] = value;
    else
      ((uint32_t *)row)[l] = (uint32_t)value;
  }
}

static void fill_axes(emu_warp *w, ptx_special x, const uint32_t v[3]) {
  for (unsigned k = 0; k < 3; k++) fill(w, (ptx_special)(x + k), v[k]);
}

static uint32_t *lanes_of(emu_warp *w, ptx_special sr) {
  return (uint32_t *)(w->bank[PTX_BANK_SPECIAL] + sr * PTX_SPECIAL_STRIDE);
}

static void fill_lanes(emu_warp *w) {
  const uint32_t *n = w->block->grid->o.block;
  for (unsigned l = 0; l < PTX_LANES; l++) {
    uint32_t t = emu_thread(w, l);
    lanes_of(w, PTX_SR_TID_X)[l] = t % n[0];
    lanes_of(w, PTX_SR_TID_Y)[l] = t / n[0] % n[1];
    lanes_of(w, PTX_SR_TID_Z)[l] = t / n[0] / n[1];
    lanes_of(w, PTX_SR_LANEID)[l] = l;
    lanes_of(w, PTX_SR_LANEMASK_EQ)[l] = 1u << l;
    lanes_of(w, PTX_SR_LANEMASK_LT)[l] = (1u << l) - 1;
    lanes_of(w, PTX_SR_LANEMASK_LE)[l] = (2u << l) - 1;
    lanes_of(w, PTX_SR_LANEMASK_GE)[l] = ~((1u << l) - 1);
    lanes_of(w, PTX_SR_LANEMASK_GT)[l] = ~((2u << l) - 1);
  }
}

void specials_begin(emu_warp *w) {
  emu_block *b = w->block;
  const emu_grid *g = b->grid;
  const uint32_t *c = g->o.cluster;
  uint32_t id[3], clusters[3],
      rank[3] = {b->rank % c[0], b->rank / c[0] % c[1], b->rank / c[0] / c[1]};
  for (int k = 0; k < 3; k++) {
    id[k] = b->id[k] / c[k];
    clusters[k] = g->o.grid[k] / c[k];
  }
  memset(w->bank[PTX_BANK_SPECIAL], 0, (size_t)PTX_SPECIAL_COUNT * PTX_SPECIAL_STRIDE);
  fill_lanes(w);
  fill_axes(w, PTX_SR_NTID_X, g->o.block);
  fill_axes(w, PTX_SR_CTAID_X, b->id);
  fill_axes(w, PTX_SR_NCTAID_X, g->o.grid);
  fill_axes(w, PTX_SR_CLUSTERID_X, id);
  fill_axes(w, PTX_SR_NCLUSTERID_X, clusters);
  fill_axes(w, PTX_SR_CLUSTER_CTAID_X, rank);
  fill_axes(w, PTX_SR_CLUSTER_NCTAID_X, c);
  fill(w, PTX_SR_CLUSTER_CTARANK, b->rank);
  fill(w, PTX_SR_CLUSTER_NCTARANK, c[0] * c[1] * c[2]);
  fill(w, PTX_SR_IS_EXPLICIT_CLUSTER, g->entry->cluster[0] || c[0] * c[1] * c[2] > 1);
  fill(w, PTX_SR_WARPID, w->index);
  fill(w, PTX_SR_NWARPID, b->n_warps);
  fill(w, PTX_SR_SMID, b->cluster->linear % g->device->info->multiprocessors);
  fill(w, PTX_SR_NSMID, g->device->info->multiprocessors);
  fill(w, PTX_SR_GRIDID, g->id);
  fill(w, PTX_SR_GRIDID_LO, g->id);
  fill(w, PTX_SR_TOTAL_SMEM_SIZE, b->shared_bytes);
  fill(w, PTX_SR_AGGR_SMEM_SIZE, b->shared_bytes);
  fill(w, PTX_SR_DYNAMIC_SMEM_SIZE, g->o.dynamic_shared);
  fill(w, PTX_SR_RESERVED_SMEM_BEGIN, b->reserved_at);
  fill(w, PTX_SR_RESERVED_SMEM_END, b->reserved_at + PTX_RESERVED_SHARED);
  fill(w, PTX_SR_RESERVED_SMEM_CAP, PTX_RESERVED_SHARED);
  fill(w, PTX_SR_RESERVED_SMEM_0, b->reserved_at);
  fill(w, PTX_SR_RESERVED_SMEM_1, b->reserved_at + PTX_RESERVED_SHARED / 2);
  fill(w, PTX_SR_WARPSIZE, PTX_LANES);
  fill(w, PTX_SR_ENVREG1, g->workspace >> 32); /* as cooperative groups expect them */
  fill(w, PTX_SR_ENVREG2, (uint32_t)g->workspace);
}

/* The clock counts this warp's instructions, so that it says the same in every run; globaltimer is
 * the host's. */
void specials_refresh(emu_warp *w, const ptx_operand *o) {
  if (PTX_ROW_BANK(o->row) != PTX_BANK_SPECIAL) return;
  ptx_special sr = (ptx_special)(PTX_ROW_OFFSET(o->row) / PTX_SPECIAL_STRIDE);
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  uint64_t ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
  uint64_t clock = ++ptx_warp_of(w)->clock * 4 + w->steps;
  switch (sr) {
  case PTX_SR_CLOCK: fill(w, sr, (uint32_t)clock); break;
  case PTX_SR_CLOCK_HI: fill(w, sr, clock >> 32); break;
  case PTX_SR_CLOCK64: fill(w, sr, clock); break;
  case PTX_SR_GLOBALTIMER: fill(w, sr, ns); break;
  case PTX_SR_GLOBALTIMER_LO: fill(w, sr, (uint32_t)ns); break;
  case PTX_SR_GLOBALTIMER_HI: fill(w, sr, ns >> 32); break;
  default: break;
  }
}
