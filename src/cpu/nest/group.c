/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Roots and the nests that they share. A root is what makes a loop nest necessary: a store, a
 * reduction, a tile that must be in memory. Roots over the same iterations wait in the open group
 * until something needs one of them, then all become one nest.
 */
#include "opt/nans.h"

#include "cpu/nest/group.h"

#include "cpu/core/function.h"
#include "cpu/nest/pair_words.h"
#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/map.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/reduce_body.h"
#include "cpu/nest/roots.h"
#include "cpu/nest/visit.h"

void group_begin(lower *l, const group_calls *calls) {
  l->groups = arena_new(l->arena, group_state);
  *l->groups = (group_state){.calls = calls};
}

/* ---- emission ------------------------------------------------------------------------------- */

static void finish_root(lower *l, root *r) {
  if (r->kind == ROOT_STORE) return;
  if (r->kind == ROOT_PRODUCT) {
    value_of(l, ir_result(r->op, 0))->pending = false;
    return;
  }
  if (r->kind == ROOT_MATERIALISE) {
    value *x = value_of(l, r->value);
    if (x->pending && x->buffer == r->to) x->pending = x->lazy = false;
    return;
  }
  for (uint32_t i = 0; i < r->op->n_results; i++) {
    value *x = value_of(l, ir_result(r->op, i));
    x->pending = false;
    if (x->kind == VALUE_SCALAR) x->scalar = r->scalars[i];
  }
}

/* Tiles that were to be kept for several roots, all of which share this nest, stay in registers. */
static void materialise_fewer(lower *l, group *g) {
  uint32_t end = group_end(l, g);
  unsigned n = 0;
  for (unsigned i = 0; i < g->n_roots; i++) {
    root *r = &g->roots[i];
    value *x = r->kind == ROOT_MATERIALISE ? value_of(l, r->value) : NULL;
    if (x && x->lazy && x->buffer == r->to && x->last <= end) {
      x->kind = VALUE_LAZY;
      x->buffer = NULL;
      x->pending = x->lazy = false;
      NOTE_MATCH(l, FEWER_BUFFERS, .value = r->value);
    } else {
      g->roots[n++] = *r;
    }
  }
  g->n_roots = n;
}

void group_flush(lower *l) {
  if (!l->groups->open.n_roots) return;
  group *g = arena_new(l->arena, group);
  *g = l->groups->open;
  if (!group_has_products(g) && is_on(l, PATTERN_FEWER_BUFFERS)) materialise_fewer(l, g);
  uint32_t n_waiting = l->groups->waiting.len;
  ir_op **waiting = l->groups->waiting.data;
  memset(&l->groups->waiting, 0, sizeof l->groups->waiting);
  l->groups->open.n_roots = 0; /* what the emission itself keeps forms groups of its own */
  l->groups->open.reduce = NULL;
  l->groups->calls->emit(l, g);
  for (unsigned i = 0; i < g->n_roots; i++) finish_root(l, &g->roots[i]);
  l->groups->calls->lower_waiting(l, waiting, n_waiting);
}

/* ---- joining -------------------------------------------------------------------------------- */

static bool may_read(void *user, ir_value *v, const index_map *m) {
  lower *l = user;
  value *x = value_of(l, v);
  if (!x->pending) return true;
  /* The same element of a tile that this nest makes is at hand; others may not exist yet. */
  return x->kind == VALUE_BUFFER && x->lazy && map_is_identity(m) &&
         m->n == tile_bits(l->groups->open.shape);
}

static bool may_join(lower *l, const ir_type *shape, root *r) {
  group *g = &l->groups->open;
  if (!g->n_roots) return true;
  if (!l->groups->together && !is_on(l, PATTERN_NEST_FUSION)) return false;
  if (g->n_roots == MAX_ROOTS || tile_bits(shape) != tile_bits(g->shape)) return false;
  bool products = group_has_products(g), is_product = r->kind == ROOT_PRODUCT;
  if (products != is_product) return false;
  if (products && (g->n_roots == 2 || !is_on(l, PATTERN_SKINNY_PAIR))) return false;
  if (products && !l->groups->calls->products_share(l, &g->roots[0], r)) return false;
  if (root_skips_first(r) != root_skips_first(&g->roots[0])) return false;
  if (r->kind == ROOT_REDUCE && g->reduce) {
    unsigned first, n, other_first, other_n;
    reduce_bits(g->reduce, &first, &n);
    reduce_bits(r->op, &other_first, &other_n);
    if (first != other_first || n != other_n) return false;
  }
  return visit_root(l, r, may_read, l);
}

