/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Multi-functions (Tilus' name): maps from an index to a set of numbers. To combine two, their
 * digits are first cut into common factors; where there is none, they do not combine.
 */
#include <limits.h>

#include "layout/layout.h"

static int32_t entry_size(const tsr_multi *f, int32_t entry) {
  return entry < 0 ? -entry : f->mode_shape[entry];
}

int64_t tsr_multi_size(const tsr_multi *f) {
  if (!f) return 0;
  int64_t n = 1;
  for (uint32_t i = 0; i < f->digits; i++) n *= f->mode_shape[i];
  return n;
}

int64_t tsr_multi_image_size(const tsr_multi *f) {
  if (!f) return 0;
  int64_t n = 1;
  for (uint32_t i = 0; i < f->modes; i++) n *= entry_size(f, f->mode[i]);
  return n;
}

/* ---- making --------------------------------------------------------------------------------- */

static bool multiply(int64_t *n, int64_t by) {
  if (by < 1 || *n > INT32_MAX / by) return false;
  *n *= by;
  return true;
}

/* Unlike a distribution's, digits may straddle dimensions: only the products must agree. */
static tsr_status check(const tsr_multi *f, tsr_layout_error *e) {
  int64_t size = 1, digits = 1, image = 1;
  bool used[MAX_MODES] = {false};
  for (uint32_t d = 0; d < f->rank; d++)
    if (!multiply(&size, f->shape[d])) size = 0;
  for (uint32_t m = 0; m < f->digits; m++)
    if (!multiply(&digits, f->mode_shape[m])) digits = -1;
  if (size != digits)
    return layout_fail(
        e, TSR_ERROR_USAGE, -1, -1, "mode_shape %s does not multiply to shape %s (below 2^31)",
        layout_list(f->digits, f->mode_shape).text, layout_list(f->rank, f->shape).text);
  for (uint32_t i = 0; i < f->modes; i++) {
    int32_t m = f->mode[i];
    if (m >= f->digits || (m >= 0 && used[m]) ||
        !multiply(&image, m < 0 ? -(int64_t)m : f->mode_shape[m]))
      return layout_fail(e, TSR_ERROR_USAGE, -1, m,
                         "modes %s: expected different indices into mode_shape %s, or negative "
                         "replications, that make fewer than 2^31 values",
                         layout_list(f->modes, f->mode).text,
                         layout_list(f->digits, f->mode_shape).text);
    if (m >= 0) used[m] = true;
  }
  return TSR_OK;
}

tsr_status tsr_multi_make(tsr_multi *out, uint32_t rank, const int32_t *shape, uint32_t digits,
                          const int32_t *mode_shape, uint32_t modes, const int32_t *mode,
                          tsr_layout_error *e) {
  if (!out || (rank && !shape) || (digits && !mode_shape) || (modes && !mode))
    return layout_null(e);
  tsr_multi f = {.rank = (uint8_t)rank, .digits = (uint8_t)digits, .modes = (uint8_t)modes};
  if (rank > MAX_RANK || digits > MAX_MODES || modes > MAX_MODES)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "at most %d dimensions and %d modes", MAX_RANK,
                       MAX_MODES);
  if (rank) memcpy(f.shape, shape, rank * sizeof *shape);
  if (digits) memcpy(f.mode_shape, mode_shape, digits * sizeof *mode_shape);
  if (modes) memcpy(f.mode, mode, modes * sizeof *mode);
  tsr_status s = check(&f, e);
  if (s != TSR_OK) return s;
  tsr_multi_canonicalize(&f);
  *out = f;
  return TSR_OK;
}

tsr_status tsr_multi_identity(tsr_multi *out, uint32_t rank, const int32_t *shape,
                              tsr_layout_error *e) {
  if (!out || (rank && !shape)) return layout_null(e);
  int32_t modes[MAX_RANK];
  for (uint32_t d = 0; d < MAX_RANK; d++) modes[d] = (int32_t)d;
  return tsr_multi_make(out, rank, shape, rank, shape, rank, modes, e);
}

void tsr_layout_spatial_function(tsr_multi *out, const tsr_layout *l) {
  if (!out || !l) return;
  tsr_multi f = {.rank = l->rank, .digits = l->modes, .modes = l->spatial};
  memcpy(f.shape, l->shape, sizeof f.shape);
  memcpy(f.mode_shape, l->mode_shape, sizeof f.mode_shape);
  memcpy(f.mode, l->spatial_modes, sizeof f.mode);
  tsr_multi_canonicalize(&f);
  *out = f;
}

/* ---- digits --------------------------------------------------------------------------------- */

