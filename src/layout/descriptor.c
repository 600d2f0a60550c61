/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Descriptors and adaptors: transforms put on top of each other, and positions that move in them.
 *
 * All dimensions between the first transform and the last are numbered ("hidden"). Going down, the
 * stages run from the last to the first, each writing its lower dimensions; a hidden dimension is
 * written once.
 */
#include <tessera/descriptor.h>

#include "layout/layout.h"

enum { MAX_DIMS = TSR_DESCRIPTOR_MAX_DIMS };
#define MAX_REACH ((int64_t)1 << 62)

/* ---- checks --------------------------------------------------------------------------------- */

static const char *name_of(tsr_transform_kind kind) {
  static const char *const names[] = {
      "pass_through", "pad",   "embed",  "merge", "unmerge", "freeze",       "insert",
      "replicate",    "slice", "modulo", "xor",   "offset",  "cyclic_shift", "indexing"};
  return (unsigned)kind < ARRAY_LEN(names) ? names[kind] : "unknown";
}

static bool product_of(uint32_t n, const int64_t *v, int64_t *out) {
  *out = 1;
  for (uint32_t i = 0; i < n; i++)
    if (v[i] < 1 || __builtin_mul_overflow(*out, v[i], out) || *out > MAX_REACH) return false;
  return true;
}

/* What the transform asks of its own numbers. */
static bool well_formed(const tsr_transform *t) {
  int64_t product, far;
  uint32_t lengths = t->kind == TSR_TRANSFORM_MERGE ? t->lower : t->upper;
  if (t->lower > TSR_TRANSFORM_MAX_DIMS || t->upper > TSR_TRANSFORM_MAX_DIMS) return false;
  if (!product_of(lengths, t->length, &product)) return false;
  switch (t->kind) {
  case TSR_TRANSFORM_PAD: return t->param[0] >= 0 && t->param[1] >= 0 && t->param[2] >= 1;
  case TSR_TRANSFORM_EMBED:
    for (uint32_t i = 0; i < t->upper; i++)
      if (t->param[i] < 0 || __builtin_mul_overflow(t->param[i], t->length[i], &far) ||
          far > MAX_REACH / TSR_TRANSFORM_MAX_DIMS)
        return false;
    return true;
  case TSR_TRANSFORM_FREEZE: return t->param[0] >= 0 && t->param[0] < MAX_REACH;
  case TSR_TRANSFORM_SLICE:
    return t->param[0] >= 0 && t->length[0] <= t->param[2] &&
           t->param[0] <= t->param[2] - t->length[0];
  case TSR_TRANSFORM_MODULO: return t->param[0] >= 1;
  case TSR_TRANSFORM_XOR: return (t->length[1] & (t->length[1] - 1)) == 0;
  case TSR_TRANSFORM_OFFSET: return t->param[0] >= 0 && t->param[0] < MAX_REACH / 2;
  case TSR_TRANSFORM_INDEXING: return t->table != NULL;
  default: return true;
  }
}

/* The length a lower dimension must have; 0: any. */
static int64_t lower_length(const tsr_transform *t, uint32_t i) {
  switch (t->kind) {
  case TSR_TRANSFORM_PASS_THROUGH:
  case TSR_TRANSFORM_CYCLIC_SHIFT: return t->length[0];
  case TSR_TRANSFORM_PAD:
  case TSR_TRANSFORM_SLICE: return t->param[2];
  case TSR_TRANSFORM_MERGE:
  case TSR_TRANSFORM_XOR: return t->length[i];
  case TSR_TRANSFORM_UNMERGE: {
    int64_t n = 1;
    for (uint32_t k = 0; k < t->upper; k++) n *= t->length[k];
    return n;
  }
  default: return 0;
  }
}

/* The largest lower index of transforms that any length holds. */
static int64_t lower_reach(const tsr_transform *t) {
  int64_t n = 0;
  switch (t->kind) {
  case TSR_TRANSFORM_EMBED:
    for (uint32_t i = 0; i < t->upper; i++) n += (t->length[i] - 1) * t->param[i];
    return n;
  case TSR_TRANSFORM_FREEZE: return t->param[0];
  case TSR_TRANSFORM_OFFSET: return t->param[0] + t->length[0] - 1;
  case TSR_TRANSFORM_MODULO: return MIN(t->param[0], t->length[0]) - 1;
  case TSR_TRANSFORM_INDEXING:
    for (int64_t i = 0; i < t->length[0]; i++) n = MAX(n, t->table[i]);
    return n;
  default: return 0;
  }
}

