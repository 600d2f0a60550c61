/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counting: what the watcher is told, as numbers.
 */
#include "emu/counters.h"

#include <stdlib.h>

#include "emu/async.h"
#include "emu/isa.h"
#include "target/banks.h"

enum { MAX_BANKS = 64, WIDEST = 16 /* bytes of a lane that are served at once */ };

void counters_free(counters *c) {
  insn_table_free(&c->insns);
  free(c->by_insn);
  c->by_insn = NULL;
  c->cap = 0;
}

static counts *counts_of(counters *c, emu_insn i) {
  uint32_t n = insn_number(&c->insns, i);
  if (n < c->cap) return &c->by_insn[n];
  uint32_t cap = MAX(256, 2 * c->cap);
  counts *list = n == UINT32_MAX ? NULL : realloc(c->by_insn, cap * sizeof *list);
  if (!list) {
    c->out_of_memory = true;
    return NULL;
  }
  memset(list + c->cap, 0, (cap - c->cap) * sizeof *list);
  c->by_insn = list, c->cap = cap;
  return &list[n];
}

/* Adds `more` to an instruction and to the total. */
static void count(counters *c, emu_insn i, const counts *more) {
  counts *to[2] = {i ? counts_of(c, i) : NULL, &c->total};
  for (unsigned k = 0; k < 2; k++) {
    if (!to[k]) continue;
    const uint64_t *from = (const uint64_t *)more;
    uint64_t *sum = (uint64_t *)to[k];
    for (unsigned n = 0; n < sizeof *more / sizeof *from; n++) sum[n] += from[n];
  }
}

/* ---- instructions --------------------------------------------------------------------------- */

static void watch_executed(void *user, emu_warp *w, emu_insn i, emu_lanes lanes, emu_lanes active) {
  counters *c = user;
  uint64_t n = emu_count_lanes(lanes);
  emu_work work = c->isa->work(i);
  count(c, i,
        &(counts){.warps = 1,
                  .lanes = n,
                  .divergent = active != w->lanes,
                  .flops = n * work.flops,
                  .matrix = lanes ? work.matrix : 0});
  if (c->next && c->next->executed) c->next->executed(c->next->user, w, i, lanes, active);
}

/* ---- memory
 * ------------------------------------------------------------------------------------------------
 */

static unsigned sector_of(const emu_warp *w) {
  return w->block->grid->device->info->sector_bytes;
}

static void count_global(const emu_access *a, unsigned sector, counts *out) {
  uint64_t seen[2 * EMU_MAX_LANES];
  unsigned n = 0, lanes = 0;
  EMU_FOR_LANES(l, a->lanes) {
    uint64_t last = (a->address[l] + a->bytes - 1) / sector;
    lanes++;
    for (uint64_t s = a->address[l] / sector; s <= last && n < ARRAY_LEN(seen); s++) {
      unsigned k = n;
      while (k > 0 && seen[k - 1] != s) k--;
      if (k == 0) seen[n++] = s;
    }
  }
  /* Lanes that want the same bytes need them once, so the best case is no more than was touched. */
  uint64_t ideal = ((uint64_t)lanes * a->bytes + sector - 1) / sector;
  out->requests = 1;
  out->sectors = n;
  out->ideal_sectors = MIN(ideal, n);
  out->moved = (uint64_t)n * sector;
}

/* The banks of shared memory, and what the instruction says of its accesses. */
typedef struct banks {
  const gpu_target *info;
  unsigned traits;
} banks;

static banks banks_of(const emu_warp *w, emu_insn i) {
  const emu_grid *g = w->block->grid;
  return (banks){.info = g->device->info, .traits = g->program->isa->traits(i)};
}

/* Wavefronts of the lanes of one phase: the most different words (of atomics: accesses) of a bank.
 */
