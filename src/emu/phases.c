/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which operations a phase of an mbarrier is sure to have counted.
 */
#include "emu/phases.h"

#include <stdlib.h>

typedef struct phase {
  uint32_t number;
  bool exists;
  bool asynchronous; /* it has bytes, or arrivals of copies: only a wait tells that it is over */
  bool unsure;       /* it may be over before all copies have come */
  bool told;         /* `left` says that it is over */
  race_sync left;    /* for who waits */
  race_sync relaxed; /* the arrivals that order no memory */
} phase;

/* What must be judged when all arrivals of the phase have come. */
typedef struct pending {
  uint32_t thread, where;
  bool copy;
  uint64_t up_to; /* a copy: bytes of it and all before; else the thread's time when it expected */
} pending;

struct phases_mbarrier {
  uint64_t address;
  uint32_t over, data; /* slots: the phases that are over, and the copies that are done with them */
  uint64_t issued, expected; /* bytes since it was initialised */
  phase before, now;
  pending *pending;
  uint32_t n_pending, cap_pending;
};

/* ---- the list ------------------------------------------------------------------------------- */

static void phase_free(phase *f) {
  race_sync_free(&f->left);
  race_sync_free(&f->relaxed);
  *f = (phase){0};
}

void phases_free(phases *p) {
  for (uint32_t i = 0; i < p->n; i++) {
    phase_free(&p->list[i].before);
    phase_free(&p->list[i].now);
    free(p->list[i].pending);
  }
  free(p->list);
  p->list = NULL;
  p->n = p->cap = 0;
}

static phases_mbarrier *find(phases *p, uint64_t address) {
  for (uint32_t i = 0; i < p->n; i++)
    if (p->list[i].address == address) return &p->list[i];
  if (p->n == p->cap) {
    uint32_t cap = MAX(8, 2 * p->cap);
    phases_mbarrier *list = realloc(p->list, cap * sizeof *list);
    if (!list) {
      race_no_memory(p->domain);
      return NULL;
    }
    p->list = list, p->cap = cap;
  }
  phases_mbarrier *m = &p->list[p->n];
  *m = (phases_mbarrier){.address = address,
                         .over = race_slot(p->domain, RACE_SLOT_PHASE, address),
                         .data = race_slot(p->domain, RACE_SLOT_MBARRIER, address)};
  if (m->over == UINT32_MAX || m->data == UINT32_MAX) return NULL;
  p->n++;
  return m;
}

static void begin(phases_mbarrier *m, uint32_t number) {
  m->now = (phase){.number = number, .exists = true};
  m->n_pending = 0;
}

/* The mbarrier, in the phase that is under way. */
static phases_mbarrier *at(phases *p, const phases_op *op) {
  phases_mbarrier *m = find(p, op->mbarrier);
  if (!m || (m->now.exists && m->now.number == op->phase)) return m;
  phase_free(&m->before);
  m->before = m->now;
  m->before.unsure |= m->issued != m->expected;
  begin(m, op->phase);
  return m;
}

void phases_init(phases *p, const phases_op *op) {
  phases_mbarrier *m = find(p, op->mbarrier);
  if (!m) return;
  phase_free(&m->before);
  phase_free(&m->now);
  m->issued = m->expected = 0;
  begin(m, op->phase);
}

/* ---- the rules ------------------------------------------------------------------------------ */

static void report(phases *p, const phases_mbarrier *m, phases_problem problem, uint32_t thread,
                   uint32_t where) {
  p->report(p->user, &(phases_report){.problem = problem,
                                      .domain = p->domain,
                                      .thread = thread,
                                      .where = where,
                                      .mbarrier = m->address});
}

/* Whether a thread knows that the phase before is over. */
static bool knows_before(const phases *p, const phases_mbarrier *m, uint32_t thread) {
  const phase *f = &m->before;
  if (!f->exists || race_known(p->domain, thread, m->over) > f->number) return true;
  if (f->asynchronous || !race_knows(p->domain, thread, &f->left) ||
      !race_knows(p->domain, thread, &f->relaxed))
    return false;
  race_learn(p->domain, thread, m->over, f->number + 1);
  return true;
}

static void postpone(phases *p, phases_mbarrier *m, pending x) {
  if (m->n_pending == m->cap_pending) {
    uint32_t cap = MAX(8, 2 * m->cap_pending);
    pending *list = realloc(m->pending, cap * sizeof *list);
    if (!list) {
      race_no_memory(p->domain);
      return;
    }
    m->pending = list, m->cap_pending = cap;
  }
  m->pending[m->n_pending++] = x;
}

