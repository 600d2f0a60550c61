/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A warp: its splits, its frames, the loop that executes instructions.
 *
 * Lanes part at branches and meet again where two ready splits of one frame stand at the same
 * instruction. Of several splits the one deepest in calls, then the one furthest behind in the text
 * goes first: for code laid out in its natural order that brings lanes together at the first point
 * where they can meet. So that lanes that spin for others don't starve them, every second slice of
 * TURN instructions goes to the splits in turn.
 */
#include <stdlib.h>

#include "emu/ptx/local.h"
#include "emu/run.h"
#include "emu/zeroed.h"

enum { TURN = 256, MANY_BYTES = 256 << 10 };

/* ---- frames --------------------------------------------------------------------------------- */

static size_t round64(size_t n) {
  return (n + 63) & ~(size_t)63;
}

/* The bytes that are asked for; where they are many, the whole frame, whose pages are given back.
 */
static void clear_frame(emu_frame *f, size_t bytes) {
  size_t size = f->bytes;
  if (bytes < MANY_BYTES)
    memset(f, 0, bytes);
  else
    zeroed_clear(f, size);
  f->bytes = size;
}

/* A frame that was used before and is large enough. */
static emu_frame *take_free(emu_warp *w, size_t bytes) {
  for (emu_frame **link = &w->free_frames; *link; link = &(*link)->next_free)
    if ((*link)->bytes >= bytes) {
      emu_frame *f = *link;
      *link = f->next_free;
      clear_frame(f, bytes);
      return f;
    }
  return NULL;
}

emu_frame *warp_push_frame(emu_warp *w, const ptx_function *f, emu_frame *parent) {
  size_t registers = round64(f->register_bytes), head = round64(sizeof(emu_frame));
  size_t local = round64((size_t)f->local_bytes * EMU_LANES);
  size_t call = round64((size_t)f->call_bytes * EMU_LANES);
  const emu_watcher *watcher = w->block->grid->o.watcher;
  size_t written = watcher && watcher->local ? local : 0;
  size_t bytes = head + registers + local + call + written + 64;
  emu_frame *frame = take_free(w, bytes);
  if (!frame) {
    frame = zeroed_alloc(bytes);
    if (!frame) {
      emu_fail(w, NULL, -1, EMU_FAULT_MEMORY, "there is no memory for the registers of a warp");
      return NULL;
    }
    frame->bytes = bytes;
  }
  frame->parent = parent;
  frame->function = f;
  frame->depth = parent ? parent->depth + 1 : 0;
  frame->local_base = parent ? parent->local_base + parent->local_bytes : 0;
  frame->local_bytes = f->local_bytes;
  frame->registers = (uint8_t *)frame + head;
  frame->local = frame->registers + registers;
  frame->call_area = frame->local + local;
  frame->written = written ? frame->call_area + call : NULL;
  local_enter(w, frame);
  return frame;
}

void warp_free_frame(emu_warp *w, emu_frame *f) {
  f->next_free = w->free_frames;
  w->free_frames = f;
}

void warp_free_frames(emu_warp *w) {
  /* Frames of splits that never ended: their chains join, so each is counted first. */
  for (uint32_t s = 0; s < w->n_splits; s++)
    for (emu_frame *f = w->splits[s].frame; f; f = f->parent) f->lanes = 0;
  for (uint32_t s = 0; s < w->n_splits; s++)
    for (emu_frame *f = w->splits[s].frame; f; f = f->parent) f->lanes++;
  for (uint32_t s = 0; s < w->n_splits; s++) {
    for (emu_frame *f = w->splits[s].frame, *parent; f; f = parent) {
      parent = f->parent;
      if (--f->lanes == 0) warp_free_frame(w, f);
    }
  }
  w->n_splits = 0;
  local_free(w);
  while (w->free_frames) {
    emu_frame *f = w->free_frames;
    w->free_frames = f->next_free;
    zeroed_free(f, f->bytes);
  }
}

/* ---- splits --------------------------------------------------------------------------------- */

static void fill_local_base(emu_warp *w, uint32_t base) {
  uint64_t *wide = (uint64_t *)(w->specials + PTX_SR_LOCAL_BASE * PTX_SPECIAL_STRIDE);
  uint32_t *narrow = (uint32_t *)(w->specials + PTX_SR_LOCAL_BASE32 * PTX_SPECIAL_STRIDE);
  for (unsigned l = 0; l < EMU_LANES; l++) {
    wide[l] = base;
    narrow[l] = base;
  }
}