static unsigned phase_wavefronts(const banks *b, unsigned n_banks, const emu_access *a,
                                 emu_lanes lanes) {
  uint32_t words[EMU_MAX_LANES][MAX_BANKS];
  uint8_t n[MAX_BANKS] = {0};
  unsigned most = 0, word_bytes = b->info->bank_bytes;
  /* Who only looks at an mbarrier need not take turns. */
  bool every = a->kind == EMU_ATOMIC && !(b->traits & EMU_IS_LOOK);
  EMU_FOR_LANES(l, lanes) {
    uint32_t first = (uint32_t)(a->address[l] / word_bytes),
             last = (uint32_t)((a->address[l] + a->bytes - 1) / word_bytes);
    for (uint32_t word = first; word <= last; word++) {
      unsigned bank = word % n_banks, k = n[bank];
      while (!every && k > 0 && words[k - 1][bank] != word) k--;
      if ((k != 0 && !every) || n[bank] == EMU_MAX_LANES) continue;
      words[n[bank]++][bank] = word;
      most = MAX(most, n[bank]);
    }
  }
  return most;
}

static void count_shared(const banks *b, const emu_access *a, counts *out) {
  emu_lanes lanes[1 << 6] = {0};
  gpu_phases p = gpu_phases_of(b->info, MIN(a->bytes, (uint32_t)WIDEST), a->kind != EMU_READ);
  EMU_FOR_LANES(l, a->lanes) lanes[gpu_phase_of(&p, (unsigned)l)] |= emu_lane_bit((unsigned)l);
  for (unsigned k = 0; k < 1u << p.bits; k++) {
    if (!lanes[k]) continue;
    out->wavefronts += phase_wavefronts(b, MIN(p.banks, (unsigned)MAX_BANKS), a, lanes[k]);
    out->ideal_wavefronts++;
  }
}

static void watch_access(void *user, emu_warp *w, const emu_access *a) {
  counters *c = user;
  counts n = {0};
  banks b = banks_of(w, a->insn);
  uint64_t bytes = (uint64_t)emu_count_lanes(a->lanes) * a->bytes;
  bool reads = a->kind != EMU_WRITE, writes = a->kind != EMU_READ;
  if (a->space == EMU_GLOBAL) {
    count_global(a, sector_of(w), &n);
    n.read = reads ? bytes : 0, n.written = writes ? bytes : 0;
  } else if (a->space == EMU_SHARED) {
    count_shared(&b, a, &n);
    n.shared_read = reads ? bytes : 0, n.shared_written = writes ? bytes : 0;
  } else if (a->space == EMU_LOCAL) {
    n.local = bytes;
  }
  /* Bulk copies are counted when they are told as asynchronous operations. */
  if (a->lanes && !(b.traits & EMU_IS_BULK)) count(c, a->insn, &n);
  if (c->next && c->next->access) c->next->access(c->next->user, w, a);
}

static void watch_sync(void *user, emu_warp *w, const emu_sync *s) {
  counters *c = user;
  if (s->kind == EMU_SYNC_BARRIER_ARRIVE || s->kind == EMU_SYNC_CLUSTER_ARRIVE)
    count(c, s->insn, &(counts){.barriers = 1});
  if (c->next && c->next->sync) c->next->sync(c->next->user, w, s);
}

/* ---- asynchronous operations ---------------------------------------------------------------- */

/* What bulk copies and products move; copies of threads are an access of their warp. */
static void watch_async(void *user, emu_warp *w, const async_access *a) {
  counters *c = user;
  unsigned line = gpu_bank_row(w->block->grid->device->info);
  counts n = {0};
  if (a->agent == ASYNC_PRODUCT) { /* swizzled: whole lines, however its 16-byte units lie */
    if (!a->repeated) {
      n.wavefronts = n.ideal_wavefronts = a->lines;
      n.shared_read = a->bytes;
      count(c, a->insn, &n);
    }
  } else if (a->agent != ASYNC_COPY && a->space == EMU_SHARED) {
    n.wavefronts = n.ideal_wavefronts = (a->bytes + line - 1) / line;
    *(a->write ? &n.shared_written : &n.shared_read) = a->bytes;
    count(c, a->insn, &n);
  } else if (a->agent != ASYNC_COPY && !a->repeated) {
    n.requests = 1;
    unsigned sector = sector_of(w);
    n.sectors = (a->address + a->bytes - 1) / sector - a->address / sector + 1;
    n.ideal_sectors = (a->bytes + sector - 1) / sector;
    n.moved = n.sectors * sector;
    *(a->write ? &n.written : &n.read) = a->bytes;
    count(c, a->insn, &n);
  }
  const struct emu_async_watch *next = c->next ? c->next->async : NULL;
  if (next && next->access) next->access(c->next->user, w, a);
}

