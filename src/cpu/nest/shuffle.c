/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lanes in another order than memory's. Where a reshape, a permutation within a row or a
 * concatenation of single elements mixes neighbours, as an embedding of positions that rotates
 * pairs does, each lane would be gathered by itself. Instead the few whole vectors are read in
 * which all of them lie, once for all copies of the body, and the lanes are picked in registers.
 */
#include "opt/nans.h"
#include "llvm/conv.h"
#include "llvm/nans.h"

#include "cpu/nest/shuffle.h"

#include "cpu/core/notes.h"
#include "cpu/nest/analysis.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/nest.h"

enum {
  MAX_VECTORS = 8,  /* that a vector is picked from */
  MAX_SHORT = 4,    /* the same, when they have fewer elements than there are lanes */
  MAX_REPEATED = 4, /* times that these are repeated in them */
};

/* What is read for one vector of lanes. Bit j of an element's number is bit at[j] of the tile's
 * index: the first `n` bits number neighbours, the others the vectors that these make. */
typedef struct shuffle_source {
  unsigned n, all;
  uint8_t at[2 * LANE_BITS];
} shuffle_source;

static int lane_at(const nest *n, const index_map *m, unsigned k) {
  return m->bit[k] < 0 ? -1 : n->lane_of[m->bit[k]];
}

static int bit_that_adds(const value *x, const index_map *m, int64_t elements) {
  for (unsigned k = 0; k < m->n; k++)
    if (value_adds(x, k, elements)) return (int)k;
  return -1;
}

/* A vector of neighbours, or as many as no loop tells apart; and for all other lanes others. */
static shuffle_source find_shuffle_source(const nest *n, const value *x, const index_map *m) {
  shuffle_source p = {.n = 0};
  uint32_t taken = 0;
  while (p.n < n->lane_n) {
    int k = bit_that_adds(x, m, INT64_C(1) << p.n);
    if (k < 0 || (m->bit[k] >= 0 && lane_at(n, m, (unsigned)k) < 0)) break;
    p.at[p.n++] = (uint8_t)k;
    taken |= 1u << k;
  }
  p.all = p.n;
  for (unsigned k = 0; k < m->n && p.all < ARRAY_LEN(p.at); k++)
    if (lane_at(n, m, k) >= 0 && !(taken >> k & 1)) p.at[p.all++] = (uint8_t)k;
  return p;
}

/* Is it read from memory, and this less work than loads by themselves, element by element if all
 * else fails? */
static bool is_worth(const nest *n, const index_map *m, const shuffle_source *p) {
  unsigned run = 0, vectors = 1u << (p->all - p->n), lane_bits = p->all - p->n;
  for (unsigned j = 0; j < p->n; j++) lane_bits += lane_at(n, m, p->at[j]) >= 0;
  while (run < p->n && lane_at(n, m, p->at[run]) == (int)run) run++;
  if (p->n == 0 || run == lane_bits || vectors == nest_lane_count(n)) return false;
  if (run > 0 && 1u << (n->lane_n - run) <= MAX(2, vectors)) return false; /* pieces, or halves */
  return p->n == n->lane_n ? vectors <= MAX_VECTORS
                           : vectors <= MAX_SHORT && 1u << (n->lane_n - p->n) <= MAX_REPEATED;
}

/* Which lane of which vector is in which lane. */
static void find_sources(const nest *n, const index_map *m, const shuffle_source *p,
                         unsigned *from) {
  for (unsigned t = 0; t < nest_lane_count(n); t++) {
    from[t] = 0;
    for (unsigned j = 0; j < p->all; j++) {
      int lane = lane_at(n, m, p->at[j]);
      bool set = lane >= 0 ? t >> lane & 1 : m->bit[p->at[j]] == BIT_ONE;
      from[t] |= (unsigned)set << (j < p->n ? j : n->lane_n + j - p->n);
    }
  }
}

