/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CK Tile's tile distribution encodings. The lengths Hs are the modes of a distribution, Ps its
 * spatial modes and Ys its local modes; Rs are replication.
 */
#include "layout/layout.h"

static uint32_t h_first(const tsr_encoding *c, uint32_t x) {
  uint32_t first = 0;
  for (uint32_t d = 0; d < x; d++) first += c->h_count[d];
  return first;
}

static uint32_t p_first(const tsr_encoding *c, uint32_t p) {
  uint32_t first = 0;
  for (uint32_t a = 0; a < p; a++) first += c->p_count[a];
  return first;
}

int32_t tsr_encoding_length(const tsr_encoding *c, tsr_rh rh) {
  if (!c) return 0;
  return rh.major ? c->hs[h_first(c, rh.major - 1u) + rh.minor] : c->rs[rh.minor];
}

/* ---- checks --------------------------------------------------------------------------------- */

/* Which lengths something is mapped to. */
typedef struct rh_use {
  bool r[MAX_MODES], h[MAX_MODES];
} rh_use;

static tsr_status check_sizes(const tsr_encoding *c, tsr_layout_error *e) {
  if (c->x > MAX_RANK || c->r > MAX_MODES || c->p > TSR_ENCODING_MAX_P || c->y > MAX_MODES)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "an encoding has at most %d X dimensions, %d P dimensions and %d lengths",
                       MAX_RANK, TSR_ENCODING_MAX_P, MAX_MODES);
  if (h_first(c, c->x) > MAX_MODES || p_first(c, c->p) > MAX_MODES)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "Hs or Ps has more than %d entries", MAX_MODES);
  for (uint32_t i = 0; i < c->r; i++)
    if (c->rs[i] < 1)
      return layout_fail(e, TSR_ERROR_USAGE, -1, (int)i, "Rs %s: lengths are 1 or more",
                         layout_list(c->r, c->rs).text);
  for (uint32_t d = 0; d < c->x; d++)
    for (uint32_t k = 0; k < c->h_count[d]; k++)
      if (c->hs[h_first(c, d) + k] < 1)
        return layout_fail(e, TSR_ERROR_USAGE, (int)d, (int)k, "Hs[%u] %s: lengths are 1 or more",
                           d, layout_list(c->h_count[d], c->hs + h_first(c, d)).text);
  return TSR_OK;
}

static tsr_status use(const tsr_encoding *c, tsr_rh rh, bool y, rh_use *used, tsr_layout_error *e) {
  bool in_range = rh.major == 0 ? rh.minor < c->r && !y
                                : rh.major <= c->x && rh.minor < c->h_count[rh.major - 1];
  if (!in_range)
    return layout_fail(e, TSR_ERROR_USAGE, (int)rh.major - 1, rh.minor,
                       "%s maps to (%u, %u), which does not exist: majors are %s, minors count the "
                       "lengths",
                       y ? "Ys" : "Ps", rh.major, rh.minor,
                       y ? "1 + the X dimension" : "0 for Rs and 1 + the X dimension for Hs");
  bool *slot = rh.major ? &used->h[h_first(c, rh.major - 1u) + rh.minor] : &used->r[rh.minor];
  if (*slot)
    return layout_fail(e, TSR_ERROR_USAGE, (int)rh.major - 1, rh.minor,
                       "(%u, %u) is mapped to twice; each length belongs to one place in Ps or Ys",
                       rh.major, rh.minor);
  *slot = true;
  return TSR_OK;
}

static tsr_status check_use(const tsr_encoding *c, rh_use *used, tsr_layout_error *e) {
  tsr_status s = check_sizes(c, e);
  memset(used, 0, sizeof *used);
  for (uint32_t i = 0; s == TSR_OK && i < p_first(c, c->p); i++)
    s = use(c, c->ps[i], false, used, e);
  for (uint32_t i = 0; s == TSR_OK && i < c->y; i++) s = use(c, c->ys[i], true, used, e);
  for (uint32_t i = 0; s == TSR_OK && i < c->r; i++)
    if (!used->r[i] && c->rs[i] != 1)
      s = layout_fail(e, TSR_ERROR_USAGE, -1, (int)i,
                      "(0, %u), of length %d, is mapped to by no P: which workers are the copies?",
                      i, c->rs[i]);
  for (uint32_t d = 0; s == TSR_OK && d < c->x; d++)
    for (uint32_t k = 0; s == TSR_OK && k < c->h_count[d]; k++)
      if (!used->h[h_first(c, d) + k] && c->hs[h_first(c, d) + k] != 1)
        s = layout_fail(e, TSR_ERROR_USAGE, (int)d, (int)k,
                        "(%u, %u), of length %d in Hs[%u] %s, is mapped to by no P and no Y", d + 1,
                        k, c->hs[h_first(c, d) + k], d,
                        layout_list(c->h_count[d], c->hs + h_first(c, d)).text);
  return s;
}

