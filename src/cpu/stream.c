/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Stores past the cache. Before a processor writes to a line that is not in its cache it reads it,
 * and what a large result pushes out of the cache is something else that could have stayed. Stores
 * marked as non-temporal write whole lines to memory. That is worth it when all tile blocks of the
 * launch together write more than a cache holds; what they write is then read from memory by
 * whoever comes next, which it would be anyway.
 *
 * Such stores come in any order, so there is a fence when a thread has done its part of the launch
 * (rt/device_cpu.c), and none are used in kernels whose tile blocks could wait for each other.
 */
#include "cpu/lower.h"

enum { STREAM_BYTES = 32 << 20, LINE = 64, MOST_COST = 20 };

/* Does the nest store whole vectors to neighbouring addresses? */
static bool stores_neighbours(const root *r, const survey *s) {
  if (r->kind != ROOT_STORE) return false;
  const access *a = r->access;
  int64_t unit = access_unit(a), c;
  if (!a->linear || a->index || a->mask || a->memory) return false;
  if (access_elem_bits(a) < 8 || s->load_bit != s->store_bit || s->lane_n == 0) return false;
  if (s->load_bit + s->lane_n > a->n) return false;
  for (unsigned j = 0; j < s->lane_n; j++)
    if (!coef_const(a->exact[s->load_bit + j], &c) || c != unit << j) return false;
  return true;
}

/* Are vectors aligned, and does the tile begin with a line? An i1. */
static llv is_aligned(lower *l, const root *r, const survey *s) {
  const access *a = r->access;
  int64_t vector = MIN(access_unit(a) << s->lane_n, LINE), c;
  llv all = a->base;
  for (unsigned k = 0; k < a->n; k++) {
    bool is_lane = k >= s->load_bit && k < s->load_bit + s->lane_n;
    if (!is_lane && !(coef_const(a->exact[k], &c) && c % vector == 0))
      all = LLVMBuildOr(l->e.b, all, coef_value(l, a->exact[k], 64), "");
  }
  llv rest = LLVMBuildAnd(l->e.b, all, k64(l, LINE - 1), "");
  return LLVMBuildICmp(l->e.b, LLVMIntEQ, rest, k64(l, 0), "aligned");
}

/* There are at most 2^40 tile blocks. */
llv stream_is_much(lower *l, int64_t tile_bytes) {
  if (l->e.arm || ir_communicates(l->entry)) return NULL;
  llv blocks = grid_extent(l, 0);
  for (unsigned d = 1; d < 3; d++) blocks = LLVMBuildMul(l->e.b, blocks, grid_extent(l, d), "");
  int64_t enough = (STREAM_BYTES + tile_bytes - 1) / tile_bytes;
  return LLVMBuildICmp(l->e.b, LLVMIntUGE, blocks, k64(l, enough), "much");
}

typedef struct search {
  lower *l;
  const access *stored;
  llv apart;
} search;

/* A line that is loaded from is in the cache already. */
static bool keep_apart(void *user, ir_value *v, const index_map *m) {
  search *x = user;
  const value *y = value_of(x->l, v);
  (void)m;
  if (!y->load || !(y->kind == VALUE_LAZY || y->pending) || !y->load->linear) return true;
  llv differ = LLVMBuildICmp(x->l->e.b, LLVMIntNE, y->load->base, x->stored->base, "");
  x->apart = fold_and(x->l, x->apart, differ);
  return true;
}

llv stream_condition(lower *l, group *g, const survey *s) {
  int64_t bytes = 0;
  if (s->cost >= MOST_COST) return NULL;
  for (unsigned i = 0; i < g->n_roots; i++) {
    if (g->roots[i].kind == ROOT_REDUCE) continue;
    if (!stores_neighbours(&g->roots[i], s)) return NULL;
    bytes += g->shape->count * access_unit(g->roots[i].access);
  }
  llv all = bytes ? stream_is_much(l, bytes) : NULL;
  if (!all) return NULL;
  for (unsigned i = 0; i < g->n_roots; i++) {
    if (g->roots[i].kind == ROOT_REDUCE) continue;
    search x = {.l = l, .stored = g->roots[i].access};
    visit_group(l, g, keep_apart, &x);
    all = fold_and(l, all, is_aligned(l, &g->roots[i], s));
    all = fold_and(l, all, x.apart);
  }
  l->streams = true;
  return all;
}
