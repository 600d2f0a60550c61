/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Clusters: accesses to other tile blocks, which must have begun and must not have ended, and the
 * barrier of the cluster, which says both.
 *
 * That a tile block has begun is a deed of its own in clocks, which all of its threads have seen;
 * others see it behind whatever they acquire from one of them.
 */
#include "interp/cluster.h"

#include <inttypes.h>
#include <stdio.h>

#include "interp/barriers.h"
#include "interp/sanitize/internal.h"

/* ---- texts ---------------------------------------------------------------------------------- */

static void block_of(const sanitizer *s, const frame *f, uint32_t rank, int32_t id[3]) {
  const int32_t *own = f->block->id;
  int32_t mine[3], first[3];
  cluster_block_id(s->program, (const int32_t[3]){0, 0, 0}, f->rank, mine);
  for (unsigned d = 0; d < 3; d++) first[d] = own[d] - mine[d];
  cluster_block_id(s->program, first, rank, id);
}

static void block_text(const sanitizer *s, const frame *f, uint32_t rank, char *out, size_t size) {
  int32_t id[3];
  block_of(s, f, rank, id);
  snprintf(out, size, "tile block (%d, %d, %d)", id[0], id[1], id[2]);
}

void san_thread_text(const sanitizer *s, const san_group *g, const frame *f, int32_t thread,
                     char *out, size_t size) {
  uint32_t rank = san_rank_of(g, thread);
  char block[48];
  block_text(s, f, rank, block, sizeof block);
  snprintf(out, size, rank == f->rank ? "thread %d" : "thread %d of %s", thread % g->of_block,
           block);
}

event san_note_thread(sanitizer *s, const san_group *g, const frame *f, int32_t thread,
                      uint32_t site) {
  bool other = thread >= 0 && thread < g->clocks.threads && san_rank_of(g, thread) != f->rank;
  const rt_block *b = f->block;
  uint64_t own = s->block;
  int32_t id[3];
  if (!other) return san_note_event(s, site);
  block_of(s, f, san_rank_of(g, thread), id);
  s->block = san_position(b, id);
  event e = san_note_event(s, site);
  s->block = own;
  return e;
}

/* ---- who is there --------------------------------------------------------------------------- */

static bool sees_start(const san_group *g, const frame *f, uint32_t rank) {
  int32_t first = san_first(g, f);
  for (int32_t t = first; t < first + f->count; t++)
    if (!clocks_sees(&g->clocks, t, g->first_start + (int32_t)rank, 1)) return false;
  return true;
}

bool san_check_there(sanitizer *s, frame *f, const inst *i, uint64_t address) {
  san_group *g = san_group_of(s, f);
  uint32_t rank = cluster_rank_at(f, address);
  if (rank == f->rank) return true;
  bool ended = g->ended[rank];
  tsr_sanitize check = ended ? TSR_SANITIZE_BOUNDS : TSR_SANITIZE_RACE;
  if (!ended && sees_start(g, f, rank)) return true;
  if (!san_checks(s, check) || !san_count(s, i, check, 1)) return !ended;
  san_finding found = {
      .check = check, .i = i, .by_thread = true, .thread = f->first, .other_thread = -1};
  char block[48];
  block_text(s, f, rank, block, sizeof block);
  snprintf(found.message, sizeof found.message,
           ended
               ? "%s uses shared memory of %s, which has ended; a cluster_barrier in front of its "
                 "end keeps it"
               : "%s uses shared memory of %s, and no cluster_barrier stands between that one's "
                 "beginning and this",
           san_op_name(i), block);
  san_report(s, &found);
  return !ended;
}

void san_begin_block(san_group *g, const frame *f) {
  if (g->ranks > 1)
    clocks_begin(&g->clocks, san_first(g, f), f->count, g->first_start + (int32_t)f->rank);
}

/* Some thread of the tile block has seen it, and so the tile block ends behind it. */
static bool is_seen(const san_group *g, const frame *f, int32_t doer, uint32_t time) {
  int32_t first = (int32_t)f->rank * g->of_block;
  for (int32_t t = first; t < first + g->of_block; t++)
    if (clocks_sees(&g->clocks, t, doer, time)) return true;
  return false;
}

static bool is_foreign(const san_group *g, const frame *f, int32_t doer) {
  return doer >= g->clocks.threads || san_rank_of(g, doer) != f->rank;
}

/* An access to this byte by another tile block, or by an engine for one, that may still be under
 * way. */
static bool foreign_use(const san_group *g, const frame *f, const san_byte *b, san_use *use) {
  if (b->state == SAN_VALID && b->write_time && b->writer != SAN_NOBODY &&
      san_rank_of(g, b->issuer) != f->rank && !is_seen(g, f, b->writer, b->write_time)) {
    *use = (san_use){b->issuer, b->write_time, b->write_site};
    return true;
  }
  for (uint32_t k = b->reads; k; k = g->reads.data[k - 1].next) {
    const san_read *r = &g->reads.data[k - 1];
    if (r->queue || !is_foreign(g, f, r->first)) continue;
    for (int32_t u = r->first; u <= r->last; u++) {
      if (is_seen(g, f, u, r->time)) continue;
      *use = (san_use){u < g->clocks.threads ? u : -1, r->time, r->site};
      return true;
    }
  }
  return false;
}

