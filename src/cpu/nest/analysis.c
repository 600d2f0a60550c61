/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a group's nest must know about the expressions in it: which conditions the faster version
 * needs, how wide its lanes are and along which dimension they should lie.
 */
#include "llvm/elementwise.h"

#include "cpu/nest/analysis.h"

#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/plan/mask.h"
#include "cpu/nest/exchange.h"
#include "cpu/nest/reduce_body.h"
#include "cpu/nest/roots.h"
#include "cpu/nest/visit.h"

enum {
  COST_NARROW = 16, /* of a body that fewer lanes make faster, when more would be gathered */
  COST_GATHER = 12, /* of elements or rows at any addresses, beyond that of others */
  COPIES = 2,       /* log2 of the copies of such a body, of neighbours of the lanes (group.c) */
  MAX_APART = 2,    /* log2 of the pieces that lanes had better be made of */
  LEAST_CHAIN = 64, /* cost of a body that is looked at for whether it is a chain */
  CHAIN_WIDTH = 4,  /* operations of a chain that don't wait for each other */
};

static unsigned register_bits(tsr_elem elem) {
  unsigned bits = tsr_elem_bits(elem);
  if (tsr_elem_is_float(elem)) return bits == 64 ? 64 : 32;
  return elem == TSR_I1 || elem == TSR_PTR ? 0 : MAX(bits, 8);
}

/* One more condition, which isn't about bounds. */
static void add_condition(nest_analysis *s, llv condition) {
  s->holds = fold_and(s->l, s->holds, condition);
  s->but_bounds = fold_and(s->l, s->but_bounds, condition);
}

static bound_use bound_use_of(const access_bound *bound, const index_map *m) {
  bound_use u = {.first = m->bit[bound->first], .n = bound->n, .hi = bound->hi};
  for (unsigned k = 0; k < bound->n; k++)
    if (m->conservative || m->bit[bound->first + k] < 0 ||
        m->bit[bound->first + k] != u.first + (int)k) {
      u.first = -1;
      break;
    }
  return u;
}

void access_bounds(lower *l, const access *a, const index_map *m, bound_uses *uses, llv *others) {
  uint32_t first = uses->len;
  llv rest = NULL;
  if (a->mask && !mask_bounds(l, a->mask, m, uses, &rest)) {
    uses->len = first;
    rest = a->full;
  }
  for (unsigned i = 0; i < a->n_bounds; i++)
    vec_push(l->arena, *uses, bound_use_of(&a->bounds[i], m));
  for (uint32_t i = first; i < uses->len; i++) uses->data[i].forced = a->forced;
  if (rest && a->forced) rest = fold_or(l, rest, a->forced);
  *others = fold_and(l, a->but_bounds, rest);
}

static void analyse_access(nest_analysis *s, const access *a, const index_map *m) {
  s->gathers |= a->pointers && !access_has_form(a);
  if (a->pointers && !a->linear) s->cost += COST_GATHER;
  if (a->clamped) {
    s->clamps = true;
    s->clamping_if = fold_and(s->l, s->clamping_if, a->clamped->ok);
  }
  if (access_has_form(a) && a->ok) s->forms = fold_and(s->l, s->forms, a->ok);
  if (!(a->checked || a->index) || !a->full) return;
  s->holds = fold_and(s->l, s->holds, a->full);
  llv others;
  access_bounds(s->l, a, m, &s->bounds, &others);
  s->but_bounds = fold_and(s->l, s->but_bounds, others);
}

/* Where elements are: one of the two; neither where the value isn't read from memory. */
typedef struct whereabouts {
  const access *access;
  const buffer *buffer;
} whereabouts;

static whereabouts whereabouts_of(const value *x) {
  if (value_is_load(x)) return (whereabouts){.access = x->load};
  return (whereabouts){.buffer = x->kind == VALUE_BUFFER && !x->pending ? x->buffer : NULL};
}

static whereabouts written_by(const root *r) {
  if (r->kind == ROOT_STORE) return (whereabouts){.access = r->access};
  return (whereabouts){.buffer = r->to};
}

