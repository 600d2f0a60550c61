/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include "ops/image.h"

/* ---- integers -------------------------------------------------------------------------------- */

static tsr_value add(image_kernel *k, tsr_value x, tsr_value y) {
  return tsr_build_addi(k->b->b, x, y);
}

static tsr_value sub(image_kernel *k, tsr_value x, tsr_value y) {
  return tsr_build_subi(k->b->b, x, y);
}

static tsr_value mul(image_kernel *k, tsr_value x, tsr_value y) {
  return tsr_build_muli(k->b->b, x, y);
}

static tsr_value divide(image_kernel *k, tsr_value x, tsr_value y) {
  return tsr_build_divi(k->b->b, x, y, TSR_SIGNED);
}

static tsr_value rest(image_kernel *k, tsr_value x, tsr_value y) {
  return tsr_build_remi(k->b->b, x, y, TSR_SIGNED);
}

static tsr_value spread(image_kernel *k, tsr_value scalar, tsr_value like) {
  return ops_spread(k->b, scalar, tsr_type_shape(tsr_value_type(like)));
}

/* ---- where ----------------------------------------------------------------------------------- */

static void arguments(ops_build *b, const char *name, tsr_value out[IMAGE_DIMS]) {
  for (unsigned d = 0; d < IMAGE_DIMS; d++) {
    char full[16];
    snprintf(full, sizeof full, "%s_%u", name, d);
    out[d] = ops_arg(b, full);
  }
}

image_kernel image_begin(ops_build *b, const ops_image *w, bool stepped, int64_t rows,
                         int64_t columns) {
  image_kernel k = {.b = b, .w = w, .rows = rows, .columns = columns, .stepped = stepped};
  arguments(b, "in", k.in);
  arguments(b, "out", k.out);
  arguments(b, "kernel", k.kernel);
  arguments(b, "stride", k.stride);
  arguments(b, "dilation", k.dilation);
  arguments(b, "pad", k.pad);
  return k;
}

tsr_value image_join_columns(image_kernel *k, tsr_value channels) {
  tsr_value all = mul(k, k->kernel[2], channels);
  k->joined = true;
  k->kernel[2] = ops_i32(k->b, 1);
  return all;
}

void image_go(image_kernel *k, tsr_value number, bool of_images) {
  const tsr_value *sizes = of_images ? k->in : k->out;
  tsr_value across = ops_ceil_div(k->b, sizes[2], k->columns);
  tsr_value down = ops_ceil_div(k->b, sizes[1], k->rows);
  k->column = rest(k, number, across);
  number = divide(k, number, across);
  k->row = rest(k, number, down);
  k->plane = divide(k, number, down);
}

tsr_value image_count(image_kernel *k, bool of_images) {
  const tsr_value *sizes = of_images ? k->in : k->out;
  tsr_value n = mul(k, sizes[0], ops_ceil_div(k->b, sizes[1], k->rows));
  return mul(k, n, ops_ceil_div(k->b, sizes[2], k->columns));
}

tsr_value image_elements(image_kernel *k) {
  return mul(k, mul(k, k->kernel[0], k->kernel[1]), k->kernel[2]);
}

void image_element(image_kernel *k, tsr_value number, tsr_value out[IMAGE_DIMS]) {
  ops_take_apart(k->b, number, k->kernel, IMAGE_DIMS, out);
}

static tsr_value stride_of(image_kernel *k, const char *name, unsigned d) {
  char full[24];
  snprintf(full, sizeof full, "%s_%u", name, d);
  return ops_arg(k->b, full);
}

tsr_value image_base(image_kernel *k, const char *name, tsr_value batch, tsr_value channel) {
  return image_base_of(k, ops_arg(k->b, name), name, batch, channel);
}

tsr_value image_base_of(image_kernel *k, tsr_value base, const char *name, tsr_value batch,
                        tsr_value channel) {
  tsr_value along = stride_of(k, name, IMAGE_CHANNEL);
  tsr_value from = stride_of(k, name, IMAGE_BATCH);
  base = ops_advance(k->b, base, batch, from ? from : ops_index(k->b, 1));
  if (!channel) return base;
  return ops_advance(k->b, base, channel, along ? along : ops_index(k->b, 1));
}

