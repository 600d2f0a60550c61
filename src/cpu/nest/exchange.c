/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Bytes whose neighbours in memory lie along other bits of the index than the nest's lanes, as the
 * packed weights of a matrix fragment do. An element's number in a set of vectors is a string of
 * bits: some number the lane, the others the vector. Vectors are read as they lie in memory, as
 * many as have all that the copies of the body need. Then each bit that numbers vectors, and should
 * number lanes, trades places with one that numbers lanes, and should number copies: of every two
 * vectors half of the lanes. The last step also puts the lanes in their order.
 *
 *   vectors 2^x ──► x steps, in each of which all vectors are picked from two ──► copies
 */
#include "cpu/nest/exchange.h"

#include "cpu/core/notes.h"
#include "cpu/nest/analysis.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/visit.h"

enum {
  MOST_COPIES = 5, /* log2: of MAX_UNROLL */
  MOST_STEPS = 4,
  LEAST_RUN = 3, /* log2 of the neighbours, or as many loads would be shorter */
  NONE = -1,
};

static bool is_read(lower *l, const ir_value *v) {
  const value *x = value_of(l, v);
  bool reads = value_is_load(x) || (x->kind == VALUE_BUFFER && !x->pending);
  return reads && v->type->kind == IR_TILE && (v->type->elem == TSR_I8 || v->type->elem == TSR_I16);
}

static int bit_that_adds(const value *x, const index_map *m, int64_t elements) {
  for (unsigned k = 0; k < m->n; k++)
    if (value_adds(x, k, elements)) return (int)k;
  return NONE;
}

/* ---- which copies --------------------------------------------------------------------------- */

typedef struct search {
  lower *l;
  unsigned lane_bit, lane_n;
  uint32_t copies, used; /* bits of the iteration: copies; those that readings depend on */
  bool fails;
} search;

static bool note_bytes(void *user, ir_value *v, const index_map *m) {
  search *s = user;
  const value *x = value_of(s->l, v);
  if (value_is_load(x) && (x->load->mask || x->load->index || x->load->terms.n)) s->fails = true;
  if (!is_read(s->l, v)) return !s->fails;
  uint32_t lanes = ((1u << s->lane_n) - 1) << s->lane_bit, all = 0, run = 0;
  unsigned length = 0;
  for (unsigned k = 0; k < m->n; k++)
    if (m->bit[k] >= 0 && !value_adds(x, k, 0)) all |= 1u << m->bit[k];
  for (int k; length < s->lane_n; run |= 1u << m->bit[k], length++) {
    k = bit_that_adds(x, m, INT64_C(1) << length);
    if (k < 0 || m->bit[k] < 0) break;
  }
  s->used |= all;
  if ((all & lanes) == 0 || (run & ~lanes) == 0) return true;
  s->copies |= run & ~lanes;
  s->fails |= length < LEAST_RUN || __builtin_popcount(all & lanes & ~run) > MOST_STEPS;
  return true;
}

/* With them those that tell elements of one byte apart, which are taken out of it where it is. */
static uint32_t with_parts(const search *s, unsigned n) {
  uint32_t lanes = ((1u << s->lane_n) - 1) << s->lane_bit, copies = s->copies;
  for (unsigned bit = 0; bit < n && __builtin_popcount(copies) < MOST_COPIES; bit++)
    if (!((s->used | lanes) >> bit & 1)) copies |= 1u << bit;
  return copies;
}

uint32_t exchange_copies(lower *l, const group *g, unsigned lane_bit, unsigned lane_n) {
  search s = {.l = l, .lane_bit = lane_bit, .lane_n = lane_n};
  if (l->e.arm || l->e.isa.level < CPU_AVX2 || g->reduce || lane_n <= LEAST_RUN ||
      !is_on(l, PATTERN_EXCHANGE))
    return 0;
  visit_halves(l, g, note_bytes, &s);
  if (s.fails || s.copies == 0 || __builtin_popcount(s.copies) > MOST_COPIES) return 0;
  return with_parts(&s, tile_bits(g->shape));
}

/* ---- trading places ------------------------------------------------------------------------- */

/* What is read, by bits of the tile's index. */
typedef struct exchange {
  nest *n;
  ir_value *v;
  const index_map *m;
  int8_t at[LANE_BITS];    /* which bit numbers lane bit i of what is read, and then of each step */
  int8_t lane[LANE_BITS];  /* which bit should; NONE: any */
  int8_t from[LANE_BITS];  /* which bits number the vectors that are read */
  int8_t into[LANE_BITS];  /* which number copies */
  unsigned n_from, n_into; /* of those that trade places the i-th ones do */
  llv v_at[1 << LANE_BITS];
  unsigned level;
} exchange;

static bool is_among(const int8_t *bits, unsigned n, int bit) {
  for (unsigned i = 0; i < n; i++)
    if (bits[i] == bit) return true;
  return false;
}

static bool find_lanes(exchange *x) {
  memset(x->lane, NONE, sizeof x->lane);
  for (unsigned k = 0; k < x->m->n; k++) {
    int lane = x->m->bit[k] < 0 ? NONE : x->n->lane_of[x->m->bit[k]];
    if (lane < 0 || value_adds(value_of(x->n->l, x->v), k, 0)) continue;
    if (x->lane[lane] != NONE) return false;
    x->lane[lane] = (int8_t)k;
  }
  return true;
}