void warp_enter_split(emu_warp *w, emu_split *s) {
  w->split = s;
  w->bank[PTX_BANK_FRAME] = s->frame->registers;
  if (*(const uint32_t *)(w->specials + PTX_SR_LOCAL_BASE32 * PTX_SPECIAL_STRIDE) !=
      s->frame->local_base)
    fill_local_base(w, s->frame->local_base);
}

/* Room for a split: each of the others has a lane at least, or is empty and may be used again. */
static emu_split *empty_split(emu_warp *w, const emu_split *from) {
  if (w->n_splits < ARRAY_LEN(w->splits)) return &w->splits[w->n_splits++];
  emu_split *s = w->splits;
  while (s->lanes || s == w->split || s == from) s++;
  return s;
}

emu_split *warp_divide_split(emu_warp *w, emu_split *from, uint32_t lanes, uint32_t pc) {
  emu_split *s = empty_split(w, from);
  *s = *from;
  s->lanes = lanes;
  s->pc = pc;
  from->lanes &= ~lanes;
  return s;
}

emu_split *warp_divide(emu_warp *w, uint32_t lanes, uint32_t pc) {
  return warp_divide_split(w, w->split, lanes, pc);
}

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
  if (a->frame->depth != b->frame->depth) return a->frame->depth > b->frame->depth;
  return a->pc < b->pc;
}

static bool can_run(const emu_split *s) {
  return s->waits == EMU_READY || s->waits == EMU_WAIT_RETRY;
}

