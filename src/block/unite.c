/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/unite.h"

#include "block/barriers.h"
#include "block/fuse.h"
#include "block/phases.h"
#include "block/teams.h"
#include "block/turns.h"
#include "ir/block/groups.h"
#include "opt/rewrite.h"

static bool is_apart(const ir_op *op) {
  op_group group = (op_group)ir_row(op)->group;
  return group == GROUP_THREADS || group == GROUP_MBARRIER || group == GROUP_CLUSTER ||
         op->opcode == OP_barrier_arrive || op->opcode == OP_barrier_wait;
}

static bool note_apart(void *user, ir_op *op) {
  *(bool *)user |= is_apart(op);
  return !*(bool *)user;
}

typedef struct counter {
  arena *arena;
  map threads;
} counter;

static bool count_threads(void *user, ir_op *op) {
  counter *c = user;
  if (is_apart(op) && op->block)
    *map_put(c->arena, &c->threads, (uintptr_t)op) = (uintptr_t)ir_threads_at(op).count;
  return true;
}

/* Tried on a copy, as it only shows at the end whether it can be done. */
static bool try_step(const block_lowering *x, bool backwards) {
  value_map copies = {.arena = x->arena};
  counter c = {.arena = x->arena};
  block_lowering copy = *x;
  copy.entry = rewrite_clone(x->m, x->entry, &copies);
  ir_walk(copy.entry, count_threads, &c);
  teams_settle(&copy);
  if (!fuse_teams(&copy, backwards) || !phases_hold(&copy, &c.threads)) return false;
  phases_erase(&copy);
  x->entry->regions[0] = copy.entry->regions[0];
  x->entry->regions[0]->parent = x->entry;
  return true;
}

bool unite_in_step(const block_lowering *x) {
  bool apart = false;
  ir_walk(x->entry, note_apart, &apart);
  return !apart || try_step(x, false) || try_step(x, true);
}

void unite_in_turns(const block_lowering *x) {
  barriers b = {.x = x};
  barriers_lower(&b);
  teams_settle(x);
  turns_lower(x, &b);
}
