/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interp/crew.h"

#include <stdio.h>

#include "interp/barriers.h"
#include "interp/cluster.h"
#include "interp/late.h"
#include "ir/block/groups.h"

typedef struct member {
  frame f;         /* first: a member is its frame */
  const ir_op *op; /* the group, role or elect; the entry */
  struct member *parent;
  uint32_t children; /* that have not ended */
  uint32_t start;    /* where it goes on */
  bool running;
} member;

struct crew {
  interp_program *program;
  arena arena;
  VEC(member *) members; /* first one for each tile block, with all of its threads */
  named_barrier (*named)[NAMED_BARRIERS]; /* by rank, as what follows */
  cluster_member *cluster;
  rt_block *blocks;
  bool may_wait; /* other tile blocks get a turn */
  late_copies *late;
};

/* ---- members -------------------------------------------------------------------------------- */

static bool note_need(void *user, ir_op *op) {
  bool *needed = user;
  *needed |= op->opcode == OP_group || op->opcode == OP_roles || op->opcode == OP_elect ||
             op->opcode == OP_mbarrier_wait || op->opcode == OP_barrier_wait ||
             op->opcode == OP_barrier_arrive;
  return true;
}

bool crew_is_needed(ir_op *entry) {
  bool needed = ir_has_cluster(entry);
  ir_walk(entry, note_need, &needed);
  return needed;
}

static member *take_member(crew *c) {
  for (uint32_t k = c->program->cluster; k < c->members.len; k++)
    if (!c->members.data[k]->running) return c->members.data[k];
  member *m = arena_new(&c->arena, member);
  vec_push(&c->arena, c->members, m);
  return m;
}

/* The tile block with this rank. */
static void add_block(crew *c, const frame *first, uint32_t rank) {
  const interp_program *p = c->program;
  member *m = take_member(c);
  c->blocks[rank] = *first->block;
  cluster_block_id(p, first->block->id, rank, c->blocks[rank].id);
  m->f = *first;
  m->f.block = rank ? &c->blocks[rank] : first->block;
  m->f.memory = first->memory + rank * cluster_stride(p);
  m->f.rank = m->f.to = rank;
  m->f.crew = c;
  m->f.may_wait = true;
  m->op = p->entry;
  m->running = true;
}

crew *crew_create(interp_program *p, const frame *whole) {
  crew *c = ctx_try_alloc(p->ctx, sizeof *c);
  if (!c) {
    diag_error(p->ctx, p->at, "out of memory");
    return NULL;
  }
  *c = (crew){.program = p, .may_wait = whole->may_wait};
  arena_init(&c->arena, p->ctx);
  TSR_GUARD(p->ctx, {
    crew_destroy(c);
    return NULL;
  });
  c->blocks = arena_array(&c->arena, rt_block, p->cluster);
  c->cluster = arena_array(&c->arena, cluster_member, p->cluster);
  c->named = arena_alloc_zero(&c->arena, p->cluster * sizeof *c->named, 8);
  for (uint32_t rank = 0; rank < p->cluster; rank++) add_block(c, whole, rank);
  c->late = late_create(&c->arena, p, whole->block);
  TSR_UNGUARD(p->ctx);
  return c;
}

void crew_destroy(crew *c) {
  if (!c) return;
  arena_free(&c->arena);
  ctx_free(c->program->ctx, c, sizeof *c);
}

late_copies *crew_late(const frame *f) {
  return f->crew->late;
}

cluster_member *crew_cluster(const frame *f) {
  return f->crew->cluster;
}

const rt_block *crew_first_block(const frame *f) {
  return f->crew->members.data[0]->f.block;
}

bool crew_is_running(const frame *f, uint32_t rank) {
  return f->crew->members.data[rank]->running;
}

/* A group of the same threads, or of some of them, that has not ended. */
static bool is_busy(const crew *c, const member *parent, ir_threads threads) {
  for (uint32_t k = 0; k < c->members.len; k++) {
    const member *m = c->members.data[k];
    if (m->running && m->parent == parent && m->f.first < threads.first + threads.count &&
        threads.first < m->f.first + m->f.count)
      return true;
  }
  return false;
}

void run_fork(frame *f, const inst *i) {
  member *me = (member *)f;
  ir_threads threads = ir_threads_of(i->op, (ir_threads){f->first, f->count});
  if (is_busy(f->crew, me, threads)) {
    wait_here(f, i);
    return;
  }
  member *m = take_member(f->crew);
  *m = (member){.f = *f, .op = i->op, .parent = me, .start = f->pc, .running = true};
  m->f.first = threads.first;
  m->f.count = threads.count;
  me->children++;
  f->passed = true;
  f->pc = i->target;
}

