/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Windows: moving tiles between memory and the simulated block.
 */
#include <tessera/window.h>

#include "layout/layout.h"
#include "num/num.h"

enum { MAX_DIMS = TSR_DESCRIPTOR_MAX_DIMS, MAX_VECTOR = 64 };

/* ---- tensor views --------------------------------------------------------------------------- */

void tsr_tensor_get(const tsr_tensor_view *v, const tsr_coordinate *at, uint32_t width,
                    uint64_t *patterns) {
  if (!v || !at) return;
  tsr_buffer_get(&v->buffer, tsr_coordinate_offset(at, v->descriptor), 0,
                 tsr_coordinate_valid(at, v->descriptor), width, patterns);
}

void tsr_tensor_update(const tsr_tensor_view *v, tsr_memory_operation operation,
                       const tsr_coordinate *at, uint32_t width, const uint64_t *patterns) {
  if (!v || !at) return;
  tsr_buffer_update(&v->buffer, operation, tsr_coordinate_offset(at, v->descriptor), 0,
                    tsr_coordinate_valid(at, v->descriptor), width, patterns);
}

/* ---- making windows ------------------------------------------------------------------------- */

/* X of worker `p` at Y indices, as an index of the tensor. */
static void tensor_index(const tsr_tile_window *w, const int32_t *p, const int32_t *y,
                         const int64_t *rows, int64_t *index) {
  int32_t x[MAX_RANK];
  tsr_encoding_x_index(w->encoding, p, y, x);
  for (uint32_t d = 0; d < w->encoding->x; d++) index[d] = w->origin[d] + x[d];
  if (rows) index[0] = rows[x[0]];
}

/* How many steps along Y dimension `dim` from its beginning are neighbours in memory. Asked of the
 * first worker; loads look at every vector again. */
static int32_t run_along(const tsr_tile_window *w, uint32_t dim) {
  int32_t p[TSR_ENCODING_MAX_P] = {0}, y[MAX_MODES] = {0};
  int32_t length = tsr_encoding_length(w->encoding, w->encoding->ys[dim]), n = 1;
  int64_t index[MAX_DIMS];
  tensor_index(w, p, y, NULL, index);
  int64_t first = tsr_descriptor_offset(w->view.descriptor, index, NULL);
  for (; n < length; n++) {
    y[dim] = n;
    tensor_index(w, p, y, NULL, index);
    if (tsr_descriptor_offset(w->view.descriptor, index, NULL) != first + n) break;
  }
  return n;
}

/* The largest power of two up to n that divides `length`. */
static int32_t vector_within(int32_t n, int32_t length) {
  int32_t v = 1;
  while (v * 2 <= n && length % (v * 2) == 0) v *= 2;
  return v;
}

static tsr_status make_curve(tsr_tile_window *w, tsr_layout_error *e) {
  const tsr_encoding *c = w->encoding;
  int64_t lengths[MAX_DIMS], scalars[MAX_DIMS];
  uint8_t order[MAX_DIMS], n = 0;
  if (c->y > MAX_DIMS)
    return layout_fail(e, TSR_ERROR_UNSUPPORTED, -1, -1,
                       "a window has at most %d Y dimensions, not %u", MAX_DIMS, c->y);
  for (uint32_t i = 0; i < c->y; i++) {
    lengths[i] = tsr_encoding_length(c, c->ys[i]);
    scalars[i] = i == w->vector_dim ? w->scalars_per_vector : 1;
    if (i != w->vector_dim) order[n++] = (uint8_t)i;
  }
  if (c->y) order[n++] = (uint8_t)w->vector_dim; /* the fastest */
  return tsr_curve_make(&w->curve, c->y, lengths, order, scalars, true, e);
}

tsr_status tsr_tile_window_make(tsr_tile_window *out, const tsr_tensor_view *view,
                                const int64_t *origin, const tsr_encoding *c, int32_t max_vector,
                                tsr_layout_error *e) {
  if (!out || !view || !origin || !c) return layout_null(e);
  tsr_tile_window w = {.view = *view, .encoding = c, .scalars_per_vector = 1};
  tsr_status s = tsr_encoding_validate(c, e);
  if (s != TSR_OK) return s;
  if (c->x != view->descriptor->top || view->descriptor->bottom != 1)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "a window of %u dimensions on a tensor of %u (with %u bottom dimensions)",
                       c->x, view->descriptor->top, view->descriptor->bottom);
  unsigned bits = tsr_elem_bits(view->buffer.elem);
  if (max_vector <= 0) max_vector = bits ? (int32_t)(128 / bits) : 1;
  for (uint32_t d = 0; d < c->x; d++) w.origin[d] = origin[d];
  for (uint32_t i = 0; i < c->y; i++) {
    int32_t length = tsr_encoding_length(c, c->ys[i]);
    int32_t v = vector_within(MIN(MIN(run_along(&w, i), max_vector), MAX_VECTOR), length);
    /* The last of equals, as it is the fastest in the thread's buffer. */
    if (v < w.scalars_per_vector) continue;
    w.scalars_per_vector = v;
    w.vector_dim = i;
  }
  if ((s = make_curve(&w, e)) != TSR_OK) return s;
  *out = w;
  return TSR_OK;
}

void tsr_tile_window_move(tsr_tile_window *w, const int64_t *step) {
  if (!w || !step) return;
  for (uint32_t d = 0; d < w->encoding->x; d++) w->origin[d] += step[d];
}

void tsr_tile_window_set_origin(tsr_tile_window *w, const int64_t *origin) {
  if (!w || !origin) return;
  for (uint32_t d = 0; d < w->encoding->x; d++) w->origin[d] = origin[d];
}

