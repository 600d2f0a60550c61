/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Barriers: bar and barrier of a block, barrier.cluster, bar.warp.sync. Barriers count threads.
 * Source: PTX ISA, "Parallel Synchronization and Communication Instructions".
 */
#include "emu/run.h"

void emu_tell_sync(emu_warp *w, const ptx_insn *i, emu_sync_kind kind, uint32_t lanes, uint32_t id,
                   uint32_t count) {
  const emu_watcher *watcher = w->block->grid->o.watcher;
  if (!watcher || !watcher->sync || !lanes) return;
  emu_sync s = {.insn = i, .kind = (uint8_t)kind, .lanes = lanes, .id = id, .count = count};
  watcher->sync(watcher->user, w, &s);
}

/* ---- a block's barriers --------------------------------------------------------------------- */

/* What .red gives to the lanes of a split that is let through. */
static void give_result(emu_warp *w, emu_split *s, const ptx_insn *i, const emu_barrier *bar) {
  emu_split *executing = w->split;
  uint8_t *bank = w->bank[PTX_BANK_FRAME];
  w->bank[PTX_BANK_FRAME] = s->frame->registers;
  const ptx_operand *d = &i->op_list[0];
  if (i->op == PTX_OP_POPC) {
    EMU_FOR_LANES(l, s->lanes) emu_set(w, d, l, bar->count_true);
  } else {
    bool value = i->op == PTX_OP_AND ? bar->all_true : bar->any_true;
    emu_set_pred(w, d, s->lanes, value ? EMU_ALL_LANES : 0);
  }
  w->bank[PTX_BANK_FRAME] = bank;
  w->split = executing;
}

/* All have arrived: those that wait go on. */
static void release(emu_block *b, uint32_t id) {
  emu_barrier bar = b->barriers[id];
  b->barriers[id] = (emu_barrier){.all_true = true};
  for (uint32_t k = 0; k < b->n_warps; k++) {
    emu_warp *w = &b->warps[k];
    for (uint32_t n = 0; n < w->n_splits; n++) {
      emu_split *s = &w->splits[n];
      if (s->waits != EMU_WAIT_BARRIER || s->barrier != id || !s->lanes) continue;
      const ptx_insn *i = &s->frame->function->insns[s->pc];
      if (i->handler == EMU_H_bar_red) give_result(w, s, i, &bar);
      s->waits = EMU_READY;
      s->pc++;
      emu_tell_sync(w, i, EMU_SYNC_BARRIER_PASS, s->lanes, id, bar.expected);
    }
  }
}

static void check_complete(emu_block *b, uint32_t id) {
  emu_barrier *bar = &b->barriers[id];
  uint32_t expected = bar->all ? b->n_threads - b->ended : bar->expected;
  if (bar->expected && bar->arrived >= expected) release(b, id);
}

void barrier_check_ended(emu_block *b) {
  for (uint32_t id = 0; id < EMU_BARRIERS; id++)
    if (b->barriers[id].expected && b->barriers[id].all) check_complete(b, id);
}

/* Lanes arrive; false after a fault. `red` are the lanes whose predicate is true. */
static bool arrive(emu_warp *w, const ptx_insn *i, uint32_t lanes, uint32_t id, uint32_t count,
                   uint32_t red) {
  emu_block *b = w->block;
  emu_barrier *bar = &b->barriers[id];
  bool all = count == 0;
  if (count % EMU_LANES)
    return emu_fail(w, i, -1, EMU_FAULT_BARRIER,
                    "a barrier's number of threads is a multiple of 32, not %u", count);
  if (bar->expected == 0) {
    *bar = (emu_barrier){.expected = all ? b->n_threads : count, .all = all, .all_true = true};
  } else if (bar->all != all || (!all && bar->expected != count)) {
    return emu_fail(w, i, -1, EMU_FAULT_BARRIER,
                    "arrives at barrier %u for %u threads, while others expect %u there", id,
                    all ? b->n_threads : count, bar->expected);
  }
  /* Partial warps count as whole ones where a number was given. */
  uint32_t n = (uint32_t)__builtin_popcount(lanes);
  bar->arrived += !all && lanes == w->lanes ? EMU_LANES : n;
  bar->all_true &= (red & lanes) == lanes;
  bar->any_true |= (red & lanes) != 0;
  bar->count_true += (uint32_t)__builtin_popcount(red & lanes);
  emu_tell_sync(w, i, EMU_SYNC_BARRIER_ARRIVE, lanes, id, bar->expected);
  return true;
}

/* The lanes wait in a split of their own; the others of the split go on. */
static emu_step wait_at(emu_warp *w, uint32_t lanes, uint32_t id) {
  emu_split *s = w->split;
  bool others = lanes != s->lanes;
  if (others) s = warp_divide(w, lanes, s->pc);
  s->waits = EMU_WAIT_BARRIER;
  s->barrier = (uint8_t)id;
  check_complete(w->block, id);
  return others ? EMU_NEXT : EMU_EXITED;
}