static int64_t upper_length(const tsr_transform *t, uint32_t i) {
  if (t->kind != TSR_TRANSFORM_MERGE) return t->length[i];
  int64_t n = 1;
  for (uint32_t k = 0; k < t->lower; k++) n *= t->length[k];
  return n;
}

static tsr_status check_step(const tsr_transform *t, const int64_t *lengths, const uint8_t *from,
                             uint32_t step, tsr_layout_error *e) {
  if (!well_formed(t))
    return layout_fail(e, TSR_ERROR_USAGE, -1, (int)step,
                       "transform %u, %s: a length, stride or count is out of range", step,
                       name_of(t->kind));
  for (uint32_t i = 0; i < t->lower; i++) {
    int64_t have = lengths[from[i]], want = lower_length(t, i), reach = lower_reach(t);
    if (have && want && have != want)
      return layout_fail(
          e, TSR_ERROR_USAGE, from[i], (int)step,
          "transform %u, %s, is made for a dimension of length %lld; dimension %u has "
          "length %lld",
          step, name_of(t->kind), (long long)want, from[i], (long long)have);
    if (have && reach >= have)
      return layout_fail(
          e, TSR_ERROR_USAGE, from[i], (int)step,
          "transform %u, %s, reaches index %lld of dimension %u, whose length is %lld", step,
          name_of(t->kind), (long long)reach, from[i], (long long)have);
  }
  return TSR_OK;
}

/* ---- building ------------------------------------------------------------------------------- */

tsr_status tsr_adaptor_identity(tsr_descriptor *out, uint32_t rank, const int64_t *lengths,
                                tsr_layout_error *e) {
  if (!out) return layout_null(e);
  tsr_descriptor d = {0};
  if (rank > MAX_DIMS)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "at most %d dimensions, not %u", MAX_DIMS, rank);
  for (uint32_t i = 0; i < rank; i++) {
    d.bottom_ids[i] = d.top_ids[i] = (uint8_t)i;
    d.length[i] = lengths ? lengths[i] : 0;
    if (d.length[i] < 0)
      return layout_fail(e, TSR_ERROR_USAGE, (int)i, -1, "length %lld", (long long)d.length[i]);
  }
  d.bottom = d.top = d.hidden = (uint8_t)rank;
  *out = d;
  return TSR_OK;
}

static tsr_status place_uppers(tsr_descriptor *d, tsr_stage *stage, const tsr_transform_step *step,
                               uint32_t number, bool *made, tsr_layout_error *e) {
  for (uint32_t i = 0; i < step->transform.upper; i++) {
    uint32_t at = step->to[i];
    if (at >= MAX_DIMS || made[at] || d->hidden == TSR_DESCRIPTOR_MAX_HIDDEN)
      return layout_fail(
          e, TSR_ERROR_USAGE, (int)at, (int)number,
          "transform %u makes dimension %u of the new top: there are at most %d, each "
          "made once",
          number, at, MAX_DIMS);
    made[at] = true;
    d->length[d->hidden] = upper_length(&step->transform, i);
    stage->upper_ids[i] = d->top_ids[at] = d->hidden++;
  }
  return TSR_OK;
}

tsr_status tsr_descriptor_transform(tsr_descriptor *out, const tsr_descriptor *from, uint32_t count,
                                    const tsr_transform_step *steps, tsr_layout_error *e) {
  if (!out || !from || (count && !steps)) return layout_null(e);
  tsr_descriptor d = *from;
  bool taken[MAX_DIMS] = {false}, made[MAX_DIMS] = {false};
  int64_t lengths[MAX_DIMS];
  for (uint32_t i = 0; i < from->top; i++) lengths[i] = from->length[from->top_ids[i]];
  for (uint32_t s = 0; s < count; s++) {
    const tsr_transform *t = &steps[s].transform;
    if (d.stages == TSR_DESCRIPTOR_MAX_TRANSFORMS)
      return layout_fail(e, TSR_ERROR_USAGE, -1, (int)s, "more than %d transforms",
                         TSR_DESCRIPTOR_MAX_TRANSFORMS);
    tsr_stage *stage = &d.stage[d.stages++];
    *stage = (tsr_stage){.transform = *t};
    for (uint32_t i = 0; i < MIN(t->lower, TSR_TRANSFORM_MAX_DIMS); i++) {
      uint32_t at = steps[s].from[i];
      if (at >= from->top || taken[at])
        return layout_fail(e, TSR_ERROR_USAGE, (int)at, (int)s,
                           "transform %u takes top dimension %u: there are %u, each taken once", s,
                           at, from->top);
      taken[at] = true;
      stage->lower_ids[i] = from->top_ids[at];
    }
    tsr_status status = check_step(t, lengths, steps[s].from, s, e);
    if (status == TSR_OK) status = place_uppers(&d, stage, &steps[s], s, made, e);
    if (status != TSR_OK) return status;
  }
  d.top = 0;
  while (d.top < MAX_DIMS && made[d.top]) d.top++;
  for (uint32_t i = 0; i < MAX_DIMS; i++)
    if ((i < from->top && !taken[i]) || (i >= d.top && made[i]))
      return layout_fail(
          e, TSR_ERROR_USAGE, (int)i, -1,
          "dimension %u: every old top dimension must be taken by a transform, and the "
          "new ones numbered without a gap",
          i);
  *out = d;
  return TSR_OK;
}

