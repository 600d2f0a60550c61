/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Distributions: the operations that make one from others. The algebra is Tilus' (its register
 * layout operations); where Tilus' own implementation refuses an operation that has a result, or
 * documents something else than it does, the mathematical result is given here:
 *
 *   - reshape may cut one mode at several places, left_divide may cut the last mode of a group;
 *   - divide and left_divide may also cut a replication;
 *   - flatten includes its last dimension, as documented there;
 *   - replication of size 1 (replicated(..., num_workers=1)) is no mode.
 */
#include <limits.h>

#include "layout/layout.h"

/* Leading dimensions of size 1 up to `rank`. */
static void pad_rank(tsr_layout *l, uint32_t rank) {
  uint32_t more = rank - l->rank;
  memmove(l->shape + more, l->shape, l->rank * sizeof l->shape[0]);
  memmove(l->dim_modes + more, l->dim_modes, l->rank * sizeof l->dim_modes[0]);
  for (uint32_t d = 0; d < more; d++) {
    l->shape[d] = 1;
    l->dim_modes[d] = 0;
  }
  l->rank = (uint8_t)rank;
}

static tsr_status finish(tsr_layout *out, tsr_layout *l, tsr_layout_error *e) {
  tsr_status s = tsr_layout_validate(l, e);
  if (s != TSR_OK) return s;
  tsr_layout_canonicalize(l);
  *out = *l;
  return TSR_OK;
}

static void append(int32_t *list, uint8_t *len, const int32_t *from, uint32_t n,
                   const int32_t *renumber) {
  for (uint32_t i = 0; i < n; i++) list[(*len)++] = from[i] < 0 ? from[i] : renumber[from[i]];
}

/* ---- compose and concat --------------------------------------------------------------------- */

static tsr_status room_for_both(const tsr_layout *a, const tsr_layout *b, tsr_layout_error *e) {
  if (a->modes + b->modes > MAX_MODES || a->spatial + b->spatial > MAX_MODES ||
      a->local + b->local > MAX_MODES)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "shapes %s and %s together have more than %d modes", SHAPE_TEXT(a),
                       SHAPE_TEXT(b), MAX_MODES);
  return TSR_OK;
}

static void take_modes(tsr_layout *to, const tsr_layout *from, uint32_t d, uint32_t *m,
                       int32_t *renumber) {
  for (uint32_t k = 0; k < from->dim_modes[d]; k++, (*m)++) {
    renumber[*m] = to->modes;
    to->mode_shape[to->modes++] = from->mode_shape[*m];
  }
  to->dim_modes[d] = (uint8_t)(to->dim_modes[d] + from->dim_modes[d]);
}

tsr_status tsr_layout_compose(tsr_layout *out, const tsr_layout *outer, const tsr_layout *inner,
                              tsr_layout_error *e) {
  if (!out || !outer || !inner) return layout_null(e);
  tsr_status s = room_for_both(outer, inner, e);
  if (s != TSR_OK) return s;
  tsr_layout a = *outer, b = *inner, l = {.rank = MAX(outer->rank, inner->rank)};
  pad_rank(&a, l.rank);
  pad_rank(&b, l.rank);
  int32_t of_a[MAX_MODES], of_b[MAX_MODES];
  uint32_t ma = 0, mb = 0;
  for (uint32_t d = 0; d < l.rank; d++) {
    int64_t size = (int64_t)a.shape[d] * b.shape[d];
    if (size > INT32_MAX)
      return layout_fail(e, TSR_ERROR_USAGE, (int)d, -1,
                         "composing shapes %s and %s makes dimension %u 2^31 or more",
                         SHAPE_TEXT(outer), SHAPE_TEXT(inner), d);
    l.shape[d] = (int32_t)size;
    take_modes(&l, &a, d, &ma, of_a);
    take_modes(&l, &b, d, &mb, of_b);
  }
  append(l.spatial_modes, &l.spatial, a.spatial_modes, a.spatial, of_a);
  append(l.spatial_modes, &l.spatial, b.spatial_modes, b.spatial, of_b);
  append(l.local_modes, &l.local, a.local_modes, a.local, of_a);
  append(l.local_modes, &l.local, b.local_modes, b.local, of_b);
  return finish(out, &l, e);
}