/* The barrier and count of the lanes; they must agree among the lanes of a warp. */
static bool read_barrier(emu_warp *w, const ptx_insn *i, uint32_t lanes, unsigned first,
                         uint32_t *id, uint32_t *count) {
  unsigned l = (unsigned)__builtin_ctz(lanes);
  const ptx_operand *n = first + 1 < i->n_ops && i->op_list[first + 1].kind != PTX_OPERAND_NONE
                             ? &i->op_list[first + 1]
                             : NULL;
  uint64_t wanted = emu_get(w, &i->op_list[first], l);
  *count = n ? (uint32_t)emu_get(w, n, l) : 0;
  *id = (uint32_t)wanted;
  EMU_FOR_LANES(k, lanes)
  if (emu_get(w, &i->op_list[first], k) != wanted)
    return emu_fail(w, i, (int)k, EMU_FAULT_BARRIER, "lanes of a warp name different barriers");
  if (wanted >= EMU_BARRIERS)
    return emu_fail(w, i, -1, EMU_FAULT_BARRIER, "there are barriers 0 to 15, not %llu",
                    (unsigned long long)wanted);
  if (n && *count == 0) return emu_fail(w, i, -1, EMU_FAULT_BARRIER, "a barrier for 0 threads");
  return true;
}

emu_step emu_op_bar_sync(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t id, count;
  if (!read_barrier(w, i, lanes, 0, &id, &count) || !arrive(w, i, lanes, id, count, 0))
    return EMU_NEXT;
  return wait_at(w, lanes, id);
}

emu_step emu_op_bar_arrive(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t id, count;
  if (read_barrier(w, i, lanes, 0, &id, &count) && arrive(w, i, lanes, id, count, 0))
    check_complete(w->block, id);
  return EMU_NEXT;
}

emu_step emu_op_bar_red(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t id, count;
  uint32_t red = emu_get_pred(w, &i->op_list[3]);
  if (!read_barrier(w, i, lanes, 1, &id, &count) || !arrive(w, i, lanes, id, count, red))
    return EMU_NEXT;
  return wait_at(w, lanes, id);
}

/* ---- bar.warp.sync -------------------------------------------------------------------------- */

/* Lanes may meet at different instructions, so splits that wait at any bar.warp.sync with the same
 * mask count. */
emu_step emu_op_bar_warp(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  if (lanes == w->lanes) { /* the whole warp: the common case */
    uint32_t ready = emu_sync_lanes(w, i, lanes, &i->op_list[0], 0);
    return ready ? EMU_NEXT : emu_none_left(w);
  }
  unsigned first = (unsigned)__builtin_ctz(lanes);
  uint32_t mask = (uint32_t)emu_get(w, &i->op_list[0], first), here = 0, others = 0;
  EMU_FOR_LANES(l, lanes) if ((uint32_t)emu_get(w, &i->op_list[0], l) == mask) here |= 1u << l;
  if (!(mask >> first & 1)) {
    emu_fail(w, i, (int)first, EMU_FAULT_BARRIER, "the lane isn't in its own mask 0x%08x", mask);
    return EMU_NEXT;
  }
  for (uint32_t k = 0; k < w->n_splits; k++) {
    const emu_split *s = &w->splits[k];
    if (s->waits == EMU_WAIT_LANES && s->mask == mask &&
        s->frame->function->insns[s->pc].handler == EMU_H_bar_warp)
      others |= s->lanes;
  }
  bool complete = (mask & w->lanes & ~(here | others)) == 0;
  if (!complete) {
    emu_split *s = warp_divide(w, here, w->split->pc);
    s->waits = EMU_WAIT_LANES;
    s->mask = mask;
    /* Lanes with another mask come back to this instruction. */
    return w->split->lanes & lanes ? EMU_JUMPED : emu_none_left(w);
  }
  for (uint32_t k = 0; k < w->n_splits; k++) {
    emu_split *s = &w->splits[k];
    if (s->waits != EMU_WAIT_LANES || s->mask != mask || !(s->lanes & others)) continue;
    s->waits = EMU_READY;
    s->pc++;
  }
  emu_tell_sync(w, i, EMU_SYNC_WARP, here | others, 0, 0);
  if (here == lanes) return EMU_NEXT;
  warp_divide(w, here, w->split->pc + 1);
  return EMU_JUMPED;
}

/* ---- clusters ------------------------------------------------------------------------------- */

static void cluster_complete(emu_cluster *c) {
  if (c->arrived == 0 || c->arrived < c->threads - c->ended) return;
  c->arrived = 0;
  c->phase++;
}

void cluster_check_ended(emu_cluster *c) {
  cluster_complete(c);
}

emu_step emu_op_cluster_arrive(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  emu_cluster *c = w->block->cluster;
  if (w->cluster_arrived & lanes) {
    emu_fail(w, i, __builtin_ctz(w->cluster_arrived & lanes), EMU_FAULT_BARRIER,
             "arrives at the cluster's barrier twice without barrier.cluster.wait between");
    return EMU_NEXT;
  }
  emu_tell_sync(w, i, EMU_SYNC_CLUSTER_ARRIVE, lanes, 0, c->threads);
  EMU_FOR_LANES(l, lanes) w->cluster_phase[l] = c->phase;
  w->cluster_arrived |= lanes;
  c->arrived += (uint32_t)__builtin_popcount(lanes);
  cluster_complete(c);
  return EMU_NEXT;
}

emu_step emu_op_cluster_wait(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  emu_cluster *c = w->block->cluster;
  if (lanes & ~w->cluster_arrived) {
    emu_fail(w, i, __builtin_ctz(lanes & ~w->cluster_arrived), EMU_FAULT_BARRIER,
             "barrier.cluster.wait without barrier.cluster.arrive before it");
    return EMU_NEXT;
  }
  EMU_FOR_LANES(l, lanes) if (w->cluster_phase[l] == c->phase) return EMU_WAIT;
  w->cluster_arrived &= ~lanes;
  emu_tell_sync(w, i, EMU_SYNC_CLUSTER_PASS, lanes, 0, c->threads);
  return EMU_NEXT;
}
