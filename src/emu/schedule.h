/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Splits of warps, and how a warp goes on from one instruction to the next.
 *
 * A warp executes one instruction for the lanes of one split at a time. Lanes that take different
 * ways become different splits and come together again where they reach the same instruction of the
 * same frame; the split that is furthest behind goes first, but none waits for ever, so lanes that
 * wait for each other get on. An instruction set whose warps have one program counter has one
 * split.
 */
#ifndef TSR_EMU_SCHEDULE_H
#define TSR_EMU_SCHEDULE_H

#include "emu/machine.h"

/* How an instruction wants its split to go on. */
typedef enum emu_step {
  EMU_NEXT,   /* with the next instruction */
  EMU_JUMPED, /* split->pc is set, or there are new splits */
  EMU_YIELD,  /* with the next, but let other warps have a turn first (a wait that gave up) */
  EMU_WAIT,   /* with this instruction again, when another warp or block has made progress */
  EMU_EXITED, /* no lanes of the split are left here (they ended, or wait in another split) */
} emu_step;

/* A turn of a warp. */
typedef struct emu_slice {
  uint32_t left; /* instructions */
  uint32_t turn_left;
  emu_lanes tried; /* that have waited in this slice */
  uint64_t done, lanes_done;
} emu_slice;

typedef enum emu_warp_state {
  EMU_WARP_ENDED,   /* no lanes are left */
  EMU_WARP_WAITS,   /* all its splits wait for others */
  EMU_WARP_RETRIED, /* some split tried in vain */
  EMU_WARP_READY,   /* its slice is over */
} emu_warp_state;

/* Executes up to `slice` instructions. */
emu_warp_state emu_warp_run(emu_warp *w, uint32_t slice);

/* ---- for emu_isa.run */

/* Before an instruction: whether the split must leave it for later. `*over`: and with it the slice.
 */
static inline bool emu_turn_over(const emu_warp *w, const emu_slice *p, bool *over) {
  *over = p->left == 0;
  return *over || (w->n_splits > 1 && p->turn_left == 0);
}
/* An instruction is about to be executed by these lanes. */
static inline void emu_count_step(emu_slice *p, unsigned lanes) {
  p->left--;
  p->turn_left--;
  p->done++;
  p->lanes_done += lanes;
}
static inline bool emu_stopped(const emu_grid *g) {
  return atomic_load_explicit(&g->stop, memory_order_relaxed) != 0;
}
/* The split has to yield, or its lanes `lanes` to wait: emu_isa.run returns what these do. */
bool emu_yield(emu_warp *w);
bool emu_wait(emu_warp *w, emu_lanes lanes, emu_slice *p);

/* ---- for instructions */

/* A new split of these lanes of the split that executes, at `pc`; takes them from it. */
emu_split *emu_divide(emu_warp *w, emu_lanes lanes, uint32_t pc);
/* Likewise of any split. */
emu_split *emu_divide_split(emu_warp *w, emu_split *from, emu_lanes lanes, uint32_t pc);
/* Lanes of the split that executes end. */
void emu_end_lanes(emu_warp *w, emu_lanes lanes, emu_insn i);
static inline emu_step emu_none_left(const emu_warp *w) {
  return w->split->lanes ? EMU_NEXT : EMU_EXITED;
}

#endif
