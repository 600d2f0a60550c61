/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Distributions: making, checking and normalising them.
 */
#include <limits.h>
#include <stdio.h>

#include "layout/layout.h"

tsr_status layout_fail(tsr_layout_error *error, tsr_status status, int dim, int mode,
                       const char *fmt, ...) {
  if (!error) return status;
  va_list args;
  va_start(args, fmt);
  vsnprintf(error->message, sizeof error->message, fmt, args);
  va_end(args);
  error->dim = dim;
  error->mode = mode;
  return status;
}

tsr_status layout_null(tsr_layout_error *e) {
  return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "a pointer is NULL that may not be");
}

list_text layout_list(uint32_t count, const int32_t *values) {
  list_text out;
  size_t len = (size_t)snprintf(out.text, sizeof out.text, "[");
  for (uint32_t i = 0; i < count; i++) {
    if (len + 20 > sizeof out.text) {
      len += (size_t)snprintf(out.text + len, sizeof out.text - len, ", ...");
      break;
    }
    len +=
        (size_t)snprintf(out.text + len, sizeof out.text - len, "%s%d", i ? ", " : "", values[i]);
  }
  snprintf(out.text + len, sizeof out.text - len, "]");
  return out;
}

int32_t layout_gcd(int32_t a, int32_t b) {
  while (b) {
    int32_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

/* ---- modes ---------------------------------------------------------------------------------- */

static void insert_after(int32_t *list, uint8_t *len, uint32_t at, int32_t value) {
  memmove(list + at + 2, list + at + 1, (*len - at - 1) * sizeof *list);
  list[at + 1] = value;
  (*len)++;
}

/* In a list of modes: shifts those after m by one and puts m + 1 after m. */
static void split_in_list(int32_t *list, uint8_t *len, int32_t m) {
  int at = -1;
  for (int i = 0; i < *len; i++) {
    if (list[i] > m) list[i]++;
    if (list[i] == m) at = i;
  }
  if (at >= 0) insert_after(list, len, (uint32_t)at, m + 1);
}

static uint32_t dim_of_mode(const tsr_layout *l, uint32_t m) {
  uint32_t d = 0;
  while (m >= l->dim_modes[d]) m -= l->dim_modes[d++];
  return d;
}

bool layout_split(tsr_layout *l, uint32_t m, int32_t low) {
  if (l->modes == MAX_MODES || l->spatial == MAX_MODES || l->local == MAX_MODES) return false;
  uint32_t d = dim_of_mode(l, m);
  insert_after(l->mode_shape, &l->modes, m, low);
  l->mode_shape[m] /= low;
  l->dim_modes[d]++;
  split_in_list(l->spatial_modes, &l->spatial, (int32_t)m);
  split_in_list(l->local_modes, &l->local, (int32_t)m);
  return true;
}

static uint8_t drop_in_list(int32_t *list, uint8_t len, const int32_t *renumber) {
  uint8_t n = 0;
  for (uint8_t i = 0; i < len; i++) {
    if (list[i] < 0)
      list[n++] = list[i];
    else if (renumber[list[i]] >= 0)
      list[n++] = renumber[list[i]];
  }
  return n;
}

void layout_drop(tsr_layout *l, const bool *gone) {
  int32_t renumber[MAX_MODES];
  uint8_t n = 0;
  uint32_t m = 0;
  for (uint32_t d = 0; d < l->rank; d++) {
    uint8_t kept = 0;
    for (uint32_t end = m + l->dim_modes[d]; m < end; m++) {
      renumber[m] = gone[m] ? -1 : n;
      if (gone[m]) continue;
      l->mode_shape[n++] = l->mode_shape[m];
      kept++;
    }
    l->dim_modes[d] = kept;
  }
  l->modes = n;
  l->spatial = drop_in_list(l->spatial_modes, l->spatial, renumber);
  l->local = drop_in_list(l->local_modes, l->local, renumber);
}

/* ---- canonical form -------------------------------------------------------------------------- */

static void drop_ones(tsr_layout *l) {
  bool gone[MAX_MODES] = {false};
  for (uint32_t m = 0; m < l->modes; m++) gone[m] = l->mode_shape[m] == 1;
  layout_drop(l, gone);
  uint8_t n = 0;
  for (uint8_t i = 0; i < l->spatial; i++)
    if (l->spatial_modes[i] != -1) l->spatial_modes[n++] = l->spatial_modes[i];
  l->spatial = n;
}

/* follows[m]: mode m + 1 stands right after m in the same list. */
static void mark_followers(const int32_t *list, uint32_t len, bool *follows) {
  for (uint32_t i = 0; i + 1 < len; i++)
    if (list[i] >= 0 && list[i + 1] == list[i] + 1) follows[list[i]] = true;
}

static void merge_neighbours(tsr_layout *l) {
  bool follows[MAX_MODES] = {false}, gone[MAX_MODES] = {false};
  mark_followers(l->spatial_modes, l->spatial, follows);
  mark_followers(l->local_modes, l->local, follows);
  uint32_t m = 0;
  for (uint32_t d = 0; d < l->rank; d++) {
    uint32_t end = m + l->dim_modes[d], into = m;
    for (uint32_t k = m + 1; k < end; k++) {
      if (follows[k - 1]) {
        l->mode_shape[into] *= l->mode_shape[k];
        gone[k] = true;
      } else {
        into = k;
      }
    }
    m = end;
  }
  layout_drop(l, gone);
}

void tsr_layout_canonicalize(tsr_layout *l) {
  if (!l) return;
  drop_ones(l);
  merge_neighbours(l);
}

/* ---- checks --------------------------------------------------------------------------------- */

static tsr_status check_counts(const tsr_layout *l, tsr_layout_error *e) {
  if (l->rank > MAX_RANK)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "a layout has at most %d dimensions, this one %u", MAX_RANK, l->rank);
  if (l->modes > MAX_MODES || l->spatial > MAX_MODES || l->local > MAX_MODES)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "a layout has at most %d modes; this one has %u, %u spatial and %u local",
                       MAX_MODES, l->modes, l->spatial, l->local);
  return TSR_OK;
}