/* Neighbours that lanes or copies tell apart; and as many lanes besides as fill a vector. */
static bool find_read(exchange *x) {
  const nest *n = x->n;
  const value *is = value_of(n->l, x->v);
  unsigned length = 0;
  while (length < n->lane_n) {
    int k = bit_that_adds(is, x->m, INT64_C(1) << length);
    if (k < 0 || (x->m->bit[k] >= 0 && n->lane_of[x->m->bit[k]] < 0)) break;
    x->at[length++] = (int8_t)k;
    if (x->m->bit[k] < 0) x->into[x->n_into++] = (int8_t)k;
  }
  if (length < LEAST_RUN) return false;
  for (unsigned j = 0; j < n->lane_n; j++) {
    if (x->lane[j] == NONE || is_among(x->at, length, x->lane[j])) continue;
    if (length < n->lane_n)
      x->at[length++] = x->lane[j];
    else
      x->from[x->n_from++] = x->lane[j];
  }
  return length == n->lane_n && x->n_into > 0 && x->n_from <= MOST_STEPS;
}

static void read_vectors(exchange *x) {
  for (unsigned i = 0; i < 1u << x->n_from; i++) {
    index_map m = *x->m;
    for (unsigned j = 0; j < x->n->lane_n; j++) m.bit[x->at[j]] = x->n->lane[j];
    for (unsigned s = 0; s < x->n_from; s++) m.bit[x->from[s]] = i >> s & 1 ? BIT_ONE : BIT_ZERO;
    lane_value r = gen_lanes(x->n, x->v, &m);
    x->v_at[i] = r.v;
    x->level = MAX(x->level, r.level);
  }
}

static unsigned place_of(const exchange *x, int bit) {
  unsigned i = 0;
  while (x->at[i] != bit) i++;
  return i;
}

/* Lane t of the vector that has the copies' bit at lane bit `at` as it is in `set`: of the second
 * vector where it is above `lanes`. */
static unsigned picked(unsigned t, unsigned at, bool set, unsigned lanes) {
  unsigned second = t >> at & 1;
  return ((t & ~(1u << at)) | (unsigned)set << at) + second * lanes;
}

static llv shuffled(const exchange *x, llv a, llv b, const unsigned *from) {
  lower *l = x->n->l;
  unsigned lanes = nest_lane_count(x->n);
  llv mask[1 << LANE_BITS];
  for (unsigned t = 0; t < lanes; t++) mask[t] = LLVMConstInt(l->e.i32, from[t], 0);
  return LLVMBuildShuffleVector(l->e.b, a, b, LLVMConstVector(mask, lanes), "");
}

static void trade(exchange *x, unsigned s) {
  unsigned lanes = nest_lane_count(x->n), at = place_of(x, x->into[s]);
  for (unsigned i = 0; i < 1u << x->n_from; i++) {
    if (i >> s & 1) continue;
    llv a = x->v_at[i], b = x->v_at[i | 1u << s];
    for (unsigned set = 0; set < 2; set++) {
      unsigned from[1 << LANE_BITS];
      for (unsigned t = 0; t < lanes; t++) from[t] = picked(t, at, set, lanes);
      x->v_at[i | set << s] = shuffled(x, a, b, from);
    }
  }
  x->at[at] = x->from[s];
}

/* The lane that has lane t of a copy, when all bits but the last one have traded places. */
static unsigned lane_in_order(const exchange *x, unsigned t, unsigned copy) {
  unsigned from = 0;
  for (unsigned j = 0; j < x->n->lane_n; j++)
    if (x->lane[j] != NONE && t >> j & 1) from |= 1u << place_of(x, x->lane[j]);
  for (unsigned s = x->n_from; s < x->n_into; s++)
    if (copy >> s & 1) from |= 1u << place_of(x, x->into[s]);
  return from;
}

/* The last step, and the order of the lanes. */
static llv put_in_order(exchange *x, unsigned copy) {
  unsigned lanes = nest_lane_count(x->n), from[1 << LANE_BITS];
  if (x->n_from == 0) {
    for (unsigned t = 0; t < lanes; t++) from[t] = lane_in_order(x, t, copy);
    return shuffled(x, x->v_at[0], LLVMGetPoison(LLVMTypeOf(x->v_at[0])), from);
  }
  unsigned s = x->n_from - 1, at = place_of(x, x->into[s]), low = copy & ((1u << s) - 1);
  exchange after = *x;
  after.at[at] = x->from[s];
  for (unsigned t = 0; t < lanes; t++)
    from[t] = picked(lane_in_order(&after, t, copy), at, copy >> s & 1, lanes);
  return shuffled(x, x->v_at[low], x->v_at[low | 1u << s], from);
}

/* What the copies take, of which `m` is one. */
static lane_value remember_copies(exchange *x) {
  lane_value found = {0};
  for (unsigned copy = 0; copy < 1u << x->n_into; copy++) {
    index_map m = *x->m;
    for (unsigned s = 0; s < x->n_into; s++) m.bit[x->into[s]] = copy >> s & 1 ? BIT_ONE : BIT_ZERO;
    lane_value r = {.v = put_in_order(x, copy), .level = x->level};
    if (map_equal(&m, x->m))
      found = r;
    else
      gen_remember(x->n, x->v, &m, r);
  }
  return found;
}

bool gen_exchanged(nest *n, ir_value *v, const index_map *m, lane_value *out) {
  exchange x = {.n = n, .v = v, .m = m};
  if (!n->exchanges || !is_read(n->l, v) || !find_lanes(&x) || !find_read(&x)) return false;
  NOTE_MATCH(n->l, EXCHANGE, .value = v, .n = {1 << x.n_from, 1 << x.n_into});
  read_vectors(&x);
  nest_place_level(n, x.level);
  for (unsigned s = 0; s + 1 < x.n_from; s++) trade(&x, s);
  *out = remember_copies(&x);
  return true;
}
