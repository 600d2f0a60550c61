/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/fuse.h"

#include "block/teams.h"
#include "ir/block/groups.h"
#include "opt/rewrite.h"

enum { MOST_MEMBERS = 16, MAX_DEPTH = 8 };

typedef struct fuser {
  const block_lowering *x;
  bool backwards;
} fuser;

/* ---- loops that belong together ------------------------------------------------------------- */

static bool same_attrs(const ir_op *a, const ir_op *b) {
  for (unsigned i = 0, n = op_n_attrs(ir_row(a)); i < n; i++)
    if (a->attrs[i].i != b->attrs[i].i) return false;
  return a->present == b->present;
}

/* Whether two scalars are the same number, computed in the same way. */
static bool same_value(const ir_value *a, const ir_value *b, unsigned depth) {
  int64_t x, y;
  if (a == b) return true;
  if (a->type != b->type || a->is_arg || b->is_arg || depth == MAX_DEPTH) return false;
  if (ir_constant_int(a, &x) && ir_constant_int(b, &y)) return x == y;
  const ir_op *p = a->owner.op, *q = b->owner.op;
  bool alike = p->opcode == q->opcode && p->n_operands == q->n_operands && ir_only_computes(p) &&
               !p->n_regions && a->index == b->index && p->opcode != OP_constant &&
               same_attrs(p, q);
  for (uint32_t i = 0; alike && i < p->n_operands; i++)
    alike = same_value(ir_operand(p, i), ir_operand(q, i), depth + 1);
  return alike;
}

static bool keep_step(const ir_op *a, const ir_op *b) {
  for (uint32_t i = 0; i < 3; i++)
    if (!same_value(ir_operand(a, i), ir_operand(b, i), 0)) return false;
  return ir_int_attr(a, ATTR_unsignedCmp) == ir_int_attr(b, ATTR_unsignedCmp);
}

static bool is_paced(const ir_op *op) {
  return (op->opcode == OP_for || op->opcode == OP_loop) && team_waits(op);
}

static bool can_fuse(ir_op *const *loops, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    const ir_op *loop = loops[i];
    if (loop->opcode != OP_for || has_early_exit(loop->regions[0]) ||
        loop->regions[0]->last->opcode != OP_continue || !keep_step(loops[0], loop))
      return false;
  }
  return true;
}

/* ---- putting together ----------------------------------------------------------------------- */

static bool fuse_bodies(fuser *f, ir_block *const *bodies, unsigned n, ir_op *where);

/* Of all loops: what they begin with, their types, arguments and what they hand on. */
static bool fuse_loops(fuser *f, ir_op *const *loops, unsigned n, ir_op *where) {
  ir_module *m = f->x->m;
  VEC(ir_value *) inits = {0};
  VEC(const ir_type *) types = {0}, args = {0};
  for (uint32_t i = 0; i < 3; i++) vec_push(f->x->arena, inits, ir_operand(loops[0], i));
  vec_push(f->x->arena, args, ir_counter(loops[0])->type);
  for (unsigned l = 0; l < n; l++)
    for (uint32_t i = 0; i < loops[l]->n_results; i++) {
      vec_push(f->x->arena, inits, ir_operand(loops[l], 3 + i));
      vec_push(f->x->arena, types, loops[l]->results[i].type);
      vec_push(f->x->arena, args, loops[l]->results[i].type);
    }
  ir_op *all = ir_op_create(m, &(ir_op_spec){.opcode = OP_for,
                                             .loc = loops[n - 1]->loc,
                                             .n_operands = inits.len,
                                             .operands = inits.data,
                                             .n_results = types.len,
                                             .result_types = types.data,
                                             .n_regions = 1});
  rewrite_copy_attrs(all, loops[0]);
  ir_op_insert_before(where, all);
  ir_block *body = ir_region_create(m, all, 0, args.len, args.data);
  ir_block *bodies[MOST_MEMBERS] = {NULL};
  VEC(ir_value *) next = {0};
  for (unsigned l = 0, at = 0; l < n; l++) {
    ir_block *own = bodies[l] = loops[l]->regions[0];
    rewrite_replace_value(&own->args[0], &body->args[0]);
    for (uint32_t i = 0; i < loops[l]->n_results; i++, at++) {
      rewrite_replace_value(&own->args[1 + i], &body->args[1 + at]);
      rewrite_replace_value(&loops[l]->results[i], &all->results[at]);
      vec_push(f->x->arena, next, ir_operand(own->last, i));
    }
  }
  ir_op *end = ir_op_create(m, &(ir_op_spec){.opcode = OP_continue,
                                             .loc = loops[n - 1]->loc,
                                             .n_operands = next.len,
                                             .operands = next.data});
  ir_op_append(body, end);
  if (!fuse_bodies(f, bodies, n, end)) return false;
  for (unsigned l = 0; l < n; l++) ir_op_erase(loops[l]);
  return true;
}