void run_join(frame *f, const inst *i) {
  if (((member *)f)->children)
    wait_here(f, i);
  else
    f->passed = true;
}

/* ---- waiting -------------------------------------------------------------------------------- */

void wait_here(frame *f, const inst *i) {
  f->waits_at = i;
  f->resume = (uint32_t)(i - f->program->code);
  f->pc = PC_STOP;
}

named_barrier *named_barrier_at(frame *f, int64_t id) {
  return &f->crew->named[f->rank][id % NAMED_BARRIERS];
}

/* "tile block (1, 0, 0)", with a comma where more follows; returns its length. */
static int name_block(const member *m, bool more, char *out, size_t size) {
  const int32_t *id = m->f.block->id;
  return snprintf(out, size, "tile block (%d, %d, %d)%s", id[0], id[1], id[2], more ? ", " : "");
}

/* "role @load (threads 256 to 384)", "elect in role @load (thread 256)" */
static void name_member(const member *m, char *out, size_t size) {
  const ir_op *role = m->op;
  while (role->opcode != OP_role && role->opcode != OP_entry) role = role->block->parent;
  const char *kind = m->op->opcode == OP_entry ? "the tile block" : ir_row(m->op)->name;
  if (m->op == role && role->opcode == OP_role) kind = "";
  if (m->op->opcode == OP_entry && m->f.program->cluster > 1) kind = "";
  int n = 0;
  if (m->f.program->cluster > 1) n = name_block(m, *kind || role->opcode == OP_role, out, size);
  size_t begin = (size_t)n;
  n += snprintf(out + n, size - (size_t)n, "%s", kind);
  if (role->opcode == OP_role)
    n += snprintf(out + n, size - (size_t)n, "%srole @" STR_FMT, (size_t)n > begin ? " in " : "",
                  STR_ARG(ir_symbol_name(role)));
  if ((size_t)n < size)
    snprintf(out + n, size - (size_t)n, m->f.count == 1 ? " (thread %d)" : " (threads %d to %d)",
             m->f.first, m->f.first + m->f.count);
}

static void tell_waiting(const crew *c, const member *m) {
  const inst *i = m->f.waits_at;
  if (!i || m->children) return; /* for its own groups, which are told themselves */
  char who[200], what[320] = "";
  name_member(m, who, sizeof who);
  tell_wait(&m->f, i, what, sizeof what);
  diag_note(c->program->ctx, ir_place(c->program->module, i->op->loc), "%s waits here%s", who,
            what);
}

static void report_stuck(const crew *c) {
  const int32_t *id = c->members.data[0]->f.block->id;
  diag_error(c->program->ctx, c->program->at,
             "%stile block (%d, %d, %d) does not go on: all of its threads wait, and nothing is "
             "left to wake them",
             c->program->cluster > 1 ? "the cluster of " : "", id[0], id[1], id[2]);
  for (uint32_t k = 0; k < c->members.len; k++)
    if (c->members.data[k]->running) tell_waiting(c, c->members.data[k]);
}

/* ---- turns ---------------------------------------------------------------------------------- */

static void end_member(member *m) {
  m->running = false;
  if (m->parent) m->parent->children--;
}

/* Says whether it went on. */
static bool give_turn(member *m) {
  frame *f = &m->f;
  uint32_t before = m->start;
  f->waits_at = NULL;
  f->waits = f->passed = false;
  interp_execute(f, m->start);
  m->start = f->resume;
  if (!f->waits_at && !f->waits) {
    end_member(m);
    return true;
  }
  return f->passed || (f->waits_at && f->resume != before);
}

static bool has_ended(const crew *c) {
  for (uint32_t rank = 0; rank < c->program->cluster; rank++)
    if (c->members.data[rank]->running) return false;
  return true;
}

crew_state crew_run(crew *c) {
  for (;;) {
    bool moved = false, spins = false;
    for (uint32_t k = 0; k < c->members.len; k++) {
      member *m = c->members.data[k];
      if (!m->running) continue;
      moved |= give_turn(m);
      spins |= m->f.waits;
      if (m->f.halted) return CREW_DONE;
      if (!has_ended(c)) continue;
      late_finish(c->late);
      return CREW_DONE;
    }
    if (moved || (spins && !c->may_wait)) continue;
    if (spins) return CREW_WAITS;
    report_stuck(c);
    c->program->stuck = true;
    return CREW_STUCK;
  }
}