static tsr_status naive(tsr_descriptor *out, const tsr_transform *t, uint32_t rank, int64_t offset,
                        tsr_layout_error *e) {
  tsr_descriptor d;
  tsr_transform_step step = {.transform = *t, .from = {0}};
  for (uint32_t i = 0; i < rank; i++) step.to[i] = (uint8_t)i;
  tsr_adaptor_identity(&d, 1, NULL, NULL);
  tsr_status s = TSR_OK;
  if (!well_formed(t))
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "lengths are 1 or more, strides 0 or more, and offsets below 2^62");
  if (offset) {
    if (offset < 0 || offset > MAX_REACH / 4)
      return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "offset %lld", (long long)offset);
    int64_t reach = t->kind == TSR_TRANSFORM_EMBED ? lower_reach(t) + 1 : lower_length(t, 0);
    tsr_transform_step shift = {.transform = tsr_transform_offset(reach, offset)};
    s = tsr_descriptor_transform(&d, &d, 1, &shift, e);
  }
  if (s == TSR_OK) s = tsr_descriptor_transform(&d, &d, 1, &step, e);
  if (s != TSR_OK) return s;
  d.space = offset + (t->kind == TSR_TRANSFORM_EMBED ? lower_reach(t) + 1 : lower_length(t, 0));
  *out = d;
  return TSR_OK;
}

static tsr_status too_many(uint32_t rank, tsr_layout_error *e) {
  return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "memory has 1 to %d dimensions, not %u",
                     TSR_TRANSFORM_MAX_DIMS, rank);
}

tsr_status tsr_descriptor_strided(tsr_descriptor *out, uint32_t rank, const int64_t *lengths,
                                  const int64_t *strides, int64_t offset, tsr_layout_error *e) {
  if (!out || (rank && (!lengths || !strides))) return layout_null(e);
  if (rank < 1 || rank > TSR_TRANSFORM_MAX_DIMS) return too_many(rank, e);
  tsr_transform t = tsr_transform_embed(rank, lengths, strides);
  return naive(out, &t, rank, offset, e);
}

tsr_status tsr_descriptor_packed(tsr_descriptor *out, uint32_t rank, const int64_t *lengths,
                                 tsr_layout_error *e) {
  if (!out || (rank && !lengths)) return layout_null(e);
  if (rank < 1 || rank > TSR_TRANSFORM_MAX_DIMS) return too_many(rank, e);
  tsr_transform t = tsr_transform_unmerge(rank, lengths);
  return naive(out, &t, rank, 0, e);
}

tsr_status tsr_descriptor_aligned(tsr_descriptor *out, uint32_t rank, const int64_t *lengths,
                                  int64_t align, tsr_layout_error *e) {
  if (!out || (rank && !lengths)) return layout_null(e);
  int64_t strides[TSR_TRANSFORM_MAX_DIMS], stride = 1;
  if (rank < 1 || rank > TSR_TRANSFORM_MAX_DIMS) return too_many(rank, e);
  if (align < 1 || align > MAX_REACH / 4)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "alignment %lld", (long long)align);
  for (uint32_t i = rank; i-- > 0;) {
    strides[i] = stride;
    int64_t length = lengths[i];
    if (i + 1 == rank && (length < 1 || length > MAX_REACH / 4))
      return layout_fail(e, TSR_ERROR_USAGE, (int)i, -1, "length %lld", (long long)length);
    if (i + 1 == rank && rank > 1) length = (length + align - 1) / align * align;
    if (__builtin_mul_overflow(stride, length, &stride)) stride = INT64_MAX;
  }
  return tsr_descriptor_strided(out, rank, lengths, strides, 0, e);
}