static bool is_anywhere(const whereabouts *p) {
  return p->access || p->buffer;
}

/* Does bit k of the tile's index add so many elements, and nothing that isn't known? */
static bool adds(const whereabouts *p, unsigned k, int64_t elements) {
  const access *a = p->access;
  int64_t c;
  if (!a) return p->buffer->stride[k] == elements;
  return access_has_form(a) && !(a->terms.bits >> k & 1) && coef_const(a->exact[k], &c) &&
         8 * c == elements * access_elem_bits(a);
}

bool value_adds(const value *x, unsigned k, int64_t elements) {
  whereabouts p = whereabouts_of(x);
  return is_anywhere(&p) && adds(&p, k, elements);
}

/* The bit of the iteration along which the elements lie next to each other, for all `lane_n` bits
 * from there; -1 when there is none. */
static int neighbours(whereabouts p, const index_map *m, unsigned lane_n) {
  if (!is_anywhere(&p) || lane_n == 0 || (p.access && access_elem_bits(p.access) < 8)) return -1;
  for (unsigned k = 0; k + lane_n <= m->n; k++) {
    unsigned j = 0;
    while (j < lane_n && m->bit[k] >= 0 && m->bit[k + j] == m->bit[k] + (int)j &&
           adds(&p, k + j, 1 << j))
      j++;
    if (j == lane_n) return m->bit[k];
  }
  return -1;
}

/* Do the elements differ, or may they, along `lane_n` bits of the iteration from `first`? */
static bool differs_along(whereabouts p, const index_map *m, unsigned first, unsigned lane_n) {
  const access *a = p.access && p.access->index ? p.access : NULL;
  for (unsigned k = 0; k < m->n; k++) {
    if (m->bit[k] < (int)first || m->bit[k] >= (int)(first + lane_n)) continue;
    bool indexed = a && k >= a->index_first && k < (unsigned)a->index_first + a->index_n;
    if (indexed || !adds(&p, k, 0)) return true;
  }
  return false;
}

reading analysis_reading(const nest_analysis *s, ir_value *v, const index_map *m) {
  whereabouts p = whereabouts_of(value_of(s->l, v));
  if (!is_anywhere(&p)) return READ_NOTHING;
  if (!differs_along(p, m, s->lane_bit, s->lane_n) ||
      !differs_along(p, m, (unsigned)s->transpose_bit, s->lane_n))
    return READ_EITHER;
  return neighbours(p, m, s->lane_n) == s->transpose_bit ? READ_TRANSPOSED : READ_ALONG;
}

/* How many elements an iteration over everything loads. Those of a broadcast tile are loaded once:
 * the indices of gathered rows, say, which lie along another dimension than the rows themselves. */
static uint64_t elements_loaded(const index_map *m) {
  uint64_t bits = 0;
  for (unsigned k = 0; k < m->n; k++)
    if (m->bit[k] >= 0) bits |= UINT64_C(1) << m->bit[k];
  return UINT64_C(1) << __builtin_popcountll(bits);
}

static bool analyse_lanes(void *user, ir_value *v, const index_map *m) {
  nest_analysis *s = user;
  const value *x = value_of(s->l, v);
  int bit = value_is_load(x) ? neighbours(whereabouts_of(x), m, s->lane_n) : -1;
  if (bit >= 0) s->votes[bit] += elements_loaded(m);
  return true;
}

/* What had better be transposed, when lanes lie along lane_bit. */
static bool analyse_transposed(void *user, ir_value *v, const index_map *m) {
  nest_analysis *s = user;
  whereabouts p = whereabouts_of(value_of(s->l, v));
  int bit = neighbours(p, m, s->lane_n);
  if (bit >= 0 && differs_along(p, m, s->lane_bit, s->lane_n)) s->votes[bit] += elements_loaded(m);
  return true;
}

