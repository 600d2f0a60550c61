/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Weights lie with their rows along k, and are multiplied in pairs along k. A pair is a word in
 * memory then: the nest loads, transposes and stores half as many lanes of twice the size, and
 * decodes none of them. The load of words is that of the elements with strides and bounds in pairs.
 * What is computed from such rows, as small floats with scales are, is computed row by row into
 * scratch memory first, in lanes along k, and its words are loaded from there: elements of a few
 * bits are decoded where they are neighbours, and could not be transposed.
 */
#include "cpu/nest/pair_words.h"

#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/map.h"
#include "cpu/nest/visit.h"

enum { PAIR = 4 }; /* bytes */

/* The load behind a value, and which bits of the value's index its own index consists of. */
static const access *load_behind(lower *l, ir_value *v, index_map *m) {
  *m = map_identity(tile_bits(v->type));
  while (value_of(l, v)->kind == VALUE_LAZY && !value_of(l, v)->load) {
    const ir_op *op = ir_defining_op(v);
    if (!op || !map_applies(op)) return NULL;
    *m = map_through(op, m);
    v = ir_operand(op, 0);
  }
  return value_of(l, v)->kind == VALUE_LAZY ? value_of(l, v)->load : NULL;
}

/* Is every bit of the value's index one of the load's, and the other way round? */
static bool is_permutation(const index_map *m, unsigned n) {
  uint32_t seen = 0;
  for (unsigned i = 0; i < m->n; i++) {
    if (m->bit[i] < 0 || seen >> m->bit[i] & 1) return false;
    seen |= UINT32_C(1) << m->bit[i];
  }
  return m->n == n;
}

static bool is_plain(const access *a) {
  return a->elem == TSR_BF16 && a->linear && !a->pointers && !a->mask && !a->index && !a->low &&
         !a->memory && access_pads_with_zero(a);
}

/* The bit of the index along which two make a pair, the first of its dimension; -1: none. */
static int pair_bit(const buffer *to) {
  for (unsigned j = 0; j < to->n; j++)
    if (to->stride[j] == 1) return (int)j;
  return -1;
}

/* Bits above that of the pairs move down. */
static unsigned moved(unsigned bit, unsigned pair) {
  return bit > pair ? bit - 1 : bit;
}

static void and_even(lower *l, llv *holds, llv v, int64_t by) {
  llv rest = LLVMBuildAnd(l->e.b, v, k64(l, by - 1), "");
  *holds = fold_and(l, *holds, LLVMBuildICmp(l->e.b, LLVMIntEQ, rest, k64(l, 0), "even"));
}

/* Strides in the order of the value's index, without the pairs' bit. False: what is a pair there is
 * none in memory. Adds to `holds` that each word is whole. */
static bool find_strides(lower *l, const access *a, const index_map *m, unsigned pair, access *w,
                         llv *holds) {
  int64_t c;
  for (unsigned i = 0; i < m->n; i++) {
    unsigned bit = (unsigned)m->bit[i];
    if (bit == pair) {
      if (!coef_const(a->stride[i], &c) || c != PAIR / 2) return false;
      continue;
    }
    w->stride[moved(bit, pair)] = a->stride[i];
    w->exact[moved(bit, pair)] = a->exact[i];
    if (!coef_const(a->stride[i], &c))
      and_even(l, holds, coef_value(l, a->stride[i], 64), PAIR);
    else if (c % PAIR)
      return false;
  }
  and_even(l, holds, a->base, PAIR);
  return true;
}

static bool find_bounds(lower *l, const access *a, const index_map *m, unsigned pair, access *w,
                        llv *holds) {
  w->bounds = arena_array(l->arena, access_bound, MAX(a->n_bounds, 1));
  for (unsigned i = 0; i < a->n_bounds; i++) {
    access_bound bound = a->bounds[i];
    unsigned first = bound.n ? (unsigned)m->bit[bound.first] : 0;
    for (unsigned j = 0; j < bound.n; j++)
      if ((unsigned)m->bit[bound.first + j] != first + j) return false;
    if (bound.n && first < pair && first + bound.n > pair) return false;
    bool of_pairs = bound.n && first == pair;
    bound.first = (uint8_t)moved(first, pair);
    if (of_pairs) {
      and_even(l, holds, bound.hi, 2);
      bound.hi = LLVMBuildLShr(l->e.b, bound.hi, k64(l, 1), "");
      bound.first = (uint8_t)first;
      bound.n--;
    }
    w->bounds[i] = bound;
  }
  return true;
}

static ir_type *type_of_words(lower *l, const ir_type *t, unsigned pair) {
  ir_type *words = arena_new(l->arena, ir_type);
  int64_t *shape = arena_array(l->arena, int64_t, t->rank);
  *words = *t;
  memcpy(shape, t->shape, t->rank * sizeof *shape);
  for (unsigned d = 0, first, n; d < t->rank; d++) {
    dim_bits(t, d, &first, &n);
    if (n && first == pair) shape[d] /= 2;
  }
  words->shape = shape;
  words->count = t->count / 2;
  words->elem = TSR_I32;
  return words;
}