/* Cuts digit m into a high and a low part. */
static bool split(tsr_multi *f, uint32_t m, int32_t low) {
  if (f->digits == MAX_MODES || f->modes == MAX_MODES) return false;
  memmove(f->mode_shape + m + 2, f->mode_shape + m + 1, (f->digits - m - 1) * sizeof(int32_t));
  f->mode_shape[m] /= low;
  f->mode_shape[m + 1] = low;
  f->digits++;
  int at = -1;
  for (int i = 0; i < f->modes; i++) {
    if (f->mode[i] > (int32_t)m) f->mode[i]++;
    if (f->mode[i] == (int32_t)m) at = i;
  }
  if (at < 0) return true;
  memmove(f->mode + at + 2, f->mode + at + 1,
          ((uint32_t)f->modes - (uint32_t)at - 1) * sizeof(int32_t));
  f->mode[at + 1] = (int32_t)m + 1;
  f->modes++;
  return true;
}

/* Cuts entry i of the image so that its last part has size `low`. */
static bool split_entry(tsr_multi *f, uint32_t i, int32_t low) {
  int32_t entry = f->mode[i];
  if (entry >= 0) return split(f, (uint32_t)entry, low);
  if (f->modes == MAX_MODES) return false;
  memmove(f->mode + i + 1, f->mode + i, (f->modes - i) * sizeof(int32_t));
  f->mode[i] = entry / low;
  f->mode[i + 1] = -low;
  f->modes++;
  return true;
}

static void remove_digit(tsr_multi *f, uint32_t m) {
  memmove(f->mode_shape + m, f->mode_shape + m + 1, (f->digits - m - 1) * sizeof(int32_t));
  f->digits--;
  uint8_t n = 0;
  for (uint32_t i = 0; i < f->modes; i++)
    if (f->mode[i] != (int32_t)m)
      f->mode[n++] = f->mode[i] > (int32_t)m ? f->mode[i] - 1 : f->mode[i];
  f->modes = n;
}

static int place_of(const tsr_multi *f, int32_t entry) {
  for (int i = 0; i < f->modes; i++)
    if (f->mode[i] == entry) return i;
  return -1;
}

/* Drops sizes 1; merges digits that are neighbours in both lists, or in neither's image. */
void tsr_multi_canonicalize(tsr_multi *f) {
  if (!f) return;
  for (uint32_t m = f->digits; m-- > 0;)
    if (f->mode_shape[m] == 1) remove_digit(f, m);
  uint8_t n = 0;
  for (uint32_t i = 0; i < f->modes; i++)
    if (f->mode[i] != -1) f->mode[n++] = f->mode[i];
  f->modes = n;
  for (uint32_t m = f->digits; m-- > 1;) {
    int a = place_of(f, (int32_t)m - 1), b = place_of(f, (int32_t)m);
    if (a < 0 || b != a + 1) continue;
    int32_t size = f->mode_shape[m];
    remove_digit(f, m);
    f->mode_shape[m - 1] *= size;
  }
}

int64_t tsr_multi_call(const tsr_multi *f, const int32_t *index, int32_t *values,
                       int64_t capacity) {
  if (!f || (f->rank && !index) || (capacity > 0 && !values)) return 0;
  int64_t linear = 0, copies = 1;
  int32_t digits[MAX_MODES];
  for (uint32_t d = 0; d < f->rank; d++) linear = linear * f->shape[d] + index[d];
  for (uint32_t m = f->digits; m-- > 0;) {
    digits[m] = (int32_t)(linear % f->mode_shape[m]);
    linear /= f->mode_shape[m];
  }
  for (uint32_t i = 0; i < f->modes; i++)
    if (f->mode[i] < 0) copies *= -f->mode[i];
  for (int64_t c = 0; c < MIN(copies, capacity); c++) {
    int64_t rest = c, stride = 1, value = 0;
    for (uint32_t i = f->modes; i-- > 0;) {
      int32_t size = entry_size(f, f->mode[i]);
      value += stride * (f->mode[i] >= 0 ? digits[f->mode[i]] : rest % size);
      if (f->mode[i] < 0) rest /= size;
      stride *= size;
    }
    values[c] = (int32_t)value;
  }
  return copies;
}

/* ---- operations ----------------------------------------------------------------------------- */