static unsigned most_votes(const nest_analysis *s) {
  unsigned most = 0;
  for (unsigned bit = 1; bit < MAP_BITS; bit++)
    if (s->votes[bit] > s->votes[most]) most = bit;
  return most;
}

bool group_is_along_last(lower *l, group *g) {
  nest_analysis s = {.l = l, .lane_n = 1};
  index_map m = map_identity(tile_bits(g->shape));
  visit_group(l, g, analyse_lanes, &s);
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_STORE &&
        neighbours((whereabouts){.access = g->roots[i].access}, &m, s.lane_n) > 0)
      return false;
  for (unsigned bit = 1; bit < MAP_BITS; bit++)
    if (s.votes[bit] > s.votes[0]) return false;
  return true;
}

/* The bit along which most of what is loaded has its neighbours. Of a reduction one outside of the
 * reduced dimension where there are as many: lanes need not be reduced to one then. */
static unsigned most_loaded(const nest_analysis *s, const group *g) {
  unsigned most = most_votes(s), first, count;
  if (!g->reduce || s->votes[most] == 0) return most;
  reduce_bits(g->reduce, &first, &count);
  for (unsigned bit = 0; bit < MAP_BITS; bit++)
    if (s->votes[bit] == s->votes[most] && (bit + s->lane_n <= first || bit >= first + count))
      return bit;
  return most;
}

/* The bit along which lanes lie: that of the stores' neighbours, or else of the loads'. False when
 * roots differ in that. */
static bool find_lanes(nest_analysis *s, const group *g) {
  index_map m = map_identity(tile_bits(g->shape));
  unsigned loaded = most_loaded(s, g);
  int lanes = -1;
  for (unsigned i = 0; i < g->n_roots; i++) {
    const root *r = &g->roots[i];
    if (r->kind == ROOT_REDUCE) continue; /* takes any */
    whereabouts to = written_by(r);
    int bit = neighbours(to, &m, s->lane_n);
    if (r->kind == ROOT_MATERIALISE) bit = MAX(bit, 0);
    if (bit < 0) bit = (int)loaded;
    if (lanes >= 0 && bit != lanes) return false;
    lanes = bit;
  }
  s->lane_bit = lanes < 0 ? loaded : (unsigned)lanes;
  return true;
}

/* What is left of a reduced dimension, besides lanes and what is transposed, must be one loop.
 * Other copies follow the lanes, so they only make it shorter. */
static bool leave_one_loop(const nest_analysis *s, const group *g) {
  unsigned first, count;
  if (!g->reduce) return true;
  reduce_bits(g->reduce, &first, &count);
  uint32_t lanes = (1u << s->lane_n) - 1, left = ((1u << count) - 1) << first;
  left &= ~(lanes << s->lane_bit);
  if (s->transpose_bit >= 0) left &= ~(lanes << s->transpose_bit);
  uint32_t lowest = left & -left;
  return (left & (left + lowest)) == 0;
}

/* The bit along which most of those neighbours lie that aren't lanes, where squares of as many
 * elements as there are lanes can be transposed; -1: none. */
static int find_transposed(nest_analysis *s, group *g) {
  if (1u << s->lane_n > MAX_SQUARE || !is_on(s->l, PATTERN_TRANSPOSE)) return -1;
  memset(s->votes, 0, sizeof s->votes);
  visit_group(s->l, g, analyse_transposed, s);
  for (unsigned bit = 0; bit < MAP_BITS; bit++) {
    unsigned apart = bit > s->lane_bit ? bit - s->lane_bit : s->lane_bit - bit;
    if (apart < s->lane_n) s->votes[bit] = 0;
  }
  unsigned most = most_votes(s);
  int pair = group_pair_bit(g); /* must be the first of the copies */
  return s->votes[most] == 0 || (pair >= 0 && most != (unsigned)pair) ? -1 : (int)most;
}

static bool note_along(void *user, ir_value *v, const index_map *m) {
  nest_analysis *s = user;
  s->reads_along |= analysis_reading(s, v, m) == READ_ALONG;
  return !s->reads_along;
}

