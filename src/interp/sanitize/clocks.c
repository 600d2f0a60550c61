/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interp/sanitize/clocks.h"

static size_t entries(const san_clocks *c) {
  return 2 * (size_t)c->doers;
}

static san_clock *take_clock(san_clocks *c) {
  san_clock *k = c->unused;
  if (k)
    c->unused = k->next;
  else
    k = arena_alloc(c->arena, sizeof *k + entries(c) * sizeof *k->seen, _Alignof(san_clock));
  k->refs = 0;
  memset(k->seen, 0, entries(c) * sizeof *k->seen);
  return k;
}

void clocks_drop(san_clocks *c, san_clock **clock) {
  san_clock *k = *clock;
  *clock = NULL;
  if (!k || --k->refs) return;
  k->next = c->unused;
  c->unused = k;
}

static void set_clock(san_clocks *c, int32_t thread, san_clock *k) {
  k->refs++;
  clocks_drop(c, &c->thread[thread].clock);
  c->thread[thread].clock = k;
}

void clocks_init(san_clocks *c, arena *a, int32_t threads, int32_t mbarriers) {
  *c = (san_clocks){.arena = a, .threads = threads, .doers = threads + mbarriers};
  c->thread = arena_array(a, san_thread, (size_t)threads);
  clocks_reset(c);
}

void clocks_reset(san_clocks *c) {
  san_clock *k = take_clock(c);
  c->now = 1;
  for (int32_t t = 0; t < c->threads; t++) {
    set_clock(c, t, k);
    c->thread[t].fenced = 0;
  }
}

static void join(const san_clocks *c, san_clock *into, const san_clock *from) {
  for (size_t k = 0; k < entries(c); k++) into->seen[k] = MAX(into->seen[k], from->seen[k]);
}

/* What these threads have done up to now and seen. */
static void gather(const san_clocks *c, int32_t first, int32_t count, san_clock *into) {
  const san_clock *last = NULL;
  for (int32_t t = first; t < first + count; t++) {
    const san_thread *thread = &c->thread[t];
    if (thread->clock != last) join(c, into, thread->clock);
    last = thread->clock;
  }
  for (int32_t t = first; t < first + count; t++) {
    uint32_t *shown = &into->seen[c->doers + t];
    into->seen[t] = c->now;
    *shown = MAX(*shown, c->thread[t].fenced);
  }
}

static void meet(san_clocks *c, int32_t first, int32_t count) {
  san_clock *k = take_clock(c);
  gather(c, first, count, k);
  for (int32_t t = first; t < first + count; t++) set_clock(c, t, k);
}

void clocks_meet(san_clocks *c, int32_t first, int32_t count) {
  meet(c, first, count);
  c->now++;
}

void clocks_meet_warps(san_clocks *c, int32_t first, int32_t count) {
  enum { WARP = 32 };
  for (int32_t t = first; t < first + count; t += WARP) meet(c, t, MIN(count, WARP));
  c->now++;
}

void clocks_release(san_clocks *c, int32_t first, int32_t count, san_clock **into) {
  if (!*into) {
    *into = take_clock(c);
    (*into)->refs = 1;
  }
  gather(c, first, count, *into);
  c->now++;
}

void clocks_release_only(san_clocks *c, int32_t doer, san_clock **into) {
  if (!*into) {
    *into = take_clock(c);
    (*into)->refs = 1;
  }
  (*into)->seen[doer] = c->now++;
}

void clocks_begin(san_clocks *c, int32_t first, int32_t count, int32_t doer) {
  san_clock *k = take_clock(c);
  k->seen[doer] = 1;
  for (int32_t t = first; t < first + count; t++) set_clock(c, t, k);
}

static bool is_new(const san_clocks *c, const san_clock *known, const san_clock *from) {
  for (size_t k = 0; k < entries(c); k++)
    if (from->seen[k] > known->seen[k]) return true;
  return false;
}

/* Neighbours mostly have one clock before, and then one afterwards. */
void clocks_acquire(san_clocks *c, int32_t first, int32_t count, const san_clock *from) {
  san_clock *before = NULL, *after = NULL;
  if (!from) return;
  for (int32_t t = first; t < first + count; t++) {
    san_clock *own = c->thread[t].clock;
    if (own != before) {
      if (before) clocks_drop(c, &before);
      before = own;
      before->refs++;
      after = own;
      if (is_new(c, own, from)) {
        after = take_clock(c);
        join(c, after, own);
        join(c, after, from);
      }
    }
    if (after != own) set_clock(c, t, after);
  }
  if (before) clocks_drop(c, &before);
}

void clocks_fence(san_clocks *c, int32_t first, int32_t count) {
  san_clock *before = NULL, *after = NULL;
  for (int32_t t = first; t < first + count; t++) {
    san_clock *own = c->thread[t].clock;
    c->thread[t].fenced = c->now;
    if (own != before) {
      if (before) clocks_drop(c, &before);
      before = own;
      before->refs++;
      after = take_clock(c);
      memcpy(after->seen, own->seen, (size_t)c->doers * sizeof *own->seen);
      for (int32_t k = 0; k < c->doers; k++)
        after->seen[c->doers + k] = MAX(own->seen[k], own->seen[c->doers + k]);
    }
    set_clock(c, t, after);
  }
  if (before) clocks_drop(c, &before);
  c->now++;
}