tsr_status tsr_multi_collapse(tsr_multi *out, const tsr_multi *from, uint32_t count,
                              const int32_t *dims, tsr_layout_error *e) {
  if (!out || !from || (count && !dims)) return layout_null(e);
  tsr_multi f = *from;
  for (uint32_t i = 0; i < count; i++)
    if (dims[i] < 0 || dims[i] >= f.rank)
      return layout_fail(e, TSR_ERROR_USAGE, dims[i], -1, "dims %s for shape %s",
                         layout_list(count, dims).text, layout_list(f.rank, f.shape).text);
  for (uint32_t d = 0, m = 0; d < f.rank; d++) {
    bool forget = false;
    for (uint32_t i = 0; i < count; i++) forget |= dims[i] == (int32_t)d;
    for (int32_t left = f.shape[d]; left > 1; m++) {
      int32_t p = f.mode_shape[m];
      /* A digit that reaches over the dimension's end is cut there. */
      if (left % p && (p % left || !split(&f, m, p / left)))
        return layout_fail(e, TSR_ERROR_USAGE, (int)d, (int)m,
                           "mode %u of mode_shape %s lies across dimension %u of shape %s", m,
                           layout_list(f.digits, f.mode_shape).text, d,
                           layout_list(f.rank, f.shape).text);
      left /= f.mode_shape[m];
      int at = forget ? place_of(&f, (int32_t)m) : -1;
      if (at < 0) continue;
      memmove(f.mode + at, f.mode + at + 1,
              ((uint32_t)f.modes - (uint32_t)at - 1) * sizeof(int32_t));
      f.modes--;
    }
  }
  tsr_multi_canonicalize(&f);
  *out = f;
  return TSR_OK;
}

/* Cuts the image of f and the digits of g, from the least significant on, into the same sizes. */
static bool align_product(tsr_multi *f, tsr_multi *g) {
  uint32_t i = f->modes, k = g->digits;
  while (i > 0 && k > 0) {
    int32_t p = entry_size(f, f->mode[i - 1]), q = g->mode_shape[k - 1];
    if (p != q) {
      int32_t low = MIN(p, q);
      if (MAX(p, q) % low) return false;
      uint32_t fm = f->modes, gd = g->digits;
      if (p > q ? !split_entry(f, i - 1, low) : !split(g, k - 1, low)) return false;
      i += f->modes - fm;
      k += g->digits - gd;
    }
    i--;
    k--;
  }
  return i == 0 && k == 0;
}

tsr_status tsr_multi_product(tsr_multi *out, const tsr_multi *a, const tsr_multi *b,
                             tsr_layout_error *e) {
  if (!out || !a || !b) return layout_null(e);
  tsr_multi f = *a, g = *b;
  if (tsr_multi_image_size(&f) != tsr_multi_size(&g) || !align_product(&f, &g))
    return layout_fail(
        e, TSR_ERROR_USAGE, -1, -1,
        "the product of maps on %s and %s: the first one's image, of size %lld, does "
        "not factor like the second one's mode_shape %s",
        layout_list(a->rank, a->shape).text, layout_list(b->rank, b->shape).text,
        (long long)tsr_multi_image_size(a), layout_list(b->digits, b->mode_shape).text);
  tsr_multi h = f;
  for (uint32_t i = 0; i < g.modes; i++) h.mode[i] = g.mode[i] < 0 ? g.mode[i] : f.mode[g.mode[i]];
  h.modes = g.modes;
  tsr_multi_canonicalize(&h);
  *out = h;
  return TSR_OK;
}

/* One digit of a value: (x / stride) % size of the linear index x, or anything below size. */
typedef struct image_digit {
  int64_t size, stride; /* stride 0: a replication */
} image_digit;

/* The digits of f's values, least significant first; neighbours that are one replication, merged.
 */
static uint32_t image_digits(const tsr_multi *f, image_digit *out) {
  int64_t strides[MAX_MODES], stride = 1;
  for (uint32_t m = f->digits; m-- > 0;) {
    strides[m] = stride;
    stride *= f->mode_shape[m];
  }
  uint32_t n = 0;
  for (uint32_t i = f->modes; i-- > 0;) {
    image_digit d = {entry_size(f, f->mode[i]), f->mode[i] < 0 ? 0 : strides[f->mode[i]]};
    if (d.size == 1) continue;
    if (n && d.stride == 0 && out[n - 1].stride == 0)
      out[n - 1].size *= d.size;
    else
      out[n++] = d;
  }
  return n;
}

/* Takes a factor of `size` off the low end of a digit. */
static void consume(image_digit *d, int64_t size, uint32_t *next) {
  d->size /= size;
  d->stride *= size;
  if (d->size == 1) ++*next;
}

bool tsr_multi_cover(const tsr_multi *f, const tsr_multi *g) {
  if (!f || !g) return f == g;
  if (tsr_multi_size(f) != tsr_multi_size(g) || tsr_multi_image_size(f) != tsr_multi_image_size(g))
    return false;
  image_digit a[MAX_MODES], b[MAX_MODES];
  uint32_t na = image_digits(f, a), nb = image_digits(g, b), i = 0, k = 0;
  /* From the least significant value on, each digit of g's is the same digit of the index in f's,
   * or lies in a replication of f's. */
  while (i < na && k < nb) {
    if (a[i].stride != 0 && a[i].stride != b[k].stride) return false;
    int64_t low = MIN(a[i].size, b[k].size);
    if (MAX(a[i].size, b[k].size) % low) return false;
    consume(&a[i], low, &i);
    consume(&b[k], low, &k);
  }
  return i == na && k == nb;
}
