/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What holds of roots and of groups of them.
 */
#include "cpu/nest/roots.h"

#include "cpu/plan/plan.h"
#include "cpu/nest/reduce_body.h"

/* Does the root do without the first iteration, because it starts from it? */
bool root_skips_first(const root *r) {
  return r->kind == ROOT_REDUCE && !reduce_is_neutral(r->op);
}

int group_pair_bit(const group *g) {
  const root *r = &g->roots[0];
  if (r->kind != ROOT_MATERIALISE || r->to->format != FORMAT_PAIRS) return -1;
  int bit = 0;
  while (r->to->stride[bit] != 1) bit++;
  return bit;
}

bool group_has_products(const group *g) {
  return g->n_roots && g->roots[0].kind == ROOT_PRODUCT;
}

unsigned group_count_stores(const group *g) {
  unsigned n = 0;
  for (unsigned i = 0; i < g->n_roots; i++) n += g->roots[i].kind == ROOT_STORE;
  return n;
}

bool group_has_store(const group *g) {
  return group_count_stores(g) > 0;
}

/* The position of the last root that isn't a tile to keep. */
uint32_t group_end(lower *l, const group *g) {
  uint32_t end = 0;
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind != ROOT_MATERIALISE) end = MAX(end, plan_order_of(l, g->roots[i].op));
  return end;
}
