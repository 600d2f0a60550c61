/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turning what is read. Elements that have their neighbours in memory along another dimension than
 * the nest's lanes would be gathered one by one. Instead they are read in lanes along their own
 * dimension, in as many copies as there are lanes: a square, which is transposed in registers. The
 * nest's copies lie along that dimension, so that each finds its row of the square.
 *
 * An expression of nothing else is evaluated before it is transposed.
 */
#include "cpu/nest/transpose.h"

#include "cpu/core/notes.h"
#include "cpu/plan/map.h"
#include "cpu/nest/analysis.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/shuffle.h"
#include "cpu/nest/visit.h"

/* ---- transposing registers ------------------------------------------------------------------- */

/* LLVM searches chains of shuffles for shorter ones: all ways through all of them, which took a
 * quarter of the compile time of kernels that transpose. There are none for it to find. */
static void hide_shuffles(lower *l, llv *v, unsigned count) {
  for (unsigned u = 0; u < count; u++)
    if (emit_fills_register(&l->e, v[u])) v[u] = emit_opaque(&l->e, v[u], false);
}

/* Lanes come in blocks of 2^j. Of each four of them the even ones of a, then of b; or the odd ones.
 */
static llv every_other(lower *l, llv a, llv b, unsigned j, unsigned odd) {
  unsigned count = emit_lanes(a);
  llv from[MAX_SQUARE];
  for (unsigned t = 0; t < count; t++) {
    unsigned block = t >> j & 3, lane = (t & ~(3u << j)) | ((block & 1) * 2 + odd) << j;
    from[t] = LLVMConstInt(l->e.i32, (block >> 1) * count + lane, 0);
  }
  return LLVMBuildShuffleVector(l->e.b, a, b, LLVMConstVector(from, count), "");
}

/* Bits j and j + 1 of the lane's number and of the copy's trade places: blocks and vectors, four of
 * each. */
static void trade_two(lower *l, llv *v, unsigned count, unsigned j) {
  for (unsigned u = 0; u < count; u++) {
    if (u >> j & 3) continue;
    llv *at[4], half[4];
    for (unsigned i = 0; i < 4; i++) at[i] = &v[u | i << j];
    for (unsigned i = 0; i < 4; i++) half[i] = every_other(l, *at[i & 2], *at[i | 1], j, i & 1);
    for (unsigned i = 0; i < 4; i++)
      *at[i] = every_other(l, half[i & 1], half[2 | (i & 1)], j, i >> 1);
  }
}

/* Bit j alone. */
static void trade_one(lower *l, llv *v, unsigned count, unsigned j) {
  for (unsigned u = 0; u < count; u++) {
    if (u >> j & 1) continue;
    unsigned w = u | 1u << j;
    llv low[MAX_SQUARE], high[MAX_SQUARE];
    for (unsigned t = 0; t < count; t++) {
      bool set = t >> j & 1;
      low[t] = LLVMConstInt(l->e.i32, set ? count + (t ^ 1u << j) : t, 0);
      high[t] = LLVMConstInt(l->e.i32, set ? count + t : t | 1u << j, 0);
    }
    llv a = LLVMBuildShuffleVector(l->e.b, v[u], v[w], LLVMConstVector(low, count), "");
    v[w] = LLVMBuildShuffleVector(l->e.b, v[u], v[w], LLVMConstVector(high, count), "");
    v[u] = a;
  }
}

/* The lane's number and the copy's trade places. Processors take every other one of 32 and of 128
 * bits from two registers in one instruction, which needs no register for a pattern and overwrites
 * none. */
static void transpose(lower *l, llv *v, unsigned bits) {
  unsigned count = 1u << bits, size = lanes_bits(&l->e, v[0]);
  for (unsigned j = 0, both; j < bits; j += 1 + both) {
    both = j + 1 < bits && (size << j == 32 || size << j == 128);
    hide_shuffles(l, v, count);
    if (both)
      trade_two(l, v, count, j);
    else
      trade_one(l, v, count, j);
  }
}

/* ---- what to turn ---------------------------------------------------------------------------- */

enum { MAX_TURNED = 8 }; /* expressions of a nest; the loads of others are gathered */

