/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles that reach over an end. A row of 1000 elements in a tile of 1024 is whole but for its last
 * few; a version of the nest for tiles all of whose elements exist would never run. So one loop of
 * the nest is divided: the exact version makes the iterations for which everything exists, and the
 * guarded one goes on from there. In tiles that are whole the first makes them all, so this costs
 * two comparisons and no code.
 *
 * That loop counts the highest bits of a dimension, so what exists of a dimension is some
 * iterations one behind the other; before these the guarded version makes others, as where a
 * stencil reaches over the first element. Other dimensions are whole, or the guarded version makes
 * everything.
 *
 * Tiles may be much larger than what exists: 5120 columns have tiles of 8192. Behind the last
 * element that a load brings, and behind the last place where a comparison of indices changes, all
 * iterations give the same, unless they tell by the index itself which they are. The guarded
 * version makes the first of them; the rest is reduced and kept as often as it must be, without
 * being computed.
 */
#include "cpu/nest/peel.h"

#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/map.h"
#include "cpu/plan/mask.h"
#include "cpu/nest/analysis.h"
#include "cpu/nest/reduce_body.h"
#include "cpu/nest/roots.h"
#include "cpu/nest/visit.h"

/* The lowest bit of the loop whose highest is the one below `top` (group.c opens it); `top`: there
 * is no such loop. */
static unsigned loop_below(const ir_type *shape, uint32_t taken, unsigned top) {
  unsigned first = top;
  if (!map_is_boundary(shape, top) && !(taken >> top & 1)) return top;
  while (first > 0 && !(taken >> (first - 1) & 1)) {
    first--;
    if (map_is_boundary(shape, first)) break;
  }
  return first;
}

static unsigned top_of(const bound_use *u) {
  return u->first < 0 ? 0 : (unsigned)u->first + u->n;
}

static bool is_full(const bound_use *u) {
  int64_t hi;
  return !u->lo && is_const(u->hi, &hi) && hi == INT64_C(1) << u->n;
}

/* Reductions over the loop's dimension go on from what the first nest gave, so they must start from
 * what changes nothing. */
static bool can_go_on(const group *g, unsigned top) {
  unsigned first, n;
  if (!g->reduce) return true;
  reduce_bits(g->reduce, &first, &n);
  if (top <= first || top > first + n) return true;
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_REDUCE && !reduce_is_neutral(g->roots[i].op)) return false;
  return true;
}

/* A number of elements as one of the loop's iterations, of which the last may be a part. */
static llv iterations_of(lower *l, const bound_use *u, llv elements, unsigned loop_first, bool up) {
  LLVMBuilderRef b = l->e.b;
  if (loop_first < (unsigned)u->first)
    return LLVMBuildShl(b, elements, k64(l, u->first - (int64_t)loop_first), "");
  int64_t bits = (int64_t)loop_first - u->first;
  if (up) elements = fold_add(l, elements, k64(l, (INT64_C(1) << bits) - 1));
  return LLVMBuildLShr(b, elements, k64(l, bits), "");
}

/* The loop's iterations of which all exists. */
static void narrow(lower *l, const bound_use *u, unsigned loop_first, llv *from, llv *to) {
  LLVMBuilderRef b = l->e.b;
  llv hi = u->hi, lo = u->lo;
  if (u->forced) hi = LLVMBuildSelect(b, u->forced, k64(l, INT64_C(1) << u->n), hi, "");
  *to = umin64(l, *to, iterations_of(l, u, hi, loop_first, false));
  if (!lo) return;
  if (u->forced) lo = LLVMBuildSelect(b, u->forced, k64(l, 0), lo, "");
  llv first = iterations_of(l, u, lo, loop_first, true);
  *from = *from ? fold_min_max(l, "llvm.umax", *from, first) : first;
}

static llv exists_fully(lower *l, const bound_use *u) {
  llv full = LLVMBuildICmp(l->e.b, LLVMIntEQ, u->hi, k64(l, INT64_C(1) << u->n), "full");
  if (u->lo)
    full = LLVMBuildAnd(l->e.b, full, LLVMBuildICmp(l->e.b, LLVMIntEQ, u->lo, k64(l, 0), ""), "");
  return u->forced ? LLVMBuildOr(l->e.b, full, u->forced, "") : full;
}

/* ---- iterations that are the same ----------------------------------------------------------- */