tsr_status tsr_layout_concat(tsr_layout *out, const tsr_layout *a, const tsr_layout *b,
                             tsr_layout_error *e) {
  if (!out || !a || !b) return layout_null(e);
  tsr_status s = room_for_both(a, b, e);
  if (s != TSR_OK) return s;
  if (a->rank + b->rank > MAX_RANK)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "shapes %s and %s together have more than %d dimensions", SHAPE_TEXT(a),
                       SHAPE_TEXT(b), MAX_RANK);
  tsr_layout l = *a;
  int32_t of_b[MAX_MODES];
  for (uint32_t m = 0; m < b->modes; m++) of_b[m] = (int32_t)(a->modes + m);
  memcpy(l.mode_shape + l.modes, b->mode_shape, b->modes * sizeof(int32_t));
  memcpy(l.shape + l.rank, b->shape, b->rank * sizeof(int32_t));
  memcpy(l.dim_modes + l.rank, b->dim_modes, b->rank);
  append(l.spatial_modes, &l.spatial, b->spatial_modes, b->spatial, of_b);
  append(l.local_modes, &l.local, b->local_modes, b->local, of_b);
  l.modes = (uint8_t)(l.modes + b->modes);
  l.rank = (uint8_t)(l.rank + b->rank);
  return finish(out, &l, e);
}

/* ---- division ------------------------------------------------------------------------------- */

/* A division at work. `right`: the divisor is the inner one, so its modes are the last of each
 * dimension and of each list; else they are the first. */
typedef struct division {
  tsr_layout whole, part;
  bool right;
  int32_t of_part[MAX_MODES]; /* the mode of `whole` that a mode of `part` is */
  tsr_layout_error *error;
  const tsr_layout *given_whole, *given_part;
} division;

static tsr_status no_quotient(const division *v, int dim, int mode, const char *why) {
  return layout_fail(v->error, TSR_ERROR_USAGE, dim, mode,
                     "shape %s is no composition with %s as the %s layout: %s (mode_shape %s, "
                     "divisor's %s)",
                     SHAPE_TEXT(v->given_whole), SHAPE_TEXT(v->given_part),
                     v->right ? "inner" : "outer", why,
                     layout_list(v->whole.modes, v->whole.mode_shape).text,
                     layout_list(v->part.modes, v->part.mode_shape).text);
}

/* Lines up the modes of one dimension. Only the divisor's mode at the seam may be a part of one. */
static tsr_status match_dim(division *v, uint32_t d, uint32_t *first_whole, uint32_t *first_part) {
  uint32_t n = v->part.dim_modes[d];
  if (v->whole.dim_modes[d] < n)
    return no_quotient(v, (int)d, (int)*first_whole,
                       "a dimension has fewer modes than the divisor");
  uint32_t seam = v->right ? 0 : n - 1;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t at = *first_whole + (v->right ? v->whole.dim_modes[d] - n + k : k);
    int32_t p = v->whole.mode_shape[at], q = v->part.mode_shape[*first_part + k];
    if (p != q) {
      if (k != seam || p % q) return no_quotient(v, (int)d, (int)at, "a mode has another size");
      if (!layout_split(&v->whole, at, v->right ? q : p / q))
        return no_quotient(v, (int)d, (int)at, "there would be too many modes");
    }
  }
  uint32_t offset = v->right ? v->whole.dim_modes[d] - n : 0;
  for (uint32_t k = 0; k < n; k++)
    v->of_part[*first_part + k] = (int32_t)(*first_whole + offset + k);
  *first_whole += v->whole.dim_modes[d];
  *first_part += n;
  return TSR_OK;
}

/* Takes the divisor's list away from one end of the whole's. A replication at the seam may leave
 * something. */
static tsr_status cut_list(division *v, int32_t *list, uint8_t *len, const int32_t *part,
                           uint32_t n) {
  if (*len < n) return no_quotient(v, -1, -1, "it has fewer spatial or local modes");
  uint32_t from = v->right ? *len - n : 0, seam = v->right ? 0 : n - 1;
  int32_t rest = -1;
  for (uint32_t k = 0; k < n; k++) {
    int32_t have = list[from + k], want = part[k] < 0 ? part[k] : v->of_part[part[k]];
    if (have == want) continue;
    if (have >= 0 || want >= 0 || k != seam || have % want)
      return no_quotient(v, -1, have, "the order of the spatial or local modes differs");
    rest = -(have / want);
  }
  if (!v->right) memmove(list, list + n, (*len - n) * sizeof *list);
  *len = (uint8_t)(*len - n);
  if (rest == -1) return TSR_OK;
  uint32_t at = v->right ? *len : 0;
  memmove(list + at + 1, list + at, (*len - at) * sizeof *list);
  list[at] = rest;
  (*len)++;
  return TSR_OK;
}

