/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A distribution as a chain of simple ones: spatial(2, 1).local(2, 8).spatial(8, 4).
 *
 * Modes are in three orders: by significance in their dimension, among the workers and among the
 * slots. In a chain the outer factors are the more significant ones in all three, so a chain is an
 * order of the modes that agrees with them. It is found by taking, again and again, modes that are
 * next in all their orders; where there is none, the distribution is no chain.
 */
#include "layout/draw.h"

typedef struct chain {
  const tsr_layout *l;
  uint32_t next[MAX_RANK], end[MAX_RANK]; /* modes of each dimension that were not taken yet */
  uint32_t spatial, local;                /* entries of the lists that were taken */
  bool first;
} chain;

/* Takes modes from the front of a list as one factor, whose dimensions have to be in order. */
static uint32_t take_factor(chain *c, const int32_t *list, uint32_t at, uint32_t n,
                            int32_t factor[MAX_RANK]) {
  uint32_t from = 0;
  for (; at < n && list[at] >= 0; at++) {
    uint32_t d = from;
    while (d < c->l->rank && (c->next[d] == c->end[d] || c->next[d] != (uint32_t)list[at])) d++;
    if (d == c->l->rank) break;
    factor[d] = c->l->mode_shape[list[at]];
    c->next[d]++;
    from = d + 1;
  }
  return at;
}

static void put_factor(out_text *o, chain *c, const char *name, const int32_t *factor) {
  out_printf(o, c->first ? "%s(" : ".%s(", name);
  for (uint32_t d = 0; d < c->l->rank; d++) out_printf(o, d ? ", %d" : "%d", factor[d]);
  c->first = false;
}

static bool put_next(out_text *o, chain *c) {
  const tsr_layout *l = c->l;
  int32_t factor[MAX_RANK];
  for (uint32_t d = 0; d < l->rank; d++) factor[d] = 1;
  if (c->spatial < l->spatial && l->spatial_modes[c->spatial] < 0) {
    put_factor(o, c, "replicated", factor);
    out_printf(o, ", num_workers=%d)", -l->spatial_modes[c->spatial++]);
    return true;
  }
  uint32_t at = take_factor(c, l->spatial_modes, c->spatial, l->spatial, factor);
  bool spatial = at > c->spatial;
  if (spatial) {
    c->spatial = at;
  } else {
    at = take_factor(c, l->local_modes, c->local, l->local, factor);
    if (at == c->local) return false;
    c->local = at;
  }
  put_factor(o, c, spatial ? "spatial" : "local", factor);
  out_puts(o, ")");
  return true;
}

bool print_chain(out_text *o, const tsr_layout *l) {
  chain c = {.l = l, .first = true};
  for (uint32_t d = 0, k = 0; d < l->rank; d++) {
    c.next[d] = k;
    c.end[d] = k += l->dim_modes[d];
  }
  size_t start = o->len;
  while (c.spatial < l->spatial || c.local < l->local) {
    if (put_next(o, &c)) continue;
    o->len = start;
    return false;
  }
  if (c.first) {
    int32_t ones[MAX_RANK];
    for (uint32_t d = 0; d < l->rank; d++) ones[d] = 1;
    put_factor(o, &c, "local", ones);
    out_puts(o, ")");
  }
  return true;
}