/* ---- what pixels see ------------------------------------------------------------------------- */

/* Numbers from a first one on along a dimension of a tile of rank 3. */
static tsr_value numbers(image_kernel *k, tsr_value first, int64_t count, unsigned dim) {
  int64_t shape[3] = {1, 1, 1};
  shape[dim] = count;
  tsr_value v = tsr_build_iota(k->b->b, ops_tile(k->b, TSR_I32, TSR_INTS(count)));
  v = add(k, v, spread(k, first, v));
  return ops_reshape(k->b, v, (tsr_ints){shape, 3});
}

/* Coordinates that are seen, and whether there is something. */
typedef struct seen {
  tsr_value at, is;
} seen;

/* As unsigned numbers, negative ones are the largest. */
static tsr_value is_below(image_kernel *k, tsr_value x, tsr_value size) {
  return tsr_build_cmpi(k->b->b, x, spread(k, size, x), TSR_CMP_LESS_THAN, TSR_UNSIGNED);
}

static seen see_image(image_kernel *k, tsr_value pixel, tsr_value element, unsigned d) {
  if (k->stepped) pixel = mul(k, pixel, spread(k, k->stride[d], pixel));
  tsr_value shift = sub(k, mul(k, element, k->dilation[d]), k->pad[d]);
  tsr_value at = add(k, pixel, spread(k, shift, pixel));
  return (seen){at, is_below(k, at, k->in[d])};
}

/* The result's pixel that saw this one at the element: where the division has no rest. */
static seen see_result(image_kernel *k, tsr_value pixel, tsr_value element, unsigned d) {
  tsr_value shift = sub(k, k->pad[d], mul(k, element, k->dilation[d]));
  tsr_value at = add(k, pixel, spread(k, shift, pixel));
  if (!k->stepped) return (seen){at, is_below(k, at, k->out[d])};
  tsr_value by = spread(k, k->stride[d], at), zero = ops_full_like(k->b, at, 0);
  tsr_value even = tsr_build_cmpi(k->b->b, rest(k, at, by), zero, TSR_CMP_EQUAL, TSR_SIGNED);
  tsr_value quotient = divide(k, at, by);
  tsr_value is = tsr_build_andi(k->b->b, even, is_below(k, quotient, k->out[d]));
  return (seen){quotient, is};
}

/* Rows, columns and planes of the tile as tiles of rank 3. */
static void pixels(image_kernel *k, tsr_value out[IMAGE_DIMS]) {
  tsr_value row = mul(k, k->row, ops_i32(k->b, k->rows));
  tsr_value column = mul(k, k->column, ops_i32(k->b, k->columns));
  out[0] = numbers(k, k->plane, 1, 0);
  out[1] = numbers(k, row, k->rows, 0);
  out[2] = numbers(k, column, k->columns, 1);
}

/* Offsets of a coordinate; a stride that is NULL is 1. */
static tsr_value offsets(image_kernel *k, tsr_value at, const char *name, unsigned d) {
  tsr_value stride = ops_from_index(k->b, stride_of(k, name, d));
  return stride ? mul(k, at, spread(k, stride, at)) : at;
}

static tsr_value pointers(image_kernel *k, tsr_value base, tsr_elem elem, tsr_ints shape) {
  base = tsr_build_reshape(k->b->b, base, tsr_type_pointers(k->b->b, elem, TSR_INTS(1, 1, 1)));
  return tsr_build_broadcast(k->b->b, base, tsr_type_pointers(k->b->b, elem, shape));
}

/* Where columns are joined: is the channel of the column one of its line? */
static tsr_value is_in_line(image_kernel *k, tsr_value column, tsr_value channel, const char *name,
                            tsr_ints shape) {
  tsr_value each = ops_from_index(k->b, stride_of(k, name, IMAGE_COLUMN));
  tsr_value at = ops_broadcast(k->b, offsets(k, column, name, IMAGE_COLUMN), shape);
  at = add(k, at, ops_broadcast(k->b, channel, shape));
  return is_below(k, at, mul(k, k->in[2], each));
}

