/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A cluster of blocks (often of one), executed by one host thread: its memory, and the order in
 * which its warps take turns.
 */
#include "emu/cluster.h"

#include <stdlib.h>

#include "emu/fault.h"
#include "emu/isa.h"
#include "emu/random.h"

enum { WARP_SLICE = 2000 }; /* instructions of a warp before the next has its turn */

/* ---- memory --------------------------------------------------------------------------------- */

static bool create_block(emu_block *b, emu_cluster *c, uint32_t rank) {
  emu_grid *g = c->grid;
  const emu_entry *e = g->entry;
  b->cluster = c;
  b->grid = g;
  b->rank = rank;
  b->n_threads = g->o.block[0] * g->o.block[1] * g->o.block[2];
  b->n_warps = (b->n_threads + e->lanes - 1) / e->lanes;
  b->shared_bytes = e->shared_bytes + g->o.dynamic_shared;
  if (e->reserved_bytes) /* behind a gap, so that none runs into it */
    b->reserved_at = (b->shared_bytes / 1024 + 1) * 1024;
  b->warps = calloc(b->n_warps, sizeof *b->warps);
  b->shared = aligned_alloc(1024, ((size_t)emu_shared_size(b) + 1024) & ~(size_t)1023);
  if (!b->warps || !b->shared) return false;
  for (uint32_t k = 0; k < b->n_warps; k++) {
    emu_warp *w = &b->warps[k];
    w->block = b;
    w->index = k;
    w->first = k * e->lanes;
    if (!g->program->isa->create_warp(w)) return false;
  }
  return true;
}

emu_cluster *cluster_create(emu_grid *g) {
  emu_cluster *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->grid = g;
  c->n_blocks = g->o.cluster[0] * g->o.cluster[1] * g->o.cluster[2];
  c->blocks = calloc(c->n_blocks, sizeof *c->blocks);
  bool ok = c->blocks != NULL;
  for (uint32_t k = 0; ok && k < c->n_blocks; k++) ok = create_block(&c->blocks[k], c, k);
  if (ok) return c;
  cluster_destroy(c);
  return NULL;
}

void cluster_destroy(emu_cluster *c) {
  const emu_isa *isa = c->grid->program->isa;
  for (uint32_t k = 0; c->blocks && k < c->n_blocks; k++) {
    emu_block *b = &c->blocks[k];
    for (uint32_t n = 0; b->warps && n < b->n_warps; n++)
      if (b->warps[n].block) isa->destroy_warp(&b->warps[n]);
    free(b->warps);
    free(b->shared);
  }
  free(c->blocks);
  free(c);
}

/* ---- begin and end -------------------------------------------------------------------------- */

static void place_block(emu_block *b, uint64_t linear) {
  const emu_grid *g = b->grid;
  const uint32_t *n = g->o.cluster;
  uint32_t rank[3] = {b->rank % n[0], b->rank / n[0] % n[1], b->rank / n[0] / n[1]};
  for (int k = 0; k < 3; k++) {
    uint32_t clusters = g->o.grid[k] / n[k];
    b->id[k] = (uint32_t)(linear % clusters) * n[k] + rank[k];
    linear /= clusters;
  }
  b->linear = b->id[0] + (uint64_t)g->o.grid[0] * (b->id[1] + (uint64_t)g->o.grid[1] * b->id[2]);
}

static bool begin_warp(emu_warp *w) {
  const emu_grid *g = w->block->grid;
  w->existing = w->lanes = emu_lanes_below(MIN(w->block->n_threads - w->first, g->entry->lanes));
  w->turn = 0;
  w->steps = 0;
  w->cluster_arrived = 0;
  w->recent = NULL;
  w->watched = w->async = NULL;
  w->splits[0] = (emu_split){.lanes = w->lanes};
  w->n_splits = 0;
  w->split = NULL;
  if (!g->program->isa->begin_warp(w, &w->splits[0])) return false;
  w->n_splits = 1;
  w->split = &w->splits[0];
  return true;
}

bool cluster_begin(emu_cluster *c, uint64_t linear) {
  emu_grid *g = c->grid;
  const emu_watcher *watcher = g->o.watcher;
  c->linear = linear;
  c->arrived = c->ended = c->phase = 0;
  c->threads = 0;
  c->random = g->o.seed ^ (linear + 1) * UINT64_C(0xd1342543de82ef95);
  for (uint32_t k = 0; k < c->n_blocks; k++) {
    emu_block *b = &c->blocks[k];
    place_block(b, linear);
    b->ended = 0;
    b->random = g->o.seed ^ b->linear;
    b->watched = b->async = NULL;
    memset(b->barriers, 0, sizeof b->barriers);
    memset(b->shared, 0, emu_shared_size(b));
    c->threads += b->n_threads;
    if (watcher && watcher->block_begin) watcher->block_begin(watcher->user, b);
    for (uint32_t n = 0; n < b->n_warps; n++)
      if (!begin_warp(&b->warps[n])) return false;
  }
  return true;
}