/* The split to execute next; NULL when all wait. */
static emu_split *pick(emu_warp *w, uint32_t tried) {
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

void warp_end_lanes(emu_warp *w, uint32_t lanes, const ptx_insn *i) {
  emu_tell_sync(w, i, EMU_SYNC_EXIT, lanes, 0, 0);
  emu_block *b = w->block;
  emu_frame *f = w->split->frame;
  w->split->lanes &= ~lanes;
  w->lanes &= ~lanes;
  uint32_t n = (uint32_t)__builtin_popcount(lanes);
  b->ended += n;
  b->cluster->ended += n;
  while (f) { /* the frames that nobody is in any more */
    emu_frame *parent = f->parent;
    f->lanes &= ~lanes;
    if (f->lanes == 0) warp_free_frame(w, f);
    f = parent;
  }
  for (uint32_t s = 0; s < w->n_splits; s++) /* those that waited for these lanes look again */
    if (w->splits[s].waits == EMU_WAIT_LANES) w->splits[s].waits = EMU_READY;
  barrier_check_ended(b);
  cluster_check_ended(b->cluster);
}

/* ---- the loop ------------------------------------------------------------------------------- */

/* What happens to a split whose instruction waits: the lanes whose guard is false go on. */
static void wait_here(emu_warp *w, uint32_t lanes) {
  emu_split *s = w->split;
  if (lanes == s->lanes) {
    s->waits = EMU_WAIT_RETRY;
    return;
  }
  emu_split *waiting = warp_divide(w, lanes, s->pc);
  waiting->waits = EMU_WAIT_RETRY;
  s->pc++;
}

static uint32_t guard_lanes(const emu_warp *w, const ptx_insn *i) {
  uint32_t bits = *(const uint32_t *)emu_row(w, i->guard);
  return w->split->lanes & (i->guard_negated ? ~bits : bits);
}

typedef struct progress {
  uint32_t left; /* instructions of the slice */
  uint32_t turn_left;
  uint32_t tried; /* lanes that have waited in this slice */
  uint64_t done, lanes_done;
} progress;

/* Executes the split until it ends, waits, parts or meets others. True when the slice is over. */
static bool run_split(emu_warp *w, progress *p) {
  emu_grid *g = w->block->grid;
  const emu_watcher *watcher = g->o.watcher;
  const ptx_insn *insns = w->split->frame->function->insns;
  bool entered = true;
  for (;;) {
    emu_split *s = w->split;
    const ptx_insn *i = &insns[s->pc];
    if (i->leader && w->n_splits > 1 && !entered) return false; /* to meet others */
    entered = false;
    if (p->left == 0 || (w->n_splits > 1 && p->turn_left == 0)) return p->left == 0;
    p->left--;
    p->turn_left--;
    uint32_t lanes = i->guarded ? guard_lanes(w, i) : s->lanes;
    if (watcher && watcher->executed) watcher->executed(watcher->user, w, i, lanes, s->lanes);
    p->done++;
    p->lanes_done += (unsigned)__builtin_popcount(lanes);
    if (lanes == 0) {
      s->pc++;
      continue;
    }
    switch (emu_handlers[i->handler](w, i, lanes)) {
    case EMU_NEXT: w->split->pc++; break;
    case EMU_JUMPED:
      if (w->n_splits > 1 || w->split->frame->function->insns != insns ||
          w->bank[PTX_BANK_FRAME] != w->split->frame->registers)
        return atomic_load_explicit(&g->stop, memory_order_relaxed) != 0;
      break;
    case EMU_YIELD:
      w->split->pc++;
      if (w->n_splits > 1) w->turn++;
      return true;
    case EMU_WAIT:
      p->done--;
      p->tried |= lanes;
      wait_here(w, lanes);
      return false;
    case EMU_EXITED: return atomic_load_explicit(&g->stop, memory_order_relaxed) != 0;
    }
    if (atomic_load_explicit(&g->stop, memory_order_relaxed)) return true;
  }
}

warp_state warp_run(emu_warp *w, uint32_t slice) {
  progress p = {.left = slice, .turn_left = TURN};
  warp_state state = WARP_READY;
  for (;;) {
    drop_empty(w);
    if (w->n_splits > 1) merge_all(w);
    if (w->n_splits == 0) {
      state = WARP_ENDED;
      break;
    }
    if (p.turn_left == 0) {
      p.turn_left = TURN;
      w->turn++;
    }
    emu_split *s = pick(w, p.tried);
    if (!s) {
      state = p.tried ? WARP_RETRIED : WARP_WAITS;
      break;
    }
    s->waits = EMU_READY;
    warp_enter_split(w, s);
    if (run_split(w, &p)) break;
  }
  if (p.done && state == WARP_RETRIED) state = WARP_READY;
  if (p.done && state == WARP_WAITS) state = WARP_READY;
  if (w->n_splits > 1) w->turn++; /* also slices shorter than a turn are fair */
  w->steps += p.done;
  atomic_fetch_add_explicit(&w->block->grid->steps, p.done, memory_order_relaxed);
  atomic_fetch_add_explicit(&w->block->grid->thread_steps, p.lanes_done, memory_order_relaxed);
  return state;
}

/* ---- lanes that come together --------------------------------------------------------------- */

/* Splits that wait at the same instruction join the one that executes. Returns their lanes. */
static uint32_t join_waiting(emu_warp *w) {
  emu_split *s = w->split;
  uint32_t joined = 0;
  for (uint32_t k = 0; k < w->n_splits; k++) {
    emu_split *y = &w->splits[k];
    if (y == s || y->waits != EMU_WAIT_LANES || y->pc != s->pc || y->frame != s->frame) continue;
    joined |= y->lanes;
    s->carry = (s->carry & ~y->lanes) | (y->carry & y->lanes);
    y->lanes = 0;
    y->waits = EMU_READY;
  }
  s->lanes |= joined;
  return joined;
}

uint32_t emu_sync_lanes(emu_warp *w, const ptx_insn *i, uint32_t lanes, const ptx_operand *mask,
                        uint32_t value) {
  if (i == w->meeting) return lanes;
  if (w->n_splits > 1) lanes |= join_waiting(w);
  uint32_t ready = 0, met = 0;
  for (uint32_t rest = lanes; rest;) {
    unsigned l = (unsigned)__builtin_ctz(rest);
    uint32_t m = mask ? (uint32_t)emu_get(w, mask, l) : value;
    uint32_t group = lanes & m;
    if (!(m >> l & 1)) {
      emu_fail(w, i, (int)l, EMU_FAULT_BARRIER, "the lane isn't in its own mask 0x%08x", m);
      return 0;
    }
    if ((m & w->lanes & ~lanes) == 0)
      ready |= group;
    else if (mask && w->n_splits > 1)
      met |= warp_meet(w, i, group & rest, (unsigned)(mask - i->op_list), m);
    rest &= ~group;
  }
  if (met) emu_tell_sync(w, i, EMU_SYNC_WARP, met, 0, 0);
  if ((ready | met) != lanes) {
    uint32_t late = lanes & ~(ready | met);
    emu_split *s = warp_divide(w, late, w->split->pc);
    s->waits = EMU_WAIT_LANES;
  }
  if (ready) emu_tell_sync(w, i, EMU_SYNC_WARP, ready, 0, 0);
  return ready;
}
