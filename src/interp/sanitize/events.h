/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * events: what happened before what.
 *
 * An event is one execution of an operation that accesses memory, or a join of tokens. It comes
 * after the events that it was told to follow: that its token comes from, and, when it acquires,
 * the releases that it saw. This is the whole order: the language orders accesses to memory by
 * tokens, and tile blocks by release and acquire, not by where operations stand in the program.
 *
 * Events are numbered as they happen, so that an event follows smaller ones only.
 */
#ifndef TSR_INTERP_SANITIZE_EVENTS_H
#define TSR_INTERP_SANITIZE_EVENTS_H

#include "base/base.h"

typedef uint32_t event; /* 0: none */

enum { EVENTS_MAX = 1 << 26 };

typedef struct event_info {
  event follows; /* the first; 0: none */
  uint32_t more; /* the others: 1 + index into `links`; 0: none */
  uint32_t site; /* which operation: the caller's number */
  uint32_t flags;
  uint64_t block; /* which tile block: its position in the grid */
} event_info;

typedef struct event_link {
  event follows;
  uint32_t next;
} event_link;

typedef struct events {
  arena *arena;
  VEC(event_info) all; /* [0] is none */
  VEC(event_link) links;
  bool across; /* some event follows one of another tile block */
  /* The last search: every event from `low` on that `from` follows has its mark. */
  VEC(uint32_t) marks;
  VEC(event) stack;
  uint32_t mark;
  event from, low;
} events;

void events_init(events *e, arena *a);

/* Something happens. Returns 0 when there have been EVENTS_MAX. */
event events_add(events *e, const event_info *info);
/* `later`, which must be the latest, follows `earlier` too. */
void events_follow(events *e, event later, event earlier);

/* Is `later` the same as `earlier`, or does it follow it, directly or through others? */
bool events_ordered(events *e, event earlier, event later);

static inline const event_info *events_get(const events *e, event x) {
  return &e->all.data[x];
}

#endif