/* Moves what precedes the next loop with waits, which it returns (NULL: there is none). */
static ir_op *move_front(ir_block *body, ir_op *where) {
  while (body->first != body->last && !is_paced(body->first))
    rewrite_move_before(where, body->first);
  return body->first == body->last ? NULL : body->first;
}

static bool fuse_bodies(fuser *f, ir_block *const *bodies, unsigned n, ir_op *where) {
  for (;;) {
    ir_op *loops[MOST_MEMBERS];
    unsigned found = 0;
    for (unsigned i = 0; i < n; i++) {
      ir_op *loop = move_front(bodies[i], where);
      if (loop) loops[found++] = loop;
    }
    if (!found) return true;
    if (!can_fuse(loops, found) || !fuse_loops(f, loops, found, where)) return false;
  }
}

/* ---- teams ---------------------------------------------------------------------------------- */

/* Some groups, one behind the other, without common threads. */
static bool fuse_groups(fuser *f, ir_op *const *members, unsigned n, ir_op *where) {
  ir_block *bodies[MOST_MEMBERS] = {NULL};
  for (unsigned i = 0; i < n; i++) bodies[i] = members[f->backwards ? n - 1 - i : i]->regions[0];
  if (!fuse_bodies(f, bodies, n, where)) return false;
  for (unsigned i = 0; i < n; i++) {
    const ir_op *end = members[i]->regions[0]->last;
    for (uint32_t k = 0; k < members[i]->n_results; k++)
      rewrite_replace_value(ir_result(members[i], k), ir_operand(end, k));
  }
  while (n) ir_op_erase(members[--n]);
  return true;
}

/* A group that shares threads with one in front of it begins behind all of these. */
static bool fuse_team(fuser *f, ir_op *first, ir_op *where) {
  ir_op *members[MOST_MEMBERS];
  unsigned n = 0;
  for (ir_op *op = first, *next; op; op = next) {
    next = team_next(op);
    if (team_spins(op)) return false;
    bool shares = false;
    for (unsigned i = 0; i < n; i++) shares |= team_share_threads(members[i], op);
    if (shares || n == MOST_MEMBERS) {
      if (!shares || !fuse_groups(f, members, n, where)) return false;
      n = 0;
    }
    members[n++] = op;
  }
  return fuse_groups(f, members, n, where);
}

static bool fuse_block(fuser *f, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r] && !fuse_block(f, op->regions[r])) return false;
    next = op->next;
    if (op->opcode == OP_roles) {
      if (!fuse_team(f, team_first(op), op)) return false;
      ir_op_erase(op);
    } else if (op->opcode == OP_group || op->opcode == OP_elect) {
      for (; next && ir_is_group(next); next = next->next)
        if (!fuse_block(f, next->regions[0])) return false;
      if (!fuse_team(f, op, next)) return false;
    }
  }
  return true;
}

bool fuse_teams(const block_lowering *x, bool backwards) {
  fuser f = {x, backwards};
  return fuse_block(&f, x->entry->regions[0]);
}
