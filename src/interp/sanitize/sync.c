/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Barriers of the block level: what threads have seen of each other behind them, and arrivals and
 * bytes that do not add up.
 */
#include <inttypes.h>
#include <stdio.h>

#include "interp/barriers.h"
#include "interp/cluster.h"
#include "interp/sanitize/internal.h"

/* ---- barriers in shared memory -------------------------------------------------------------- */

static san_mbarrier *mbarrier_at(sanitizer *s, san_group *g, const interp_mbarrier *b) {
  uint64_t address = (uint64_t)(uintptr_t)b;
  for (uint32_t k = 0; k < g->mbarriers.len; k++)
    if (g->mbarriers.data[k].address == address) return &g->mbarriers.data[k];
  int32_t doer = g->clocks.threads + (int32_t)g->mbarriers.len;
  vec_push(s->arena, g->mbarriers, (san_mbarrier){.address = address, .doer = doer});
  return &vec_last(g->mbarriers);
}

static void name_mbarrier(const inst *i, int64_t index, char *out, size_t size) {
  const char *name = ir_operand(i->op, mbarrier_operand(i))->name;
  int n = snprintf(out, size, "%%%s", name ? name : "mbarrier");
  if (index >= 0 && (size_t)n < size) snprintf(out + n, size - (size_t)n, "[%" PRId64 "]", index);
}

/* Others see that a barrier was initialised behind a barrier. */
static void check_use(sanitizer *s, const frame *f, const san_group *g, const inst *i,
                      const san_mbarrier *m, const char *name) {
  san_finding found = {.i = i, .by_thread = true, .thread = f->first, .other_thread = -1};
  bool other = san_rank_of(g, m->init_thread) != f->rank;
  char who[64];
  if (!m->initialised) {
    found.check = TSR_SANITIZE_INIT;
    snprintf(found.message, sizeof found.message, "%s uses %s before mbarrier_init", san_op_name(i),
             name);
  } else {
    int32_t t = san_first(g, f), end = t + f->count;
    while (t < end && clocks_sees(&g->clocks, t, m->init_thread, m->init_time)) t++;
    op_code opcode = (op_code)i->op->opcode;
    bool copies = copies_window(opcode) || opcode == OP_bulk_copy;
    bool engine = t == end && copies &&
                  !clocks_shown(&g->clocks, san_first(g, f), m->init_thread, m->init_time);
    if (t == end && !engine) return;
    found.check = engine ? TSR_SANITIZE_SYNC : TSR_SANITIZE_RACE;
    found.thread = engine ? san_first(g, f) : t;
    found.other_thread = m->init_thread;
    found.other = san_note_thread(s, g, f, m->init_thread, m->init_site);
    san_thread_text(s, g, f, m->init_thread, who, sizeof who);
    snprintf(found.message, sizeof found.message,
             "%s uses %s, which %s initialised with mbarrier_init, and no %s stands between",
             san_op_name(i), name, who,
             engine  ? "fence_async"
             : other ? "cluster_barrier"
                     : "barrier");
  }
  if (san_checks(s, found.check) && san_count(s, i, found.check, 1)) san_report(s, &found);
}

static void init(sanitizer *s, const frame *f, san_group *g, const inst *i, interp_mbarrier *b,
                 int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    san_mbarrier *m = mbarrier_at(s, g, b + k);
    clocks_drop(&g->clocks, &m->phase.arrived);
    clocks_drop(&g->clocks, &m->phase.done);
    m->phase.came = m->phase.seen = 0;
    m->initialised = true;
    m->init_thread = san_first(g, f);
    memset(m->remote, 0, sizeof m->remote);
    m->init_time = g->clocks.now;
    m->init_site = san_site_of(s, i);
  }
}

/* A phase takes as many arrivals as mbarrier_init said. */
static void check_arrivals(sanitizer *s, const frame *f, const inst *i, const interp_mbarrier *b,
                           int64_t arrivals, const char *name) {
  if (!b->count || arrivals <= b->pending || !san_checks(s, TSR_SANITIZE_SYNC)) return;
  if (!san_count(s, i, TSR_SANITIZE_SYNC, 1)) return;
  san_finding found = {.check = TSR_SANITIZE_SYNC,
                       .i = i,
                       .by_thread = true,
                       .thread = f->first,
                       .other_thread = -1};
  snprintf(found.message, sizeof found.message,
           "%" PRId64 " arrivals at %s, whose phase %u takes %" PRId64
           " more; mbarrier_init says %u",
           arrivals, name, b->phase, b->pending, b->count);
  san_report(s, &found);
}

void san_end_meeting(san_group *g, san_meeting *m) {
  clocks_drop(&g->clocks, &m->done);
  m->done = m->arrived;
  m->arrived = NULL;
  m->seen = m->came;
  m->came = 0;
}

