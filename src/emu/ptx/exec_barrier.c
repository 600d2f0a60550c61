/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers of barriers: bar and barrier of a block, barrier.cluster, bar.warp.sync.
 * Source: PTX ISA, "Parallel Synchronization and Communication Instructions".
 */
#include "emu/barrier.h"
#include "emu/ptx/frame.h"
#include "emu/ptx/handlers.h"
#include "emu/ptx/isa.h"

/* ---- a block's barriers --------------------------------------------------------------------- */

/* What .red gives to the lanes of a split that is let through. */
void ptx_released(emu_warp *w, emu_split *s, emu_insn insn, const emu_barrier *bar) {
  const ptx_insn *i = insn;
  if (i->handler != PTX_H_bar_red) return;
  const ptx_frame *f = s->frame;
  uint8_t *bank = w->bank[PTX_BANK_FRAME];
  w->bank[PTX_BANK_FRAME] = f->registers;
  const ptx_operand *d = &i->op_list[0];
  if (i->op == PTX_OP_POPC) {
    PTX_FOR_LANES(l, s->lanes) ptx_set(w, d, l, bar->count_true);
  } else {
    bool value = i->op == PTX_OP_AND ? bar->all_true : bar->any_true;
    ptx_set_pred(w, d, (uint32_t)s->lanes, value ? PTX_ALL_LANES : 0);
  }
  w->bank[PTX_BANK_FRAME] = bank;
}

/* The barrier and count of the lanes; they must agree among the lanes of a warp. */
static bool read_barrier(emu_warp *w, const ptx_insn *i, uint32_t lanes, unsigned first,
                         uint32_t *id, uint32_t *count) {
  unsigned l = (unsigned)__builtin_ctz(lanes);
  const ptx_operand *n = first + 1 < i->n_ops && i->op_list[first + 1].kind != PTX_OPERAND_NONE
                             ? &i->op_list[first + 1]
                             : NULL;
  uint64_t wanted = ptx_get(w, &i->op_list[first], l);
  *count = n ? (uint32_t)ptx_get(w, n, l) : 0;
  *id = (uint32_t)wanted;
  PTX_FOR_LANES(k, lanes)
  if (ptx_get(w, &i->op_list[first], k) != wanted)
    return emu_fail(w, i, (int)k, EMU_FAULT_BARRIER, "lanes of a warp name different barriers");
  if (wanted >= EMU_BARRIERS)
    return emu_fail(w, i, -1, EMU_FAULT_BARRIER, "there are barriers 0 to 15, not %llu",
                    (unsigned long long)wanted);
  if (n && *count == 0) return emu_fail(w, i, -1, EMU_FAULT_BARRIER, "a barrier for 0 threads");
  return true;
}

emu_step ptx_op_bar_sync(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t id, count;
  if (!read_barrier(w, i, lanes, 0, &id, &count) || !emu_barrier_arrive(w, i, lanes, id, count, 0))
    return EMU_NEXT;
  return emu_barrier_wait(w, lanes, id);
}

emu_step ptx_op_bar_arrive(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t id, count;
  if (read_barrier(w, i, lanes, 0, &id, &count) && emu_barrier_arrive(w, i, lanes, id, count, 0))
    emu_barrier_check(w->block, id);
  return EMU_NEXT;
}

emu_step ptx_op_bar_red(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t id, count;
  uint32_t red = ptx_get_pred(w, &i->op_list[3]);
  if (!read_barrier(w, i, lanes, 1, &id, &count) ||
      !emu_barrier_arrive(w, i, lanes, id, count, red))
    return EMU_NEXT;
  return emu_barrier_wait(w, lanes, id);
}

/* ---- bar.warp.sync -------------------------------------------------------------------------- */

/* Lanes may meet at different instructions, so splits that wait at any bar.warp.sync with the same
 * mask count. */
emu_step ptx_op_bar_warp(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  if (lanes == w->lanes) { /* the whole warp: the common case */
    uint32_t ready = ptx_sync_lanes(w, i, lanes, &i->op_list[0], 0);
    return ready ? EMU_NEXT : emu_none_left(w);
  }
  unsigned first = (unsigned)__builtin_ctz(lanes);
  uint32_t mask = (uint32_t)ptx_get(w, &i->op_list[0], first), here = 0, others = 0;
  PTX_FOR_LANES(l, lanes) if ((uint32_t)ptx_get(w, &i->op_list[0], l) == mask) here |= 1u << l;
  if (!(mask >> first & 1)) {
    emu_fail(w, i, (int)first, EMU_FAULT_BARRIER, "the lane isn't in its own mask 0x%08x", mask);
    return EMU_NEXT;
  }
  for (uint32_t k = 0; k < w->n_splits; k++) {
    const emu_split *s = &w->splits[k];
    if (s->waits == EMU_WAIT_LANES && s->mask == mask && ptx_insn_at(s)->handler == PTX_H_bar_warp)
      others |= (uint32_t)s->lanes;
  }
  bool complete = (mask & w->lanes & ~(here | others)) == 0;
  if (!complete) {
    emu_split *s = emu_divide(w, here, w->split->pc);
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
  emu_tell_sync(w, &(emu_sync){.insn = i, .kind = EMU_SYNC_WARP, .lanes = here | others});
  if (here == lanes) return EMU_NEXT;
  emu_divide(w, here, w->split->pc + 1);
  return EMU_JUMPED;
}

/* ---- clusters ------------------------------------------------------------------------------- */

emu_step ptx_op_cluster_arrive(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return emu_cluster_arrive(w, i, lanes, i->order == PTX_RELAXED);
}

emu_step ptx_op_cluster_wait(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return emu_cluster_wait(w, i, lanes);
}