/* Where vectors that are stored are parts of lines a few squares make lines. */
static unsigned find_squares(const nest_analysis *s, const group *g) {
  index_map m = map_identity(tile_bits(g->shape));
  unsigned squares = 0;
  for (unsigned i = 0; i < g->n_roots; i++) {
    const access *a = g->roots[i].kind == ROOT_STORE ? g->roots[i].access : NULL;
    unsigned bytes = a ? access_elem_bits(a) << s->lane_n >> 3 : 0;
    if (bytes == 0 || bytes >= CACHE_LINE) return 0;
    unsigned parts = log2_of(CACHE_LINE / bytes);
    if ((squares > 0 && parts != squares) || 1u << (s->lane_n + parts) > MAX_UNROLL ||
        neighbours((whereabouts){.access = a}, &m, s->lane_n + parts) != (int)s->lane_bit)
      return 0;
    squares = parts;
  }
  unsigned next = s->lane_bit + s->lane_n, turn = (unsigned)s->transpose_bit;
  return next + squares <= turn || next >= turn + s->lane_n ? squares : 0;
}

/* False where lanes had better lie along the last dimension. */
static bool find_places(nest_analysis *s, group *g) {
  s->lane_bit = 0;
  s->transpose_bit = -1;
  s->squares = 0;
  s->reads_along = false;
  if (2 * s->lane_n > tile_bits(g->shape)) return false;
  memset(s->votes, 0, sizeof s->votes);
  visit_group(s->l, g, analyse_lanes, s);
  if (!find_lanes(s, g)) return false;
  s->transpose_bit = find_transposed(s, g);
  if (s->transpose_bit >= 0) {
    s->squares = find_squares(s, g);
    visit_group(s->l, g, note_along, s);
  }
  return leave_one_loop(s, g);
}

/* Which lane bit is bit k of the index, beginning at 0; -1: none. */
static int lane_of(const nest_analysis *s, const index_map *m, unsigned k) {
  int bit = m->bit[k] - (int)s->lane_bit;
  return m->bit[k] >= 0 && bit >= 0 && bit < (int)s->lane_n ? bit : -1;
}

/* The bit of the index that adds so many elements; m->n: none. */
static unsigned bit_that_adds(const whereabouts *p, const index_map *m, int64_t elements) {
  unsigned k = 0;
  while (k < m->n && !adds(p, k, elements)) k++;
  return k;
}

/* Are the lanes in one piece, or in few? */
static bool in_pieces(const nest_analysis *s, const whereabouts *p, const index_map *m) {
  unsigned run = 0;
  while (run < s->lane_n) {
    unsigned k = bit_that_adds(p, m, INT64_C(1) << run);
    if (k == m->n || lane_of(s, m, k) != (int)run) break;
    run++;
  }
  return run > 0 && s->lane_n - run <= MAX_APART;
}

/* Are they in few vectors of neighbours that no loop tells apart? (shuffle.c) */
static bool in_vectors(const nest_analysis *s, const whereabouts *p, const index_map *m) {
  unsigned neighbours = 0, apart = 0;
  for (unsigned k = 0; k < m->n; k++) apart += lane_of(s, m, k) >= 0;
  while (neighbours < s->lane_n) {
    unsigned k = bit_that_adds(p, m, INT64_C(1) << neighbours);
    if (k == m->n || m->bit[k] >= (int)(s->lane_bit + s->lane_n + COPIES)) break;
    apart -= lane_of(s, m, k) >= 0;
    neighbours++;
  }
  return apart < s->lane_n && apart <= MAX_APART && s->lane_n - neighbours <= MAX_APART;
}

static bool note_apart(void *user, ir_value *v, const index_map *m) {
  nest_analysis *s = user;
  whereabouts p = whereabouts_of(value_of(s->l, v));
  s->apart |= is_anywhere(&p) && differs_along(p, m, s->lane_bit, s->lane_n) &&
              !in_pieces(s, &p, m) && !in_vectors(s, &p, m);
  return !s->apart;
}