/* ---- conversion ----------------------------------------------------------------------------- */

static tsr_status to_layout(const tsr_encoding *c, tsr_layout *out, tsr_layout_error *e) {
  rh_use used;
  tsr_status s = check_use(c, &used, e);
  if (s != TSR_OK) return s;
  tsr_layout l = {.rank = c->x, .modes = (uint8_t)h_first(c, c->x)};
  bool unmapped[MAX_MODES] = {false};
  for (uint32_t d = 0, m = 0; d < c->x; d++) {
    int64_t size = 1;
    l.dim_modes[d] = c->h_count[d];
    for (uint32_t k = 0; k < c->h_count[d]; k++, m++) {
      l.mode_shape[m] = c->hs[m];
      unmapped[m] = !used.h[m];
      if ((size *= c->hs[m]) > INT32_MAX)
        return layout_fail(e, TSR_ERROR_USAGE, (int)d, (int)k, "Hs[%u] %s makes 2^31 or more", d,
                           layout_list(c->h_count[d], c->hs + h_first(c, d)).text);
    }
    l.shape[d] = (int32_t)size;
  }
  for (uint32_t i = 0; i < p_first(c, c->p); i++) {
    tsr_rh rh = c->ps[i];
    l.spatial_modes[l.spatial++] =
        rh.major ? (int32_t)(h_first(c, rh.major - 1u) + rh.minor) : -c->rs[rh.minor];
  }
  for (uint32_t i = 0; i < c->y; i++)
    l.local_modes[l.local++] = (int32_t)(h_first(c, c->ys[i].major - 1u) + c->ys[i].minor);
  layout_drop(&l, unmapped);
  if ((s = tsr_layout_validate(&l, e)) != TSR_OK) return s;
  *out = l;
  return TSR_OK;
}

tsr_status tsr_encoding_to_layout(const tsr_encoding *c, tsr_layout *out, tsr_layout_error *e) {
  if (!c || !out) return layout_null(e);
  return to_layout(c, out, e);
}

tsr_status tsr_encoding_validate(const tsr_encoding *c, tsr_layout_error *e) {
  if (!c) return layout_null(e);
  tsr_layout unused;
  return to_layout(c, &unused, e);
}

/* The pair that names mode m. */
static tsr_rh rh_of_mode(const tsr_layout *l, int32_t m) {
  uint8_t d = 0;
  while (m >= l->dim_modes[d]) m -= l->dim_modes[d++];
  return (tsr_rh){(uint8_t)(d + 1), (uint8_t)m};
}

/* Splits entry i of the spatial list so that its first part has size `high`. */
static bool split_entry(tsr_layout *l, uint32_t i, int32_t high) {
  int32_t entry = l->spatial_modes[i];
  if (entry >= 0) return layout_split(l, (uint32_t)entry, l->mode_shape[entry] / high);
  if (l->spatial == MAX_MODES) return false;
  memmove(l->spatial_modes + i + 1, l->spatial_modes + i, (l->spatial - i) * sizeof(int32_t));
  l->spatial_modes[i] = -high;
  l->spatial_modes[i + 1] = entry / high;
  l->spatial++;
  return true;
}

