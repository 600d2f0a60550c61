/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Waiting for other ranks, never for ever; and agreeing on what is called.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "ranks/ranks.h"

static const char *const call_names[RANKS_CALLS] = {
    [RANKS_NO_CALL] = "nothing yet",
    [RANKS_JOIN] = "join",
    [RANKS_LEAVE] = "leave",
    [RANKS_BARRIER] = "barrier",
    [RANKS_BROADCAST] = "broadcast",
    [RANKS_ALL_GATHER] = "all_gather",
    [RANKS_ALL_TO_ALL] = "all_to_all",
    [RANKS_ALL_REDUCE] = "all_reduce",
    [RANKS_REDUCE_SCATTER] = "reduce_scatter",
    [RANKS_CREATE] = "symmetric_create",
    [RANKS_DESTROY] = "symmetric_destroy",
    [RANKS_WAIT] = "symmetric_wait",
    [RANKS_GET] = "symmetric_get",
    [RANKS_FENCE] = "symmetric_fence",
};

const char *ranks_call_text(ranks_call call, uint64_t number, char out[48]) {
  snprintf(out, 48, "%s (call %" PRIu64 ")", call < RANKS_CALLS ? call_names[call] : "?", number);
  return out;
}

double ranks_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- failing -------------------------------------------------------------------------------- */

/* The peers that wait for this rank stop waiting. */
static void tell_peers(tsr_ranks *r) {
  size_t at = r->rank * sizeof(ranks_desk) + offsetof(ranks_desk, gave_up);
  for (unsigned k = 0; k < r->size && r->desks; k++)
    if (k != r->rank) ranks_set(r, r->desks, k, at, MAX(r->number, (uint64_t)1));
}

void ranks_fail(tsr_ranks *r, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  diag_v(r->ctx, TSR_ERROR, NOWHERE, fmt, args);
  va_end(args);
  if (!r->failed) tell_peers(r);
  r->failed = true;
}

bool ranks_is_ready(tsr_ranks *r) {
  if (!r->failed) return true;
  diag_error(r->ctx, NOWHERE,
             "rank %u: a call of this communicator has failed before; only tsr_symmetric_destroy "
             "and tsr_ranks_leave are left",
             r->rank);
  return false;
}

/* ---- waiting -------------------------------------------------------------------------------- */

/* A process that has ended stays in the table until its parent has asked for it. */
static bool is_zombie(pid_t process) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  FILE *f = fopen(path, "re");
  if (!f) return errno == ENOENT;
  size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = 0;
  const char *state = strrchr(text, ')');
  return state && (state[2] == 'Z' || state[2] == 'X');
}

bool ranks_is_gone(const tsr_ranks *r, unsigned rank) {
  const ranks_peer *p = &r->peers[rank];
  if (rank == r->rank || !p->near || !p->process) return false;
  return (kill(p->process, 0) != 0 && errno == ESRCH) || is_zombie(p->process);
}

ranks_patience ranks_begin_waiting(tsr_ranks *r) {
  double now = ranks_now();
  return (ranks_patience){.ranks = r, .until = now + r->timeout, .looked = now};
}

/* A rank that has come to a call is not missed there, whatever became of it since: after the last
 * one all end, some before others know that all have come. */
static bool has_come(const tsr_ranks *r, unsigned rank) {
  return r->agreeing && ranks_desk_of(r, rank)->number >= r->number;
}

static bool has_ended(tsr_ranks *r, unsigned rank) {
  char call[48], last[48];
  const ranks_desk *d = ranks_desk_of(r, rank);
  uint64_t number = d->number;
  if (d->gave_up || has_come(r, rank) || !ranks_is_gone(r, rank)) return false;
  ranks_fail(r, "rank %u: rank %u (process %d) has ended, after %s; this one is in %s", r->rank,
             rank, (int)r->peers[rank].process,
             ranks_call_text(number ? d->records[number % 2].call : RANKS_NO_CALL, number, last),
             ranks_call_text(r->call, r->number, call));
  return true;
}

static bool has_given_up(tsr_ranks *r, unsigned rank) {
  char call[48];
  uint64_t gave_up = ranks_desk_of(r, rank)->gave_up;
  if (!gave_up || has_come(r, rank)) return false;
  ranks_fail(r, "rank %u: rank %u gave up in its call %" PRIu64 "; this one waits for it in %s",
             r->rank, rank, gave_up, ranks_call_text(r->call, r->number, call));
  return true;
}

/* A rank that has ended is why others give up, so it is named first. */
static bool any_is_lost(tsr_ranks *r) {
  for (unsigned k = 0; k < r->size; k++)
    if (k != r->rank && has_ended(r, k)) return true;
  for (unsigned k = 0; k < r->size; k++)
    if (k != r->rank && has_given_up(r, k)) return true;
  return false;
}

