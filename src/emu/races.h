/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * races: which accesses to memory are not ordered, and why.
 *
 * Two accesses to a byte race when one of them writes, they are not both strong (atomic, volatile,
 * relaxed ...) and neither happens before the other (PTX ISA, "Memory Consistency Model"). Order is
 * kept with vector clocks (clock.h), in the manner of FastTrack (Flanagan and Freund, PLDI 2009): a
 * byte remembers its last write and what touched it since, and each access is compared with those.
 * What is found does therefore not depend on how the machine happened to schedule the program, only
 * on which accesses and synchronisations it made.
 *
 * Threads and asynchronous operations are *slots* of a domain. Slot i is thread i. Slots for
 * asynchronous operations are made when they are first needed:
 *
 *   of a thread, its copies                time: 1 + groups it committed (and mbarrier arrivals)
 *   of a thread, its bulk groups           one for the reads of their sources, one for the writes
 *   of a warp, its groups of products
 *   of an mbarrier, what completes on it   time: 1 + the phase in which it was issued (phases.h)
 *   of an mbarrier, its phases             time: 1 + the phase; no accesses
 *
 * An operation's accesses are made under its slot, with the clock that its thread had when it
 * issued it. The slot's time becomes known to a thread when it waits (race_learn), so the missing
 * wait, and the missing barrier after somebody else's wait, both show as a race with the operation.
 *
 * Some processors execute the same instruction for a plain and for an atomic store or load
 * (RACE_MAYBE). Such a store and a strong access race if the store is a plain one, which is
 * reported as possible; such a load is one whose value a compare-and-swap checks, and races with no
 * strong access. Among themselves and with plain accesses they are plain.
 *
 * Accesses of the asynchronous proxy also require that writes they read were fenced
 * (a fence between the proxies) on the way: what is missing then is reported as RACE_PROXY.
 *
 * Exact with two bounds: at most SHADOW_MAX_MARKS accesses since the last write are remembered per
 * byte (races.dropped counts what was not), and when memory runs out checking stops (race_state).
 * Not thread-safe; everything of one `races` belongs to one host thread at a time.
 */
#ifndef TSR_EMU_RACES_H
#define TSR_EMU_RACES_H

#include "emu/clock.h"
#include "emu/shadow.h"

typedef enum race_kind {
  RACE_READ_AFTER_WRITE,
  RACE_WRITE_AFTER_READ,
  RACE_WRITE_AFTER_WRITE,
  RACE_PROXY /* ordered, but a fence between the proxies is missing */
} race_kind;

typedef struct race_domain race_domain;

typedef struct race_report {
  race_kind kind;
  race_mark first, second; /* `mask` of first: the lane that it was, as a bit; 0: asynchronous */
  race_domain *domain;     /* of the second */
  uint32_t thread;         /* that made or issued the second */
  bool waited;             /* the first was asynchronous, and who issued it has waited for it */
  bool possible;           /* a race unless the access that may be strong is */
  uint64_t offset;         /* of the bytes in memory */
  uint32_t bytes;
} race_report;
typedef void race_report_fn(void *user, const race_report *r);

typedef struct races {
  race_report_fn *report;
  void *user;
  void *shadow_user; /* what the caller wants to find in `report`: the memory under way */
  uint64_t dropped;
  bool out_of_memory; /* nothing is checked any more */
  uint32_t next_domain, first_domain;
} races;

/* What kind of agent a slot is, for messages. */
typedef enum race_slot_kind {
  RACE_SLOT_THREAD,
  RACE_SLOT_COPY,
  RACE_SLOT_BULK_READ,
  RACE_SLOT_BULK_WRITE,
  RACE_SLOT_PRODUCT,
  RACE_SLOT_MBARRIER,
  RACE_SLOT_PHASE,
} race_slot_kind;

typedef struct race_slot_info {
  uint8_t kind;    /* race_slot_kind */
  uint32_t thread; /* that made it; of an mbarrier, who issued the last operation on it */
  uint32_t time;   /* of the operations under way */
} race_slot_info;