bool group_takes(lower *l, const ir_type *shape, const root *r, unsigned before) {
  root copy = *r;
  return l->groups->open.n_roots + before < MAX_ROOTS && may_join(l, shape, &copy);
}

void group_add(lower *l, const ir_type *shape, const root *new) {
  root r = *new;
  if (!may_join(l, shape, &r)) group_flush(l);
  group *g = &l->groups->open;
  if (!g->n_roots) g->shape = shape;
  if ((r.kind == ROOT_REDUCE || r.kind == ROOT_PRODUCT) && !g->reduce) {
    g->reduce = r.op;
    g->shape = shape; /* the reduced dimension must be whole loops */
  }
  g->roots[g->n_roots++] = r;
}

/* ---- keeping -------------------------------------------------------------------------------- */

void value_changes(lower *l, ir_value *v) {
  ir_block *home = v->is_arg ? v->owner.block : v->owner.op->block;
  if (home != l->here)
    vec_push(l->arena, l->groups->undo, (saved_value){.v = v, .was = *value_of(l, v)});
}

void materialise_later(lower *l, ir_value *v) {
  value *x = value_of(l, v);
  if (x->kind == VALUE_BUFFER) return;
  root r = {.kind = ROOT_MATERIALISE, .value = v};
  r.to =
      buffer_new(l, v->type->elem, l->groups->calls->materialised_format(l, v), tile_bits(v->type));
  r.to->any_nan = r.to->format == FORMAT_LANES && opt_widened_nans_are_canonical(v);
  group_add(l, v->type, &r);
  value_changes(l, v);
  x->kind = VALUE_BUFFER;
  x->buffer = r.to;
  x->pending = x->lazy = true;
}

static void materialise_at_once(lower *l, ir_value *v, buffer *to) {
  root r = {.kind = ROOT_MATERIALISE, .value = v, .to = to};
  group_add(l, v->type, &r);
  group_flush(l);
}

/* As words where that holds, else by code that is seldom needed. */
static void materialise_words(lower *l, ir_value *v, buffer *to, const pair_words *w) {
  int64_t always;
  if (!w->holds || (is_const(w->holds, &always) && always)) {
    materialise_at_once(l, w->v, w->to);
    return;
  }
  llblock words = lower_new_block(l, "words"), pairs = lower_new_block(l, "pairs");
  llblock done = lower_new_block(l, "written");
  bool seldom = l->seldom;
  LLVMBuildCondBr(l->e.b, w->holds, words, pairs);
  LLVMPositionBuilderAtEnd(l->e.b, words);
  materialise_at_once(l, w->v, w->to);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, pairs);
  l->seldom = true;
  materialise_at_once(l, v, to);
  l->seldom = seldom;
  lower_go(l, done);
}

/* Row by row first. */
static void materialise_rows(lower *l, ir_value *v, buffer *to) {
  buffer *rows = pair_rows_new(l, v, to);
  materialise_at_once(l, v, rows);
  pair_words w = pair_words_in(l, v, rows, to);
  materialise_at_once(l, w.v, w.to);
  buffer_touch(l, rows);
}

void materialise_into(lower *l, ir_value *v, buffer *to) {
  pair_words w;
  group_flush(l);
  if (to->format == FORMAT_PAIRS && pair_words_of(l, v, to, &w))
    materialise_words(l, v, to, &w);
  else if (to->format == FORMAT_PAIRS && pair_rows_fit(l, v, to))
    materialise_rows(l, v, to);
  else
    materialise_at_once(l, v, to);
}

static bool plain(tsr_elem elem, buffer_format a, buffer_format b) {
  if (a == b) return true;
  bool narrow = tsr_elem_bits(elem) == 4 || (tsr_elem_is_float(elem) && tsr_elem_bits(elem) < 32);
  return a <= FORMAT_STORAGE && b <= FORMAT_STORAGE && !narrow && elem != TSR_TF32;
}