tsr_status tsr_adaptor_chain(tsr_descriptor *out, const tsr_descriptor *below,
                             const tsr_descriptor *above, tsr_layout_error *e) {
  if (!out || !below || !above) return layout_null(e);
  if (below->top != above->bottom ||
      below->stages + above->stages > TSR_DESCRIPTOR_MAX_TRANSFORMS ||
      below->hidden + above->hidden - above->bottom > TSR_DESCRIPTOR_MAX_HIDDEN)
    return layout_fail(
        e, TSR_ERROR_USAGE, -1, -1,
        "%u top dimensions below, %u bottom dimensions above: expected as many, and at "
        "most %d transforms",
        below->top, above->bottom, TSR_DESCRIPTOR_MAX_TRANSFORMS);
  tsr_descriptor d = *below;
  uint8_t id[TSR_DESCRIPTOR_MAX_HIDDEN];
  for (uint32_t h = 0; h < above->hidden; h++) {
    int at = -1;
    for (uint32_t i = 0; i < above->bottom; i++)
      if (above->bottom_ids[i] == h) at = (int)i;
    id[h] = at >= 0 ? below->top_ids[at] : d.hidden;
    int64_t have = at >= 0 ? below->length[below->top_ids[at]] : 0;
    if (have && above->length[h] && have != above->length[h])
      return layout_fail(e, TSR_ERROR_USAGE, at, -1,
                         "dimension %d has length %lld below and %lld above", at, (long long)have,
                         (long long)above->length[h]);
    if (at < 0) d.length[d.hidden++] = above->length[h];
  }
  for (uint32_t s = 0; s < above->stages; s++) {
    tsr_stage *stage = &d.stage[d.stages++];
    *stage = above->stage[s];
    for (uint32_t i = 0; i < stage->transform.lower; i++)
      stage->lower_ids[i] = id[stage->lower_ids[i]];
    for (uint32_t i = 0; i < stage->transform.upper; i++)
      stage->upper_ids[i] = id[stage->upper_ids[i]];
  }
  d.top = above->top;
  for (uint32_t i = 0; i < d.top; i++) d.top_ids[i] = id[above->top_ids[i]];
  *out = d;
  return TSR_OK;
}

/* ---- indices -------------------------------------------------------------------------------- */

int64_t tsr_descriptor_length(const tsr_descriptor *d, uint32_t dim) {
  if (!d) return 0;
  return d->length[d->top_ids[dim]];
}

static void gather(const int64_t *hidden, const uint8_t *ids, uint32_t n, int64_t *out) {
  for (uint32_t i = 0; i < n; i++) out[i] = hidden[ids[i]];
}

void tsr_coordinate_make(tsr_coordinate *c, const tsr_descriptor *d, const int64_t *index) {
  if (!c || !d || (d->top && !index)) return;
  memset(c, 0, sizeof *c);
  for (uint32_t i = 0; i < d->top; i++) c->hidden[d->top_ids[i]] = index[i];
  for (uint32_t s = d->stages; s-- > 0;) {
    const tsr_stage *stage = &d->stage[s];
    int64_t u[TSR_TRANSFORM_MAX_DIMS], l[TSR_TRANSFORM_MAX_DIMS];
    gather(c->hidden, stage->upper_ids, stage->transform.upper, u);
    tsr_transform_lower(&stage->transform, u, l);
    for (uint32_t i = 0; i < stage->transform.lower; i++) c->hidden[stage->lower_ids[i]] = l[i];
  }
}

/* Adds to the last digit and carries; a digit that overflows by more than its length is divided. */
static void move_digits(const tsr_transform *t, int64_t step, int64_t *l) {
  for (uint32_t i = t->lower; i-- > 1 && step;) {
    int64_t n = t->length[i], v = l[i] + step, carry = 0;
    if (v >= n || v < 0) {
      if (v >= n && v < 2 * n) {
        carry = 1;
      } else if (v < 0 && v >= -n) {
        carry = -1;
      } else {
        carry = v >= 0 ? v / n : -((-v + n - 1) / n);
      }
      v -= carry * n;
    }
    l[i] = v;
    step = carry;
  }
  if (t->lower) l[0] += step;
}

/* New lower indices after the upper ones moved from `before` by `step`. */
static void move_lower(const tsr_transform *t, const int64_t *after, const int64_t *step,
                       int64_t *l) {
  switch (t->kind) {
  case TSR_TRANSFORM_PASS_THROUGH:
  case TSR_TRANSFORM_PAD:
  case TSR_TRANSFORM_SLICE:
  case TSR_TRANSFORM_OFFSET: l[0] += step[0]; break;
  case TSR_TRANSFORM_EMBED:
    for (uint32_t i = 0; i < t->upper; i++) l[0] += step[i] * t->param[i];
    break;
  case TSR_TRANSFORM_MERGE: move_digits(t, step[0], l); break;
  default: tsr_transform_lower(t, after, l); break;
  }
}