/* *product times factor, within 2^31 - 1. */
static bool times(int64_t *product, int64_t factor) {
  if (factor < 1 || *product > INT32_MAX / factor) return false;
  *product *= factor;
  return true;
}

static tsr_status check_shape(const tsr_layout *l, tsr_layout_error *e) {
  int64_t size = 1;
  uint32_t m = 0;
  for (uint32_t d = 0; d < l->rank; d++) {
    if (!times(&size, l->shape[d]))
      return layout_fail(e, TSR_ERROR_USAGE, (int)d, -1,
                         "sizes are 1 or more and make fewer than 2^31 elements: shape %s",
                         SHAPE_TEXT(l));
    int64_t product = 1;
    uint32_t first = m;
    for (uint32_t k = 0; k < l->dim_modes[d]; k++, m++)
      if (m >= l->modes || !times(&product, l->mode_shape[m]))
        return layout_fail(e, TSR_ERROR_USAGE, (int)d, (int)m,
                           "mode %u of dimension %u is not in mode_shape %s, or not 1 or more", m,
                           d, layout_list(l->modes, l->mode_shape).text);
    if (product != l->shape[d])
      return layout_fail(e, TSR_ERROR_USAGE, (int)d, (int)first,
                         "the modes %s do not multiply to dimension %u of shape %s, which is %d",
                         layout_list(m - first, l->mode_shape + first).text, d, SHAPE_TEXT(l),
                         l->shape[d]);
  }
  if (m != l->modes)
    return layout_fail(e, TSR_ERROR_USAGE, -1, (int)m,
                       "mode_shape %s has more modes than shape %s needs",
                       layout_list(l->modes, l->mode_shape).text, SHAPE_TEXT(l));
  return TSR_OK;
}

static tsr_status check_list(const tsr_layout *l, const char *name, const int32_t *list,
                             uint32_t len, bool copies_allowed, bool *used, tsr_layout_error *e) {
  int64_t size = 1;
  for (uint32_t i = 0; i < len; i++) {
    int32_t m = list[i];
    if (m >= l->modes || (m < 0 && !copies_allowed))
      return layout_fail(e, TSR_ERROR_USAGE, -1, m, "%s %s names mode %d; mode_shape %s has %u",
                         name, layout_list(len, list).text, m,
                         layout_list(l->modes, l->mode_shape).text, l->modes);
    if (m >= 0 && used[m])
      return layout_fail(e, TSR_ERROR_USAGE, -1, m,
                         "mode %d is named twice in spatial_modes %s and local_modes %s; each mode "
                         "belongs to one of them",
                         m, layout_list(l->spatial, l->spatial_modes).text,
                         layout_list(l->local, l->local_modes).text);
    if (m >= 0) used[m] = true;
    if (!times(&size, m < 0 ? -(int64_t)m : l->mode_shape[m]))
      return layout_fail(e, TSR_ERROR_USAGE, -1, m, "%s %s makes 2^31 or more", name,
                         layout_list(len, list).text);
  }
  return TSR_OK;
}

