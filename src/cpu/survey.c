/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a group's nest must know about the expressions in it: which conditions the faster version
 * needs, how wide its lanes are and along which dimension they should lie.
 */
#include "cpu/lower.h"

static unsigned register_bits(tsr_elem elem) {
  unsigned bits = tsr_elem_bits(elem);
  if (tsr_elem_is_float(elem)) return bits == 64 ? 64 : 32;
  return elem == TSR_I1 || elem == TSR_PTR ? 0 : MAX(bits, 8);
}

static void survey_access(survey *s, const access *a) {
  if (access_has_form(a) && a->ok) s->holds = fold_and(s->l, s->holds, a->ok);
  if ((a->checked || a->index) && a->full) s->holds = fold_and(s->l, s->holds, a->full);
}

/* The bit of the iteration along which the elements lie next to each other, for all `lanes` bits
 * from there; -1 when there is none. */
static int neighbours(const access *a, const index_map *m, unsigned lane_n) {
  int64_t unit = access_elem_bits(a) / 8, c;
  if (!access_has_form(a) || unit == 0 || lane_n == 0) return -1;
  for (unsigned k = 0; k + lane_n <= a->n; k++) {
    unsigned j = 0;
    while (j < lane_n && coef_const(a->exact[k + j], &c) && c == unit << j && m->bit[k] >= 0 &&
           m->bit[k + j] == m->bit[k] + (int)j && !(a->terms.bits >> (k + j) & 1))
      j++;
    if (j == lane_n) return m->bit[k];
  }
  return -1;
}

/* How many elements an iteration over everything loads. Those of a broadcast tile are loaded once:
 * the indices of gathered rows, say, which lie along another dimension than the rows themselves. */
static uint64_t elements_loaded(const index_map *m) {
  uint64_t bits = 0;
  for (unsigned k = 0; k < m->n; k++)
    if (m->bit[k] >= 0) bits |= UINT64_C(1) << m->bit[k];
  return UINT64_C(1) << __builtin_popcountll(bits);
}

static bool survey_lanes(void *user, ir_value *v, const index_map *m) {
  survey *s = user;
  value *x = value_of(s->l, v);
  if (!x->load || !(x->kind == VALUE_LAZY || x->pending)) return true;
  int bit = neighbours(x->load, m, s->lane_n);
  if (bit >= 0) s->votes[bit] += elements_loaded(m);
  return true;
}

bool survey_is_along_last(lower *l, group *g) {
  survey s = {.l = l, .lane_n = 1};
  index_map m = map_identity(tile_bits(g->shape));
  visit_group(l, g, survey_lanes, &s);
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_STORE && neighbours(g->roots[i].access, &m, s.lane_n) > 0)
      return false;
  for (unsigned bit = 1; bit < MAP_BITS; bit++)
    if (s.votes[bit] > s.votes[0]) return false;
  return true;
}

/* The bit along which elements of the buffer lie next to each other; 0 when it is none. */
static int bit_in_buffer(const buffer *b, unsigned lane_n) {
  for (unsigned first = 1; first + lane_n <= b->n; first++) {
    unsigned j = 0;
    while (j < lane_n && b->stride[first + j] == 1 << j) j++;
    if (j == lane_n) return (int)first;
  }
  return 0;
}

/* Where lanes may lie: the bits along which most of what is loaded, and all that is stored, has
 * neighbours. */
typedef struct places {
  unsigned loaded, stored;
  bool misses; /* nothing that is loaded, or something that is stored, has for so many lanes */
} places;

