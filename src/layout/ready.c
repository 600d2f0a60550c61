/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ready descriptors (XOR preshuffle, Morton order, im2col) and space-filling curves, after CK Tile.
 */
#include <tessera/descriptor.h>

#include "layout/linear.h"

enum { MAX_DIMS = TSR_DESCRIPTOR_MAX_DIMS };
#define SIZE_LIMIT ((int64_t)1 << 30) /* of one length, so that products stay within 64 bits */

static bool in_range(int64_t v) {
  return v >= 1 && v < SIZE_LIMIT;
}

/* Memory is [row / layers][vector of `layers` rows][pack]; the vector's number is XORed with the
 * row group, then parted into layer and vector; row = (group, layer), column = (vector, element).
 */
tsr_status tsr_descriptor_xor_preshuffle(tsr_descriptor *out, int64_t rows, int64_t row_length,
                                         int64_t pack, int64_t layers, tsr_layout_error *e) {
  if (!out) return layout_null(e);
  if (!in_range(rows) || !in_range(row_length) || !in_range(pack) || !in_range(layers) ||
      row_length % pack || rows % layers || layout_log2(row_length / pack * layers) < 0)
    return layout_fail(
        e, TSR_ERROR_USAGE, -1, -1,
        "a preshuffled tile of %lld rows of %lld in vectors of %lld, %lld layers: "
        "vectors must divide rows, layers the number of rows, and the vectors of all "
        "layers be a power of two",
        (long long)rows, (long long)row_length, (long long)pack, (long long)layers);
  int64_t vectors = row_length / pack, groups = rows / layers;
  tsr_descriptor d;
  tsr_status s = tsr_descriptor_strided(&d, 3, (int64_t[]){vectors * layers, groups, pack},
                                        (int64_t[]){pack, row_length * layers, 1}, 0, e);
  tsr_transform_step mix[] = {
      {.transform = tsr_transform_xor(groups, vectors * layers), .from = {1, 0}, .to = {1, 0}},
      {.transform = tsr_transform_pass_through(pack), .from = {2}, .to = {2}}};
  if (s == TSR_OK) s = tsr_descriptor_transform(&d, &d, 2, mix, e);
  tsr_transform_step part[] = {
      {.transform = tsr_transform_unmerge(2, (int64_t[]){layers, vectors}),
       .from = {0},
       .to = {0, 1}},
      {.transform = tsr_transform_pass_through(groups), .from = {1}, .to = {2}},
      {.transform = tsr_transform_pass_through(pack), .from = {2}, .to = {3}}};
  if (s == TSR_OK) s = tsr_descriptor_transform(&d, &d, 3, part, e);
  tsr_transform_step join[] = {
      {.transform = tsr_transform_merge(2, (int64_t[]){groups, layers}), .from = {2, 0}, .to = {0}},
      {.transform = tsr_transform_merge(2, (int64_t[]){vectors, pack}), .from = {1, 3}, .to = {1}}};
  if (s == TSR_OK) s = tsr_descriptor_transform(&d, &d, 2, join, e);
  if (s == TSR_OK) *out = d;
  return s;
}

