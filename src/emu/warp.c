/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A warp: its splits, and whose turn it is.
 *
 * Lanes part at branches and meet again where two ready splits of one frame stand at the same
 * instruction. Of several splits the one deepest in calls, then the one furthest behind in the text
 * goes first: for code laid out in its natural order that brings lanes together at the first point
 * where they can meet. So that lanes that spin for others don't starve them, every second slice of
 * TURN instructions goes to the splits in turn.
 */
#include "emu/barrier.h"
#include "emu/isa.h"

enum { TURN = 256 };

/* ---- splits --------------------------------------------------------------------------------- */

/* Drops splits without lanes. Splits move, so w->split is no longer valid. */
static void drop_empty(emu_warp *w) {
  uint32_t n = 0;
  for (uint32_t s = 0; s < w->n_splits; s++)
    if (w->splits[s].lanes) {
      if (n != s) w->splits[n] = w->splits[s];
      n++;
    }
  w->n_splits = n;
}

/* Joins all ready splits that stand at the same place. */
static void merge_all(emu_warp *w) {
  bool any = false;
  for (uint32_t a = 0; a < w->n_splits; a++) {
    emu_split *x = &w->splits[a];
    if (x->waits != EMU_READY || !x->lanes) continue;
    for (uint32_t b = a + 1; b < w->n_splits; b++) {
      emu_split *y = &w->splits[b];
      if (y->pc != x->pc || y->frame != x->frame || y->waits != EMU_READY || !y->lanes) continue;
      x->lanes |= y->lanes;
      x->carry = (x->carry & ~y->lanes) | (y->carry & y->lanes);
      y->lanes = 0;
      any = true;
    }
  }
  if (any) drop_empty(w);
}

/* Whether `a` should go before `b`. */
static bool goes_first(const emu_split *a, const emu_split *b) {
  if (a->depth != b->depth) return a->depth > b->depth;
  return a->pc < b->pc;
}

static bool can_run(const emu_split *s) {
  return s->waits == EMU_READY || s->waits == EMU_WAIT_RETRY;
}

/* The split to execute next; NULL when all wait. */
static emu_split *pick(emu_warp *w, emu_lanes tried) {
  emu_split *best = NULL;
  if (w->turn & 1) /* a slice of those that would not be first */
    for (uint32_t k = 0; k < w->n_splits; k++) {
      emu_split *s = &w->splits[(w->turn / 2 + k) % w->n_splits];
      if (s->waits == EMU_READY) return s;
    }
  for (uint32_t k = 0; k < w->n_splits; k++) {
    emu_split *s = &w->splits[k];
    if (!can_run(s) || (s->waits != EMU_READY && (s->lanes & tried))) continue;
    if (!best || goes_first(s, best)) best = s;
  }
  return best;
}

/* ---- ends ----------------------------------------------------------------------------------- */

void emu_end_lanes(emu_warp *w, emu_lanes lanes, emu_insn i) {
  emu_tell_sync(w, &(emu_sync){.insn = i, .kind = EMU_SYNC_EXIT, .lanes = lanes});
  emu_block *b = w->block;
  const emu_isa *isa = b->grid->program->isa;
  w->split->lanes &= ~lanes;
  w->lanes &= ~lanes;
  uint32_t n = emu_count_lanes(lanes);
  b->ended += n;
  b->cluster->ended += n;
  if (isa->ended) isa->ended(w, lanes);
  for (uint32_t s = 0; s < w->n_splits; s++) /* those that waited for these lanes look again */
    if (w->splits[s].waits == EMU_WAIT_LANES) w->splits[s].waits = EMU_READY;
  emu_barriers_ended(b);
}

/* ---- turns ---------------------------------------------------------------------------------- */

bool emu_yield(emu_warp *w) {
  w->split->pc++;
  if (w->n_splits > 1) w->turn++;
  return true;
}

/* The lanes that do not execute the instruction go on. */
static void wait_here(emu_warp *w, emu_lanes lanes) {
  emu_split *s = w->split;
  if (lanes == s->lanes) {
    s->waits = EMU_WAIT_RETRY;
    return;
  }
  emu_split *waiting = emu_divide(w, lanes, s->pc);
  waiting->waits = EMU_WAIT_RETRY;
  s->pc++;
}

bool emu_wait(emu_warp *w, emu_lanes lanes, emu_slice *p) {
  p->done--;
  p->tried |= lanes;
  wait_here(w, lanes);
  return false;
}

emu_warp_state emu_warp_run(emu_warp *w, uint32_t slice) {
  emu_slice p = {.left = slice, .turn_left = TURN};
  const emu_isa *isa = w->block->grid->program->isa;
  emu_warp_state state = EMU_WARP_READY;
  for (;;) {
    drop_empty(w);
    if (w->n_splits > 1) merge_all(w);
    if (w->n_splits == 0) {
      state = EMU_WARP_ENDED;
      break;
    }
    if (p.turn_left == 0) {
      p.turn_left = TURN;
      w->turn++;
    }
    emu_split *s = pick(w, p.tried);
    if (!s) {
      state = p.tried ? EMU_WARP_RETRIED : EMU_WARP_WAITS;
      break;
    }
    s->waits = EMU_READY;
    w->split = s;
    if (isa->run(w, &p)) break;
  }
  if (p.done && state == EMU_WARP_RETRIED) state = EMU_WARP_READY;
  if (p.done && state == EMU_WARP_WAITS) state = EMU_WARP_READY;
  if (w->n_splits > 1) w->turn++; /* also slices shorter than a turn are fair */
  w->steps += p.done;
  atomic_fetch_add_explicit(&w->block->grid->steps, p.done, memory_order_relaxed);
  atomic_fetch_add_explicit(&w->block->grid->thread_steps, p.lanes_done, memory_order_relaxed);
  return state;
}
