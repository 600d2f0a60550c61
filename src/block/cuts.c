/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/cuts.h"

static bool is_power(int64_t n) {
  return (n & (n - 1)) == 0;
}

bool cut_is_needed(const ir_type *t) {
  for (unsigned d = 0; t->kind == IR_TILE && d < t->rank; d++)
    if (!is_power(t->shape[d])) return true;
  return false;
}

/* ---- by size -------------------------------------------------------------------------------- */

/* The largest power of two that n holds. */
static int64_t highest(int64_t n) {
  return INT64_C(1) << (63 - __builtin_clzll((uint64_t)n));
}

/* The size of a piece and where it begins. */
static int64_t part_of_size(int64_t size, unsigned piece, int64_t *begin) {
  *begin = 0;
  for (; piece; piece--) *begin += highest(size - *begin);
  return highest(size - *begin);
}

static void cut_by_size(cut_dim *d) {
  d->n = (unsigned)__builtin_popcountll((uint64_t)d->size);
}

/* ---- by layout ------------------------------------------------------------------------------ */

static bool is_local(const tsr_layout *l, unsigned mode) {
  for (unsigned i = 0; i < l->local; i++)
    if (l->local_modes[i] == (int32_t)mode) return true;
  return false;
}

/* The modes of a dimension, the fastest last; false where threads have an odd part. */
static bool cut_by_layout(cut_dim *d, const tsr_layout *l, unsigned first, unsigned n) {
  int64_t stride = 1;
  d->modes = n;
  d->n = 1;
  for (unsigned k = n; k-- > 0;) {
    int32_t size = l->mode_shape[first + k], even = size & -size;
    d->mode[k] = (struct cut_mode){.odd = size / even, .even = even, .stride = stride};
    stride *= size;
    d->n *= (unsigned)(size / even);
    if (size != even && !is_local(l, first + k)) return false;
  }
  return true;
}

/* The same layout of the even parts. */
static const ir_type *piece_by_layout(ir_module *m, const ir_type *t, const int64_t *shape) {
  tsr_layout l = *t->layout, piece;
  for (unsigned k = 0; k < l.modes; k++) l.mode_shape[k] &= -l.mode_shape[k];
  for (unsigned d = 0; d < l.rank; d++) l.shape[d] = (int32_t)shape[d];
  if (tsr_layout_make(&piece, l.rank, l.shape, l.modes, l.mode_shape, l.spatial, l.spatial_modes,
                      l.local, l.local_modes, NULL) != TSR_OK)
    return NULL;
  return ir_with_layout(m, ir_tile_reshaped(m, t, t->rank, shape), &piece);
}

/* ---- tiles ---------------------------------------------------------------------------------- */

static bool cut_dims(cut_tile *c, cutting how) {
  const ir_type *t = c->type;
  unsigned first = 0;
  c->n = 1;
  for (unsigned d = 0; d < c->rank; d++) {
    c->dim[d] = (cut_dim){.size = t->shape[d], .n = 1};
    if (how == CUT_BY_SIZE)
      cut_by_size(&c->dim[d]);
    else if (!cut_by_layout(&c->dim[d], t->layout, first, t->layout->dim_modes[d]))
      return false;
    if (how == CUT_BY_LAYOUT) first += t->layout->dim_modes[d];
    c->n *= c->dim[d].n;
  }
  return true;
}

const cut_tile *cut_make(ir_module *m, arena *a, const ir_type *t, cutting how) {
  cut_tile *c = arena_new(a, cut_tile);
  if (!t->layout) how = CUT_BY_SIZE;
  *c = (cut_tile){.type = t, .rank = t->rank, .dim = arena_array(a, cut_dim, MAX(t->rank, 1))};
  if (!cut_dims(c, how)) return NULL;
  c->pieces = arena_array(a, const ir_type *, c->n);
  for (uint32_t p = 0; p < c->n; p++) {
    unsigned at[IR_MAX_RANK];
    int64_t shape[IR_MAX_RANK];
    cut_place(c, p, at);
    for (unsigned d = 0; d < c->rank; d++) shape[d] = cut_size(&c->dim[d], at[d]);
    c->pieces[p] =
        how == CUT_BY_SIZE ? ir_tile_reshaped(m, t, t->rank, shape) : piece_by_layout(m, t, shape);
    if (!c->pieces[p]) return NULL;
  }
  return c;
}

void cut_place(const cut_tile *c, uint32_t piece, unsigned *at) {
  for (unsigned d = c->rank; d-- > 0; piece /= c->dim[d].n) at[d] = piece % c->dim[d].n;
}

uint32_t cut_number(const cut_tile *c, const unsigned *at) {
  uint32_t piece = 0;
  for (unsigned d = 0; d < c->rank; d++) piece = piece * c->dim[d].n + at[d];
  return piece;
}

/* ---- along a dimension ---------------------------------------------------------------------- */

int64_t cut_size(const cut_dim *d, unsigned piece) {
  int64_t unused, size = 1;
  if (!d->modes) return part_of_size(d->size, piece, &unused);
  for (unsigned k = 0; k < d->modes; k++) size *= d->mode[k].even;
  return size;
}

int64_t cut_coordinate(const cut_dim *d, unsigned piece, int64_t inner) {
  int64_t index = 0;
  if (!d->modes) {
    part_of_size(d->size, piece, &index);
    return index + inner;
  }
  for (unsigned k = d->modes; k-- > 0;) {
    const struct cut_mode *m = &d->mode[k];
    int64_t digit = piece % (unsigned)m->odd * m->even + inner % m->even;
    index += digit * m->stride;
    piece /= (unsigned)m->odd;
    inner /= m->even;
  }
  return index;
}

unsigned cut_locate(const cut_dim *d, int64_t index, int64_t *inner) {
  unsigned piece = 0;
  *inner = 0;
  for (int64_t begin; !d->modes; piece++) {
    int64_t size = part_of_size(d->size, piece, &begin);
    *inner = index - begin;
    if (index < begin + size) return piece;
  }
  for (unsigned k = 0; k < d->modes; k++) {
    const struct cut_mode *m = &d->mode[k];
    int64_t digit = index / m->stride % ((int64_t)m->odd * m->even);
    piece = piece * (unsigned)m->odd + (unsigned)(digit / m->even);
    *inner = *inner * m->even + digit % m->even;
  }
  return piece;
}

bool cut_is_run(const cut_dim *d) {
  int64_t size = 1;
  for (unsigned k = d->modes; k-- > 0;) {
    if (d->mode[k].even > 1 && d->mode[k].stride != size) return false;
    size *= d->mode[k].even;
  }
  return true;
}

bool cut_same(const cut_dim *a, const cut_dim *b) {
  if (a->size != b->size || a->n != b->n) return false;
  if (a->n == 1) return true;
  for (unsigned piece = 0; piece < a->n; piece++) {
    int64_t size = cut_size(a, piece);
    if (cut_size(b, piece) != size) return false;
    for (int64_t i = 0; i < size; i++)
      if (cut_coordinate(a, piece, i) != cut_coordinate(b, piece, i)) return false;
  }
  return true;
}
