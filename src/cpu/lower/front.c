/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two versions are put in front of a group's others: one for when elements are as far apart as is
 * likely (strides.c), and one in which indices are linear whose bits are masked or flipped.
 */
#include "cpu/lower/front.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/lower/strides.h"
#include "cpu/nest/group.h"
#include "cpu/nest/visit.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"

/* A version in which more is known: what the group is told for it, and how that is taken back. */
typedef struct front_version {
  void (*take)(lower *l, void *user, group *g);
  void (*give_back)(lower *l, void *user);
  void *user;
  void (*emit)(lower *l, group *g, front_others others); /* either version */
} front_version;

/* Of groups without a reduction. */
static void emit_in_front(lower *l, group *g, llv holds, const front_version *x,
                          front_others others) {
  llblock front = lower_new_block(l, "front"), behind = lower_new_block(l, "behind");
  llblock done = lower_new_block(l, "done");
  LLVMBuildCondBr(l->e.b, holds, front, behind);
  LLVMPositionBuilderAtEnd(l->e.b, front);
  group other = *g;
  x->take(l, x->user, &other);
  x->emit(l, &other, others);
  x->give_back(l, x->user);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, behind);
  x->emit(l, g, others);
  lower_go(l, done);
}

/* ---- bits of indices ------------------------------------------------------------------------ */

/* Values of a group that are linear under a condition, and its loads, which change with them. */
typedef struct bitwise_walk {
  lower *l;
  llv holds;
  VEC(saved_value) was;
} bitwise_walk;

static bool note_bitwise(void *user, ir_value *v, const index_map *m) {
  bitwise_walk *w = user;
  const value *x = value_of(w->l, v);
  (void)m;
  if (x->kind != VALUE_LAZY && !x->pending) return true;
  bool is_bitwise = x->bitwise && !x->linear;
  if (is_bitwise) w->holds = fold_and(w->l, w->holds, x->bitwise->ok);
  if (is_bitwise || x->load) vec_push(w->l->arena, w->was, (saved_value){.v = v, .was = *x});
  return true;
}

/* The access again, now that its pointers and its mask are linear. */
static access *access_anew(lower *l, access *a) {
  bool is_new = a->pointers && !a->linear && !a->memory && value_of(l, a->pointers)->linear;
  return is_new ? access_of_pointers(l, a->op, a->pointers, a->mask, a->padding) : a;
}

static void take_bitwise(lower *l, void *user, group *g) {
  const bitwise_walk *w = user;
  for (uint32_t i = 0; i < w->was.len; i++) {
    value *x = value_of(l, w->was.data[i].v);
    if (!x->bitwise || x->linear) continue;
    x->linear = arena_new(l->arena, affine);
    *x->linear = *x->bitwise;
    x->linear->ok = NULL;
  }
  for (uint32_t i = 0; i < w->was.len; i++) {
    value *x = value_of(l, w->was.data[i].v);
    if (x->load) x->load = access_anew(l, x->load);
  }
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_STORE) g->roots[i].access = access_anew(l, g->roots[i].access);
}

static void give_bitwise_back(lower *l, void *user) {
  const bitwise_walk *w = user;
  for (uint32_t i = 0; i < w->was.len; i++) {
    value *x = value_of(l, w->was.data[i].v);
    x->linear = w->was.data[i].was.linear;
    x->load = w->was.data[i].was.load;
  }
}

static void emit_others(lower *l, group *g, front_others others) {
  others(l, g);
}

/* In front of the others a version in which indices are linear whose bits are masked or flipped. */
static void emit_by_bits(lower *l, group *g, front_others others) {
  bitwise_walk w = {.l = l};
  bool may = !l->seldom && !g->reduce && !group_has_products(g);
  if (may) visit_group(l, g, note_bitwise, &w);
  if (!w.holds) {
    others(l, g);
    return;
  }
  NOTE_MATCH(l, BITWISE, .op = g->roots[0].op);
  front_version linear = {
      .take = take_bitwise, .give_back = give_bitwise_back, .user = &w, .emit = emit_others};
  emit_in_front(l, g, w.holds, &linear, others);
}

/* ---- strides -------------------------------------------------------------------------------- */

static void take_strides(lower *l, void *user, group *g) {
  strides_take(l, user, g);
}

static void give_strides_back(lower *l, void *user) {
  strides_give_back(l, user);
}

void front_emit(lower *l, group *g, front_others others) {
  stride_version x;
  if (l->seldom || g->reduce || group_has_products(g) || !strides_find(l, g, &x)) {
    emit_by_bits(l, g, others);
    return;
  }
  NOTE_MATCH(l, LAUNCH_STRIDE, .op = g->roots[0].op, .n = {x.likely});
  front_version likely = {
      .take = take_strides, .give_back = give_strides_back, .user = &x, .emit = emit_by_bits};
  emit_in_front(l, g, x.holds, &likely, others);
}