static tsr_status divide(tsr_layout *out, const tsr_layout *whole, const tsr_layout *part,
                         bool right, tsr_layout_error *e) {
  division v = {.whole = *whole,
                .part = *part,
                .right = right,
                .error = e,
                .given_whole = whole,
                .given_part = part};
  if (part->rank > whole->rank)
    return no_quotient(&v, -1, -1, "it has fewer dimensions than the divisor");
  pad_rank(&v.part, whole->rank);
  tsr_layout_canonicalize(&v.whole);
  tsr_layout_canonicalize(&v.part);
  uint32_t mw = 0, mp = 0;
  tsr_status s = TSR_OK;
  for (uint32_t d = 0; d < whole->rank && s == TSR_OK; d++) s = match_dim(&v, d, &mw, &mp);
  if (s != TSR_OK) return s;
  tsr_layout l = v.whole;
  s = cut_list(&v, l.spatial_modes, &l.spatial, v.part.spatial_modes, v.part.spatial);
  if (s == TSR_OK) s = cut_list(&v, l.local_modes, &l.local, v.part.local_modes, v.part.local);
  if (s != TSR_OK) return s;
  bool gone[MAX_MODES] = {false};
  for (uint32_t m = 0; m < v.part.modes; m++) gone[v.of_part[m]] = true;
  layout_drop(&l, gone);
  for (uint32_t d = 0; d < l.rank; d++) l.shape[d] /= v.part.shape[d];
  return finish(out, &l, e);
}

tsr_status tsr_layout_divide(tsr_layout *out, const tsr_layout *whole, const tsr_layout *inner,
                             tsr_layout_error *e) {
  if (!out || !whole || !inner) return layout_null(e);
  return divide(out, whole, inner, true, e);
}

tsr_status tsr_layout_left_divide(tsr_layout *out, const tsr_layout *whole, const tsr_layout *outer,
                                  tsr_layout_error *e) {
  if (!out || !whole || !outer) return layout_null(e);
  return divide(out, whole, outer, false, e);
}

/* ---- dimensions ----------------------------------------------------------------------------- */

/* Marks the dimensions listed; each must be in [0, rank) and listed once. */
static tsr_status mark_dims(uint32_t rank, uint32_t count, const int32_t *dims, bool *marked,
                            const tsr_layout *l, tsr_layout_error *e) {
  memset(marked, 0, MAX_RANK * sizeof *marked);
  for (uint32_t i = 0; i < count; i++) {
    if (dims[i] < 0 || dims[i] >= (int32_t)rank || marked[dims[i]])
      return layout_fail(e, TSR_ERROR_USAGE, dims[i], -1,
                         "dims %s for a layout of shape %s: expected different numbers below %u",
                         layout_list(count, dims).text, SHAPE_TEXT(l), rank);
    marked[dims[i]] = true;
  }
  return TSR_OK;
}

tsr_status tsr_layout_permute(tsr_layout *out, const tsr_layout *from, uint32_t count,
                              const int32_t *dims, tsr_layout_error *e) {
  if (!out || !from || (count && !dims)) return layout_null(e);
  bool marked[MAX_RANK];
  if (count != from->rank)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "dims %s for a layout of shape %s: expected each dimension once",
                       layout_list(count, dims).text, SHAPE_TEXT(from));
  tsr_status s = mark_dims(from->rank, count, dims, marked, from, e);
  if (s != TSR_OK) return s;
  int32_t renumber[MAX_MODES];
  tsr_layout l = *from;
  l.modes = 0;
  for (uint32_t d = 0; d < l.rank; d++) {
    uint32_t first, n = tsr_layout_grouped_modes(from, (uint32_t)dims[d], &first);
    l.shape[d] = from->shape[dims[d]];
    l.dim_modes[d] = (uint8_t)n;
    for (uint32_t k = 0; k < n; k++) {
      renumber[first + k] = l.modes;
      l.mode_shape[l.modes++] = from->mode_shape[first + k];
    }
  }
  l.spatial = l.local = 0;
  append(l.spatial_modes, &l.spatial, from->spatial_modes, from->spatial, renumber);
  append(l.local_modes, &l.local, from->local_modes, from->local, renumber);
  return finish(out, &l, e);
}

