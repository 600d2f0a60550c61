/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The race detector: threads' clocks, slots, and the comparison of an access with what went before.
 */
#include "emu/races.h"

#include <stdlib.h>

/* What a thread knows. `known` doesn't count the thread itself: that is `now` and `fenced`. */
typedef struct agent {
  race_clock *known;
  uint32_t now;         /* the time of what it does next */
  uint32_t fenced;      /* what it did up to here lies before a fence between proxies of its own */
  race_clock *at_fence; /* what it knew and had done at its last fence; NULL: no fence yet */
  race_sync pending;    /* what relaxed reads have seen and the next fence will teach it */
  bool learned;         /* something since it last left what it knew */
} agent;

struct race_domain {
  races *races;
  uint32_t id, threads, block_threads;
  agent *agent;
  race_slot_info *slot; /* those behind the threads */
  uint64_t *owner;      /* kind and owner of each */
  uint32_t n_slots, cap_slots;
};

void race_no_memory(race_domain *d) {
  d->races->out_of_memory = true;
}

/* ---- domains -------------------------------------------------------------------------------- */

race_domain *race_domain_create(races *r, uint32_t threads, uint32_t block_threads) {
  race_domain *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  *d = (race_domain){
      .races = r, .id = ++r->next_domain, .threads = threads, .block_threads = block_threads};
  d->agent = calloc(threads, sizeof *d->agent);
  if (!d->agent) {
    free(d);
    return NULL;
  }
  for (uint32_t t = 0; t < threads; t++) d->agent[t].now = 1;
  return d;
}

void race_domain_destroy(race_domain *d) {
  if (!d) return;
  for (uint32_t t = 0; t < d->threads; t++) {
    race_clock_unref(d->agent[t].known);
    race_clock_unref(d->agent[t].at_fence);
    race_sync_free(&d->agent[t].pending);
  }
  free(d->agent);
  free(d->slot);
  free(d->owner);
  free(d);
}

uint32_t race_domain_id(const race_domain *d) {
  return d->id;
}

void race_launch_boundary(races *r) {
  r->first_domain = r->next_domain + 1;
}

/* ---- slots ---------------------------------------------------------------------------------- */

uint32_t race_slot(race_domain *d, race_slot_kind kind, uint64_t owner) {
  uint64_t key = owner << 4 | (uint64_t)kind;
  for (uint32_t i = d->n_slots; i-- > 0;)
    if (d->owner[i] == key) return d->threads + i;
  if (d->n_slots == d->cap_slots) {
    uint32_t cap = MAX(16, 2 * d->cap_slots);
    race_slot_info *slot = realloc(d->slot, cap * sizeof *slot);
    if (slot) d->slot = slot;
    uint64_t *owners = slot ? realloc(d->owner, cap * sizeof *owners) : NULL;
    if (!owners) {
      race_no_memory(d);
      return UINT32_MAX;
    }
    d->owner = owners;
    d->cap_slots = cap;
  }
  d->owner[d->n_slots] = key;
  d->slot[d->n_slots] =
      (race_slot_info){.kind = (uint8_t)kind, .thread = (uint32_t)owner, .time = 1};
  return d->threads + d->n_slots++;
}

race_slot_info *race_slot_at(race_domain *d, uint32_t slot) {
  return slot >= d->threads && slot - d->threads < d->n_slots ? &d->slot[slot - d->threads] : NULL;
}

/* The thread's own clock, to be changed. */
static race_clock *own_clock(race_domain *d, uint32_t thread) {
  agent *a = &d->agent[thread];
  a->known = a->known ? race_clock_own(a->known) : race_clock_new(d->threads);
  a->learned = true;
  if (!a->known) race_no_memory(d);
  return a->known;
}

void race_learn(race_domain *d, uint32_t thread, uint32_t slot, uint32_t time) {
  race_clock *c = own_clock(d, thread);
  if (c && !race_clock_set(c, slot, time, time)) race_no_memory(d);
}

uint32_t race_known(const race_domain *d, uint32_t thread, uint32_t slot) {
  return race_clock_get(d->agent[thread].known, slot).happened;
}
uint32_t race_now(const race_domain *d, uint32_t thread) {
  return d->agent[thread].now;
}

/* ---- leaving and learning ------------------------------------------------------------------- */

void race_sync_free(race_sync *s) {
  for (uint32_t i = 0; i < s->n; i++) race_clock_unref(s->left[i].clock);
  free(s->left);
  *s = (race_sync){0};
}