static void tell_late(tsr_ranks *r, unsigned rank) {
  char call[48], last[48];
  ranks_call_text(r->call, r->number, call);
  if (rank == UINT32_MAX) {
    ranks_fail(r, "rank %u: %s: what it waits for has not come within %g s", r->rank, call,
               r->timeout);
    return;
  }
  const ranks_desk *d = ranks_desk_of(r, rank);
  uint64_t number = d->number;
  ranks_fail(r, "rank %u: rank %u has not come to %s within %g s; its last was %s", r->rank, rank,
             call, r->timeout,
             ranks_call_text(number ? d->records[number % 2].call : RANKS_NO_CALL, number, last));
}

enum { SPINS = 2000, YIELDS = 3000, MOST_SLEEP_NS = 500000 };

static void rest(uint32_t spins) {
  if (spins < SPINS) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  } else if (spins < SPINS + YIELDS) {
    sched_yield();
  } else {
    long ns = MIN(20000L + (long)(spins - SPINS - YIELDS) * 1000, (long)MOST_SLEEP_NS);
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
  }
}

bool ranks_wait_more(ranks_patience *p, unsigned for_rank) {
  tsr_ranks *r = p->ranks;
  rest(p->spins++);
  if (p->spins < SPINS || (p->spins < SPINS + YIELDS && p->spins % 64)) return true;
  double now = ranks_now();
  if (now - p->looked > 0.02) {
    p->looked = now;
    if (any_is_lost(r)) return false;
  }
  if (now < p->until) return true;
  tell_late(r, for_rank);
  return false;
}

/* ---- agreeing ------------------------------------------------------------------------------- */

static void describe(const ranks_record *d, char out[96]) {
  const char *name = d->call < RANKS_CALLS ? call_names[d->call] : "?";
  tsr_elem elem = (tsr_elem)(d->detail >> 8);
  if (d->call == RANKS_ALL_REDUCE || d->call == RANKS_REDUCE_SCATTER) {
    static const char *const words[] = {"sum", "min", "max"};
    snprintf(out, 96, "%s of %" PRIu64 " %s (%s)", name, d->bytes,
             elem < TSR_ELEM_COUNT ? tsr_elem_name(elem) : "?", words[(d->detail & 0xf) % 3]);
  } else if (d->call == RANKS_BROADCAST) {
    snprintf(out, 96, "%s of %" PRIu64 " bytes of rank %" PRIu64, name, d->bytes, d->detail);
  } else if (d->bytes || d->call == RANKS_ALL_GATHER || d->call == RANKS_CREATE) {
    snprintf(out, 96, "%s of %" PRIu64 " bytes", name, d->bytes);
  } else {
    snprintf(out, 96, "%s", name);
  }
}

static bool is_same(const ranks_record *a, const ranks_record *b) {
  return a->call == b->call && a->bytes == b->bytes && a->detail == b->detail;
}

/* The first rank that calls something else, or could not do its part. */
static bool compare(tsr_ranks *r, const ranks_record *own) {
  for (unsigned k = 0; k < r->size; k++) {
    const ranks_record *other = ranks_record_of(r, k);
    char here[96], there[96];
    describe(own, here);
    describe(other, there);
    if (!is_same(own, other))
      ranks_fail(r, "rank %u calls %s where rank %u calls %s (call %" PRIu64 " of each)", r->rank,
                 here, k, there, r->number);
    else if (other->status == TSR_ERROR_MEMORY)
      ranks_fail(r, "rank %u: %s: there is not enough memory to share on rank %u", r->rank, here,
                 k);
    else if (other->status != TSR_OK)
      ranks_fail(r,
                 "rank %u: %s: rank %u cannot reach the memory of its peers; processes of one user "
                 "can, where /proc is mounted",
                 r->rank, here, k);
    if (r->failed) return false;
  }
  return true;
}

static bool wait_for_all(tsr_ranks *r) {
  ranks_patience p = ranks_begin_waiting(r);
  for (unsigned k = 0; k < r->size; k++)
    while (atomic_load_explicit(&ranks_desk_of(r, k)->number, memory_order_acquire) < r->number)
      if (!ranks_wait_more(&p, k)) return false;
  return true;
}

bool ranks_agree(tsr_ranks *r, const ranks_record *own) {
  if (!ranks_is_ready(r)) return false;
  r->number++;
  r->call = (ranks_call)own->call;
  size_t at = r->rank * sizeof(ranks_desk);
  for (unsigned k = 0; k < r->size; k++) {
    size_t record = at + offsetof(ranks_desk, records) + r->number % 2 * sizeof *own;
    ranks_put(r, r->desks, k, record, own, sizeof *own);
    ranks_set(r, r->desks, k, at + offsetof(ranks_desk, number), r->number);
  }
  r->agreeing = true;
  bool all = wait_for_all(r);
  r->agreeing = false;
  return all && compare(r, own);
}
