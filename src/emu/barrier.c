/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Barriers of a block and of a cluster, and what watchers are told of synchronisation.
 */
#include "emu/barrier.h"

#include "emu/fault.h"
#include "emu/isa.h"

void emu_tell_sync(emu_warp *w, const emu_sync *s) {
  const emu_watcher *watcher = w->block->grid->o.watcher;
  if (watcher && watcher->sync && s->lanes) watcher->sync(watcher->user, w, s);
}

/* ---- a block's barriers --------------------------------------------------------------------- */

/* All have arrived: those that wait go on. */
static void release(emu_block *b, uint32_t id) {
  const emu_isa *isa = b->grid->program->isa;
  emu_barrier bar = b->barriers[id];
  b->barriers[id] = (emu_barrier){.all_true = true};
  for (uint32_t k = 0; k < b->n_warps; k++) {
    emu_warp *w = &b->warps[k];
    for (uint32_t n = 0; n < w->n_splits; n++) {
      emu_split *s = &w->splits[n];
      if (s->waits != EMU_WAIT_BARRIER || s->barrier != id || !s->lanes) continue;
      emu_insn i = isa->at(s);
      s->waits = EMU_READY;
      s->pc++;
      if (isa->released) isa->released(w, s, i, &bar);
      emu_tell_sync(w, &(emu_sync){.insn = i,
                                   .kind = EMU_SYNC_BARRIER_PASS,
                                   .lanes = s->lanes,
                                   .id = id,
                                   .count = bar.expected});
    }
  }
}

void emu_barrier_check(emu_block *b, uint32_t id) {
  emu_barrier *bar = &b->barriers[id];
  uint32_t expected = bar->all ? b->n_threads - b->ended : bar->expected;
  if (bar->expected && bar->arrived >= expected) release(b, id);
}

bool emu_barrier_arrive(emu_warp *w, emu_insn i, emu_lanes lanes, uint32_t id, uint32_t count,
                        emu_lanes yes) {
  emu_block *b = w->block;
  emu_barrier *bar = &b->barriers[id];
  uint32_t of_warp = b->grid->entry->lanes;
  bool all = count == 0;
  if (count % of_warp)
    return emu_fail(w, i, -1, EMU_FAULT_BARRIER,
                    "a barrier's number of threads is a multiple of %u, not %u", of_warp, count);
  if (bar->expected == 0) {
    *bar = (emu_barrier){.expected = all ? b->n_threads : count, .all = all, .all_true = true};
  } else if (bar->all != all || (!all && bar->expected != count)) {
    return emu_fail(w, i, -1, EMU_FAULT_BARRIER,
                    "arrives at barrier %u for %u threads, while others expect %u there", id,
                    all ? b->n_threads : count, bar->expected);
  }
  /* Partial warps count as whole ones where a number was given. */
  bar->arrived += !all && lanes == w->lanes ? of_warp : emu_count_lanes(lanes);
  bar->all_true &= (yes & lanes) == lanes;
  bar->any_true |= (yes & lanes) != 0;
  bar->count_true += emu_count_lanes(yes & lanes);
  emu_tell_sync(w, &(emu_sync){.insn = i,
                               .kind = EMU_SYNC_BARRIER_ARRIVE,
                               .all = all,
                               .lanes = lanes,
                               .id = id,
                               .count = bar->expected});
  return true;
}

emu_step emu_barrier_wait(emu_warp *w, emu_lanes lanes, uint32_t id) {
  emu_split *s = w->split;
  bool others = lanes != s->lanes;
  if (others) s = emu_divide(w, lanes, s->pc);
  s->waits = EMU_WAIT_BARRIER;
  s->barrier = (uint8_t)id;
  emu_barrier_check(w->block, id);
  return others ? EMU_NEXT : EMU_EXITED;
}

/* ---- clusters ------------------------------------------------------------------------------- */

static const emu_words *words_of(const emu_warp *w) {
  return w->block->grid->program->isa->words;
}

static void cluster_complete(emu_cluster *c) {
  if (c->arrived == 0 || c->arrived < c->threads - c->ended) return;
  c->arrived = 0;
  c->phase++;
}

emu_step emu_cluster_arrive(emu_warp *w, emu_insn i, emu_lanes lanes, bool relaxed) {
  emu_cluster *c = w->block->cluster;
  if (w->cluster_arrived & lanes) {
    emu_fail(w, i, (int)emu_first_lane(w->cluster_arrived & lanes), EMU_FAULT_BARRIER,
             "arrives at the cluster's barrier twice without %s between",
             words_of(w)->cluster_wait);
    return EMU_NEXT;
  }
  emu_tell_sync(w, &(emu_sync){.insn = i,
                               .kind = EMU_SYNC_CLUSTER_ARRIVE,
                               .relaxed = relaxed,
                               .lanes = lanes,
                               .count = c->threads});
  EMU_FOR_LANES(l, lanes) w->cluster_phase[l] = c->phase;
  w->cluster_arrived |= lanes;
  c->arrived += emu_count_lanes(lanes);
  cluster_complete(c);
  return EMU_NEXT;
}

emu_step emu_cluster_wait(emu_warp *w, emu_insn i, emu_lanes lanes) {
  emu_cluster *c = w->block->cluster;
  if (lanes & ~w->cluster_arrived) {
    emu_fail(w, i, (int)emu_first_lane(lanes & ~w->cluster_arrived), EMU_FAULT_BARRIER,
             "%s without %s before it", words_of(w)->cluster_wait, words_of(w)->cluster_arrive);
    return EMU_NEXT;
  }
  EMU_FOR_LANES(l, lanes) if (w->cluster_phase[l] == c->phase) return EMU_WAIT;
  w->cluster_arrived &= ~lanes;
  emu_tell_sync(
      w,
      &(emu_sync){.insn = i, .kind = EMU_SYNC_CLUSTER_PASS, .lanes = lanes, .count = c->threads});
  return EMU_NEXT;
}

/* ---- threads that have ended ---------------------------------------------------------------- */

void emu_barriers_ended(emu_block *b) {
  for (uint32_t id = 0; id < EMU_BARRIERS; id++)
    if (b->barriers[id].expected && b->barriers[id].all) emu_barrier_check(b, id);
  cluster_complete(b->cluster);
}