/* The first iterations, in which something may change. */
static llv changing(lower *l, const bound_use *u, unsigned loop_first) {
  LLVMBuilderRef b = l->e.b;
  llv hi = u->hi, size = k64(l, INT64_C(1) << u->n);
  if (u->forced) hi = LLVMBuildSelect(b, u->forced, size, hi, "");
  if (u->known) hi = LLVMBuildSelect(b, u->known, hi, size, "");
  return iterations_of(l, u, hi, loop_first, true);
}

typedef struct same_walk {
  lower *l;
  unsigned first, top; /* the bits that the loop counts are in [first, top) */
  VEC(llv) changes;    /* behind how many iterations, each of several reasons */
  bool differs;        /* in iterations of which that isn't known */
} same_walk;

static bool follows(const same_walk *x, const index_map *m) {
  for (unsigned k = 0; k < m->n; k++)
    if (m->bit[k] >= (int)x->first && m->bit[k] < (int)x->top) return true;
  return false;
}

/* Behind some iteration of the loop no element exists: where the first of its intervals ends. */
static bool note_end(same_walk *x, const access *a, const index_map *m) {
  bound_uses uses = {0};
  llv others, end = NULL;
  access_bounds(x->l, a, m, &uses, &others);
  for (uint32_t i = 0; i < uses.len; i++) {
    if (top_of(&uses.data[i]) != x->top) continue;
    llv one = changing(x->l, &uses.data[i], x->first);
    end = end ? umin64(x->l, end, one) : one;
  }
  if (end) vec_push(x->l->arena, x->changes, end);
  return end != NULL;
}

/* Where the interval ends, or begins if it doesn't. */
static llv last_change(lower *l, const bound_use *u) {
  if (!u->lo) return u->hi;
  llv open = LLVMBuildICmp(l->e.b, LLVMIntEQ, u->hi, k64(l, INT64_C(1) << u->n), "");
  return LLVMBuildSelect(l->e.b, open, u->lo, u->hi, "");
}

static bool note_change(void *user, ir_value *v, const index_map *m) {
  same_walk *x = user;
  const value *y = value_of(x->l, v);
  const ir_op *op = ir_defining_op(v);
  bound_use u;
  if ((y->kind == VALUE_SCALAR && !y->pending) || (!m->conservative && !follows(x, m)))
    return false;
  bool computed = y->kind == VALUE_LAZY || y->kind == VALUE_SHIFTED || y->lazy;
  if (m->conservative || !computed || !op) {
    x->differs = true;
  } else if (y->load) {
    bool ends = note_end(x, y->load, m);
    /* What is gathered is the same where its addresses and its mask are. */
    if (!ends && y->load->pointers && !y->load->linear) return !x->differs;
    x->differs |= !ends;
    if (y->load->padding) visit_from_top(x->l, y->load->padding, m, note_change, x);
    return false;
  } else if (op->opcode == OP_iota) {
    x->differs = true;
  } else if (op->opcode == OP_constant) {
    x->differs |= !ir_get_attr(op, ATTR_value)->dense->splat;
  } else if (op->opcode == OP_cmpi && mask_interval(x->l, ir_defining_op(v), m, &u) &&
             top_of(&u) == x->top) {
    u.hi = last_change(x->l, &u);
    vec_push(x->l->arena, x->changes, changing(x->l, &u, x->first));
    return false;
  }
  return !x->differs;
}

/* Is the loop whose lowest bit is `first` the innermost one? */
static bool is_innermost(const group *g, uint32_t taken, unsigned first, unsigned top) {
  if (g->reduce) {
    unsigned low, n;
    reduce_bits(g->reduce, &low, &n);
    return top > low && top <= low + n;
  }
  return (~taken & ((1u << first) - 1)) == 0;
}

/* Are iterations the same, from which on, unless the loop is another's? Stores only need not know
 * what is the same: nothing of that is stored. */
static bool find_changes(same_walk *x, const group *g, uint32_t taken, bool stores) {
  index_map m = map_identity(tile_bits(g->shape));
  bool innermost = is_innermost(g, taken, x->first, x->top) && group_pair_bit(g) < 0;
  for (unsigned i = 0; i < g->n_roots; i++) {
    const root *r = &g->roots[i];
    if (r->kind == ROOT_STORE) x->differs |= !note_end(x, r->access, &m);
    if (r->kind == ROOT_MATERIALISE) visit_from_top(x->l, r->value, &m, note_change, x);
    for (uint32_t k = 0; r->kind == ROOT_REDUCE && k < r->op->n_operands; k++)
      visit_from_top(x->l, ir_operand(r->op, k), &m, note_change, x);
  }
  return !x->differs && (stores || innermost);
}