tsr_value image_load(image_kernel *k, const char *name, tsr_value base, const tsr_value *element,
                     tsr_value first, tsr_value count, int64_t channels, bool back,
                     double outside) {
  ops_build *b = k->b;
  tsr_ints shape = TSR_INTS(k->rows, k->columns, channels);
  tsr_value pixel[IMAGE_DIMS], channel = numbers(k, first, channels, 2);
  pixels(k, pixel);
  tsr_value at = ops_broadcast(b, offsets(k, channel, name, IMAGE_CHANNEL), shape);
  tsr_value is = ops_broadcast(b, is_below(k, channel, count), shape);
  for (unsigned d = 0; d < IMAGE_DIMS; d++) {
    seen s = back ? see_result(k, pixel[d], element[d], d) : see_image(k, pixel[d], element[d], d);
    at = add(k, at, ops_broadcast(b, offsets(k, s.at, name, IMAGE_FIRST + d), shape));
    if (k->joined && d == IMAGE_DIMS - 1) s.is = is_in_line(k, s.at, channel, name, shape);
    is = tsr_build_andi(b->b, is, ops_broadcast(b, s.is, shape));
  }
  tsr_elem elem = ops_type_elem(image_find(k->w, name)->type);
  tsr_value from = tsr_build_offset(b->b, pointers(k, base, elem, shape), at);
  tsr_value v = tsr_build_load_ptr_tko(b->b, from, TSR_MEMORY_WEAK, .mask = is,
                                       .paddingValue = ops_full(b, elem, shape, outside));
  return ops_reshape(b, v, TSR_INTS(k->rows * k->columns, channels));
}

static tsr_value in_lines(image_kernel *k, tsr_value v) {
  return ops_reshape(k->b, v, TSR_INTS(k->rows * k->columns, 1));
}

static tsr_value over_pixels(image_kernel *k, tsr_value v) {
  return ops_broadcast(k->b, v, TSR_INTS(k->rows, k->columns, 1));
}

/* Number of a pixel by its coordinates. */
static tsr_value number_of(image_kernel *k, const tsr_value *pixel, const tsr_value *sizes) {
  tsr_value all[IMAGE_DIMS];
  for (unsigned d = 0; d < IMAGE_DIMS; d++) all[d] = over_pixels(k, pixel[d]);
  tsr_value n = add(k, mul(k, all[0], spread(k, sizes[1], all[0])), all[1]);
  return add(k, mul(k, n, spread(k, sizes[2], n)), all[2]);
}

tsr_value image_seen(image_kernel *k, const tsr_value *element) {
  tsr_value pixel[IMAGE_DIMS];
  pixels(k, pixel);
  for (unsigned d = 0; d < IMAGE_DIMS; d++) pixel[d] = see_image(k, pixel[d], element[d], d).at;
  return in_lines(k, number_of(k, pixel, k->in));
}

tsr_value image_is_seen(image_kernel *k, const tsr_value *element) {
  tsr_value pixel[IMAGE_DIMS], is = NULL;
  pixels(k, pixel);
  for (unsigned d = 0; d < IMAGE_DIMS; d++) {
    tsr_value one = over_pixels(k, see_image(k, pixel[d], element[d], d).is);
    is = is ? tsr_build_andi(k->b->b, is, one) : one;
  }
  return in_lines(k, is);
}

/* Elements of a window along a dimension that lie in the image, from the first to the last one. */
static tsr_value count_along(image_kernel *k, tsr_value out, unsigned d) {
  tsr_value one = ops_full_like(k->b, out, 1), zero = ops_full_like(k->b, out, 0);
  tsr_value by = spread(k, k->dilation[d], out), size = spread(k, k->in[d], out);
  tsr_value at = sub(k, mul(k, out, spread(k, k->stride[d], out)), spread(k, k->pad[d], out));
  tsr_builder *b = k->b->b;
  /* The first k with at + k * by >= 0, and the first with at + k * by >= size. */
  tsr_value low = tsr_build_maxi(b, sub(k, zero, at), zero, TSR_SIGNED);
  tsr_value high = tsr_build_maxi(b, sub(k, size, at), zero, TSR_SIGNED);
  low = divide(k, add(k, low, sub(k, by, one)), by);
  high = divide(k, add(k, high, sub(k, by, one)), by);
  high = tsr_build_mini(b, high, spread(k, k->kernel[d], out), TSR_SIGNED);
  return sub(k, high, low);
}

