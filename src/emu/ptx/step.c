/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The loop that executes instructions.
 */
#include "emu/ptx/frame.h"
#include "emu/ptx/handlers.h"
#include "emu/ptx/isa.h"
#include "emu/ptx/pending.h"
#include "emu/ptx/undefined.h"

static uint32_t guard_lanes(const emu_warp *w, const ptx_insn *i) {
  uint32_t bits = *(const uint32_t *)ptx_row_at(w, i->guard);
  return (uint32_t)w->split->lanes & (i->guard_negated ? ~bits : bits);
}

static void tell_executed(emu_warp *w, const emu_watcher *watcher, const ptx_insn *i,
                          uint32_t lanes) {
  if (watcher->executed) watcher->executed(watcher->user, w, i, lanes, w->split->lanes);
  if (lanes) async_check_registers(w, i);
  undefined_step(w, i, lanes);
}

bool ptx_run_split(emu_warp *w, emu_slice *p) {
  emu_grid *g = w->block->grid;
  const emu_watcher *watcher = g->o.watcher;
  ptx_enter_frame(w, w->split);
  const ptx_insn *insns = ptx_frame_of(w->split)->function->insns;
  bool entered = true, over;
  for (;;) {
    emu_split *s = w->split;
    const ptx_insn *i = &insns[s->pc];
    if (i->leader && w->n_splits > 1 && !entered) return false; /* to meet others */
    entered = false;
    if (emu_turn_over(w, p, &over)) return over;
    uint32_t lanes = i->guarded ? guard_lanes(w, i) : (uint32_t)s->lanes;
    if (watcher) tell_executed(w, watcher, i, lanes);
    emu_count_step(p, (unsigned)__builtin_popcount(lanes));
    if (lanes == 0) {
      s->pc++;
      continue;
    }
    switch (ptx_handlers[i->handler](w, i, lanes)) {
    case EMU_NEXT: w->split->pc++; break;
    case EMU_JUMPED:
      if (w->n_splits > 1 || ptx_frame_of(w->split)->function->insns != insns ||
          w->bank[PTX_BANK_FRAME] != ptx_frame_of(w->split)->registers)
        return emu_stopped(g);
      break;
    case EMU_YIELD: return emu_yield(w);
    case EMU_WAIT: return emu_wait(w, lanes, p);
    case EMU_EXITED: return emu_stopped(g);
    }
    if (emu_stopped(g)) return true;
  }
}