/* Parts the spatial list where the axes part the worker's number. */
static tsr_status part_axes(tsr_layout *l, uint32_t axes, const int32_t *sizes, uint8_t *count,
                            tsr_layout_error *e) {
  uint32_t i = 0;
  for (uint32_t a = 0; a < axes; a++) {
    int32_t left = sizes[a];
    count[a] = 0;
    while (i < l->spatial && (left > 1 || a + 1 == axes)) {
      int32_t entry = l->spatial_modes[i], size = entry < 0 ? -entry : l->mode_shape[entry];
      if (left % size) {
        if (size % left || left == 1 || !split_entry(l, i, left))
          return layout_fail(
              e, TSR_ERROR_USAGE, -1, entry,
              "axis %u of %s ends within spatial mode %d, whose size is %d (shape %s)", a,
              layout_list(axes, sizes).text, entry, size, SHAPE_TEXT(l));
        size = left;
      }
      left /= size;
      i++;
      count[a]++;
    }
  }
  return TSR_OK;
}

tsr_status tsr_encoding_from_layout(tsr_encoding *out, const tsr_layout *layout, uint32_t axes,
                                    const int32_t *sizes, tsr_layout_error *e) {
  if (!out || !layout || (axes && !sizes)) return layout_null(e);
  tsr_layout l = *layout;
  tsr_encoding c = {.x = l.rank};
  int32_t workers = (int32_t)tsr_layout_spatial_size(&l);
  if (axes == 0) sizes = &workers;
  c.p = (uint8_t)MAX(axes, 1);
  int64_t product = 1;
  for (uint32_t a = 0; a < MIN(c.p, TSR_ENCODING_MAX_P); a++)
    product = sizes[a] < 1 || product > workers ? -1 : product * sizes[a];
  if (axes > TSR_ENCODING_MAX_P || product != workers)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "hardware axes %s for the %d workers of shape %s: expected at most %d sizes "
                       "that multiply to it",
                       layout_list(MIN(axes, TSR_ENCODING_MAX_P), sizes).text, workers,
                       SHAPE_TEXT(layout), TSR_ENCODING_MAX_P);
  tsr_status s = part_axes(&l, c.p, sizes, c.p_count, e);
  if (s != TSR_OK) return s;
  memcpy(c.h_count, l.dim_modes, l.rank);
  memcpy(c.hs, l.mode_shape, l.modes * sizeof(int32_t));
  for (uint32_t i = 0; i < l.spatial; i++) {
    int32_t entry = l.spatial_modes[i];
    if (entry < 0) {
      c.rs[c.r] = -entry;
      c.ps[i] = (tsr_rh){0, c.r++};
    } else {
      c.ps[i] = rh_of_mode(&l, entry);
    }
  }
  for (uint32_t i = 0; i < l.local; i++) c.ys[c.y++] = rh_of_mode(&l, l.local_modes[i]);
  *out = c;
  return TSR_OK;
}

/* ---- operations ----------------------------------------------------------------------------- */

static tsr_rh shifted(tsr_rh rh, const tsr_encoding *outer) {
  rh.minor = (uint8_t)(rh.minor + (rh.major ? outer->h_count[rh.major - 1] : outer->r));
  return rh;
}

tsr_status tsr_encoding_embed(tsr_encoding *out, const tsr_encoding *outer,
                              const tsr_encoding *inner, tsr_layout_error *e) {
  if (!out || !outer || !inner) return layout_null(e);
  tsr_status s = tsr_encoding_validate(outer, e);
  if (s == TSR_OK) s = tsr_encoding_validate(inner, e);
  if (s != TSR_OK) return s;
  if (outer->x != inner->x)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "the outer encoding has %u X dimensions, the inner one %u", outer->x,
                       inner->x);
  uint32_t ho = h_first(outer, outer->x), hi = h_first(inner, inner->x);
  uint32_t po = p_first(outer, outer->p), pi = p_first(inner, inner->p);
  if (ho + hi > MAX_MODES || po + pi > MAX_MODES || outer->r + inner->r > MAX_MODES ||
      outer->y + inner->y > MAX_MODES || outer->p + inner->p > TSR_ENCODING_MAX_P)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "together the encodings have more than %d lengths or %d P dimensions",
                       MAX_MODES, TSR_ENCODING_MAX_P);
  tsr_encoding c = *outer;
  memcpy(c.rs + c.r, inner->rs, inner->r * sizeof(int32_t));
  memcpy(c.p_count + c.p, inner->p_count, inner->p);
  for (uint32_t i = 0; i < pi; i++) c.ps[po + i] = shifted(inner->ps[i], outer);
  for (uint32_t i = 0; i < inner->y; i++) c.ys[c.y + i] = shifted(inner->ys[i], outer);
  for (uint32_t d = 0, n = 0; d < c.x; d++) {
    memcpy(c.hs + n, outer->hs + h_first(outer, d), outer->h_count[d] * sizeof(int32_t));
    n += outer->h_count[d];
    memcpy(c.hs + n, inner->hs + h_first(inner, d), inner->h_count[d] * sizeof(int32_t));
    n += inner->h_count[d];
    c.h_count[d] = (uint8_t)(c.h_count[d] + inner->h_count[d]);
  }
  c.r = (uint8_t)(c.r + inner->r);
  c.p = (uint8_t)(c.p + inner->p);
  c.y = (uint8_t)(c.y + inner->y);
  if ((s = tsr_encoding_validate(&c, e)) != TSR_OK) return s;
  *out = c;
  return TSR_OK;
}