/* Vector i has the neighbours in order. */
static index_map map_of_vector(const nest *n, const index_map *m, const shuffle_source *p,
                               unsigned i) {
  index_map whole = *m;
  for (unsigned j = 0; j < p->all; j++) {
    if (j < p->n)
      whole.bit[p->at[j]] = n->lane[j];
    else
      whole.bit[p->at[j]] = i >> (j - p->n) & 1 ? BIT_ONE : BIT_ZERO;
  }
  return whole;
}

/* The lanes that come from `count` of the vectors, the others undefined. */
static llv shuffle_from(lower *l, llv *v, unsigned first, unsigned count, const unsigned *from,
                        unsigned lanes) {
  llv mask[1 << LANE_BITS], a = v[first], b = LLVMGetPoison(LLVMTypeOf(a));
  unsigned half = MAX(count / 2, 1);
  if (count > 2) {
    a = shuffle_from(l, v, first, half, from, lanes);
    b = shuffle_from(l, v, first + half, half, from, lanes);
  } else if (count == 2) {
    b = v[first + 1];
  }
  for (unsigned t = 0; t < lanes; t++) {
    unsigned of = from[t] / lanes, at = count > 2 ? t : from[t] % lanes;
    bool here = of >= first && of < first + count;
    mask[t] = here ? LLVMConstInt(l->e.i32, at + (of >= first + half ? lanes : 0), 0)
                   : LLVMGetPoison(l->e.i32);
  }
  return LLVMBuildShuffleVector(l->e.b, a, b, LLVMConstVector(mask, lanes), "");
}

bool shuffle_as_bits(lower *l, const ir_value *v, llv *x, unsigned count) {
  bool plain = opt_nans_are_alike(v), bits = !plain;
  LLVMTypeRef words = emit_lane_type(&l->e, TSR_I32, emit_lanes(x[0]));
  for (unsigned i = 0; i < count; i++) bits &= emit_loaded_half(x[i]) != NULL;
  for (unsigned i = 0; i < count; i++) {
    if (bits) x[i] = LLVMBuildZExt(l->e.b, emit_loaded_half(x[i]), words, "");
    if (plain) x[i] = emit_plain_half(x[i]);
  }
  return bits;
}

llv shuffle_decoded(lower *l, llv bits) {
  LLVMTypeRef halves = emit_lane_type(&l->e, TSR_I16, emit_lanes(bits));
  return emit_decode(&l->e, TSR_F16, LLVMBuildTrunc(l->e.b, bits, halves, ""));
}

bool gen_shuffled(nest *n, ir_value *v, const index_map *m, lane_value *out) {
  value *x = value_of(n->l, v);
  if (!n->exact || n->lane_n == 0 || !is_on(n->l, PATTERN_SHUFFLE) ||
      (x->load && (x->load->mask || x->load->padding)))
    return false;
  shuffle_source p = find_shuffle_source(n, x, m);
  if (!is_worth(n, m, &p)) return false;
  unsigned lanes = nest_lane_count(n), from[1 << LANE_BITS];
  llv vectors[MAX_VECTORS] = {0};
  find_sources(n, m, &p, from);
  *out = (lane_value){.level = 0};
  for (unsigned i = 0; i < 1u << (p.all - p.n); i++) {
    index_map whole = map_of_vector(n, m, &p, i);
    lane_value r = gen_lanes(n, v, &whole);
    vectors[i] = r.v;
    out->level = MAX(out->level, r.level);
  }
  nest_place_level(n, out->level);
  unsigned count = 1u << (p.all - p.n);
  NOTE_MATCH(n->l, SHUFFLE, .value = v, .n = {count});
  bool bits = shuffle_as_bits(n->l, v, vectors, count);
  out->v = shuffle_from(n->l, vectors, 0, count, from, lanes);
  if (bits) out->v = shuffle_decoded(n->l, out->v);
  return true;
}
