/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Buffer views and distributed tiles.
 */
#include <tessera/window.h>

#include "layout/layout.h"
#include "num/num.h"

/* ---- buffers -------------------------------------------------------------------------------- */

tsr_buffer_view tsr_buffer_view_make(void *data, tsr_elem elem, int64_t count, tsr_space space) {
  return (tsr_buffer_view){.data = data, .count = MAX(count, 0), .elem = elem, .space = space};
}

/* Where `index + offset + i` lies; -1 outside. */
static int64_t place_in(const tsr_buffer_view *b, int64_t index, int64_t offset, int64_t i) {
  int64_t at;
  if (__builtin_add_overflow(index, offset, &at) || __builtin_add_overflow(at, i, &at)) return -1;
  return at >= 0 && at < b->count ? at : -1;
}

void tsr_buffer_get(const tsr_buffer_view *b, int64_t index, int64_t offset, bool valid,
                    uint32_t width, uint64_t *patterns) {
  if (!b || (width && !patterns)) return;
  for (uint32_t i = 0; i < width; i++) {
    int64_t at = valid ? place_in(b, index, offset, i) : -1;
    patterns[i] = b->invalid;
    if (at >= 0) num_load_array(&patterns[i], b->data, b->elem, (size_t)at, 1);
  }
}

static uint64_t sum(tsr_elem elem, uint64_t a, uint64_t b) {
  const num_format *f = num_format_of(elem);
  if (f) return num_encode(f, num_decode(f, a) + num_decode(f, b), NUM_NEAREST_EVEN);
  unsigned bits = tsr_elem_bits(elem);
  return (a + b) & (bits >= 64 ? ~0ull : (1ull << bits) - 1);
}

static bool larger(tsr_elem elem, uint64_t a, uint64_t b) {
  const num_format *f = num_format_of(elem);
  if (f) {
    double x = num_decode(f, a), y = num_decode(f, b);
    return x > y || (y != y && x == x);
  }
  unsigned shift = 64 - tsr_elem_bits(elem);
  return (int64_t)(a << shift) > (int64_t)(b << shift);
}

void tsr_buffer_update(const tsr_buffer_view *b, tsr_memory_operation operation, int64_t index,
                       int64_t offset, bool valid, uint32_t width, const uint64_t *patterns) {
  if (!b || (width && !patterns)) return;
  for (uint32_t i = 0; i < width && valid; i++) {
    int64_t at = place_in(b, index, offset, i);
    uint64_t value = patterns[i], old;
    if (at < 0) continue;
    if (operation != TSR_MEMORY_SET) {
      num_load_array(&old, b->data, b->elem, (size_t)at, 1);
      if (operation == TSR_MEMORY_ATOMIC_MAX)
        value = larger(b->elem, value, old) ? value : old;
      else
        value = sum(b->elem, old, value);
    }
    num_store_array(b->data, &value, b->elem, (size_t)at, 1);
  }
}

void tsr_buffer_set(const tsr_buffer_view *b, int64_t index, int64_t offset, bool valid,
                    uint32_t width, const uint64_t *patterns) {
  if (!b || (width && !patterns)) return;
  tsr_buffer_update(b, TSR_MEMORY_SET, index, offset, valid, width, patterns);
}

/* ---- tiles ---------------------------------------------------------------------------------- */

int64_t tsr_tile_values(const tsr_encoding *c) {
  if (!c) return 0;
  int64_t n = 1;
  for (uint32_t p = 0; p < c->p; p++) n *= tsr_encoding_p_length(c, p);
  for (uint32_t i = 0; i < c->y; i++) n *= tsr_encoding_length(c, c->ys[i]);
  return n;
}

tsr_status tsr_tile_make(tsr_tile *out, const tsr_encoding *c, tsr_elem elem, uint64_t *values,
                         int64_t count, tsr_layout_error *e) {
  if (!out || !c || !values) return layout_null(e);
  tsr_status s = tsr_encoding_validate(c, e);
  if (s != TSR_OK) return s;
  int64_t workers = 1;
  for (uint32_t p = 0; p < c->p; p++) workers *= tsr_encoding_p_length(c, p);
  if (count < tsr_tile_values(c))
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "room for %lld values; the tile has %lld",
                       (long long)count, (long long)tsr_tile_values(c));
  *out = (tsr_tile){.encoding = c,
                    .elem = elem,
                    .workers = (int32_t)workers,
                    .slots = (int32_t)(tsr_tile_values(c) / workers),
                    .values = values};
  return TSR_OK;
}

void tsr_tile_fill(const tsr_tile *t, uint64_t pattern) {
  if (!t) return;
  for (int64_t i = 0; i < (int64_t)t->workers * t->slots; i++) t->values[i] = pattern;
}

static uint64_t *value_at(const tsr_tile *t, int32_t worker, const int32_t *y) {
  return &t->values[(int64_t)worker * t->slots + tsr_encoding_slot(t->encoding, y)];
}

uint64_t tsr_tile_get(const tsr_tile *t, int32_t worker, const int32_t *y) {
  if (!t || !y) return 0;
  return *value_at(t, worker, y);
}

void tsr_tile_set(const tsr_tile *t, int32_t worker, const int32_t *y, uint64_t pattern) {
  if (!t || !y) return;
  *value_at(t, worker, y) = pattern;
}

/* The next index of a box whose dimensions are visited in `order`, the last fastest. */
static bool next_in(uint32_t n, const uint32_t *order, const int32_t *lengths, int32_t *y) {
  for (uint32_t i = n; i-- > 0;) {
    uint32_t d = order ? order[i] : i;
    if (++y[d] < lengths[d]) return true;
    y[d] = 0;
  }
  return false;
}