/* How far the guarded version must go. */
static void find_end(lower *l, const group *g, const bits_by_version *taken, peeled_loop *out) {
  bool stores = true;
  if (!is_on(l, PATTERN_REPEAT_LAST)) return;
  for (unsigned i = 0; i < g->n_roots; i++) stores &= g->roots[i].kind == ROOT_STORE;
  uint32_t bits = stores ? taken->guarded : taken->repeating;
  same_walk x = {.l = l, .first = loop_below(g->shape, bits, out->top), .top = out->top};
  if (!find_changes(&x, g, bits, stores)) return;
  out->repeats = !stores;
  out->finer = out->first - x.first;
  llv until = k64(l, stores ? 0 : 1), all = k64(l, out->all << out->finer);
  for (uint32_t i = 0; i < x.changes.len; i++) {
    llv same = x.changes.data[i];
    if (!stores) same = fold_add(l, same, k64(l, 1));
    until = fold_min_max(l, "llvm.smax", until, same);
  }
  /* The loop ends behind what the exact version makes, not within. */
  llv behind = LLVMBuildShl(l->e.b, out->whole, k64(l, out->finer), "");
  if (!stores) behind = fold_add(l, behind, k64(l, 1));
  until = fold_min_max(l, "llvm.smax", until, behind);
  out->until = umin64(l, until, all);
}

/* Do all masks of selects end with the dimension whose loop is divided? Then the exact version does
 * without selecting, and makes no fewer iterations for it than masks that say the same as bounds
 * would let it. */
static bool may_choose(const nest_analysis *s, unsigned top) {
  for (uint32_t i = 0; i < s->choosing.len; i++)
    if (top_of(&s->choosing.data[i]) != top) return false;
  return s->chosen && !s->choosing_unknown;
}

/* Is the dimension lanes and copies, so that what would be its loop is one iteration? */
static bool takes_all(const bound_use *u, uint32_t taken) {
  uint32_t bits = ((1u << u->n) - 1) << u->first;
  return (taken & bits) == bits;
}

/* Chooses the loop of the lowest dimension that has one; `single`: or what is but one iteration. */
static void choose_loop(const group *g, const nest_analysis *s, const bits_by_version *taken,
                        bool single, peeled_loop *out) {
  for (uint32_t i = 0; i < s->bounds.len; i++) {
    const bound_use *u = &s->bounds.data[i];
    unsigned top = top_of(u);
    if (is_full(u) || top == 0 || (out->top > 0 && top >= out->top) || !can_go_on(g, top)) continue;
    unsigned loop = loop_below(g->shape, taken->exact, top);
    unsigned finer = loop_below(g->shape, taken->guarded, top);
    if (finer == top || finer > loop) continue;
    if (loop == top && !(single && takes_all(u, taken->exact))) continue;
    *out = (peeled_loop){
        .top = top, .first = loop, .all = INT64_C(1) << (top - loop), .finer = loop - finer};
  }
}

bool find_peeled(lower *l, const group *g, const nest_analysis *s, const bits_by_version *taken,
                 peeled_loop *out) {
  *out = (peeled_loop){0};
  if (!is_on(l, PATTERN_PEEL)) return false;
  choose_loop(g, s, taken, false, out);
  if (out->top == 0) choose_loop(g, s, taken, true, out);
  if (out->top == 0) return false;
  llv from = NULL, whole = k64(l, out->all), others = s->but_bounds;
  for (uint32_t i = 0; i < s->bounds.len; i++) {
    const bound_use *u = &s->bounds.data[i];
    if (is_full(u)) continue;
    if (top_of(u) == out->top)
      narrow(l, u, out->first, &from, &whole);
    else
      others = fold_and(l, others, exists_fully(l, u));
  }
  out->chooses = may_choose(s, out->top);
  if (out->chooses) {
    others = fold_and(l, others, s->choosing_if);
    for (uint32_t i = 0; i < s->choosing.len; i++)
      narrow(l, &s->choosing.data[i], out->first, &from, &whole);
  }
  if (from) {
    llv some = LLVMBuildICmp(l->e.b, LLVMIntULT, from, whole, "some");
    others = fold_and(l, others, some);
    out->from = LLVMBuildSelect(l->e.b, others, from, k64(l, 0), "");
  }
  if (others) whole = LLVMBuildSelect(l->e.b, others, whole, k64(l, 0), "");
  out->whole = whole;
  find_end(l, g, taken, out);
  return true;
}