tsr_value image_counts(image_kernel *k, const tsr_value *element) {
  tsr_value pixel[IMAGE_DIMS], n = NULL;
  pixels(k, pixel);
  for (unsigned d = 0; d < IMAGE_DIMS; d++) {
    seen s = see_result(k, pixel[d], element[d], d);
    tsr_value count = over_pixels(k, count_along(k, s.at, d));
    n = n ? mul(k, n, count) : count;
  }
  n = tsr_build_maxi(k->b->b, n, ops_full_like(k->b, n, 1), TSR_SIGNED);
  return in_lines(k, n);
}

tsr_value image_gather(image_kernel *k, tsr_elem elem, tsr_value base, const tsr_value *element,
                       tsr_value line, tsr_value first, tsr_value count, int64_t channels) {
  ops_build *b = k->b;
  tsr_ints shape = TSR_INTS(k->rows, k->columns, channels);
  tsr_value pixel[IMAGE_DIMS], channel = numbers(k, first, channels, 2);
  tsr_value is = ops_broadcast(b, is_below(k, channel, count), shape);
  pixels(k, pixel);
  for (unsigned d = 0; d < IMAGE_DIMS; d++) {
    seen s = see_result(k, pixel[d], element[d], d);
    pixel[d] = s.at;
    is = tsr_build_andi(b->b, is, ops_broadcast(b, s.is, shape));
  }
  tsr_value at = number_of(k, pixel, k->out);
  at = ops_broadcast(b, mul(k, at, spread(k, line, at)), shape);
  at = add(k, at, ops_broadcast(b, channel, shape));
  tsr_value from = tsr_build_offset(b->b, pointers(k, base, elem, shape), at);
  tsr_value v = tsr_build_load_ptr_tko(b->b, from, TSR_MEMORY_WEAK, .mask = is,
                                       .paddingValue = ops_full(b, elem, shape, 0));
  return ops_reshape(b, v, TSR_INTS(k->rows * k->columns, channels));
}

/* ---- tiles of results and images ------------------------------------------------------------- */

ops_tiles image_view(image_kernel *k, const char *name, ops_type type, tsr_value base,
                     tsr_value count, int64_t channels, bool of_images) {
  const tsr_value *sizes = of_images ? k->in : k->out;
  static const unsigned dims[] = {2, 3, 4, IMAGE_CHANNEL};
  ops_view_spec spec = {.base = base,
                        .elem = ops_type_elem(type),
                        .rank = 4,
                        .tile = {1, k->rows, k->columns, channels},
                        .padding = TSR_PADDING_ZERO};
  for (unsigned i = 0; i < 4; i++) {
    spec.sizes[i] = ops_to_index(k->b, i < IMAGE_DIMS ? sizes[i] : count);
    spec.strides[i] = stride_of(k, name, dims[i]);
  }
  return ops_view(k->b, &spec);
}

tsr_value image_load_tile(image_kernel *k, const ops_tiles *t, tsr_value channel) {
  tsr_value v = ops_load(k->b, t, TSR_VALUES(k->plane, k->row, k->column, channel));
  return ops_reshape(k->b, v, TSR_INTS(k->rows * k->columns, t->tile[3]));
}

void image_store_tile(image_kernel *k, const ops_tiles *t, tsr_value channel, tsr_value tile) {
  tile = ops_reshape(k->b, tile, (tsr_ints){t->tile, 4});
  ops_store(k->b, tile, t, TSR_VALUES(k->plane, k->row, k->column, channel));
}

tsr_value image_numbers(image_kernel *k, bool of_images) {
  tsr_value pixel[IMAGE_DIMS];
  pixels(k, pixel);
  return in_lines(k, number_of(k, pixel, of_images ? k->in : k->out));
}