buffer *materialise(lower *l, ir_value *v, buffer_format format) {
  value *x = value_of(l, v);
  if (x->pending) group_flush(l);
  bool as_asked = x->kind == VALUE_BUFFER && plain(v->type->elem, x->buffer->format, format) &&
                  !(x->buffer->any_nan && format == FORMAT_STORAGE);
  if (as_asked && buffer_is_row_major(x->buffer)) return x->buffer;
  if (format == l->groups->calls->materialised_format(l, v) && x->kind != VALUE_BUFFER &&
      x->kind != VALUE_SCALAR) {
    materialise_later(l, v);
    group_flush(l);
    return x->buffer;
  }
  buffer *to = buffer_new(l, v->type->elem, format, tile_bits(v->type));
  materialise_into(l, v, to);
  return to;
}

/* ---- several at once ------------------------------------------------------------------------ */

typedef struct hazard {
  lower *l;
  unsigned count, self;
  ir_value **v;
  buffer **to;
  bool *busy; /* targets that someone else still needs */
} hazard;

static bool find_hazard(void *user, ir_value *v, const index_map *m) {
  hazard *h = user;
  value *x = value_of(h->l, v);
  if (x->kind != VALUE_BUFFER || x->pending) return true;
  for (unsigned i = 0; i < h->count; i++) {
    if (h->to[i]->memory != x->buffer->memory) continue;
    bool together = h->v[i]->type->count == h->v[h->self]->type->count;
    if (!together || !map_is_identity(m) || !buffer_is_row_major(x->buffer)) h->busy[i] = true;
  }
  return true;
}

static bool in_place(lower *l, ir_value *v, buffer *to) {
  value *x = value_of(l, v);
  return x->kind == VALUE_BUFFER && !x->pending && x->buffer->memory == to->memory &&
         buffer_is_row_major(x->buffer) && x->buffer->ptr == to->ptr;
}

void materialise_all(lower *l, unsigned count, ir_value **v, buffer **to) {
  group_flush(l);
  bool *busy = arena_array(l->arena, bool, MAX(count, 1));
  buffer **via = arena_array(l->arena, buffer *, MAX(count, 1));
  /* More than one nest takes must not replace what a later nest reads. */
  for (unsigned i = 0; i < count; i++) busy[i] = count > MAX_ROOTS;
  for (unsigned i = 0; i < count; i++) {
    hazard h = {.l = l, .count = count, .self = i, .v = v, .to = to, .busy = busy};
    if (in_place(l, v[i], to[i])) continue;
    index_map m = map_identity(tile_bits(v[i]->type));
    visit_expression(l, v[i], &m, find_hazard, &h);
  }
  for (unsigned i = 0; i < count; i++) via[i] = to[i];
  /* Tiles of one size share nests, so that each may read what it and its siblings replace. */
  bool *done = arena_array(l->arena, bool, MAX(count, 1));
  for (unsigned i = 0; i < count; i++) {
    done[i] = in_place(l, v[i], to[i]);
    if (busy[i] && !done[i]) via[i] = buffer_new(l, to[i]->elem, to[i]->format, to[i]->n);
  }
  for (unsigned i = 0; i < count; i++) {
    if (done[i]) continue;
    l->groups->together = true;
    for (unsigned k = i; k < count; k++) {
      if (done[k] || v[k]->type->count != v[i]->type->count) continue;
      root r = {.kind = ROOT_MATERIALISE, .value = v[k], .to = via[k]};
      group_add(l, v[k]->type, &r);
      done[k] = true;
    }
    l->groups->together = false;
    group_flush(l);
  }
  for (unsigned i = 0; i < count; i++) {
    if (via[i] == to[i]) continue;
    buffer_touch(l, via[i]);
    buffer_touch(l, to[i]);
    LLVMBuildMemCpy(l->e.b, to[i]->ptr, 64, via[i]->ptr, 64, k64(l, (int64_t)to[i]->bytes));
  }
}

/* ---- scalars -------------------------------------------------------------------------------- */

void settle_loads(lower *l, uint32_t order) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < l->groups->loads.len; i++) {
    ir_value *v = l->groups->loads.data[i];
    value *x = value_of(l, v);
    if (x->kind != VALUE_LAZY) continue;
    if (x->last > order)
      materialise_later(l, v);
    else if (x->last == order)
      l->groups->loads.data[left++] = v;
  }
  l->groups->loads.len = left;
}