/* The copies that complete at the barrier have done so. */
static void end_phase(san_group *g, san_mbarrier *m) {
  san_end_meeting(g, &m->phase);
  if (m->phase.done) m->phase.done->seen[m->doer] = g->clocks.now++;
}

/* Threads for which one of them arrives have met before. */
static void meet_before(san_group *g, const frame *f, const inst *i) {
  int64_t each = i->op->opcode == OP_mbarrier_arrive ? ir_int_attr(i->op, ATTR_each) : EACH_THREAD;
  if (each == EACH_WARP) clocks_meet_warps(&g->clocks, san_first(g, f), f->count);
  if (each == EACH_GROUP) clocks_meet(&g->clocks, san_first(g, f), f->count);
}

static bool is_own(const san_group *g, const frame *f, int32_t thread) {
  int32_t first = san_first(g, f);
  return thread >= first && thread < first + f->count;
}

/* What these threads' copies read in global memory has been read when they complete. */
static void hand_reads(sanitizer *s, san_group *g, const frame *f, const san_byte *b,
                       const san_mbarrier *m) {
  for (uint32_t k = b->reads; k; k = g->reads.data[k - 1].next) {
    san_read *r = &g->reads.data[k - 1];
    bool copies = s->program->code[r->site].op->opcode == OP_cp_async;
    if (!copies || !is_own(g, f, r->first) || !is_own(g, f, r->last)) continue;
    r->first = r->last = (uint16_t)m->doer;
    r->time = g->clocks.now;
  }
}

/* What these threads copied completes at the barrier; what they stored does not. */
static void hand_copies(sanitizer *s, san_group *g, const frame *f, const san_mbarrier *m) {
  for (uint32_t k = 0; k < g->storage.len; k++) {
    san_storage *st = &g->storage.data[k];
    for (size_t b = 0; b < st->n_cells && !st->freed; b++) {
      san_byte *cell = &st->cells[b];
      if (cell->state != SAN_ARRIVING || !is_own(g, f, cell->writer) ||
          cell->queue != QUEUE_CP_ASYNC)
        continue;
      cell->state = SAN_VALID;
      cell->writer = (uint16_t)m->doer;
      cell->write_time = g->clocks.now;
    }
  }
  for (uint32_t k = 0; k < g->global.cap; k++) {
    san_byte *bytes = (san_byte *)g->global.slots[k].value;
    for (unsigned b = 0; bytes && b < SAN_CHUNK; b++) hand_reads(s, g, f, &bytes[b], m);
  }
}

/* Nobody sees by this arrival what the threads did themselves. */
static void arrive_with_copies(sanitizer *s, san_group *g, const frame *f, san_mbarrier *m) {
  hand_copies(s, g, f, m);
  clocks_release_only(&g->clocks, m->doer, &m->phase.arrived);
}

/* Another tile block's barrier: it must not end before this. */
static void note_remote(sanitizer *s, const san_group *g, const frame *f, const inst *i,
                        san_mbarrier *m) {
  if (cluster_rank_at(f, m->address) == f->rank) return;
  m->remote[f->rank] = (san_use){san_first(g, f), g->clocks.now, san_site_of(s, i)};
}

static void run_mbarrier(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  int64_t index;
  interp_mbarrier *b = mbarriers_of(f, i, &index);
  if (!san_check_there(s, f, i, (uint64_t)(uintptr_t)b)) return;
  if (i->op->opcode == OP_mbarrier_init) {
    init(s, f, g, i, b, index < 0 ? in_type(i, 0)->count : 1);
    interp_do(f, i);
    return;
  }
  san_mbarrier *m = mbarrier_at(s, g, b);
  char name[64];
  name_mbarrier(i, index, name, sizeof name);
  check_use(s, f, g, i, m, name);
  note_remote(s, g, f, i, m);
  if (s->stopped) return;
  bool waits = i->op->opcode == OP_mbarrier_wait, expects = i->op->opcode == OP_mbarrier_expect;
  uint32_t phase = b->phase;
  if (!waits && !expects) {
    int64_t arrivals = arrivals_of(f, i);
    check_arrivals(s, f, i, b, arrivals, name);
    meet_before(g, f, i);
    san_come_to(s, f, i, g, &m->phase);
    if (i->op->opcode == OP_cp_async_arrive)
      arrive_with_copies(s, g, f, m);
    else
      clocks_release(&g->clocks, san_first(g, f), f->count, &m->phase.arrived);
  }
  if (s->stopped) return;
  interp_do(f, i);
  if (b->phase != phase) end_phase(g, m);
  if (!waits || f->waits_at) return;
  clocks_acquire(&g->clocks, san_first(g, f), f->count, m->phase.done);
  san_leave(s, f, i, g, &m->phase);
}