/* A domain of `threads` threads; number `threads` is a cluster's blocks after each other. */
race_domain *race_domain_create(races *r, uint32_t threads, uint32_t block_threads);
void race_domain_destroy(race_domain *d);
uint32_t race_domain_id(const race_domain *d);
/* Memory ran out: nothing is checked any more. */
void race_no_memory(race_domain *d);
/* A launch's end: what it did happens before everything after it. */
void race_launch_boundary(races *r);

/* ---- accesses ------------------------------------------------------------------------------- */

/* By threads: lane l of the warp whose first thread is `base`. `flags` are RACE_* of a mark. */
void race_access(race_domain *d, uint32_t base, uint32_t lane, uint32_t where, unsigned flags,
                 shadow *s, uint64_t offset, uint64_t bytes);
/* By an asynchronous operation that `thread` issues, under `slot` at its time. */
void race_access_async(race_domain *d, uint32_t thread, uint32_t slot, uint32_t time,
                       uint32_t where, unsigned flags, shadow *s, uint64_t offset, uint64_t bytes);

/* ---- slots of asynchronous operations ------------------------------------------------------- */

/* The slot of that kind for an owner (a thread, a warp's first thread, an mbarrier's number); made
 * when it is new. UINT32_MAX when memory ran out. */
uint32_t race_slot(race_domain *d, race_slot_kind kind, uint64_t owner);
race_slot_info *race_slot_at(race_domain *d, uint32_t slot);
/* The thread learns that the slot's operations up to `time` have completed. */
void race_learn(race_domain *d, uint32_t thread, uint32_t slot, uint32_t time);
/* Up to which time the thread knows that of a slot; the thread's own time now. */
uint32_t race_known(const race_domain *d, uint32_t thread, uint32_t slot);
uint32_t race_now(const race_domain *d, uint32_t thread);

/* ---- synchronisation ------------------------------------------------------------------------ */

/* A place where threads leave what they know and pick up what others left: a barrier's phase, an
 * mbarrier's phase, an atomic variable. All zeroes is an empty one. */
typedef struct race_sync {
  race_foreign *left; /* by domain */
  uint32_t n, cap;
} race_sync;
void race_sync_free(race_sync *s);
/* The thread leaves what it knows and has done. */
void race_release(race_domain *d, uint32_t thread, race_sync *s);
/* A slot's completion is left, as a completed operation does. */
void race_release_slot(race_domain *d, uint32_t slot, uint32_t time, race_sync *s);
/* The thread learns what was left. */
void race_acquire(race_domain *d, uint32_t thread, const race_sync *s);
/* The same two for nothing but which phases are over. */
void race_release_phases(race_domain *d, uint32_t thread, race_sync *s);
void race_acquire_phases(race_domain *d, uint32_t thread, const race_sync *s);
/* Whether the thread knows already what threads of its domain have done that was left. */
bool race_knows(const race_domain *d, uint32_t thread, const race_sync *s);
/* Up to which time of a thread's what it did was left; 0: nothing. */
uint32_t race_left(const race_domain *d, uint32_t thread, const race_sync *s);

/* Lanes `mask` of a warp come together: each leaves, then each learns. */
void race_warp_sync(race_domain *d, uint32_t base, uint64_t mask);

/* Fences and relaxed accesses (morally: fence; relaxed write ... relaxed read; fence). */
void race_fence(race_domain *d, uint32_t thread);
void race_fence_acquire(race_domain *d, uint32_t thread); /* its two halves, in this order */
void race_fence_release(race_domain *d, uint32_t thread);
void race_fence_async(race_domain *d, uint32_t thread); /* between the proxies */
/* A relaxed write leaves what the thread knew at its last fence; a relaxed read lets it learn at
 * its next one. */
void race_release_relaxed(race_domain *d, uint32_t thread, race_sync *s);
void race_acquire_relaxed(race_domain *d, uint32_t thread, const race_sync *s);

#endif
