/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/teams.h"

#include "ir/block/groups.h"
#include "opt/rewrite.h"

/* ---- what a team is ------------------------------------------------------------------------- */

static bool note_spin(void *user, ir_op *op) {
  *(bool *)user |= op->opcode == OP_loop && ir_communicates(op);
  return true;
}

bool team_spins(const ir_op *op) {
  bool spins = false;
  ir_walk((ir_op *)(uintptr_t)op, note_spin, &spins);
  return spins;
}

bool team_is_wait(const ir_op *op) {
  return op->opcode == OP_mbarrier_wait || op->opcode == OP_barrier_wait ||
         op->opcode == OP_cluster_wait;
}

static bool note_wait(void *user, ir_op *op) {
  *(bool *)user |= team_is_wait(op);
  return true;
}

bool team_waits(const ir_op *op) {
  bool waits = team_spins(op);
  ir_walk((ir_op *)(uintptr_t)op, note_wait, &waits);
  return waits;
}

bool team_begins(const ir_op *op) {
  return op->opcode == OP_roles || ir_is_group(op);
}

ir_op *team_first(ir_op *op) {
  return op->opcode == OP_roles ? op->regions[0]->first : op;
}

ir_op *team_next(ir_op *member) {
  return member->next && ir_is_group(member->next) ? member->next : NULL;
}

bool team_share_threads(const ir_op *a, const ir_op *b) {
  ir_threads around = ir_threads_at(a);
  ir_threads x = ir_threads_of(a, around), y = ir_threads_of(b, around);
  return x.first < y.first + y.count && y.first < x.first + x.count;
}

/* ---- settling ------------------------------------------------------------------------------- */

/* Groups on both sides of it are not of one team. */
static void part(const block_lowering *x, ir_op *where) {
  ir_op_insert_before(where,
                      ir_op_create(x->m, &(ir_op_spec){.opcode = OP_barrier, .loc = where->loc}));
}

/* The body takes the group's place, before `where`. */
static void put_body(const block_lowering *x, ir_op *group, ir_op *where) {
  ir_block *body = group->regions[0];
  const ir_op *last = body->last->prev;
  if (team_begins(body->first)) part(x, where);
  rewrite_splice(body, where);
  if (last && team_begins(last)) part(x, where);
  for (uint32_t i = 0; i < group->n_results; i++)
    rewrite_replace_value(ir_result(group, i), ir_operand(body->last, i));
  ir_op_erase(group);
}

/* Scalars between groups are computed in front of them: `first` is the first group. */
static void move_scalars(ir_op *first) {
  for (ir_op *op = first->next, *next; op; op = next) {
    next = op->next;
    if (ir_is_group(op)) continue;
    if (!ir_is_scalar_work(op)) return;
    rewrite_move_before(first, op);
  }
}

/* Whether a group that never waits may end before the others of its team begin. */
static bool goes_first(ir_op *first, const ir_op *member) {
  if (team_waits(member) || has_early_exit(member->regions[0])) return false;
  for (const ir_op *op = first; op != member; op = op->next)
    if (team_share_threads(op, member)) return false;
  return true;
}

/* Returns what follows the team. `outer` is a roles whose place bodies take; NULL: none. */
static ir_op *settle_team(const block_lowering *x, ir_op *first, ir_op *outer) {
  move_scalars(first);
  for (ir_op *op = first, *next; op; op = next) {
    next = team_next(op);
    ir_op *behind = op->next;
    if (!goes_first(first, op)) continue;
    put_body(x, op, outer ? outer : first);
    if (op == first) first = next;
    if (!first) return behind;
  }
  ir_op *last = first;
  while (team_next(last)) last = team_next(last);
  ir_op *behind = last->next;
  if (first == last) put_body(x, first, outer ? outer : first);
  return behind;
}

static void settle_roles(const block_lowering *x, ir_op *op) {
  ir_block *all = op->regions[0];
  if (ir_is_group(all->first)) settle_team(x, all->first, op);
  if (!ir_is_group(all->first)) ir_op_erase(op);
}

static void settle_block(const block_lowering *x, ir_block *b) {
  for (ir_op *op = b->first; op; op = op->next)
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) settle_block(x, op->regions[r]);
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    if (op->opcode == OP_roles)
      settle_roles(x, op);
    else if (op->opcode == OP_group || op->opcode == OP_elect)
      next = settle_team(x, op, NULL);
  }
}

void teams_settle(const block_lowering *x) {
  settle_block(x, x->entry->regions[0]);
}