/* A domain's clock in `s`, the caller's own to change. NULL when memory ran out. */
static race_clock *left_by(race_domain *d, uint32_t id, race_sync *s) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->left[i].domain != id) continue;
    s->left[i].clock = race_clock_own(s->left[i].clock);
    if (!s->left[i].clock) race_no_memory(d);
    return s->left[i].clock;
  }
  if (s->n == s->cap) {
    uint32_t cap = MAX(1, 2 * s->cap);
    race_foreign *left = realloc(s->left, cap * sizeof *left);
    if (!left) {
      race_no_memory(d);
      return NULL;
    }
    s->left = left, s->cap = cap;
  }
  race_clock *c = race_clock_new(id == d->id ? d->threads : 0);
  if (!c) {
    race_no_memory(d);
    return NULL;
  }
  s->left[s->n++] = (race_foreign){id, c};
  return c;
}

/* What the thread knows and has done goes into c. */
static void leave(race_domain *d, uint32_t thread, race_clock *c) {
  agent *a = &d->agent[thread];
  if (!race_clock_join(c, d->id, a->known, d->id) || !race_clock_set(c, thread, a->now, a->fenced))
    race_no_memory(d);
  a->now++;
}

void race_release(race_domain *d, uint32_t thread, race_sync *s) {
  race_clock *c = left_by(d, d->id, s);
  if (!c) return;
  leave(d, thread, c);
  d->agent[thread].learned = false;
}

void race_release_slot(race_domain *d, uint32_t slot, uint32_t time, race_sync *s) {
  race_clock *c = left_by(d, d->id, s);
  if (c && !race_clock_set(c, slot, time, time)) race_no_memory(d);
}

void race_acquire(race_domain *d, uint32_t thread, const race_sync *s) {
  agent *a = &d->agent[thread];
  /* The common case, a barrier that taught this thread all it knew before: share its clock. */
  if (s->n == 1 && s->left[0].domain == d->id && s->left[0].clock) {
    race_clock *left = s->left[0].clock;
    if (left == a->known) return;
    if (race_clock_get(left, thread).happened + 1 == a->now && !a->learned) {
      race_clock_ref(left);
      race_clock_unref(a->known);
      a->known = left;
      a->learned = true;
      return;
    }
  }
  race_clock *c = own_clock(d, thread);
  for (uint32_t i = 0; c && i < s->n; i++)
    if (!race_clock_join(c, d->id, s->left[i].clock, s->left[i].domain)) race_no_memory(d);
}

static void join_phases(race_domain *d, race_clock *c, const race_clock *from) {
  for (uint32_t i = 0; c && i < d->n_slots; i++) {
    race_time t = race_clock_get(from, d->threads + i);
    if (d->slot[i].kind != RACE_SLOT_PHASE || !t.happened) continue;
    if (!race_clock_set(c, d->threads + i, t.happened, t.fenced)) race_no_memory(d);
  }
}

void race_release_phases(race_domain *d, uint32_t thread, race_sync *s) {
  if (d->agent[thread].known) join_phases(d, left_by(d, d->id, s), d->agent[thread].known);
}

void race_acquire_phases(race_domain *d, uint32_t thread, const race_sync *s) {
  for (uint32_t i = 0; i < s->n; i++)
    if (s->left[i].domain == d->id) join_phases(d, own_clock(d, thread), s->left[i].clock);
}

bool race_knows(const race_domain *d, uint32_t thread, const race_sync *s) {
  const race_clock *known = d->agent[thread].known;
  for (uint32_t i = 0; i < s->n; i++) {
    const race_clock *left = s->left[i].clock;
    if (s->left[i].domain != d->id || !left || left == known) continue;
    for (uint32_t t = 0; t < d->threads; t++) {
      uint32_t happened = race_clock_get(left, t).happened;
      if (t != thread && happened && (!known || race_clock_get(known, t).happened < happened))
        return false;
    }
  }
  return true;
}

uint32_t race_left(const race_domain *d, uint32_t thread, const race_sync *s) {
  for (uint32_t i = 0; i < s->n; i++)
    if (s->left[i].domain == d->id) return race_clock_get(s->left[i].clock, thread).happened;
  return 0;
}

void race_warp_sync(race_domain *d, uint32_t base, uint64_t mask) {
  if ((mask & (mask - 1)) == 0) return;
  race_sync s = {0};
  race_clock *before = NULL;
  race_clock *c = left_by(d, d->id, &s);
  for (uint64_t rest = mask; c && rest; rest &= rest - 1) {
    uint32_t thread = base + (uint32_t)__builtin_ctzll(rest);
    agent *a = &d->agent[thread];
    if (a->known != before && !race_clock_join(c, d->id, a->known, d->id)) race_no_memory(d);
    before = a->known;
    if (!race_clock_set(c, thread, a->now, a->fenced)) race_no_memory(d);
    a->now++;
    a->learned = false;
  }
  for (uint64_t rest = mask; c && rest; rest &= rest - 1)
    race_acquire(d, base + (uint32_t)__builtin_ctzll(rest), &s);
  race_sync_free(&s);
}