/* New replication lengths for the lengths of a removed dimension that no Y names, in order. */
static bool lengths_to_r(const tsr_encoding *c, uint32_t d, tsr_encoding *to, tsr_rh *moved) {
  bool by_y[MAX_MODES] = {false};
  for (uint32_t i = 0; i < c->y; i++)
    if (c->ys[i].major == d + 1) by_y[c->ys[i].minor] = true;
  for (uint32_t k = 0; k < c->h_count[d]; k++) {
    if (by_y[k]) continue;
    if (to->r == MAX_MODES) return false;
    moved[h_first(c, d) + k] = (tsr_rh){0, to->r};
    to->rs[to->r++] = c->hs[h_first(c, d) + k];
  }
  return true;
}

tsr_status tsr_encoding_reduce(tsr_encoding *out, const tsr_encoding *from, uint32_t count,
                               const int32_t *dims, tsr_layout_error *e) {
  if (!out || !from || (count && !dims)) return layout_null(e);
  tsr_status s = tsr_encoding_validate(from, e);
  if (s != TSR_OK) return s;
  bool gone[MAX_RANK] = {false};
  for (uint32_t i = 0; i < count; i++) {
    if (dims[i] < 0 || dims[i] >= from->x || gone[dims[i]])
      return layout_fail(e, TSR_ERROR_USAGE, dims[i], -1,
                         "dims %s: expected different X dimensions below %u",
                         layout_list(count, dims).text, from->x);
    gone[dims[i]] = true;
  }
  tsr_encoding c = *from;
  tsr_rh moved[MAX_MODES];
  uint32_t n = 0;
  c.x = c.y = 0;
  for (uint32_t d = 0; d < from->x; d++) {
    uint32_t first = h_first(from, d);
    if (gone[d]) {
      if (!lengths_to_r(from, d, &c, moved))
        return layout_fail(e, TSR_ERROR_USAGE, (int)d, -1, "there would be more than %d Rs",
                           MAX_MODES);
      continue;
    }
    for (uint32_t k = 0; k < from->h_count[d]; k++) {
      moved[first + k] = (tsr_rh){(uint8_t)(c.x + 1), (uint8_t)k};
      c.hs[n++] = from->hs[first + k];
    }
    c.h_count[c.x++] = from->h_count[d];
  }
  for (uint32_t i = 0; i < p_first(from, from->p); i++)
    if (from->ps[i].major)
      c.ps[i] = moved[h_first(from, from->ps[i].major - 1u) + from->ps[i].minor];
  for (uint32_t i = 0; i < from->y; i++)
    if (!gone[from->ys[i].major - 1])
      c.ys[c.y++] = moved[h_first(from, from->ys[i].major - 1u) + from->ys[i].minor];
  *out = c;
  return TSR_OK;
}

static int find_y(const tsr_encoding *c, uint32_t d, uint32_t k) {
  for (int i = 0; i < c->y; i++)
    if (c->ys[i].major == d + 1 && c->ys[i].minor == k) return i;
  return -1;
}

/* Cuts dimension d to [begin, end): whole lengths from the least significant on, then a part of one
 * that Y names, then single values of what lies above. */