static void copy_slice(const tsr_tile *t, int32_t worker, const int32_t *origin,
                       const int32_t *lengths, uint64_t *out, const uint64_t *in) {
  int32_t at[MAX_MODES] = {0}, y[MAX_MODES];
  int64_t n = 0;
  do {
    for (uint32_t i = 0; i < t->encoding->y; i++) y[i] = origin[i] + at[i];
    if (out)
      out[n++] = *value_at(t, worker, y);
    else
      *value_at(t, worker, y) = in[n++];
  } while (next_in(t->encoding->y, NULL, lengths, at));
}

void tsr_tile_get_slice(const tsr_tile *t, int32_t worker, const int32_t *origin,
                        const int32_t *lengths, uint64_t *patterns) {
  if (!t || !origin || !lengths || !patterns) return;
  copy_slice(t, worker, origin, lengths, patterns, NULL);
}

void tsr_tile_set_slice(const tsr_tile *t, int32_t worker, const int32_t *origin,
                        const int32_t *lengths, const uint64_t *patterns) {
  if (!t || !origin || !lengths || !patterns) return;
  copy_slice(t, worker, origin, lengths, NULL, patterns);
}

void tsr_tile_sweep(const tsr_tile *t, tsr_tile_visit visit, void *user) {
  if (!t || !visit) return;
  const tsr_encoding *c = t->encoding;
  uint32_t order[MAX_MODES], n = 0;
  int32_t lengths[MAX_MODES];
  for (uint32_t d = 0; d < c->x; d++) n += tsr_encoding_span(c, d, order + n, MAX_MODES - n);
  for (uint32_t i = 0; i < c->y; i++) lengths[i] = tsr_encoding_length(c, c->ys[i]);
  for (int32_t w = 0; w < t->workers; w++) {
    int32_t p[TSR_ENCODING_MAX_P], y[MAX_MODES] = {0}, x[MAX_RANK];
    tsr_encoding_partition_index(c, w, p);
    do {
      tsr_encoding_x_index(c, p, y, x);
      visit(user, w, y, x, value_at(t, w, y));
    } while (next_in(n, order, lengths, y));
  }
}

static tsr_status check_sizes(const tsr_tile *a, const tsr_tile *b, tsr_layout_error *e) {
  if (a->workers == b->workers && a->slots == b->slots) return TSR_OK;
  return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                     "tiles of %d workers x %d slots and of %d x %d: the sizes must be the same",
                     a->workers, a->slots, b->workers, b->slots);
}

tsr_status tsr_tile_elementwise(const tsr_tile *out, const tsr_tile *a, const tsr_tile *b,
                                tsr_tile_function fn, void *user, tsr_layout_error *e) {
  if (!out || !a || !fn) return layout_null(e);
  tsr_status s = check_sizes(out, a, e);
  if (s == TSR_OK && b) s = check_sizes(out, b, e);
  for (int64_t i = 0; s == TSR_OK && i < (int64_t)out->workers * out->slots; i++)
    out->values[i] = fn(user, a->values[i], b ? b->values[i] : 0);
  return s;
}

/* By way of a double, which holds every integer below 2^53. */
static uint64_t cast_one(tsr_elem to, tsr_elem from, uint64_t pattern) {
  uint64_t out = 0;
  double value;
  char one[8] = {0}, two[8] = {0};
  if (to == from) return pattern;
  num_store_array(one, &pattern, from, 0, 1);
  num_decode_array(&value, one, from, 0, 1);
  num_encode_array(two, &value, to, 0, 1, NUM_NEAREST_EVEN);
  num_load_array(&out, two, to, 0, 1);
  return out;
}

tsr_status tsr_tile_cast(const tsr_tile *out, const tsr_tile *in, tsr_layout_error *e) {
  if (!out || !in) return layout_null(e);
  tsr_status s = check_sizes(out, in, e);
  for (int64_t i = 0; s == TSR_OK && i < (int64_t)out->workers * out->slots; i++)
    out->values[i] = cast_one(out->elem, in->elem, in->values[i]);
  return s;
}

tsr_status tsr_tile_shuffle(const tsr_tile *out, const tsr_tile *in, tsr_layout_error *e) {
  if (!out || !in) return layout_null(e);
  tsr_layout to, from;
  tsr_conversion kind;
  tsr_status s = check_sizes(out, in, e);
  if (s == TSR_OK) s = tsr_encoding_to_layout(out->encoding, &to, e);
  if (s == TSR_OK) s = tsr_encoding_to_layout(in->encoding, &from, e);
  if (s == TSR_OK) s = tsr_layout_conversion(&kind, &from, &to, 1, e);
  if (s != TSR_OK) return s;
  if (kind > TSR_CONVERSION_REGISTERS)
    return layout_fail(e, TSR_ERROR_UNSUPPORTED, -1, -1,
                       "the encodings of shape %s give workers different elements; a shuffle only "
                       "reorders each worker's own",
                       SHAPE_TEXT(&to));
  for (int32_t w = 0; w < out->workers; w++)
    for (int32_t slot = 0; slot < out->slots; slot++) {
      int32_t index[MAX_RANK];
      tsr_layout_get_global(&to, w, slot, index);
      out->values[(int64_t)w * out->slots + slot] =
          in->values[(int64_t)w * in->slots + tsr_layout_get_local(&from, index)];
    }
  return TSR_OK;
}