/* ---- fences --------------------------------------------------------------------------------- */

void race_fence_acquire(race_domain *d, uint32_t thread) {
  agent *a = &d->agent[thread];
  if (!a->pending.n) return;
  race_acquire(d, thread, &a->pending);
  race_sync_free(&a->pending);
}

void race_fence_release(race_domain *d, uint32_t thread) {
  agent *a = &d->agent[thread];
  race_clock *c = race_clock_new(d->threads);
  if (!c) {
    race_no_memory(d);
    return;
  }
  leave(d, thread, c);
  race_clock_unref(a->at_fence);
  a->at_fence = c;
}

void race_fence(race_domain *d, uint32_t thread) {
  race_fence_acquire(d, thread);
  race_fence_release(d, thread);
}

void race_fence_async(race_domain *d, uint32_t thread) {
  agent *a = &d->agent[thread];
  race_clock *c = own_clock(d, thread);
  if (!c || !race_clock_fence(c)) race_no_memory(d);
  a->fenced = a->now++;
}

void race_release_relaxed(race_domain *d, uint32_t thread, race_sync *s) {
  agent *a = &d->agent[thread];
  if (!a->at_fence) return;
  race_clock *c = left_by(d, d->id, s);
  if (c && !race_clock_join(c, d->id, a->at_fence, d->id)) race_no_memory(d);
}

void race_acquire_relaxed(race_domain *d, uint32_t thread, const race_sync *s) {
  agent *a = &d->agent[thread];
  for (uint32_t i = 0; i < s->n; i++) {
    race_clock *c = left_by(d, s->left[i].domain, &a->pending);
    if (c && !race_clock_join(c, s->left[i].domain, s->left[i].clock, s->left[i].domain))
      race_no_memory(d);
  }
}

/* ---- accesses ------------------------------------------------------------------------------- */

typedef struct access {
  race_domain *d;
  const race_clock *known; /* of the thread that makes or issues it */
  uint32_t thread, fenced; /* ... up to when its own accesses are fenced */
  race_mark mark;
} access;

/* What is known of a slot's time; of the thread itself, everything. */
static race_time known_time(const access *a, const race_mark *m, uint32_t slot) {
  if (m->domain != a->d->id) return race_clock_get_foreign(a->known, m->domain, slot);
  if (slot == a->thread && slot < a->d->threads) return (race_time){UINT32_MAX, a->fenced};
  return race_clock_get(a->known, slot);
}

/* The one of two accesses that is strong as the other is, or plain; NULL: neither. */
static const race_mark *may_be_strong(const race_mark *a, const race_mark *b) {
  if (!((a->flags | b->flags) & RACE_STRONG)) return NULL;
  return a->flags & RACE_MAYBE ? a : b->flags & RACE_MAYBE ? b : NULL;
}

static void compare(const access *a, const race_mark *m, uint64_t offset, uint32_t bytes) {
  bool first_writes = m->flags & RACE_WRITE, second_writes = a->mark.flags & RACE_WRITE;
  if (!(m->flags & RACE_PRESENT) || (!first_writes && !second_writes)) return;
  if (m->domain < a->d->races->first_domain) return;
  bool strong = m->flags & a->mark.flags & RACE_STRONG;
  bool far = m->domain != a->d->id && (m->flags | a->mark.flags) & RACE_CTA_ONLY;
  if (strong && !far) return;
  const race_mark *maybe = may_be_strong(m, &a->mark);
  if (maybe && !(maybe->flags & RACE_WRITE)) return;
  bool threads = m->mask != 0, proxy = false;
  uint32_t racing = 0;
  for (uint32_t rest = threads ? m->mask : 1; rest; rest &= rest - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rest), slot = m->slot + lane;
    race_time t = known_time(a, m, slot);
    if (t.happened < m->time) {
      racing = 1u << lane;
      proxy = false;
      break;
    }
    if (a->mark.flags & RACE_ASYNC && threads && !second_writes && t.fenced < m->time)
      proxy = true, racing = 1u << lane;
  }
  if (!racing) return;
  race_report r = {.kind = proxy           ? RACE_PROXY
                           : !first_writes ? RACE_WRITE_AFTER_READ
                           : second_writes ? RACE_WRITE_AFTER_WRITE
                                           : RACE_READ_AFTER_WRITE,
                   .first = *m,
                   .second = a->mark,
                   .domain = a->d,
                   .thread = a->thread,
                   .possible = maybe != NULL,
                   .offset = offset,
                   .bytes = bytes};
  if (threads) r.first.mask = racing;
  race_slot_info *info = m->domain == a->d->id ? race_slot_at(a->d, m->slot) : NULL;
  if (info && info->thread < a->d->threads)
    r.waited = race_clock_get(a->d->agent[info->thread].known, m->slot).happened >= m->time;
  a->d->races->report(a->d->races->user, &r);
}