static tsr_status slice_dim(tsr_encoding *c, uint32_t d, int32_t begin, int32_t end,
                            int32_t *origin, tsr_layout_error *e) {
  uint32_t first = h_first(c, d);
  int32_t size = tsr_encoding_x_length(c, d), want = end - begin, below = 1, unit = 1;
  if (begin < 0 || end <= begin || end > size)
    return layout_fail(e, TSR_ERROR_USAGE, (int)d, -1,
                       "slice [%d, %d) of X dimension %u, whose length is %d", begin, end, d, size);
  for (uint32_t k = c->h_count[d]; k-- > 0;) {
    int32_t h = c->hs[first + k], part = MIN(h, want / below), from = begin / unit % h;
    bool whole = part == h;
    if (want % (below * part) || begin % unit || (whole ? from != 0 : from + part > h))
      return layout_fail(
          e, TSR_ERROR_USAGE, (int)d, (int)k,
          "slice [%d, %d) of X dimension %u is not made of whole lengths of Hs[%u] %s", begin, end,
          d, d, layout_list(c->h_count[d], c->hs + first).text);
    int y = find_y(c, d, k);
    if (!whole && y < 0)
      return layout_fail(e, TSR_ERROR_USAGE, (int)d, (int)k,
                         "slice [%d, %d) of X dimension %u cuts length %u of Hs[%u] %s, which "
                         "belongs to workers; only lengths that Y names can be cut",
                         begin, end, d, k, d, layout_list(c->h_count[d], c->hs + first).text);
    if (y >= 0) origin[y] = whole ? 0 : from;
    c->hs[first + k] = part;
    below *= part;
    unit *= h;
    if (!whole && below != want)
      return layout_fail(e, TSR_ERROR_USAGE, (int)d, (int)k,
                         "slice [%d, %d) of X dimension %u cuts two lengths", begin, end, d);
  }
  return TSR_OK;
}

tsr_status tsr_encoding_slice_x(tsr_encoding *out, const tsr_encoding *from, const int32_t *begin,
                                const int32_t *end, int32_t *y_origins, int32_t *y_lengths,
                                tsr_layout_error *e) {
  if (!out || !from || !begin || !end) return layout_null(e);
  tsr_status s = tsr_encoding_validate(from, e);
  tsr_encoding c = *from;
  int32_t origins[MAX_MODES] = {0};
  for (uint32_t d = 0; s == TSR_OK && d < from->x; d++)
    s = slice_dim(&c, d, begin[d], end[d], origins, e);
  if (s != TSR_OK) return s;
  for (uint32_t i = 0; i < c.y; i++) {
    if (y_origins) y_origins[i] = origins[i];
    if (y_lengths) y_lengths[i] = tsr_encoding_length(&c, c.ys[i]);
  }
  *out = c;
  return TSR_OK;
}

/* CK Tile's 2-D encoding patterns: X0 threads along a row, each with a vector; the rows are parted
 * into warps, rows of one warp and iterations, and the rake says which of them is outermost. */
tsr_status tsr_encoding_raked_2d(tsr_encoding *out, tsr_rake rake, int32_t workers,
                                 int32_t warp_size, int32_t y_size, int32_t x_size, int32_t vector,
                                 tsr_layout_error *e) {
  if (!out) return layout_null(e);
  if (workers < 1 || warp_size < 1 || y_size < 1 || x_size < 1 || vector < 1 || x_size % vector ||
      workers % warp_size || warp_size % (x_size / vector))
    return layout_fail(
        e, TSR_ERROR_USAGE, 1, -1,
        "a row of %d in vectors of %d over warps of %d (%d workers): the vectors of a "
        "row must divide a warp, and warps the workers",
        x_size, vector, warp_size, workers);
  int32_t threads_x = x_size / vector, rows = warp_size / threads_x, warps = workers / warp_size;
  if (y_size % (rows * warps))
    return layout_fail(e, TSR_ERROR_USAGE, 0, -1,
                       "%d rows are no multiple of the %d rows that %d warps take at once", y_size,
                       rows * warps, warps);
  int32_t iterations = y_size / (rows * warps);
  tsr_encoding c = {
      .x = 2, .r = 1, .p = 2, .y = 2, .h_count = {3, 2}, .p_count = {1, 2}, .rs = {1}};
  /* Where among the three lengths of Y the warps, the rows of a warp and the iterations stand. */
  uint8_t warp = rake == TSR_RAKE_BLOCK ? 1 : 0, row = rake == TSR_RAKE_THREAD ? 1 : 2;
  uint8_t iteration = (uint8_t)(3 - warp - row);
  c.hs[warp] = warps;
  c.hs[row] = rows;
  c.hs[iteration] = iterations;
  c.hs[3] = threads_x;
  c.hs[4] = vector;
  c.ps[0] = (tsr_rh){1, warp};
  c.ps[1] = (tsr_rh){1, row};
  c.ps[2] = (tsr_rh){2, 0};
  c.ys[0] = (tsr_rh){1, iteration};
  c.ys[1] = (tsr_rh){2, 1};
  *out = c;
  return TSR_OK;
}