/* The index is one of the barriers. */
static bool check_index(sanitizer *s, frame *f, const inst *i) {
  uint32_t barrier = mbarrier_operand(i), operand = mbarrier_index_operand(i);
  if (operand == UINT32_MAX || !san_checks(s, TSR_SANITIZE_BOUNDS)) return true;
  int64_t index = (int32_t)get_scalar(f, i, operand), n = in_type(i, barrier)->count;
  if (index >= 0 && index < n) return true;
  if (!san_count(s, i, TSR_SANITIZE_BOUNDS, 1)) return false;
  san_finding found = {.check = TSR_SANITIZE_BOUNDS,
                       .i = i,
                       .by_thread = true,
                       .thread = f->first,
                       .other_thread = -1};
  snprintf(found.message, sizeof found.message,
           "%s: index %" PRId64 " is none of the %" PRId64 " barriers", san_op_name(i), index, n);
  san_report(s, &found);
  return false;
}

san_mbarrier *san_mbarrier_of(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  int64_t index;
  char name[64];
  check_index(s, f, i);
  san_mbarrier *m = mbarrier_at(s, g, mbarriers_of(f, i, &index));
  name_mbarrier(i, index, name, sizeof name);
  if (san_check_there(s, f, i, m->address)) check_use(s, f, g, i, m, name);
  return m;
}

void san_end_copy(sanitizer *s, frame *f, const inst *i, uint32_t phase) {
  san_group *g = san_group_of(s, f);
  int64_t index;
  const interp_mbarrier *b = mbarriers_of(f, i, &index);
  san_mbarrier *m = mbarrier_at(s, g, b);
  san_come_to(s, f, i, g, &m->phase);
  if (b->phase != phase) end_phase(g, m);
}

void san_check_phases(sanitizer *s, frame *f) {
  san_group *g = san_group_of(s, f);
  for (uint32_t k = 0; k < g->mbarriers.len; k++) {
    const san_mbarrier *m = &g->mbarriers.data[k];
    const interp_mbarrier *b = (const void *)(uintptr_t)m->address;
    if (!m->initialised || !b->bytes || cluster_rank_at(f, m->address) != f->rank) continue;
    const inst *i = &s->program->code[m->init_site];
    if (!san_count(s, i, TSR_SANITIZE_SYNC, 1)) return;
    san_finding found = {.check = TSR_SANITIZE_SYNC,
                         .i = i,
                         .by_thread = true,
                         .thread = m->init_thread,
                         .other_thread = -1};
    snprintf(found.message, sizeof found.message,
             b->bytes > 0 ? "phase %u of this barrier still expects %" PRId64
                            " bytes when the kernel ends, which no copy has brought"
                          : "in phase %u of this barrier copies have brought %" PRId64
                            " bytes more than were announced",
             b->phase, b->bytes > 0 ? b->bytes : -b->bytes);
    san_report(s, &found);
    return;
  }
}

/* ---- barriers of threads -------------------------------------------------------------------- */

static void run_named(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  int64_t id = ir_int_attr(i->op, ATTR_id);
  const named_barrier *b = named_barrier_at(f, id);
  uint32_t meeting = b->meeting;
  san_meeting *meet = &g->named[f->rank][id];
  if (!f->arrived) clocks_release(&g->clocks, san_first(g, f), f->count, &meet->arrived);
  interp_do(f, i);
  if (b->meeting != meeting) san_end_meeting(g, meet);
  if (i->op->opcode == OP_barrier_wait && !f->waits_at)
    clocks_acquire(&g->clocks, san_first(g, f), f->count, meet->done);
}

/* Whether the threads of the group, or whom they wait for, have met. */
static bool gathers(const frame *f, op_code opcode) {
  return opcode == OP_barrier || opcode == OP_barrier_wait || opcode == OP_mbarrier_wait ||
         (opcode == OP_warp_barrier && f->count <= 32);
}

bool san_run_sync(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  if (gathers(f, (op_code)i->op->opcode)) g->gathered[f->rank] = g->last[f->rank];
  switch ((op_code)i->op->opcode) {
  case OP_barrier: clocks_meet(&g->clocks, san_first(g, f), f->count); return true;
  case OP_warp_barrier: clocks_meet_warps(&g->clocks, san_first(g, f), f->count); return true;
  case OP_fence_async: clocks_fence(&g->clocks, san_first(g, f), f->count); return true;
  case OP_barrier_arrive:
  case OP_barrier_wait: run_named(s, f, i); return true;
  case OP_mbarrier_init:
  case OP_mbarrier_arrive:
  case OP_mbarrier_expect:
  case OP_mbarrier_arrive_expect:
  case OP_mbarrier_wait:
  case OP_cp_async_arrive:
    if (!check_index(s, f, i) && s->stopped) return true;
    run_mbarrier(s, f, i);
    return true;
  default: return false;
  }
}
