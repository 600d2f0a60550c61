/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * clocks: what each thread of a tile block has seen of what the others did.
 *
 * Time is one number for the whole block, which every synchronisation advances. For each thread
 * there is a vector: up to which time it has seen what thread u did, for all u. Copies that
 * complete at an mbarrier count as the deeds of that mbarrier, which has an entry behind the
 * threads'; so has, where tile blocks are in clusters, the beginning of each. A second vector says
 * the same of what may be read and overwritten by copy engines and matrix units (the async proxy):
 * what a fence showed them.
 *
 * Threads that met at a barrier have seen the same, so they share one clock.
 */
#ifndef TSR_INTERP_SANITIZE_CLOCKS_H
#define TSR_INTERP_SANITIZE_CLOCKS_H

#include "base/base.h"

typedef struct san_clock {
  struct san_clock *next; /* of those that are unused */
  uint32_t refs;
  uint32_t seen[]; /* of each doer; behind them the same as shown to the async proxy */
} san_clock;

typedef struct san_thread {
  san_clock *clock;
  uint32_t fenced; /* its own deeds up to then are shown to the async proxy */
} san_thread;

typedef struct san_clocks {
  arena *arena;
  uint32_t now;
  int32_t threads, doers; /* threads and mbarriers */
  san_thread *thread;
  san_clock *unused;
} san_clocks;

void clocks_init(san_clocks *c, arena *a, int32_t threads, int32_t mbarriers);
/* Nothing has happened yet. */
void clocks_reset(san_clocks *c);

/* Threads first … first + count - 1 see what each of them has done and seen. */
void clocks_meet(san_clocks *c, int32_t first, int32_t count);
/* The same for each warp of them. */
void clocks_meet_warps(san_clocks *c, int32_t first, int32_t count);
/* Adds what they have done and seen to `*into` (NULL: nothing yet), which is nobody else's. */
void clocks_release(san_clocks *c, int32_t first, int32_t count, san_clock **into);
/* Adds no more than that `doer` has done something by now. */
void clocks_release_only(san_clocks *c, int32_t doer, san_clock **into);
/* Nobody has seen anything yet, and these threads begin: they know that `doer` has. */
void clocks_begin(san_clocks *c, int32_t first, int32_t count, int32_t doer);
/* They have seen what `from` has (NULL: nothing). */
void clocks_acquire(san_clocks *c, int32_t first, int32_t count, const san_clock *from);
/* What they have done and seen is shown to the async proxy. */
void clocks_fence(san_clocks *c, int32_t first, int32_t count);
void clocks_drop(san_clocks *c, san_clock **clock);

/* Has the thread seen what `doer` did at that time? */
static inline bool clocks_sees(const san_clocks *c, int32_t thread, int32_t doer, uint32_t time) {
  return doer == thread || c->thread[thread].clock->seen[doer] >= time;
}
/* ... and was it shown to the async proxy, as far as the thread knows? */
static inline bool clocks_shown(const san_clocks *c, int32_t thread, int32_t doer, uint32_t time) {
  const san_thread *t = &c->thread[thread];
  return (doer == thread && t->fenced >= time) || t->clock->seen[c->doers + doer] >= time;
}

#endif