tsr_status tsr_layout_validate(const tsr_layout *l, tsr_layout_error *e) {
  if (!l) return layout_null(e);
  tsr_status s = check_counts(l, e);
  if (s == TSR_OK) s = check_shape(l, e);
  bool used[MAX_MODES] = {false};
  if (s == TSR_OK) s = check_list(l, "spatial_modes", l->spatial_modes, l->spatial, true, used, e);
  if (s == TSR_OK) s = check_list(l, "local_modes", l->local_modes, l->local, false, used, e);
  for (uint32_t m = 0; s == TSR_OK && m < l->modes; m++)
    if (!used[m])
      s = layout_fail(
          e, TSR_ERROR_USAGE, -1, (int)m,
          "mode %u of mode_shape %s is neither in spatial_modes %s nor in local_modes %s", m,
          layout_list(l->modes, l->mode_shape).text, layout_list(l->spatial, l->spatial_modes).text,
          layout_list(l->local, l->local_modes).text);
  return s;
}

/* ---- making --------------------------------------------------------------------------------- */

/* Gives the modes to the dimensions in turn. Modes of size 1 go to whichever dimension is open. */
static tsr_status group_modes(tsr_layout *l, tsr_layout_error *e) {
  uint32_t m = 0;
  for (uint32_t d = 0; d < l->rank; d++) {
    int32_t left = l->shape[d];
    l->dim_modes[d] = 0;
    while (m < l->modes && (left > 1 || l->mode_shape[m] == 1)) {
      if (l->mode_shape[m] < 1 || left % l->mode_shape[m])
        return layout_fail(e, TSR_ERROR_USAGE, (int)d, (int)m,
                           "mode %u, of size %d, does not divide what is left of dimension %u: %d "
                           "(shape %s, mode_shape %s)",
                           m, l->mode_shape[m], d, left, SHAPE_TEXT(l),
                           layout_list(l->modes, l->mode_shape).text);
      left /= l->mode_shape[m++];
      l->dim_modes[d]++;
    }
  }
  return TSR_OK;
}

static tsr_status copy_in(int32_t *to, uint8_t *len, uint32_t count, const int32_t *from,
                          uint32_t limit, const char *what, tsr_layout_error *e) {
  if (count > limit)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "a layout has at most %u %s; %u were given",
                       limit, what, count);
  if (count) memcpy(to, from, count * sizeof *to);
  *len = (uint8_t)count;
  return TSR_OK;
}

tsr_status tsr_layout_make(tsr_layout *out, uint32_t rank, const int32_t *shape, uint32_t modes,
                           const int32_t *mode_shape, uint32_t spatial,
                           const int32_t *spatial_modes, uint32_t local, const int32_t *local_modes,
                           tsr_layout_error *e) {
  if (!out || (rank && !shape) || (modes && !mode_shape) || (spatial && !spatial_modes) ||
      (local && !local_modes))
    return layout_null(e);
  tsr_layout l = {0};
  tsr_status s = copy_in(l.shape, &l.rank, rank, shape, MAX_RANK, "dimensions", e);
  if (s == TSR_OK) s = copy_in(l.mode_shape, &l.modes, modes, mode_shape, MAX_MODES, "modes", e);
  if (s == TSR_OK)
    s = copy_in(l.spatial_modes, &l.spatial, spatial, spatial_modes, MAX_MODES, "spatial modes", e);
  if (s == TSR_OK)
    s = copy_in(l.local_modes, &l.local, local, local_modes, MAX_MODES, "local modes", e);
  if (s == TSR_OK) s = group_modes(&l, e);
  if (s == TSR_OK) s = tsr_layout_validate(&l, e);
  if (s != TSR_OK) return s;
  tsr_layout_canonicalize(&l);
  *out = l;
  return TSR_OK;
}

/* The list of all dimensions by significance: ranks turned around. */
static tsr_status order_of(uint32_t rank, const int32_t *ranks, int32_t *order,
                           tsr_layout_error *e) {
  bool used[MAX_RANK] = {false};
  for (uint32_t d = 0; d < rank; d++) {
    int32_t r = ranks ? ranks[d] : (int32_t)d;
    if (r < 0 || r >= (int32_t)rank || used[r])
      return layout_fail(e, TSR_ERROR_USAGE, (int)d, -1,
                         "ranks %s is not an order of the %u dimensions: each of 0..%u once",
                         layout_list(rank, ranks).text, rank, rank - 1);
    used[r] = true;
    order[r] = (int32_t)d;
  }
  return TSR_OK;
}