/* Memory is [tile row][tile column][y bit][x bit] ... [y bit 0][x bit 0]. */
tsr_status tsr_descriptor_morton(tsr_descriptor *out, int64_t height, int64_t width, int64_t tile,
                                 tsr_layout_error *e) {
  if (!out) return layout_null(e);
  int bits = layout_log2(tile);
  if (!in_range(height) || !in_range(width) || bits < 0 || 2 + 2 * bits > TSR_TRANSFORM_MAX_DIMS ||
      height % tile || width % tile)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "%lld x %lld in Morton tiles of %lld: expected a power of two up to %d that "
                       "divides both",
                       (long long)height, (long long)width, (long long)tile,
                       1 << (TSR_TRANSFORM_MAX_DIMS / 2 - 1));
  int64_t memory[MAX_DIMS] = {height / tile, width / tile};
  int64_t rows[MAX_DIMS] = {height / tile}, columns[MAX_DIMS] = {width / tile};
  uint32_t n = (uint32_t)bits;
  tsr_transform_step step[2] = {{.from = {0}, .to = {0}}, {.from = {1}, .to = {1}}};
  for (uint32_t b = 0; b < n; b++) {
    memory[2 + 2 * b] = memory[3 + 2 * b] = rows[1 + b] = columns[1 + b] = 2;
    step[0].from[1 + b] = (uint8_t)(2 + 2 * b);
    step[1].from[1 + b] = (uint8_t)(3 + 2 * b);
  }
  step[0].transform = tsr_transform_merge(1 + n, rows);
  step[1].transform = tsr_transform_merge(1 + n, columns);
  tsr_descriptor d;
  tsr_status s = tsr_descriptor_packed(&d, 2 + 2 * n, memory, e);
  if (s == TSR_OK) s = tsr_descriptor_transform(&d, &d, 2, step, e);
  if (s == TSR_OK) *out = d;
  return s;
}

/* Output positions along one axis; 0 when the kernel does not fit. */
static int64_t positions(int64_t size, int64_t before, int64_t after, int64_t kernel,
                         int64_t stride, int64_t dilation) {
  if (!in_range(size) || !in_range(kernel) || !in_range(stride) || !in_range(dilation) ||
      before < 0 || after < 0 || before >= SIZE_LIMIT || after >= SIZE_LIMIT)
    return 0;
  int64_t reach = (kernel - 1) * dilation + 1, padded = size + before + after;
  return reach > padded ? 0 : (padded - reach) / stride + 1;
}

tsr_status tsr_descriptor_im2col(tsr_descriptor *out, const tsr_convolution *c, int64_t *out_height,
                                 int64_t *out_width, tsr_layout_error *e) {
  if (!out || !c) return layout_null(e);
  int64_t oh = positions(c->height, c->pad_top, c->pad_bottom, c->kernel_height, c->stride_height,
                         c->dilation_height);
  int64_t ow = positions(c->width, c->pad_left, c->pad_right, c->kernel_width, c->stride_width,
                         c->dilation_width);
  if (oh == 0 || ow == 0 || !in_range(c->channels))
    return layout_fail(
        e, TSR_ERROR_USAGE, oh == 0 ? 0 : 1, -1,
        "a kernel of %lld x %lld does not fit into the padded input of %lld x %lld, or a "
        "size is out of range",
        (long long)c->kernel_height, (long long)c->kernel_width, (long long)c->height,
        (long long)c->width);
  tsr_descriptor d;
  tsr_status s = tsr_descriptor_packed(&d, 3, (int64_t[]){c->height, c->width, c->channels}, e);
  tsr_transform_step pad[] = {
      {.transform = tsr_transform_pad(c->height, c->pad_top, c->pad_bottom),
       .from = {0},
       .to = {0}},
      {.transform = tsr_transform_pad(c->width, c->pad_left, c->pad_right), .from = {1}, .to = {1}},
      {.transform = tsr_transform_pass_through(c->channels), .from = {2}, .to = {2}}};
  if (s == TSR_OK) s = tsr_descriptor_transform(&d, &d, 3, pad, e);
  tsr_transform_step windows[] = {
      {.transform = tsr_transform_embed(2, (int64_t[]){oh, c->kernel_height},
                                        (int64_t[]){c->stride_height, c->dilation_height}),
       .from = {0},
       .to = {0, 2}},
      {.transform = tsr_transform_embed(2, (int64_t[]){ow, c->kernel_width},
                                        (int64_t[]){c->stride_width, c->dilation_width}),
       .from = {1},
       .to = {1, 3}},
      {.transform = tsr_transform_pass_through(c->channels), .from = {2}, .to = {4}}};
  if (s == TSR_OK) s = tsr_descriptor_transform(&d, &d, 3, windows, e);
  tsr_transform_step matrix[] = {
      {.transform = tsr_transform_merge(2, (int64_t[]){oh, ow}), .from = {0, 1}, .to = {0}},
      {.transform =
           tsr_transform_merge(3, (int64_t[]){c->kernel_height, c->kernel_width, c->channels}),
       .from = {2, 3, 4},
       .to = {1}}};
  if (s == TSR_OK) s = tsr_descriptor_transform(&d, &d, 2, matrix, e);
  if (s != TSR_OK) return s;
  if (out_height) *out_height = oh;
  if (out_width) *out_width = ow;
  *out = d;
  return TSR_OK;
}