void tsr_coordinate_move(tsr_coordinate *c, const tsr_descriptor *d, const int64_t *step) {
  if (!c || !d || (d->top && !step)) return;
  int64_t moved[TSR_DESCRIPTOR_MAX_HIDDEN] = {0};
  for (uint32_t i = 0; i < d->top; i++) {
    moved[d->top_ids[i]] = step[i];
    c->hidden[d->top_ids[i]] += step[i];
  }
  for (uint32_t s = d->stages; s-- > 0;) {
    const tsr_stage *stage = &d->stage[s];
    int64_t u[TSR_TRANSFORM_MAX_DIMS], by[TSR_TRANSFORM_MAX_DIMS], l[TSR_TRANSFORM_MAX_DIMS];
    int64_t any = 0;
    gather(moved, stage->upper_ids, stage->transform.upper, by);
    for (uint32_t i = 0; i < stage->transform.upper; i++) any |= by[i];
    if (!any) continue;
    gather(c->hidden, stage->upper_ids, stage->transform.upper, u);
    gather(c->hidden, stage->lower_ids, stage->transform.lower, l);
    move_lower(&stage->transform, u, by, l);
    for (uint32_t i = 0; i < stage->transform.lower; i++) {
      moved[stage->lower_ids[i]] = l[i] - c->hidden[stage->lower_ids[i]];
      c->hidden[stage->lower_ids[i]] = l[i];
    }
  }
}

int64_t tsr_coordinate_offset(const tsr_coordinate *c, const tsr_descriptor *d) {
  if (!c || !d) return 0;
  return c->hidden[d->bottom_ids[0]];
}

void tsr_coordinate_index(const tsr_coordinate *c, const tsr_descriptor *d, int64_t *index) {
  if (!c || !d || (d->top && !index)) return;
  gather(c->hidden, d->top_ids, d->top, index);
}

bool tsr_coordinate_valid(const tsr_coordinate *c, const tsr_descriptor *d) {
  if (!c || !d) return false;
  for (uint32_t i = 0; i < d->top; i++) {
    int64_t x = c->hidden[d->top_ids[i]], n = d->length[d->top_ids[i]];
    if (x < 0 || (n && x >= n)) return false;
  }
  for (uint32_t s = 0; s < d->stages; s++)
    if (!tsr_transform_valid(&d->stage[s].transform, &c->hidden[d->stage[s].upper_ids[0]]))
      return false;
  return true;
}

int64_t tsr_descriptor_offset(const tsr_descriptor *d, const int64_t *index, bool *valid) {
  tsr_coordinate c;
  if (valid) *valid = false;
  if (!d || (d->top && !index)) return 0;
  tsr_coordinate_make(&c, d, index);
  if (valid) *valid = tsr_coordinate_valid(&c, d);
  return tsr_coordinate_offset(&c, d);
}

void tsr_adaptor_bottom(const tsr_descriptor *d, const int64_t *top, int64_t *bottom) {
  if (!d || (d->top && !top) || (d->bottom && !bottom)) return;
  tsr_coordinate c;
  tsr_coordinate_make(&c, d, top);
  gather(c.hidden, d->bottom_ids, d->bottom, bottom);
}

bool tsr_adaptor_top(const tsr_descriptor *d, const int64_t *bottom, int64_t *top) {
  if (!d || (d->bottom && !bottom) || (d->top && !top)) return false;
  int64_t hidden[TSR_DESCRIPTOR_MAX_HIDDEN] = {0};
  for (uint32_t i = 0; i < d->bottom; i++) hidden[d->bottom_ids[i]] = bottom[i];
  for (uint32_t s = 0; s < d->stages; s++) {
    const tsr_stage *stage = &d->stage[s];
    int64_t u[TSR_TRANSFORM_MAX_DIMS], l[TSR_TRANSFORM_MAX_DIMS];
    gather(hidden, stage->lower_ids, stage->transform.lower, l);
    if (!tsr_transform_upper(&stage->transform, l, u)) return false;
    for (uint32_t i = 0; i < stage->transform.upper; i++) hidden[stage->upper_ids[i]] = u[i];
  }
  gather(hidden, d->top_ids, d->top, top);
  return true;
}