void cluster_end(emu_cluster *c) {
  const emu_watcher *watcher = c->grid->o.watcher;
  const emu_isa *isa = c->grid->program->isa;
  if (isa->end_cluster) isa->end_cluster(c);
  for (uint32_t k = 0; k < c->n_blocks; k++)
    if (watcher && watcher->block_end) watcher->block_end(watcher->user, &c->blocks[k]);
}

/* ---- turns ---------------------------------------------------------------------------------- */

/* The order of warps in a round: `k` of `n`. */
static uint32_t nth_warp(emu_cluster *c, uint32_t k, uint32_t n) {
  switch (c->grid->o.schedule) {
  case EMU_RANDOM: return (uint32_t)(next_random(&c->random) % n);
  case EMU_ADVERSARIAL: return n - 1 - k; /* the last first: what is often forgotten */
  default: return k;
  }
}

static uint32_t slice_length(emu_cluster *c) {
  switch (c->grid->o.schedule) {
  case EMU_RANDOM: return 1 + (uint32_t)(next_random(&c->random) % 64);
  case EMU_ADVERSARIAL: /* now one instruction, now all there are */
    return next_random(&c->random) & 1 ? 1 + (uint32_t)(next_random(&c->random) % 8) : 100000;
  default: return WARP_SLICE;
  }
}

static emu_warp *warp_at(emu_cluster *c, uint32_t index) {
  uint32_t per_block = c->blocks[0].n_warps;
  return &c->blocks[index / per_block].warps[index % per_block];
}

static const char *wait_text(const emu_warp *w) {
  for (uint32_t k = 0; k < w->n_splits; k++) switch (w->splits[k].waits) {
    case EMU_WAIT_LANES: return "waits for lanes of its mask that never come";
    case EMU_WAIT_BARRIER: return "waits at a barrier that not all reach";
    default: break;
    }
  return "waits for what nobody does";
}

/* Nobody in the cluster can go on. */
static void deadlock(emu_cluster *c, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    emu_warp *w = warp_at(c, k);
    if (w->n_splits == 0) continue;
    emu_split *s = &w->splits[0];
    w->split = s;
    emu_fail(w, c->grid->program->isa->at(s), (int)emu_first_lane(s->lanes), EMU_FAULT_DEADLOCK,
             "%s: no warp of the %s can go on", wait_text(w),
             c->n_blocks > 1 ? "cluster" : "block");
    return;
  }
}

/* One turn for every warp, in the schedule's order. Returns whether any got on. */
static bool run_round(emu_cluster *c, uint32_t n, bool in_order, uint64_t *used) {
  bool progress = false;
  for (uint32_t k = 0; k < n && !c->grid->stop; k++) {
    emu_warp *w = warp_at(c, in_order ? k : nth_warp(c, k, n));
    if (w->n_splits == 0) continue;
    uint64_t before = w->steps;
    emu_warp_state state = emu_warp_run(w, slice_length(c));
    progress |= state == EMU_WARP_READY || state == EMU_WARP_ENDED;
    *used += w->steps - before;
  }
  ++*used;
  return progress;
}

static void check_limit(emu_cluster *c, uint32_t n) {
  emu_grid *g = c->grid;
  if (!g->o.max_steps || atomic_load_explicit(&g->steps, memory_order_relaxed) <= g->o.max_steps)
    return;
  emu_warp *w = warp_at(c, 0);
  for (uint32_t k = 1; k < n && w->n_splits == 0; k++) w = warp_at(c, k);
  w->split = NULL;
  emu_fail(w, NULL, -1, EMU_FAULT_DEADLOCK,
           "has executed %llu instructions, the limit of this launch, and not ended",
           (unsigned long long)g->o.max_steps);
}

bool cluster_run(emu_cluster *c, uint64_t slice) {
  emu_grid *g = c->grid;
  const emu_isa *isa = g->program->isa;
  uint32_t n = c->n_blocks * c->blocks[0].n_warps;
  for (uint64_t used = 0; used < slice;) {
    /* A random round may leave out the one warp that can go on, so one in order decides. */
    bool progress = run_round(c, n, false, &used) || run_round(c, n, true, &used);
    if (g->stop || c->ended == c->threads) return true;
    if (!progress && !(isa->progress && isa->progress(c))) deadlock(c, n);
    check_limit(c, n);
    if (g->stop) return true;
  }
  return false;
}
