/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles that reach over an end. A row of 1000 elements in a tile of 1024 is whole but for its last
 * few; a version of the nest for tiles all of whose elements exist would never run. So one loop of
 * the nest is divided: the exact version makes the iterations for which everything exists, and the
 * guarded one goes on from there. In tiles that are whole the first makes them all, so this costs
 * two comparisons and no code.
 *
 * That loop counts the highest bits of a dimension, so what exists of a dimension is its first
 * iterations. Other dimensions are whole, or the guarded version makes everything.
 */
#include "cpu/lower.h"

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
  return is_const(u->hi, &hi) && hi == INT64_C(1) << u->n;
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

/* How many of the loop's iterations exist as a whole. */
static llv iterations_of(lower *l, const bound_use *u, unsigned loop_first) {
  llv hi = u->hi;
  LLVMBuilderRef b = l->e.b;
  if (u->forced) hi = LLVMBuildSelect(b, u->forced, k64(l, INT64_C(1) << u->n), hi, "");
  if (loop_first >= (unsigned)u->first)
    return LLVMBuildLShr(b, hi, k64(l, (int64_t)loop_first - u->first), "");
  return LLVMBuildShl(b, hi, k64(l, u->first - (int64_t)loop_first), "");
}

static llv exists_fully(lower *l, const bound_use *u) {
  llv full = LLVMBuildICmp(l->e.b, LLVMIntEQ, u->hi, k64(l, INT64_C(1) << u->n), "full");
  return u->forced ? LLVMBuildOr(l->e.b, full, u->forced, "") : full;
}

bool parts_of(lower *l, const group *g, const survey *s, uint32_t exact_taken,
              uint32_t guarded_taken, loop_parts *out) {
  unsigned first = 0;
  out->top = 0;
  for (uint32_t i = 0; i < s->bounds.len; i++) {
    const bound_use *u = &s->bounds.data[i];
    unsigned top = top_of(u);
    if (is_full(u) || top == 0 || (out->top > 0 && top >= out->top) || !can_go_on(g, top)) continue;
    unsigned loop = loop_below(g->shape, exact_taken, top);
    unsigned finer = loop_below(g->shape, guarded_taken, top);
    if (loop == top || finer > loop) continue;
    out->top = top;
    out->all = INT64_C(1) << (top - loop);
    out->finer = loop - finer;
    first = loop;
  }
  if (out->top == 0) return false;
  llv whole = k64(l, out->all), others = s->but_bounds;
  for (uint32_t i = 0; i < s->bounds.len; i++) {
    const bound_use *u = &s->bounds.data[i];
    if (is_full(u)) continue;
    if (top_of(u) == out->top)
      whole = umin64(l, whole, iterations_of(l, u, first));
    else
      others = fold_and(l, others, exists_fully(l, u));
  }
  if (others) whole = LLVMBuildSelect(l->e.b, others, whole, k64(l, 0), "");
  out->whole = whole;
  return true;
}