/* ---- indices -------------------------------------------------------------------------------- */

int32_t tsr_encoding_p_length(const tsr_encoding *c, uint32_t p) {
  if (!c) return 0;
  int32_t n = 1;
  for (uint32_t i = p_first(c, p), end = i + c->p_count[p]; i < end; i++)
    n *= tsr_encoding_length(c, c->ps[i]);
  return n;
}

int32_t tsr_encoding_x_length(const tsr_encoding *c, uint32_t x) {
  if (!c) return 0;
  int32_t n = 1;
  for (uint32_t k = 0; k < c->h_count[x]; k++) n *= c->hs[h_first(c, x) + k];
  return n;
}

void tsr_encoding_partition_index(const tsr_encoding *c, int32_t worker, int32_t *p) {
  if (!c || (c->p && !p)) return;
  for (uint32_t a = c->p; a-- > 0;) {
    int32_t n = tsr_encoding_p_length(c, a);
    p[a] = worker % n;
    worker /= n;
  }
}

int32_t tsr_encoding_worker(const tsr_encoding *c, const int32_t *p) {
  if (!c || (c->p && !p)) return 0;
  int32_t worker = 0;
  for (uint32_t a = 0; a < c->p; a++) worker = worker * tsr_encoding_p_length(c, a) + p[a];
  return worker;
}

/* The digits that P determines: of Hs and of Rs. */
static void p_digits(const tsr_encoding *c, const int32_t *p, int32_t *h, int32_t *r) {
  for (uint32_t a = 0; a < c->p; a++) {
    int32_t rest = p[a];
    for (uint32_t i = p_first(c, a) + c->p_count[a]; i-- > p_first(c, a);) {
      tsr_rh rh = c->ps[i];
      int32_t n = tsr_encoding_length(c, rh);
      *(rh.major ? &h[h_first(c, rh.major - 1u) + rh.minor] : &r[rh.minor]) = rest % n;
      rest /= n;
    }
  }
}

void tsr_encoding_x_index(const tsr_encoding *c, const int32_t *p, const int32_t *y, int32_t *x) {
  if (!c || (c->p && !p) || (c->y && !y) || (c->x && !x)) return;
  int32_t h[MAX_MODES] = {0}, r[MAX_MODES];
  p_digits(c, p, h, r);
  for (uint32_t i = 0; i < c->y; i++) h[h_first(c, c->ys[i].major - 1u) + c->ys[i].minor] = y[i];
  for (uint32_t d = 0, m = 0; d < c->x; d++) {
    x[d] = 0;
    for (uint32_t k = 0; k < c->h_count[d]; k++, m++) x[d] = x[d] * c->hs[m] + h[m];
  }
}

void tsr_encoding_r_index(const tsr_encoding *c, const int32_t *p, int32_t *r) {
  if (!c || (c->p && !p) || (c->r && !r)) return;
  int32_t h[MAX_MODES];
  for (uint32_t i = 0; i < c->r; i++) r[i] = 0;
  p_digits(c, p, h, r);
}

int32_t tsr_encoding_slot(const tsr_encoding *c, const int32_t *y) {
  if (!c || (c->y && !y)) return 0;
  int32_t slot = 0;
  for (uint32_t i = 0; i < c->y; i++) slot = slot * tsr_encoding_length(c, c->ys[i]) + y[i];
  return slot;
}

uint32_t tsr_encoding_span(const tsr_encoding *c, uint32_t x, uint32_t *y_dims, uint32_t capacity) {
  if (!c || (capacity && !y_dims)) return 0;
  uint32_t n = 0;
  for (uint32_t k = 0; k < c->h_count[x]; k++) {
    int y = find_y(c, x, k);
    if (y < 0) continue;
    if (n < capacity) y_dims[n] = (uint32_t)y;
    n++;
  }
  return n;
}