#define NEXT(c, member)                                                                            \
  const struct emu_async_watch *next = (c)->next ? (c)->next->async : NULL;                        \
  if (!next || !next->member) return;

static void pass_learn(void *user, emu_warp *w, unsigned lane, async_agent agent, uint64_t owner,
                       uint32_t time) {
  counters *c = user;
  NEXT(c, learn)
  next->learn(c->next->user, w, lane, agent, owner, time);
}
static void pass_mbarrier(void *user, emu_warp *w, const async_event *e) {
  counters *c = user;
  NEXT(c, mbarrier)
  next->mbarrier(c->next->user, w, e);
}
static void pass_fence(void *user, emu_warp *w, emu_lanes lanes) {
  counters *c = user;
  NEXT(c, fence_proxy)
  next->fence_proxy(c->next->user, w, lanes);
}
static void pass_misuse(void *user, emu_warp *w, const async_misuse *m) {
  counters *c = user;
  NEXT(c, misuse)
  next->misuse(c->next->user, w, m);
}
#undef NEXT

static const struct emu_async_watch async = {.access = watch_async,
                                             .learn = pass_learn,
                                             .mbarrier = pass_mbarrier,
                                             .fence_proxy = pass_fence,
                                             .misuse = pass_misuse};

/* ---- launches
 * ------------------------------------------------------------------------------------------------------
 */

static void launch_begin(void *user, emu_grid *g) {
  counters *c = user;
  c->isa = g->program->isa;
  c->module = g->program->module;
  c->kernel = g->entry->name;
  c->warp_lanes = g->entry->lanes;
  c->blocks += g->n_blocks;
  c->threads += g->n_blocks * g->o.block[0] * g->o.block[1] * g->o.block[2];
  if (c->next && c->next->launch_begin) c->next->launch_begin(c->next->user, g);
}
static void launch_end(void *user, emu_grid *g) {
  counters *c = user;
  if (c->next && c->next->launch_end) c->next->launch_end(c->next->user, g);
}
static void block_begin(void *user, emu_block *b) {
  counters *c = user;
  if (c->next && c->next->block_begin) c->next->block_begin(c->next->user, b);
}
static void block_end(void *user, emu_block *b) {
  counters *c = user;
  if (c->next && c->next->block_end) c->next->block_end(c->next->user, b);
}
static void allocated(void *user, emu_warp *w, uint64_t address, uint64_t bytes) {
  counters *c = user;
  if (c->next && c->next->allocated) c->next->allocated(c->next->user, w, address, bytes);
}
static void undefined(void *user, emu_warp *w, const emu_undefined *u) {
  counters *c = user;
  if (c->next && c->next->undefined) c->next->undefined(c->next->user, w, u);
}
static bool fault(void *user, emu_warp *w, const emu_fault *f) {
  counters *c = user;
  return c->next && c->next->fault && c->next->fault(c->next->user, w, f);
}

void counters_watch(counters *c, emu_watcher *next, emu_watcher *out) {
  c->next = next;
  *out = (emu_watcher){.user = c,
                       .serial = true,
                       .local = next && next->local,
                       .launch_begin = launch_begin,
                       .launch_end = launch_end,
                       .block_begin = block_begin,
                       .block_end = block_end,
                       .executed = watch_executed,
                       .access = watch_access,
                       .sync = watch_sync,
                       .allocated = allocated,
                       .undefined = next && next->undefined ? undefined : NULL,
                       .fault = fault,
                       .async = &async};
}
