/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Stores. Those that follow each other, with nothing in between that touches memory, wait for the
 * last of them: they share a nest then, which loads what they store once.
 */
#include "cpu/lower/stores.h"

#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/map.h"
#include "cpu/plan/plan.h"
#include "cpu/nest/alias.h"
#include "cpu/nest/analysis.h"
#include "cpu/nest/group.h"
#include "cpu/nest/reduce_body.h"
#include "cpu/nest/visit.h"
#include "cpu/memory/prepare.h"
#include "cpu/gemm/kblock.h"
#include "cpu/lower/checks.h"
#include "cpu/lower/effects.h"

/* ---- one ------------------------------------------------------------------------------------ */

/* The reduction over rows that comes next after the store, before anything else that touches
 * memory; NULL: there is none. */
static const ir_op *reduction_behind(const ir_op *op) {
  do op = op->next;
  while (op && op->opcode != OP_reduce && plan_touches_nothing(op));
  if (!op || op->opcode != OP_reduce) return NULL;
  unsigned first, n;
  reduce_bits(op, &first, &n);
  return first == 0 && reduce_is_neutral(op) ? op : NULL;
}

/* A store waits for a reduction that may share its nest: of what is stored, most often, which is
 * then in registers still. Reductions decide where lanes lie, so those of the store must lie there
 * by themselves. */
static void add_store(lower *l, ir_value *v, const root *r) {
  group_add(l, v->type, r);
  bool may = !l->seldom && is_on(l, PATTERN_STORE_REDUCE);
  const ir_op *reduce = may ? reduction_behind(r->op) : NULL;
  if (reduce && ir_operand(reduce, 0)->type->count == v->type->count &&
      group_is_along_last(l, &l->groups->open)) {
    NOTE_MATCH(l, STORE_REDUCE, .op = reduce);
    return;
  }
  group_flush(l);
}

/* A product's result may be there already; and is, if all of it exists, but for accidents. */
static void add_store_unless(lower *l, llv stored, ir_value *v, const root *r) {
  llblock store = lower_new_block(l, "store"), done = lower_new_block(l, "stored");
  group_flush(l);
  LLVMBuildCondBr(l->e.b, stored, done, store);
  LLVMPositionBuilderAtEnd(l->e.b, store);
  l->seldom = true;
  add_store(l, v, r);
  l->seldom = false;
  lower_go(l, done);
}

/* ---- several -------------------------------------------------------------------------------- */

/* A store that waits for others; `stored`: an i1, that it is there already (NULL: it isn't). */
typedef struct waiting_store {
  root root;
  llv stored;
} waiting_store;

struct store_state {
  VEC(waiting_store) waiting;
};

static void add_one(lower *l, const waiting_store *x) {
  if (x->stored)
    add_store_unless(l, x->stored, x->root.value, &x->root);
  else
    add_store(l, x->root.value, &x->root);
}

/* What is evaluated for the stores so far, and what of it is needed again. */
typedef struct again_walk {
  lower *l;
  bool is_first;
  map seen;
  VEC(ir_value *) again;
} again_walk;

/* Loads for later stores come before the first one; what takes long is evaluated once. */
static bool note_again(void *user, ir_value *v, const index_map *m) {
  enum { COST_AGAIN = 12 };
  again_walk *w = user;
  const value *x = value_of(w->l, v);
  (void)m;
  if (x->kind != VALUE_LAZY || v->type->count == 1) return true;
  uintptr_t *seen = map_put(w->l->arena, &w->seen, (uintptr_t)v);
  bool costs = *seen && x->cost >= COST_AGAIN && !x->linear;
  *seen = 1;
  if (w->is_first || !(x->load || costs)) return true;
  vec_push(w->l->arena, w->again, v);
  return true;
}

static void add_in_turn(lower *l, const waiting_store *x, unsigned n) {
  again_walk w = {.l = l, .is_first = true};
  for (unsigned i = 0; i < n; i++, w.is_first = false) visit_root(l, &x[i].root, note_again, &w);
  for (uint32_t i = 0; i < w.again.len; i++) materialise_later(l, w.again.data[i]);
  for (unsigned i = 0; i < n; i++) add_one(l, &x[i]);
}

/* Is it known where it goes, if only when bits of indices are what they should be? */
static bool is_known(lower *l, const access *a) {
  return alias_is_known_store(a) || (a->pointers && value_of(l, a->pointers)->bitwise);
}

/* Can it be compared where they go? */
static bool may_share(lower *l, const waiting_store *x, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (x[i].stored || !is_known(l, x[i].root.access)) return false;
  return n > 1 && !l->seldom;
}

static void add_all(lower *l, const waiting_store *x, unsigned n) {
  bool joins = !l->groups->open.reduce; /* whose result two versions would give */
  for (unsigned i = 0; i < n; i++) joins &= group_takes(l, x[i].root.value->type, &x[i].root, i);
  if (!joins) group_flush(l);
  for (unsigned i = 0; i < n; i++) group_add(l, x[i].root.value->type, &x[i].root);
  NOTE_MATCH(l, STORE_TOGETHER, .op = x[n - 1].root.op, .n = {n});
  group_flush(l);
}

static struct store_state *state_of(lower *l) {
  if (!l->stores) {
    l->stores = arena_new(l->arena, struct store_state);
    *l->stores = (struct store_state){0};
  }
  return l->stores;
}

void lower_store(lower *l, ir_op *op) {
  struct store_state *s = state_of(l);
  waiting_store x = {.root = {.kind = ROOT_STORE, .op = op, .value = stored_value(op)}};
  const ir_op *last = plan_last_store(l, op);
  bool weak = ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
  value_of(l, ir_result(op, 0))->kind = VALUE_TOKEN;
  if (last == op) settle_loads(l, plan_order_of(l, op) - !weak);
  access_prepare(l, op, &x.root.access);
  check_access(l, op, x.root.access);
  if (!weak) {
    group_flush(l);
    lower_ordered_store(l, op, x.root.access);
    return;
  }
  x.stored = kblock_stored(l, op);
  vec_push(l->arena, s->waiting, x);
  if (last != op) return;
  unsigned n = s->waiting.len;
  s->waiting.len = 0;
  if (n == 1)
    add_one(l, &x);
  else if (may_share(l, s->waiting.data, n))
    add_all(l, s->waiting.data, n);
  else
    add_in_turn(l, s->waiting.data, n);
}