static void remove_dims(tsr_layout *l, const bool *gone) {
  uint8_t n = 0;
  for (uint32_t d = 0; d < l->rank; d++) {
    if (gone[d]) continue;
    l->shape[n] = l->shape[d];
    l->dim_modes[n++] = l->dim_modes[d];
  }
  l->rank = n;
}

tsr_status tsr_layout_squeeze(tsr_layout *out, const tsr_layout *from, uint32_t count,
                              const int32_t *dims, tsr_layout_error *e) {
  if (!out || !from || (count && !dims)) return layout_null(e);
  bool gone[MAX_RANK];
  tsr_status s = mark_dims(from->rank, count, dims, gone, from, e);
  if (s != TSR_OK) return s;
  for (uint32_t d = 0; d < from->rank; d++)
    if (gone[d] && from->shape[d] != 1)
      return layout_fail(e, TSR_ERROR_USAGE, (int)d, -1,
                         "dimension %u of shape %s has size %d; squeeze removes sizes 1 only", d,
                         SHAPE_TEXT(from), from->shape[d]);
  tsr_layout l = *from;
  tsr_layout_canonicalize(&l);
  remove_dims(&l, gone);
  *out = l;
  return TSR_OK;
}

tsr_status tsr_layout_unsqueeze(tsr_layout *out, const tsr_layout *from, uint32_t count,
                                const int32_t *dims, tsr_layout_error *e) {
  if (!out || !from || (count && !dims)) return layout_null(e);
  bool fresh[MAX_RANK];
  if (count > MAX_RANK || from->rank + count > MAX_RANK)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "%u more dimensions for shape %s: at most %d",
                       count, SHAPE_TEXT(from), MAX_RANK);
  tsr_status s = mark_dims(from->rank + count, count, dims, fresh, from, e);
  if (s != TSR_OK) return s;
  tsr_layout l = *from;
  l.rank = (uint8_t)(from->rank + count);
  for (uint32_t d = 0, old = 0; d < l.rank; d++) {
    l.shape[d] = fresh[d] ? 1 : from->shape[old];
    l.dim_modes[d] = fresh[d] ? 0 : from->dim_modes[old];
    old += !fresh[d];
  }
  tsr_layout_canonicalize(&l);
  *out = l;
  return TSR_OK;
}

/* All modes as one dimension, where neighbours of different dimensions may merge. */
static void as_one_dimension(tsr_layout *l) {
  int64_t size = tsr_layout_size(l);
  l->rank = 1;
  l->shape[0] = (int32_t)size;
  l->dim_modes[0] = l->modes;
  tsr_layout_canonicalize(l);
}

/* Gives modes to a dimension of the given size, from *m on. */
static bool take_dim(tsr_layout *l, uint32_t *m, int32_t size, bool may_split, uint8_t *count) {
  *count = 0;
  while (size > 1) {
    int32_t p = l->mode_shape[*m];
    if (size % p) {
      if (!may_split || p % size || !layout_split(l, *m, p / size)) return false;
      p = size;
    }
    size /= p;
    (*m)++;
    (*count)++;
  }
  return true;
}

static tsr_status regroup(tsr_layout *out, const tsr_layout *from, uint32_t rank,
                          const int32_t *shape, bool may_split, tsr_layout_error *e) {
  int64_t size = 1;
  for (uint32_t d = 0; d < rank && d < MAX_RANK; d++)
    size = shape[d] < 1 || size > INT32_MAX / shape[d] ? -1 : size * shape[d];
  if (rank > MAX_RANK || size != tsr_layout_size(from))
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "shape %s cannot become %s: the numbers of elements differ (or there are "
                       "more than %d dimensions)",
                       SHAPE_TEXT(from), layout_list(MIN(rank, MAX_RANK), shape).text, MAX_RANK);
  tsr_layout l = *from;
  tsr_layout_canonicalize(&l);
  if (may_split) {
    as_one_dimension(&l);
  } else {
    l.rank = 1;
    l.shape[0] = (int32_t)size;
    l.dim_modes[0] = l.modes;
  }
  uint8_t counts[MAX_RANK];
  uint32_t m = 0;
  for (uint32_t d = 0; d < rank; d++)
    if (!take_dim(&l, &m, shape[d], may_split, &counts[d]))
      return layout_fail(e, TSR_ERROR_USAGE, (int)d, (int)m,
                         "shape %s cannot become %s: mode %u, of size %d, does not fit into "
                         "dimension %u, which is %d",
                         SHAPE_TEXT(from), layout_list(rank, shape).text, m, l.mode_shape[m], d,
                         shape[d]);
  l.rank = (uint8_t)rank;
  memcpy(l.shape, shape, rank * sizeof *shape);
  memcpy(l.dim_modes, counts, rank);
  return finish(out, &l, e);
}

