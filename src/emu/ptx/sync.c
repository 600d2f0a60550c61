/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lanes that come together for .sync instructions.
 */
#include "emu/ptx/frame.h"
#include "emu/ptx/handlers.h"

/* Splits that wait at the same instruction join the one that executes. Returns their lanes. */
static uint32_t join_waiting(emu_warp *w) {
  emu_split *s = w->split;
  uint32_t joined = 0;
  for (uint32_t k = 0; k < w->n_splits; k++) {
    emu_split *y = &w->splits[k];
    if (y == s || y->waits != EMU_WAIT_LANES || y->pc != s->pc || y->frame != s->frame) continue;
    joined |= (uint32_t)y->lanes;
    s->carry = (s->carry & ~y->lanes) | (y->carry & y->lanes);
    y->lanes = 0;
    y->waits = EMU_READY;
  }
  s->lanes |= joined;
  return joined;
}

/* Only bar.warp.sync orders anything in memory. */
static void tell_together(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  bool orders = i->handler == PTX_H_bar_warp;
  emu_tell_sync(
      w, &(emu_sync){.insn = i, .kind = orders ? EMU_SYNC_WARP : EMU_SYNC_LANES, .lanes = lanes});
}

uint32_t ptx_sync_lanes(emu_warp *w, const ptx_insn *i, uint32_t lanes, const ptx_operand *mask,
                        uint32_t value) {
  if (i == ptx_warp_of(w)->meeting) return lanes;
  if (w->n_splits > 1) lanes |= join_waiting(w);
  uint32_t ready = 0, met = 0;
  for (uint32_t rest = lanes; rest;) {
    unsigned l = (unsigned)__builtin_ctz(rest);
    uint32_t m = mask ? (uint32_t)ptx_get(w, mask, l) : value;
    uint32_t group = lanes & m;
    if (!(m >> l & 1)) {
      emu_fail(w, i, (int)l, EMU_FAULT_BARRIER, "the lane isn't in its own mask 0x%08x", m);
      return 0;
    }
    if ((m & w->lanes & ~lanes) == 0)
      ready |= group;
    else if (mask && w->n_splits > 1)
      met |= ptx_meet(w, i, group & rest, (unsigned)(mask - i->op_list), m);
    rest &= ~group;
  }
  if (met) tell_together(w, i, met);
  if ((ready | met) != lanes) {
    uint32_t late = lanes & ~(ready | met);
    emu_split *s = emu_divide(w, late, w->split->pc);
    s->waits = EMU_WAIT_LANES;
  }
  if (ready) tell_together(w, i, ready);
  return ready;
}