static void report_use(sanitizer *s, const frame *f, const inst *i, const san_use *use) {
  const san_group *g = san_group_of(s, f);
  if (!san_checks(s, TSR_SANITIZE_RACE) || !san_count(s, i, TSR_SANITIZE_RACE, 1)) return;
  san_finding found = {.check = TSR_SANITIZE_RACE,
                       .i = i,
                       .by_thread = true,
                       .thread = f->first,
                       .other_thread = use->thread,
                       .other = san_note_thread(s, g, f, use->thread, use->site)};
  char who[64] = "a copy";
  if (use->thread >= 0) san_thread_text(s, g, f, use->thread, who, sizeof who);
  snprintf(found.message, sizeof found.message,
           "the tile block ends, though %s may still use its shared memory with %s; a "
           "cluster_barrier in front of the end keeps it",
           who, san_op_name(&s->program->code[use->site]));
  san_report(s, &found);
}

static bool find_use(const san_group *g, const frame *f, san_use *use) {
  for (uint32_t k = 0; k < g->storage.len; k++) {
    const san_storage *st = &g->storage.data[k];
    if (st->freed || cluster_rank_at(f, st->base) != f->rank) continue;
    for (size_t b = 0; b < st->n_cells; b++)
      if (foreign_use(g, f, &st->cells[b], use)) return true;
  }
  for (uint32_t k = 0; k < g->mbarriers.len; k++) {
    const san_mbarrier *m = &g->mbarriers.data[k];
    if (!m->initialised || cluster_rank_at(f, m->address) != f->rank) continue;
    for (uint32_t r = 0; r < g->ranks; r++) {
      if (!m->remote[r].time || is_seen(g, f, m->remote[r].thread, m->remote[r].time)) continue;
      *use = m->remote[r];
      return true;
    }
  }
  return false;
}

void san_end_block(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  san_use use;
  if (g->ranks == 1) return;
  g->ended[f->rank] = true;
  if (find_use(g, f, &use)) report_use(s, f, i, &use);
}

/* ---- the barrier of the cluster ------------------------------------------------------------- */

static void arrive(sanitizer *s, const frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  san_meeting *meet = &g->cluster;
  int32_t start = g->first_start + (int32_t)f->rank;
  if (g->arrivals[f->rank] != g->waits[f->rank])
    san_report_sync(s, f, i,
                    "the tile block has come to this barrier of the cluster before, and no "
                    "cluster_wait stands between");
  g->arrivals[f->rank]++;
  bool relaxed = i->op->opcode == OP_cluster_arrive && ir_has_attr(i->op, ATTR_relaxed);
  if (relaxed)
    clocks_release_only(&g->clocks, start, &meet->arrived);
  else
    clocks_release(&g->clocks, san_first(g, f), f->count, &meet->arrived);
  if (!relaxed) san_come_to(s, f, i, g, meet);
  if (++g->come < g->ranks) return;
  g->come = 0;
  san_end_meeting(g, meet);
}

/* Nobody waits for a tile block that has ended. */
static void check_ended(sanitizer *s, const frame *f, const inst *i, const san_group *g) {
  char block[48], message[200];
  for (uint32_t r = 0; r < g->ranks; r++) {
    if (!g->ended[r] || g->arrivals[r] >= g->waits[f->rank]) continue;
    block_text(s, f, r, block, sizeof block);
    snprintf(message, sizeof message,
             "%s of the cluster has ended without coming to this barrier; all of them must", block);
    san_report_sync(s, f, i, message);
    return;
  }
}

static void wait_for_others(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  interp_do(f, i);
  if (f->waits_at) return;
  g->waits[f->rank]++;
  clocks_acquire(&g->clocks, san_first(g, f), f->count, g->cluster.done);
  san_leave(s, f, i, g, &g->cluster);
  g->gathered[f->rank] = g->last[f->rank];
  check_ended(s, f, i, g);
}

static bool check_rank(sanitizer *s, frame *f, const inst *i) {
  int64_t rank = (int32_t)get_scalar(f, i, 1);
  if (rank >= 0 && rank < f->program->cluster) return true;
  if (!san_checks(s, TSR_SANITIZE_BOUNDS) || !san_count(s, i, TSR_SANITIZE_BOUNDS, 1)) return true;
  san_finding found = {.check = TSR_SANITIZE_BOUNDS,
                       .i = i,
                       .by_thread = true,
                       .thread = f->first,
                       .other_thread = -1};
  snprintf(found.message, sizeof found.message,
           "map_remote: rank %" PRId64 " is outside of the cluster, which has %u tile blocks", rank,
           f->program->cluster);
  san_report(s, &found);
  return !s->stopped;
}

bool san_run_cluster(sanitizer *s, frame *f, const inst *i) {
  switch ((op_code)i->op->opcode) {
  case OP_map_remote:
    if (check_rank(s, f, i)) interp_do(f, i);
    return true;
  case OP_cluster_arrive:
    arrive(s, f, i);
    if (!s->stopped) interp_do(f, i);
    return true;
  case OP_cluster_barrier:
    if (!f->arrived) arrive(s, f, i);
    if (!s->stopped) wait_for_others(s, f, i);
    return true;
  case OP_cluster_wait: wait_for_others(s, f, i); return true;
  default: return false;
  }
}