tsr_status tsr_layout_reshape(tsr_layout *out, const tsr_layout *from, uint32_t rank,
                              const int32_t *shape, tsr_layout_error *e) {
  if (!out || !from || (rank && !shape)) return layout_null(e);
  return regroup(out, from, rank, shape, true, e);
}

tsr_status tsr_layout_with_shape(tsr_layout *out, const tsr_layout *from, uint32_t rank,
                                 const int32_t *shape, tsr_layout_error *e) {
  if (!out || !from || (rank && !shape)) return layout_null(e);
  return regroup(out, from, rank, shape, false, e);
}

tsr_status tsr_layout_flatten(tsr_layout *out, const tsr_layout *from, int32_t first, int32_t last,
                              tsr_layout_error *e) {
  if (!out || !from) return layout_null(e);
  if (last < 0) last += from->rank;
  if (first < 0 || first > last || last >= from->rank)
    return layout_fail(e, TSR_ERROR_USAGE, first, -1,
                       "dimensions %d to %d of shape %s: expected 0 <= first <= last < %u", first,
                       last, SHAPE_TEXT(from), from->rank);
  int32_t shape[MAX_RANK];
  uint32_t rank = 0;
  for (int32_t d = 0; d < from->rank; d++) {
    if (d > first && d <= last)
      shape[rank - 1] *= from->shape[d];
    else
      shape[rank++] = from->shape[d];
  }
  return tsr_layout_reshape(out, from, rank, shape, e);
}

/* ---- reduction ------------------------------------------------------------------------------ */

tsr_status tsr_layout_reduce(tsr_layout *out, const tsr_layout *from, uint32_t count,
                             const int32_t *dims, bool keep_dims, tsr_layout_error *e) {
  if (!out || !from || (count && !dims)) return layout_null(e);
  bool reduced[MAX_RANK], gone[MAX_MODES] = {false};
  tsr_status s = mark_dims(from->rank, count, dims, reduced, from, e);
  if (s != TSR_OK) return s;
  tsr_layout l = *from;
  for (uint32_t d = 0, m = 0; d < l.rank; d++) {
    for (uint32_t end = m + l.dim_modes[d]; m < end; m++) gone[m] = reduced[d];
    if (reduced[d]) l.shape[d] = 1;
  }
  for (uint32_t i = 0; i < l.spatial; i++) {
    int32_t m = l.spatial_modes[i];
    if (m >= 0 && gone[m]) l.spatial_modes[i] = -l.mode_shape[m];
  }
  layout_drop(&l, gone);
  if (!keep_dims) remove_dims(&l, reduced);
  return finish(out, &l, e);
}

tsr_status tsr_layout_reduce_to(tsr_layout *out, const tsr_layout *from, uint32_t rank,
                                const int32_t *shape, tsr_layout_error *e) {
  if (!out || !from || (rank && !shape)) return layout_null(e);
  if (rank > from->rank)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "shape %s cannot be reduced to %s, which has more dimensions",
                       SHAPE_TEXT(from), layout_list(rank, shape).text);
  int32_t gone[MAX_RANK], kept[MAX_RANK];
  uint32_t lead = from->rank - rank, n_kept = 0;
  for (uint32_t d = 0; d < lead; d++) gone[d] = (int32_t)d;
  for (uint32_t d = lead; d < from->rank; d++) {
    if (shape[d - lead] == from->shape[d]) continue;
    if (shape[d - lead] != 1)
      return layout_fail(e, TSR_ERROR_USAGE, (int)d, -1,
                         "shape %s cannot be reduced to %s: dimension %u is %d, expected %d or 1",
                         SHAPE_TEXT(from), layout_list(rank, shape).text, d, shape[d - lead],
                         from->shape[d]);
    kept[n_kept++] = (int32_t)d;
  }
  tsr_layout l;
  tsr_status s = tsr_layout_reduce(&l, from, n_kept, kept, true, e);
  return s == TSR_OK ? tsr_layout_reduce(out, &l, lead, gone, false, e) : s;
}