/* Is something read or written element by element? */
static bool is_apart(nest_analysis *s, group *g) {
  index_map m = map_identity(tile_bits(g->shape));
  s->apart = false;
  for (unsigned i = 0; i < g->n_roots; i++) {
    const root *r = &g->roots[i];
    if (r->kind == ROOT_REDUCE) continue;
    whereabouts to = written_by(r);
    s->apart |= !in_pieces(s, &to, &m);
  }
  visit_group(s->l, g, note_apart, s);
  return s->apart;
}

static bool note_shared(void *user, ir_value *v, const index_map *m) {
  nest_analysis *s = user;
  whereabouts p = whereabouts_of(value_of(s->l, v));
  if (!is_anywhere(&p)) return true;
  for (unsigned bit = 0; bit < MAP_BITS; bit++)
    if (!differs_along(p, m, bit, 1)) s->shared |= 1u << bit;
  return true;
}

/* Rows of a reduction that read the same: vectors that are loaded for one serve the others. */
static void find_shared(nest_analysis *s, group *g) {
  unsigned first, count;
  if (!g->reduce) return;
  visit_group(s->l, g, note_shared, s);
  reduce_bits(g->reduce, &first, &count);
  s->shared &= (1u << tile_bits(g->shape)) - (1u << (first + count));
}

static bool find_places_or_last(nest_analysis *s, group *g) {
  if (find_places(s, g)) return true;
  s->lane_bit = 0;
  s->transpose_bit = -1;
  return false;
}

/* A register of narrow elements has more of them than there are registers to transpose with, and
 * dimensions may have fewer elements than a register has: where something is to be transposed fewer
 * lanes do. */
static void choose_bits(nest_analysis *s, group *g) {
  const unsigned all = s->lane_n, most = log2_of(MAX_SQUARE);
  s->transpose_bit = -1;
  if (all == 0 || g->roots[0].kind == ROOT_PRODUCT) return;
  find_places_or_last(s, g);
  if (s->transpose_bit >= 0) return;
  if (!is_apart(s, g)) return;
  if (s->width <= 16) s->exchanged = exchange_copies(s->l, g, s->lane_bit, s->lane_n);
  if (s->exchanged) return;
  unsigned least = s->cost <= COST_NARROW ? 2 : MIN(all, most);
  for (s->lane_n = MIN(all, most); s->lane_n >= least; s->lane_n--)
    if (find_places(s, g) && s->transpose_bit >= 0) return;
  s->lane_n = all;
  find_places_or_last(s, g);
}

bool access_takes_nibbles(const access *a, const index_map *m) {
  int64_t c;
  return access_elem_bits(a) == 4 && a->linear && a->checked && !a->index && m->n > 0 &&
         m->bit[0] == 0 && coef_const(a->exact[0], &c) && c == 1;
}

/* How far a select is its first operand. */
static void analyse_select(nest_analysis *s, const value *x, ir_op *op, const index_map *m) {
  llv others;
  s->chosen = fold_and(s->l, s->chosen, x->chosen);
  if (op->opcode != OP_select || !mask_is_bounds(s->l, ir_operand(op, 0), m, &s->choosing, &others))
    s->choosing_unknown = true;
  else
    s->choosing_if = fold_and(s->l, s->choosing_if, others);
}

static void analyse_clamp(nest_analysis *s, ir_op *op, const index_map *m) {
  bound_use u;
  if (!clamp_interval(s->l, op, m, &u)) {
    s->clamps_unknown = true;
    return;
  }
  s->clamping_if = fold_and(s->l, s->clamping_if, u.known);
  vec_push(s->l->arena, s->clamping, u);
}

