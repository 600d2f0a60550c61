/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * clock: vector clocks, in which the checks keep who knows what has happened.
 *
 * A *domain* is a cluster of blocks (mostly one block): its threads, and what they start,
 * synchronise often and cheaply, so a clock counts densely over the domain's *slots* and keeps what
 * is known of other domains in a short list. A slot is an agent whose actions happen in an order: a
 * thread, or a series of asynchronous operations that complete in order (see races.h). A clock says
 * up to which time it knows every slot's actions to have happened, and up to which time also for
 * the asynchronous proxy (a fence between the proxies lies in between).
 *
 * Clocks are shared by counting references and are changed only by who has the only one. Memory is
 * malloc's; where there is none functions return NULL or false.
 */
#ifndef TSR_EMU_CLOCK_H
#define TSR_EMU_CLOCK_H

#include "base/base.h"

typedef struct race_clock race_clock;

typedef struct race_foreign {
  uint32_t domain;
  race_clock *clock; /* over that domain's slots; its own list is not looked at */
} race_foreign;

typedef struct race_time {
  uint32_t happened, fenced;
} race_time;

struct race_clock {
  uint32_t refs, len, cap;
  race_time *at; /* by slot; what lies beyond len is {0, 0} */
  race_foreign *foreign;
  uint32_t n_foreign, cap_foreign;
};

race_clock *race_clock_new(uint32_t len);  /* one reference; nothing is known */
race_clock *race_clock_ref(race_clock *c); /* NULL is allowed, here and below */
void race_clock_unref(race_clock *c);
/* A clock equal to `c` that the caller alone has: c itself when nobody else has it; takes c's
 * reference in any case. */
race_clock *race_clock_own(race_clock *c);

/* What follows changes `c`, which must be the caller's own. */
bool race_clock_set(race_clock *c, uint32_t slot, uint32_t happened,
                    uint32_t fenced); /* at least */
/* c learns what `other` knows. `other_domain` and `domain` say over whose slots they count. */
bool race_clock_join(race_clock *c, uint32_t domain, const race_clock *other,
                     uint32_t other_domain);
/* All that happened is known to the asynchronous proxy too. */
bool race_clock_fence(race_clock *c);

static inline race_time race_clock_get(const race_clock *c, uint32_t slot) {
  return c && slot < c->len ? c->at[slot] : (race_time){0, 0};
}
/* The same for a slot of another domain. */
race_time race_clock_get_foreign(const race_clock *c, uint32_t domain, uint32_t slot);

#endif