static tsr_status plain(tsr_layout *out, bool spatial, uint32_t rank, const int32_t *shape,
                        const int32_t *ranks, tsr_layout_error *e) {
  int32_t order[MAX_RANK];
  if (rank > MAX_RANK)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "a layout has at most %d dimensions, not %u",
                       MAX_RANK, rank);
  tsr_status s = order_of(rank, ranks, order, e);
  if (s != TSR_OK) return s;
  /* One mode per dimension, also where its size is 1: the lists name them all. */
  tsr_layout l = {.rank = (uint8_t)rank, .modes = (uint8_t)rank};
  for (uint32_t d = 0; d < rank; d++) {
    l.shape[d] = l.mode_shape[d] = shape[d];
    l.dim_modes[d] = 1;
    (spatial ? l.spatial_modes : l.local_modes)[d] = order[d];
  }
  l.spatial = spatial ? (uint8_t)rank : 0;
  l.local = spatial ? 0 : (uint8_t)rank;
  s = tsr_layout_validate(&l, e);
  if (s != TSR_OK) return s;
  tsr_layout_canonicalize(&l);
  *out = l;
  return TSR_OK;
}

tsr_status tsr_layout_spatial(tsr_layout *out, uint32_t rank, const int32_t *shape,
                              const int32_t *ranks, tsr_layout_error *e) {
  if (!out || (rank && !shape)) return layout_null(e);
  return plain(out, true, rank, shape, ranks, e);
}

tsr_status tsr_layout_local(tsr_layout *out, uint32_t rank, const int32_t *shape,
                            const int32_t *ranks, tsr_layout_error *e) {
  if (!out || (rank && !shape)) return layout_null(e);
  return plain(out, false, rank, shape, ranks, e);
}

static tsr_status column(tsr_layout *out, bool spatial, uint32_t rank, const int32_t *shape,
                         tsr_layout_error *e) {
  int32_t ranks[MAX_RANK];
  for (uint32_t d = 0; d < MIN(rank, MAX_RANK); d++) ranks[d] = (int32_t)(rank - 1 - d);
  return plain(out, spatial, rank, shape, ranks, e);
}

tsr_status tsr_layout_column_spatial(tsr_layout *out, uint32_t rank, const int32_t *shape,
                                     tsr_layout_error *e) {
  if (!out || (rank && !shape)) return layout_null(e);
  return column(out, true, rank, shape, e);
}

tsr_status tsr_layout_column_local(tsr_layout *out, uint32_t rank, const int32_t *shape,
                                   tsr_layout_error *e) {
  if (!out || (rank && !shape)) return layout_null(e);
  return column(out, false, rank, shape, e);
}

tsr_status tsr_layout_replicated(tsr_layout *out, uint32_t rank, const int32_t *shape,
                                 int32_t workers, tsr_layout_error *e) {
  if (!out || (rank && !shape)) return layout_null(e);
  if (workers < 1)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "%d workers: expected 1 or more", workers);
  tsr_layout copies, tile;
  tsr_status s = tsr_layout_make(&copies, 0, NULL, 0, NULL, 1, &(int32_t){-workers}, 0, NULL, e);
  if (s == TSR_OK) s = tsr_layout_local(&tile, rank, shape, NULL, e);
  return s == TSR_OK ? tsr_layout_compose(out, &copies, &tile, e) : s;
}

/* Threads are dealt from the last dimension to the first, as many as divide each size; what is
 * left of the sizes is local, what is left of the threads is replication. */
tsr_status tsr_layout_auto_local_spatial(tsr_layout *out, int32_t workers, uint32_t rank,
                                         const int32_t *shape, tsr_layout_error *e) {
  if (!out || (rank && !shape)) return layout_null(e);
  tsr_layout outer, inner;
  tsr_status s = tsr_layout_local(&outer, rank, shape, NULL, e);
  if (s != TSR_OK) return s;
  int64_t size = tsr_layout_size(&outer);
  if (workers < 1 || (size % workers && workers % size))
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "%d workers for the %lld elements of shape %s: one must divide the other",
                       workers, (long long)size, layout_list(rank, shape).text);
  int32_t part[MAX_RANK], rest[MAX_RANK];
  for (uint32_t d = rank; d-- > 0;) {
    part[d] = layout_gcd(workers, shape[d]);
    rest[d] = shape[d] / part[d];
    workers /= part[d];
  }
  tsr_layout_local(&outer, rank, rest, NULL, NULL);
  tsr_layout_spatial(&inner, rank, part, NULL, NULL);
  if ((s = tsr_layout_compose(&outer, &outer, &inner, e)) != TSR_OK) return s;
  if (workers > 1) {
    memmove(outer.spatial_modes + 1, outer.spatial_modes, outer.spatial * sizeof(int32_t));
    outer.spatial_modes[0] = -workers;
    outer.spatial++;
    if ((s = tsr_layout_validate(&outer, e)) != TSR_OK) return s;
  }
  *out = outer;
  return TSR_OK;
}