/* An exact version where clamps change no index, where some say where elements are. */
static void choose_clamps(nest_analysis *s, const group *g) {
  lower *l = s->l;
  s->clamps &= !s->clamps_unknown && !group_has_products(g);
  if (!s->clamps) return;
  NOTE_MATCH(l, CLAMPED, .op = g->roots[0].op);
  s->holds = fold_and(l, s->holds, s->clamping_if);
  s->but_bounds = fold_and(l, s->but_bounds, s->clamping_if);
  for (uint32_t i = 0; i < s->clamping.len; i++) {
    const bound_use *u = &s->clamping.data[i];
    llv full = LLVMBuildICmp(l->e.b, LLVMIntEQ, u->hi, k64(l, INT64_C(1) << u->n), "");
    s->holds = fold_and(l, s->holds, full);
    if (u->lo)
      s->holds = fold_and(l, s->holds, LLVMBuildICmp(l->e.b, LLVMIntEQ, u->lo, k64(l, 0), ""));
    vec_push(l->arena, s->bounds, *u);
  }
}

/* Is it part of an address or of a mask of indices, which the exact version does without? */
static bool is_left_out(lower *l, const ir_value *v, const value *x) {
  const ir_op *op = ir_defining_op(v);
  if (x->linear || x->clamped) return x->kind != VALUE_SCALAR;
  if (v->type->kind != IR_TILE || v->type->elem != TSR_I1 || x->kind != VALUE_LAZY || !op)
    return false;
  if (op->opcode != OP_cmpi && op->opcode != OP_andi) return false;
  for (uint32_t i = 0; i < 2; i++) {
    const ir_value *of = ir_operand(op, i);
    const value *y = value_of(l, of);
    if (op->opcode == OP_cmpi ? !(y->linear || y->clamped) : !is_left_out(l, of, y)) return false;
  }
  return true;
}

static bool analyse_value(void *user, ir_value *v, const index_map *m) {
  nest_analysis *s = user;
  value *x = value_of(s->l, v);
  const ir_op *by = ir_defining_op(v);
  if (x->clamped && by && (by->opcode == OP_mini || by->opcode == OP_maxi))
    analyse_clamp(s, ir_defining_op(v), m);
  if (x->linear && x->linear->ok && x->kind != VALUE_SCALAR)
    s->forms = fold_and(s->l, s->forms, x->linear->ok);
  if (value_is_load(x)) {
    s->loads = true;
    analyse_access(s, x->load, m);
    s->nibbles |= access_takes_nibbles(x->load, m);
  }
  if (x->chosen && (x->kind == VALUE_LAZY || x->pending))
    analyse_select(s, x, ir_defining_op(v), m);
  if (!x->linear && !x->clamped && v->type->kind == IR_TILE) {
    unsigned bits = register_bits(v->type->elem);
    bool computed = v->type->elem == TSR_I64 && x->kind == VALUE_LAZY && !x->load;
    *(computed ? &s->index_width : &s->width) = MAX(computed ? s->index_width : s->width, bits);
  }
  if (s->by_pointers && is_left_out(s->l, v, x)) return true;
  s->cost++;
  if (x->kind == VALUE_LAZY && ir_defining_op(v))
    s->is_cut |= emit_has_usual(&s->l->e, ir_defining_op(v)->opcode);
  if (x->kind == VALUE_LAZY) s->cost += x->cost > 16 ? 8 : 0;
  if (x->heavy && (x->kind == VALUE_LAZY || x->pending)) s->cost += 16;
  return true;
}

/* ---- chains --------------------------------------------------------------------------------- */

typedef struct chain_walk {
  lower *l;
  map depth; /* by value, of those that are computed */
  uintptr_t deepest;
  uint64_t n;
} chain_walk;

static uintptr_t depth_of(chain_walk *w, ir_value *v) {
  const value *x = value_of(w->l, v);
  const ir_op *op = ir_defining_op(v);
  if (x->kind != VALUE_LAZY || x->load || x->linear || !op) return 0;
  const uintptr_t *known = map_get(&w->depth, (uintptr_t)v);
  if (known) return *known;
  uintptr_t most = 0;
  for (uint32_t i = 0; i < op->n_operands; i++) most = MAX(most, depth_of(w, ir_operand(op, i)));
  w->n++;
  *map_put(w->l->arena, &w->depth, (uintptr_t)v) = most + 1;
  return most + 1;
}