/* Whether everything that the mark stands for is known to have happened. */
static bool is_past(const access *a, const race_mark *m) {
  if (m->domain < a->d->races->first_domain) return true;
  for (uint32_t rest = m->mask ? m->mask : 1; rest; rest &= rest - 1)
    if (known_time(a, m, m->slot + (uint32_t)__builtin_ctz(rest)).happened < m->time) return false;
  return true;
}

/* Whether what races with `old` also races with `now`, when old happens before now: it conflicts
 * with as much. */
static bool covers(const race_mark *now, const race_mark *old) {
  if (old->flags & RACE_WRITE && !(now->flags & RACE_WRITE)) return false;
  if (!(now->flags & (RACE_STRONG | RACE_MAYBE))) return true;
  if (now->flags & RACE_MAYBE) return old->flags & (RACE_STRONG | RACE_MAYBE);
  return old->flags & RACE_STRONG && !(old->flags & ~now->flags & RACE_CTA_ONLY);
}

/* Adds the access to those since the last write, instead of one that it covers if there is any. */
static void remember(const access *a, shadow_cell *c) {
  race_mark *last = NULL;
  for (uint32_t i = 0; i < shadow_marks(c); i++) {
    race_mark *m = shadow_mark(c, i);
    if (m->domain == a->mark.domain && m->slot == a->mark.slot && m->time == a->mark.time &&
        m->where == a->mark.where && m->flags == (a->mark.flags | RACE_PRESENT)) {
      m->mask |= a->mark.mask;
      return;
    }
    if (!last && covers(&a->mark, m) && is_past(a, m)) last = m;
  }
  if (last) {
    *last = a->mark;
    last->flags |= RACE_PRESENT;
    return;
  }
  if (!shadow_add_mark(c, &a->mark)) a->d->races->dropped++;
}

static void visit(void *user, shadow_cell *c, uint64_t offset, unsigned bytes) {
  const access *a = user;
  compare(a, &c->write, offset, bytes);
  bool writes = a->mark.flags & RACE_WRITE, strong = a->mark.flags & RACE_STRONG;
  for (uint32_t i = 0; i < shadow_marks(c); i++) compare(a, shadow_mark(c, i), offset, bytes);
  if (writes) c->written |= bytes == 4 ? 15 : 1;
  if (writes && !strong) {
    c->write = a->mark;
    c->write.flags |= RACE_PRESENT;
    shadow_clear_marks(c);
    c->full = false;
  } else {
    remember(a, c);
  }
}

static void touch(access *a, shadow *s, uint64_t offset, uint64_t bytes) {
  if (a->d->races->out_of_memory) return;
  if (!shadow_visit(s, offset, bytes, visit, a)) race_no_memory(a->d);
}

void race_access(race_domain *d, uint32_t base, uint32_t lane, uint32_t where, unsigned flags,
                 shadow *s, uint64_t offset, uint64_t bytes) {
  agent *self = &d->agent[base + lane];
  uint32_t half = lane & ~(RACE_MARK_LANES - 1u); /* of warps with more lanes than a mark has */
  access a = {.d = d,
              .known = self->known,
              .thread = base + lane,
              .fenced = self->fenced,
              .mark = {.domain = d->id,
                       .slot = base + half,
                       .mask = 1u << (lane - half),
                       .time = self->now,
                       .where = where,
                       .flags = (uint8_t)flags}};
  touch(&a, s, offset, bytes);
}

void race_access_async(race_domain *d, uint32_t thread, uint32_t slot, uint32_t time,
                       uint32_t where, unsigned flags, shadow *s, uint64_t offset, uint64_t bytes) {
  agent *self = &d->agent[thread];
  access a = {.d = d,
              .known = self->known,
              .thread = thread,
              .fenced = self->fenced,
              .mark = {.domain = d->id,
                       .slot = slot,
                       .mask = 0,
                       .time = time,
                       .where = where,
                       .flags = (uint8_t)flags}};
  touch(&a, s, offset, bytes);
}