typedef struct turned {
  ir_value *v;
  index_map m;
} turned;

typedef struct search {
  const nest_analysis *s;
  turned found[MAX_TURNED];
  unsigned n;
} search;

typedef struct readings {
  const nest_analysis *s;
  bool turned, along;
} readings;

static bool note_reading(void *user, ir_value *v, const index_map *m) {
  readings *x = user;
  reading r = analysis_reading(x->s, v, m);
  x->turned |= r == READ_TRANSPOSED;
  x->along |= r == READ_ALONG;
  return !x->along;
}

/* Bits in registers are no vectors that can be transposed in few instructions: what is compared is
 * transposed, unless it is a bit in memory. */
static bool can_be_turned(const search *x, ir_value *v, const index_map *m) {
  if (v->type->elem == TSR_I1 && analysis_reading(x->s, v, m) == READ_NOTHING) return false;
  readings r = {.s = x->s};
  visit_expression(x->s->l, v, m, note_reading, &r);
  return r.turned && !r.along;
}

static bool find_transposed(void *user, ir_value *v, const index_map *m) {
  search *x = user;
  for (unsigned i = 0; i < x->n; i++)
    if (x->found[i].v == v && map_equal(&x->found[i].m, m)) return false; /* another root's, too */
  if (x->n == MAX_TURNED || !can_be_turned(x, v, m)) return true;
  x->found[x->n++] = (turned){v, *m};
  return false;
}

/* ---- turning it ------------------------------------------------------------------------------ */

/* The nest in other lanes: those are its copies now, and its copies lanes. */
static nest other_lanes(const nest *n, const nest_analysis *s) {
  nest other = *n;
  memset(&other.memo, 0, sizeof other.memo);
  memset(other.lane_of, -1, sizeof other.lane_of);
  other.lane_n = 0;
  nest_lanes(&other, (unsigned)s->transpose_bit, n->lane_n);
  for (unsigned j = 0; j < n->lane_n; j++) other.unroll[s->squares + j] = (int8_t)(s->lane_bit + j);
  return other;
}

/* The lowest bits of a copy's number say which square it is in. */
static void turn_square(nest *n, nest *other, const turned *t, unsigned square, unsigned squares) {
  unsigned count = 1u << n->lane_n, last = n->n_levels - 1;
  llv v[MAX_SQUARE];
  for (unsigned row = 0; row < count; row++) {
    index_map m = nest_map_of(other, square | row << squares, &t->m);
    v[row] = gen_lanes(other, t->v, &m).v;
  }
  nest_place_level(other, last);
  bool bits = shuffle_as_bits(n->l, t->v, v, count);
  transpose(n->l, v, n->lane_n);
  for (unsigned row = 0; row < count; row++) {
    index_map m = nest_map_of(n, square | row << squares, &t->m);
    llv x = bits ? shuffle_decoded(n->l, v[row]) : v[row];
    gen_remember(n, t->v, &m, (lane_value){.v = x, .level = last});
  }
}

void transpose_readings(nest *n, const group *g, const nest_analysis *s) {
  search x = {.s = s};
  index_map m = map_identity(tile_bits(g->shape));
  for (unsigned i = 0; i < g->n_roots; i++) {
    const root *r = &g->roots[i];
    if (r->kind != ROOT_REDUCE) visit_from_top(n->l, r->value, &m, find_transposed, &x);
    for (uint32_t k = 0; r->kind == ROOT_REDUCE && k < r->op->n_operands; k++)
      visit_from_top(n->l, ir_operand(r->op, k), &m, find_transposed, &x);
  }
  nest other = other_lanes(n, s);
  for (unsigned i = 0; i < x.n; i++)
    NOTE_MATCH(n->l, TRANSPOSE, .value = x.found[i].v, .n = {1 << n->lane_n, 1 << s->squares});
  for (unsigned i = 0; i < x.n; i++)
    for (unsigned square = 0; square < 1u << s->squares; square++)
      turn_square(n, &other, &x.found[i], square, s->squares);
  memcpy(n->levels, other.levels, sizeof n->levels); /* the body may have been cut */
}