static bool note_depth(void *user, ir_value *v, const index_map *m) {
  chain_walk *w = user;
  (void)m;
  w->deepest = MAX(w->deepest, depth_of(w, v));
  return false;
}

/* Does nearly each operation of a long body wait for the one before? */
static bool is_chain(lower *l, const group *g, uint64_t cost) {
  chain_walk w = {.l = l};
  if (cost < LEAST_CHAIN || group_has_products(g)) return false;
  visit_group(l, g, note_depth, &w);
  return w.n >= LEAST_CHAIN && w.deepest * CHAIN_WIDTH >= w.n;
}

/* ---- groups --------------------------------------------------------------------------------- */

static bool is_no_pointer(void *user, ir_value *v, const index_map *m) {
  (void)user;
  (void)m;
  return v->type->kind != IR_TILE || v->type->elem != TSR_PTR || v->type->count == 1;
}

nest_analysis analyse_group(lower *l, group *g) {
  nest_analysis s = {.l = l, .width = 8};
  s.by_pointers = !visit_group(l, g, is_no_pointer, NULL);
  unsigned stored = 0;
  index_map all = map_identity(tile_bits(g->shape));
  visit_group(l, g, analyse_value, &s);
  for (unsigned i = 0; i < g->n_roots; i++) {
    root *r = &g->roots[i];
    if (r->kind == ROOT_STORE) analyse_access(&s, r->access, &all);
    if (r->kind == ROOT_STORE || r->kind == ROOT_MATERIALISE)
      stored = MAX(stored, register_bits((tsr_elem)r->value->type->elem));
    if (r->kind == ROOT_PRODUCT)
      s.width = MAX(s.width, register_bits((tsr_elem)ir_result(r->op, 0)->type->elem));
    if (r->kind == ROOT_REDUCE) {
      uint32_t ops = 0;
      for (ir_op *op = ir_region(r->op, 0)->first; op; op = op->next) ops++;
      s.cost += ops;
    }
  }
  choose_clamps(&s, g);
  /* What waits for memory can as well select. */
  s.chooses = s.chosen && !s.loads;
  if (s.chooses) add_condition(&s, s.chosen);
  if (group_has_products(g) || !is_on(l, PATTERN_LINEAR_GUARDED)) {
    add_condition(&s, s.forms);
    s.forms = NULL;
  }
  s.width = MAX(s.width, s.gathers ? stored : s.index_width);
  s.lane_n = MIN(log2_of(l->e.vector_bits / MAX(s.width, 8)), (unsigned)LANE_BITS);
  s.lane_n = MIN(s.lane_n, tile_bits(g->shape));
  choose_bits(&s, g);
  s.is_chain = is_chain(l, g, s.cost);
  find_shared(&s, g);
  return s;
}

typedef struct interval_walk {
  lower *l;
  map *found;
  llv holds;
} interval_walk;

static bool note_interval(void *user, ir_value *v, const index_map *m) {
  interval_walk *x = user;
  ir_op *op = ir_defining_op(v);
  (void)m;
  if (!op || op->opcode != OP_cmpi || value_of(x->l, v)->kind != VALUE_LAZY ||
      map_get(x->found, (uintptr_t)op))
    return true;
  index_map own = map_identity(tile_bits(v->type));
  bound_use u;
  if (!mask_interval(x->l, op, &own, &u)) return true;
  bound_use *kept = arena_new(x->l->arena, bound_use);
  *kept = u;
  *map_put(x->l->arena, x->found, (uintptr_t)op) = (uintptr_t)kept;
  x->holds = fold_and(x->l, x->holds, u.known);
  return true;
}

const map *find_intervals(lower *l, const group *g, llv *holds) {
  interval_walk x = {.l = l, .found = arena_new(l->arena, map), .holds = *holds};
  visit_group(l, g, note_interval, &x);
  *holds = x.holds;
  return x.found;
}