/* Whether an arrival of the phase comes after what the thread did at a time. */
static bool arrives_later(const phases *p, const phases_mbarrier *m, uint32_t thread,
                          uint64_t time) {
  return race_left(p->domain, thread, &m->now.left) >= time ||
         race_left(p->domain, thread, &m->now.relaxed) >= time;
}

static void judge(phases *p, phases_mbarrier *m, const pending *x) {
  if (x->copy ? x->up_to <= m->expected : arrives_later(p, m, x->thread, x->up_to)) return;
  m->now.unsure = true;
  report(p, m, x->copy ? PHASES_UNEXPECTED_COPY : PHASES_LATE_EXPECT, x->thread, x->where);
}

static void judge_all(phases *p, phases_mbarrier *m) {
  for (uint32_t i = 0; i < m->n_pending; i++) judge(p, m, &m->pending[i]);
  m->n_pending = 0;
}

/* ---- operations ----------------------------------------------------------------------------- */

/* A copy or an expectation, which is judged when all have arrived; now, when it may count in the
 * phase before. */
static void add(phases *p, phases_mbarrier *m, const phases_op *op, pending x) {
  m->now.asynchronous = true;
  if (!knows_before(p, m, op->thread)) {
    m->before.unsure = true;
    report(p, m, x.copy ? PHASES_UNEXPECTED_COPY : PHASES_LATE_EXPECT, x.thread, x.where);
  } else if (op->all_arrived) {
    judge(p, m, &x);
  } else {
    postpone(p, m, x);
  }
}

void phases_expect(phases *p, const phases_op *op) {
  phases_mbarrier *m = at(p, op);
  if (!m) return;
  m->expected += op->bytes;
  add(p, m, op,
      (pending){
          .thread = op->thread, .where = op->where, .up_to = race_now(p->domain, op->thread)});
}

void phases_copy(phases *p, const phases_op *op) {
  phases_mbarrier *m = at(p, op);
  if (!m) return;
  m->issued += op->bytes;
  race_release_phases(p->domain, op->thread, &m->now.left);
  add(p, m, op,
      (pending){.thread = op->thread, .where = op->where, .copy = true, .up_to = m->issued});
}

static void check_arrival(phases *p, const phases_mbarrier *m, const phases_op *op) {
  if (m->before.asynchronous && !knows_before(p, m, op->thread))
    report(p, m, PHASES_EARLY_ARRIVAL, op->thread, op->where);
}

void phases_arrive(phases *p, const phases_op *op) {
  phases_mbarrier *m = at(p, op);
  if (!m) return;
  check_arrival(p, m, op);
  m->expected += op->bytes;
  m->now.asynchronous |= op->bytes > 0;
  if (op->relaxed) {
    race_release_relaxed(p->domain, op->thread, &m->now.left);
    race_release_phases(p->domain, op->thread, &m->now.left);
  }
  race_release(p->domain, op->thread, op->relaxed ? &m->now.relaxed : &m->now.left);
  if (op->all_arrived) judge_all(p, m);
}

void phases_arrive_again(phases *p, const phases_op *op) {
  phases_mbarrier *m = at(p, op);
  if (m) report(p, m, PHASES_EARLY_ARRIVAL, op->thread, op->where);
}

void phases_arrive_later(phases *p, const phases_op *op) {
  phases_mbarrier *m = at(p, op);
  if (!m) return;
  check_arrival(p, m, op);
  m->now.asynchronous = true;
  race_release_phases(p->domain, op->thread, &m->now.left);
}

void phases_arrived(phases *p, const phases_op *op, uint32_t slot, uint32_t time, uint32_t since) {
  phases_mbarrier *m = at(p, op);
  if (!m) return;
  if (since != op->phase) report(p, m, PHASES_EARLY_ARRIVAL, op->thread, op->where);
  m->now.asynchronous = true;
  race_release_slot(p->domain, slot, time, &m->now.left);
  if (op->all_arrived) judge_all(p, m);
}

void phases_wait(phases *p, const phases_op *op) {
  phases_mbarrier *m = at(p, op);
  if (!m || !m->before.exists) return;
  phase *f = &m->before;
  if (!f->told) {
    race_release_slot(p->domain, m->over, f->number + 1, &f->left);
    if (!f->unsure) race_release_slot(p->domain, m->data, f->number + 1, &f->left);
    f->told = true;
  }
  if (!op->relaxed) {
    race_acquire(p->domain, op->thread, &f->left);
    return;
  }
  race_acquire_relaxed(p->domain, op->thread, &f->left);
  race_acquire_phases(p->domain, op->thread, &f->left);
}