/* ---- space-filling curves ------------------------------------------------------------------- */

static int64_t runs(const tsr_curve *c, uint32_t dim) {
  return (c->length[dim] + c->scalars[dim] - 1) / c->scalars[dim];
}

tsr_status tsr_curve_make(tsr_curve *out, uint32_t rank, const int64_t *lengths,
                          const uint8_t *order, const int64_t *scalars, bool snake,
                          tsr_layout_error *e) {
  if (!out || (rank && (!lengths || !order || !scalars))) return layout_null(e);
  tsr_curve c = {.rank = (uint8_t)rank, .snake = snake};
  bool used[MAX_DIMS] = {false};
  int64_t total = 1;
  if (rank > MAX_DIMS)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "at most %d dimensions, not %u", MAX_DIMS, rank);
  for (uint32_t d = 0; d < rank; d++) {
    if (order[d] >= rank || used[order[d]] || !in_range(lengths[d]) || !in_range(scalars[d]))
      return layout_fail(
          e, TSR_ERROR_USAGE, (int)d, -1,
          "dimension %u: length %lld, %lld scalars per access, order %u: expected sizes "
          "of 1 or more and each dimension once in the order",
          d, (long long)lengths[d], (long long)scalars[d], order[d]);
    used[order[d]] = true;
    c.order[d] = order[d];
    c.length[d] = lengths[d];
    c.scalars[d] = scalars[d];
    if (__builtin_mul_overflow(total, runs(&c, d), &total))
      return layout_fail(e, TSR_ERROR_USAGE, (int)d, -1, "more than 2^63 accesses");
  }
  *out = c;
  return TSR_OK;
}

int64_t tsr_curve_accesses(const tsr_curve *c) {
  if (!c) return 0;
  int64_t n = 1;
  for (uint32_t d = 0; d < c->rank; d++) n *= runs(c, d);
  return n;
}

/* In a snake, a dimension runs backwards when the accesses of the slower dimensions, counted in
 * order, are odd in number: each run then starts where the last one ended. */
bool tsr_curve_index(const tsr_curve *c, int64_t access, int64_t *index) {
  if (!c || (c->rank && !index)) return false;
  int64_t at[MAX_DIMS] = {0};
  bool inside = true;
  for (uint32_t i = c->rank; i-- > 0;) {
    uint32_t d = c->order[i];
    at[i] = access % runs(c, d);
    access /= runs(c, d);
  }
  int64_t before = 0;
  for (uint32_t i = 0; i < c->rank; i++) {
    uint32_t d = c->order[i];
    int64_t n = runs(c, d);
    int64_t k = c->snake && before % 2 ? n - 1 - at[i] : at[i];
    before = before * n + at[i];
    index[d] = k * c->scalars[d];
    inside &= index[d] + c->scalars[d] <= c->length[d];
  }
  return inside;
}

void tsr_curve_step(const tsr_curve *c, int64_t from, int64_t to, int64_t *step) {
  if (!c || (c->rank && !step)) return;
  int64_t a[MAX_DIMS];
  tsr_curve_index(c, from, a);
  tsr_curve_index(c, to, step);
  for (uint32_t d = 0; d < c->rank; d++) step[d] -= a[d];
}