/* False when roots differ in that, or the tile is too small. */
static bool find_places(survey *s, group *g, places *p) {
  index_map m = map_identity(tile_bits(g->shape));
  if (2 * s->lane_n > m.n) return false;
  memset(s->votes, 0, sizeof s->votes);
  visit_group(s->l, g, survey_lanes, s);
  *p = (places){0};
  for (unsigned bit = 1; bit < MAP_BITS; bit++)
    if (s->votes[bit] > s->votes[p->loaded]) p->loaded = bit;
  p->misses = s->votes[p->loaded] == 0;
  int stored = -1;
  for (unsigned i = 0; i < g->n_roots; i++) {
    const root *r = &g->roots[i];
    int bit = r->kind == ROOT_STORE  ? neighbours(r->access, &m, s->lane_n)
              : r->kind == ROOT_KEEP ? bit_in_buffer(r->to, s->lane_n)
                                     : 0;
    p->misses |= bit < 0;
    if (bit < 0) bit = (int)p->loaded;
    if (stored >= 0 && bit != stored) return false;
    stored = bit;
  }
  p->stored = (unsigned)stored;
  int pair = group_pair_bit(g); /* must be the first of the copies, once they are transposed */
  return pair < 0 || p->loaded == p->stored || p->loaded == (unsigned)pair;
}

static void take_places(survey *s, const places *p) {
  s->load_bit = p->loaded;
  s->store_bit = p->stored;
}

/* Does the nest transpose, in squares of as many elements as there are lanes? */
static bool in_squares(const survey *s, const places *p) {
  unsigned apart = p->loaded > p->stored ? p->loaded - p->stored : p->stored - p->loaded;
  return apart && apart >= s->lane_n && 1u << s->lane_n <= MAX_UNROLL;
}

/* Lanes lie along the last dimension, unless more is loaded whose neighbours lie along another. A
 * register of narrow elements has more of them than there are registers to transpose with; then
 * fewer lanes do. */
static void choose_bits(survey *s, group *g) {
  const unsigned all = s->lane_n, most = log2_of(MAX_UNROLL);
  places p, q;
  if (g->reduce || all == 0) return;
  bool found = find_places(s, g, &p), along = found && p.loaded == p.stored;
  if (found && (in_squares(s, &p) || (along && !p.misses))) {
    take_places(s, &p);
    return;
  }
  s->lane_n = MIN(all, most);
  if (all > most && find_places(s, g, &q) && in_squares(s, &q)) {
    take_places(s, &q);
    return;
  }
  s->lane_n = all;
  if (along) take_places(s, &p);
}

bool access_takes_nibbles(const access *a, const index_map *m) {
  int64_t c;
  return access_elem_bits(a) == 4 && a->linear && a->checked && !a->index && m->n > 0 &&
         m->bit[0] == 0 && coef_const(a->exact[0], &c) && c == 1;
}

static bool survey_value(void *user, ir_value *v, const index_map *m) {
  survey *s = user;
  value *x = value_of(s->l, v);
  if (x->linear && x->linear->ok && x->kind != VALUE_SCALAR)
    s->holds = fold_and(s->l, s->holds, x->linear->ok);
  if (x->load && (x->kind == VALUE_LAZY || x->pending)) {
    survey_access(s, x->load);
    s->nibbles |= access_takes_nibbles(x->load, m);
  }
  if (x->chosen && (x->kind == VALUE_LAZY || x->pending))
    s->holds = fold_and(s->l, s->holds, x->chosen);
  if (!x->linear && v->type->kind == IR_TILE)
    s->width = MAX(s->width, register_bits(v->type->elem));
  s->cost++;
  if (x->kind == VALUE_LAZY) s->cost += x->cost > 16 ? 8 : 0;
  if (x->heavy && (x->kind == VALUE_LAZY || x->pending)) s->cost += 16;
  return true;
}

survey survey_group(lower *l, group *g) {
  survey s = {.l = l, .width = 8};
  visit_group(l, g, survey_value, &s);
  for (unsigned i = 0; i < g->n_roots; i++) {
    root *r = &g->roots[i];
    if (r->kind == ROOT_STORE) survey_access(&s, r->access);
    if (r->kind == ROOT_PRODUCT)
      s.width = MAX(s.width, register_bits((tsr_elem)ir_result(r->op, 0)->type->elem));
    if (r->kind == ROOT_REDUCE) {
      uint32_t ops = 0;
      for (ir_op *op = ir_region(r->op, 0)->first; op; op = op->next) ops++;
      s.cost += ops;
    }
  }
  s.lane_n = MIN(log2_of(l->e.vector_bits / MAX(s.width, 8)), (unsigned)LANE_BITS);
  s.lane_n = MIN(s.lane_n, tile_bits(g->shape));
  choose_bits(&s, g);
  return s;
}