/* The value has a number that no other one has. */
static ir_value *value_of_words(lower *l, const ir_type *type, ir_op *op, value is) {
  ir_value *v = arena_new(l->arena, ir_value);
  *v = (ir_value){.type = type, .owner.op = op, .number = l->n_values};
  is.n = (uint8_t)tile_bits(type);
  is.cost = 1;
  *value_of(l, v) = is;
  return v;
}

static buffer *buffer_of_words(lower *l, const buffer *to, unsigned pair) {
  buffer *b = arena_new(l->arena, buffer);
  *b = *to;
  b->elem = TSR_I32;
  b->format = FORMAT_LANES;
  b->memory = to->memory ? to->memory : (buffer *)to;
  b->in_scratch = false;
  b->n--;
  for (unsigned j = 0; j < to->n; j++)
    if (j != pair) b->stride[moved(j, pair)] = to->stride[j] / 2;
  return b;
}

bool pair_words_of(lower *l, ir_value *v, buffer *to, pair_words *out) {
  index_map m;
  int pair = pair_bit(to);
  unsigned first = 0, n = 0;
  if (pair < 0 || to->lowest || !is_on(l, PATTERN_PAIR_WORDS)) return false;
  for (unsigned d = 0; d < v->type->rank && !(n && first == (unsigned)pair); d++)
    dim_bits(v->type, d, &first, &n);
  const access *a = load_behind(l, v, &m);
  if (first != (unsigned)pair || !n || !a || !is_plain(a) || !is_permutation(&m, to->n))
    return false;
  access *w = arena_new(l->arena, access);
  *w = *a;
  w->elem = TSR_I32;
  w->n = (uint8_t)(a->n - 1);
  w->padding = NULL;
  w->pad = LLVMConstNull(l->e.i32);
  *out = (pair_words){.holds = a->ok};
  if (!find_strides(l, a, &m, (unsigned)pair, w, &out->holds) ||
      !find_bounds(l, a, &m, (unsigned)pair, w, &out->holds))
    return false;
  NOTE_MATCH(l, PAIR_WORDS, .value = v);
  out->v = value_of_words(l, type_of_words(l, v->type, (unsigned)pair), (ir_op *)a->op,
                          (value){.kind = VALUE_LAZY, .load = w});
  out->to = buffer_of_words(l, to, (unsigned)pair);
  return true;
}

/* ---- what is computed from rows -------------------------------------------------------------- */

typedef struct rows_look {
  lower *l;
  unsigned pair;
  bool any, others;
} rows_look;

/* Does bit k of the index add so many elements, as far as that is known? */
static bool adds(const access *a, unsigned k, int64_t elements) {
  int64_t c;
  return access_has_form(a) && coef_const(a->exact[k], &c) && c == elements * access_unit(a);
}

static bool note_load(void *user, ir_value *v, const index_map *m) {
  rows_look *x = user;
  const value *y = value_of(x->l, v);
  if (!value_is_load(y)) return true;
  for (unsigned k = 0; k < m->n; k++) {
    if (m->bit[k] != (int)x->pair || adds(y->load, k, 0)) continue;
    bool along = adds(y->load, k, 1);
    x->any |= along;
    x->others |= !along;
  }
  return !x->others;
}

bool pair_rows_fit(lower *l, ir_value *v, const buffer *to) {
  index_map m = map_identity(to->n);
  rows_look x = {.l = l, .pair = (unsigned)MAX(pair_bit(to), 0)};
  unsigned columns = log2_of(v->type->shape[v->type->rank - 1]);
  if (to->lowest || v->type->rank < 2 || pair_bit(to) != (int)columns || l->seldom ||
      !is_on(l, PATTERN_PAIR_ROWS))
    return false;
  return visit_expression(l, v, &m, note_load, &x) && x.any;
}

buffer *pair_rows_new(lower *l, const ir_value *v, const buffer *to) {
  unsigned columns = log2_of(v->type->shape[v->type->rank - 1]);
  unsigned rows = log2_of(v->type->shape[v->type->rank - 2]);
  buffer *b = buffer_new(l, TSR_BF16, FORMAT_STORAGE, to->n);
  for (unsigned j = 0; j < columns; j++) b->stride[j] = 1 << (rows + j);
  for (unsigned j = 0; j < rows; j++) b->stride[columns + j] = 1 << j;
  NOTE_MATCH(l, PAIR_ROWS, .value = v);
  return b;
}

pair_words pair_words_in(lower *l, const ir_value *v, const buffer *rows, buffer *to) {
  unsigned pair = (unsigned)pair_bit(to);
  const value is = {.kind = VALUE_BUFFER, .buffer = buffer_of_words(l, rows, pair)};
  ir_value *words = value_of_words(l, type_of_words(l, v->type, pair), ir_defining_op(v), is);
  return (pair_words){.v = words, .to = buffer_of_words(l, to, pair)};
}