/* ---- moving data ---------------------------------------------------------------------------- */

typedef struct transfer {
  const tsr_tile_window *window;
  const tsr_tile *tile;
  const int64_t *rows; /* NULL: none */
  bool load;
  tsr_memory_operation operation;
} transfer;

static bool same_sizes(const tsr_encoding *a, const tsr_encoding *b) {
  if (a->y != b->y || a->p != b->p) return false;
  for (uint32_t i = 0; i < a->y; i++)
    if (tsr_encoding_length(a, a->ys[i]) != tsr_encoding_length(b, b->ys[i])) return false;
  for (uint32_t i = 0; i < a->p; i++)
    if (tsr_encoding_p_length(a, i) != tsr_encoding_p_length(b, i)) return false;
  return true;
}

/* One vector: at once where its elements are neighbours and no padding is among them, else one by
 * one. */
static void move_vector(const transfer *t, int32_t worker, const int32_t *p, int32_t *y) {
  const tsr_tile_window *w = t->window;
  const tsr_descriptor *d = w->view.descriptor;
  int32_t n = w->scalars_per_vector, start = w->encoding->y ? y[w->vector_dim] : 0;
  uint64_t values[MAX_VECTOR];
  tsr_coordinate at[MAX_VECTOR];
  bool whole = true;
  for (int32_t i = 0; i < n; i++) {
    int64_t index[MAX_DIMS];
    if (w->encoding->y) y[w->vector_dim] = start + i;
    tensor_index(w, p, y, t->rows, index);
    tsr_coordinate_make(&at[i], d, index);
    whole &= tsr_coordinate_valid(&at[i], d) &&
             tsr_coordinate_offset(&at[i], d) == tsr_coordinate_offset(&at[0], d) + i;
    if (!t->load) values[i] = tsr_tile_get(t->tile, worker, y);
  }
  for (int32_t i = 0; i < n; i += whole ? n : 1) {
    uint32_t width = whole ? (uint32_t)n : 1;
    if (t->load)
      tsr_tensor_get(&w->view, &at[i], width, values + i);
    else
      tsr_tensor_update(&w->view, t->operation, &at[i], width, values + i);
  }
  for (int32_t i = 0; t->load && i < n; i++) {
    if (w->encoding->y) y[w->vector_dim] = start + i;
    tsr_tile_set(t->tile, worker, y, values[i]);
  }
}

static tsr_status run(const transfer *t, tsr_layout_error *e) {
  const tsr_tile_window *w = t->window;
  if (!same_sizes(w->encoding, t->tile->encoding) || t->tile->elem != w->view.buffer.elem)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "the tile (%s, %d workers of %d slots) has other P or Y lengths or another "
                       "element type than the window (%s)",
                       tsr_elem_name(t->tile->elem), t->tile->workers, t->tile->slots,
                       tsr_elem_name(w->view.buffer.elem));
  int64_t accesses = tsr_curve_accesses(&w->curve);
  for (int32_t worker = 0; worker < t->tile->workers; worker++) {
    int32_t p[TSR_ENCODING_MAX_P], y[MAX_MODES];
    tsr_encoding_partition_index(w->encoding, worker, p);
    for (int64_t k = 0; k < accesses; k++) {
      int64_t at[MAX_DIMS];
      tsr_curve_index(&w->curve, k, at);
      for (uint32_t i = 0; i < w->encoding->y; i++) y[i] = (int32_t)at[i];
      move_vector(t, worker, p, y);
    }
  }
  return TSR_OK;
}

tsr_status tsr_tile_window_load(const tsr_tile_window *w, const tsr_tile *tile,
                                tsr_layout_error *e) {
  if (!w || !tile) return layout_null(e);
  return run(&(transfer){.window = w, .tile = tile, .load = true}, e);
}

tsr_status tsr_tile_window_update(const tsr_tile_window *w, tsr_memory_operation operation,
                                  const tsr_tile *tile, tsr_layout_error *e) {
  if (!w || !tile) return layout_null(e);
  return run(&(transfer){.window = w, .tile = tile, .operation = operation}, e);
}

tsr_status tsr_tile_window_store(const tsr_tile_window *w, const tsr_tile *tile,
                                 tsr_layout_error *e) {
  if (!w || !tile) return layout_null(e);
  return tsr_tile_window_update(w, TSR_MEMORY_SET, tile, e);
}

static tsr_status check_rows(const tsr_tile_window *w, int64_t count, tsr_layout_error *e) {
  int64_t want = w->encoding->x ? tsr_encoding_x_length(w->encoding, 0) : 0;
  if (count == want && want > 0) return TSR_OK;
  return layout_fail(e, TSR_ERROR_USAGE, 0, -1, "%lld rows for a window of %lld", (long long)count,
                     (long long)want);
}

tsr_status tsr_tile_window_gather(const tsr_tile_window *w, const int64_t *rows, int64_t count,
                                  const tsr_tile *tile, tsr_layout_error *e) {
  if (!w || !tile || (count > 0 && !rows)) return layout_null(e);
  tsr_status s = check_rows(w, count, e);
  return s == TSR_OK ? run(&(transfer){.window = w, .tile = tile, .rows = rows, .load = true}, e)
                     : s;
}

tsr_status tsr_tile_window_scatter(const tsr_tile_window *w, tsr_memory_operation operation,
                                   const int64_t *rows, int64_t count, const tsr_tile *tile,
                                   tsr_layout_error *e) {
  if (!w || !tile || (count > 0 && !rows)) return layout_null(e);
  tsr_status s = check_rows(w, count, e);
  transfer t = {.window = w, .tile = tile, .rows = rows, .operation = operation};
  return s == TSR_OK ? run(&t, e) : s;
}
