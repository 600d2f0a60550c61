/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include "ops/convolution.h"

/* A kernel that is being built. Of forward, the source is x and the result y; of data, dy and dx.
 */
typedef struct kernel {
  ops_build *b;
  const convolution *c;
  image_kernel k;
  int64_t pass, pixels, tile_f, tile_c;
  tsr_value channels, filters; /* of a group, i32; joined: channels of a row of the window */
  tsr_value group, batch;
  tsr_value tile; /* which tile of channels of the result */
} kernel;

static int64_t get(const kernel *v, unsigned param) {
  return convolution_get(v->b->p, param);
}

static ops_type type_of(const kernel *v, const char *name) {
  return image_find(&v->c->window, name)->type;
}

static kernel begin(ops_build *b) {
  const convolution *c = convolution_parts(b->p);
  kernel v = {.b = b, .c = c};
  int64_t rows = get(&v, CONVOLUTION_tile_h), columns = get(&v, CONVOLUTION_tile_w);
  v.pass = get(&v, CONVOLUTION_pass);
  v.k = image_begin(b, &c->window, get(&v, CONVOLUTION_stepped) == 1, rows, columns);
  v.pixels = rows * columns;
  v.tile_f = get(&v, CONVOLUTION_tile_f);
  v.tile_c = get(&v, CONVOLUTION_tile_c);
  v.channels = ops_arg(b, "channels");
  if (get(&v, CONVOLUTION_joined)) v.channels = image_join_columns(&v.k, v.channels);
  v.filters = ops_arg(b, "filters");
  return v;
}

static tsr_value multiply(kernel *v, tsr_value x, tsr_value y, tsr_value sum) {
  if (ops_type_is_int(get(v, CONVOLUTION_type)))
    return tsr_build_mmai(v->b->b, x, y, sum, TSR_SIGNED, TSR_SIGNED);
  return tsr_build_mmaf(v->b->b, x, y, sum);
}

static tsr_value zeros(kernel *v, int64_t rows, int64_t columns) {
  return ops_full(v->b, ops_type_elem(convolution_sum_type(v->b->p)), TSR_INTS(rows, columns), 0);
}

static tsr_value times(kernel *v, tsr_value x, tsr_value y) {
  return tsr_build_muli(v->b->b, x, y);
}

static tsr_value to_sum(kernel *v, tsr_value x) {
  return ops_convert(v->b, x, get(v, CONVOLUTION_type), convolution_sum_type(v->b->p));
}

/* ---- filters --------------------------------------------------------------------------------- */

/* Filters of the group as tiles of two of channels and filters: which is the last is said. */
static ops_tiles filter_view(kernel *v, tsr_value group, int64_t channels, int64_t filters,
                             bool filters_last) {
  ops_build *b = v->b;
  const char *name = v->c->w;
  tsr_value strides[IMAGE_RANK], base = ops_arg(b, name);
  for (unsigned d = 0; d < IMAGE_RANK; d++) {
    char full[24];
    snprintf(full, sizeof full, "%s_%u", name, d);
    strides[d] = ops_arg(b, full);
  }
  tsr_value from = strides[IMAGE_BATCH] ? strides[IMAGE_BATCH] : ops_index(b, 1);
  if (group) base = ops_advance(b, base, times(v, group, v->filters), from);
  unsigned f = filters_last ? 4 : 3, c = filters_last ? 3 : 4;
  bool deep = get(v, CONVOLUTION_depthwise) == 1;
  ops_view_spec spec = {.base = base,
                        .elem = ops_type_elem(type_of(v, name)),
                        .rank = 5,
                        .tile = {1, 1, 1},
                        .padding = TSR_PADDING_ZERO};
  for (unsigned d = 0; d < IMAGE_DIMS; d++) {
    spec.sizes[d] = ops_to_index(b, v->k.kernel[d]);
    spec.strides[d] = strides[IMAGE_FIRST + d];
  }
  spec.sizes[f] = ops_to_index(b, deep ? ops_arg(b, "groups") : v->filters);
  spec.sizes[c] = ops_to_index(b, v->channels);
  spec.strides[f] = strides[IMAGE_BATCH];
  spec.strides[c] = strides[IMAGE_CHANNEL];
  spec.tile[f] = filters;
  spec.tile[c] = channels;
  return ops_view(b, &spec);
}

static tsr_value load_filters(kernel *v, const ops_tiles *t, const tsr_value *element, tsr_value i,
                              tsr_value j) {
  tsr_value w = ops_load(v->b, t, TSR_VALUES(element[0], element[1], element[2], i, j));
  return ops_reshape(v->b, w, TSR_INTS(t->tile[3], t->tile[4]));
}

static void store_filters(kernel *v, const ops_tiles *t, const tsr_value *element, tsr_value i,
                          tsr_value j, tsr_value w) {
  ops_type from = convolution_sum_type(v->b->p), to = type_of(v, v->c->w);
  w = ops_reshape(v->b, ops_convert(v->b, w, from, to), (tsr_ints){t->tile, 5});
  ops_store(v->b, w, t, TSR_VALUES(element[0], element[1], element[2], i, j));
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The first channel of the group in the result, and its tile's first one. */
static tsr_value first_channel(kernel *v, tsr_value count) {
  return v->group ? times(v, v->group, count) : NULL;
}

static tsr_value stage_tensor(kernel *v, const ops_stage *s, int64_t channels, tsr_value count) {
  ops_build *b = v->b;
  tsr_ints shape = TSR_INTS(v->pixels, channels);
  ops_type late = convolution_late_type(b->p);
  tsr_value first = first_channel(v, count), x, base = ops_arg(b, s->operand);
  if (s->span == OPS_SPAN_TENSOR) {
    x = tsr_build_load_ptr_tko(b->b, base, TSR_MEMORY_WEAK);
    return ops_convert(b, ops_spread(b, x, shape), s->type, late);
  }
  if (s->span == OPS_SPAN_N) {
    if (first) base = ops_advance(b, base, first, ops_index(b, 1));
    ops_tiles t = ops_view(b, &(ops_view_spec){.base = base,
                                               .elem = ops_type_elem(s->type),
                                               .rank = 1,
                                               .sizes = {ops_to_index(b, count)},
                                               .tile = {channels},
                                               .padding = TSR_PADDING_ZERO});
    x = ops_reshape(b, ops_load(b, &t, TSR_VALUES(v->tile)), TSR_INTS(1, channels));
    return ops_broadcast(b, ops_convert(b, x, s->type, late), shape);
  }
  base = image_base_of(&v->k, base, "y", v->batch, first);
  ops_tiles t = image_view(&v->k, "y", s->type, base, count, channels, false);
  return ops_convert(b, image_load_tile(&v->k, &t, v->tile), s->type, late);
}

static tsr_value finish(kernel *v, tsr_value x, int64_t channels, tsr_value count) {
  const ops_problem *p = v->b->p;
  ops_type sum = convolution_sum_type(p), late = convolution_late_type(p);
  if (convolution_is_whole(p)) return ops_convert(v->b, x, sum, get(v, CONVOLUTION_type_y));
  x = ops_convert(v->b, x, sum, late);
  for (unsigned i = 0; i < v->c->epilogue.count; i++) {
    const ops_stage *s = &v->c->epilogue.stages[i];
    x = ops_stage_emit(v->b, s, x, s->operand ? stage_tensor(v, s, channels, count) : NULL);
  }
  return ops_convert(v->b, x, late, get(v, CONVOLUTION_type_y));
}

static void store_result(kernel *v, tsr_value x, int64_t channels, tsr_value count) {
  bool data = v->pass == CONVOLUTION_DATA;
  const char *name = data ? v->c->x : v->c->y;
  tsr_value base = image_base(&v->k, name, v->batch, first_channel(v, count));
  ops_tiles t = image_view(&v->k, name, type_of(v, name), base, count, channels, data);
  image_store_tile(&v->k, &t, v->tile, finish(v, x, channels, count));
}

/* ---- results and gradients of images --------------------------------------------------------- */

/* One turn for each element of the window and each tile of the source's channels. */
static void build_products(kernel *v) {
  ops_build *b = v->b;
  bool data = v->pass == CONVOLUTION_DATA;
  tsr_value summed = data ? v->filters : v->channels, result = data ? v->channels : v->filters;
  const char *name = data ? v->c->y : v->c->x;
  tsr_value tiles = ops_ceil_div(b, result, v->tile_f);
  v->group = tsr_build_divi(b->b, b->block[1], tiles, TSR_SIGNED);
  v->tile = tsr_build_remi(b->b, b->block[1], tiles, TSR_SIGNED);
  v->batch = b->block[2];
  image_go(&v->k, b->block[0], data);
  tsr_value base = image_base(&v->k, name, v->batch, times(v, v->group, summed));
  ops_tiles filters = data ? filter_view(v, v->group, v->tile_f, v->tile_c, false)
                           : filter_view(v, v->group, v->tile_c, v->tile_f, true);
  tsr_value chunks = ops_ceil_div(b, summed, v->tile_c), element[IMAGE_DIMS];
  tsr_value turns = times(v, image_elements(&v->k), chunks);
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), turns, TSR_VALUES(zeros(v, v->pixels, v->tile_f)));
  tsr_value turn = tsr_build_arg(b->b, 0), sum = tsr_build_arg(b->b, 1);
  tsr_value chunk = tsr_build_remi(b->b, turn, chunks, TSR_SIGNED);
  image_element(&v->k, tsr_build_divi(b->b, turn, chunks, TSR_SIGNED), element);
  tsr_value first = times(v, chunk, ops_i32(b, v->tile_c));
  tsr_value x = image_load(&v->k, name, base, element, first, summed, v->tile_c, data, 0);
  tsr_value w = load_filters(v, &filters, element, chunk, v->tile);
  ops_loop_end(b, TSR_VALUES(multiply(v, x, w, sum)));
  store_result(v, tsr_op_result(loop, 0), v->tile_f, result);
}

/* Every channel with its own filter, element by element. */
static void build_deep(kernel *v) {
  ops_build *b = v->b;
  bool data = v->pass == CONVOLUTION_DATA;
  const char *name = data ? v->c->y : v->c->x;
  tsr_value count = ops_arg(b, "groups"), element[IMAGE_DIMS];
  tsr_ints shape = TSR_INTS(v->pixels, v->tile_c);
  v->tile = b->block[1];
  v->batch = b->block[2];
  image_go(&v->k, b->block[0], data);
  tsr_value base = image_base(&v->k, name, v->batch, NULL);
  ops_tiles filters = filter_view(v, NULL, 1, v->tile_c, true);
  tsr_value first = times(v, v->tile, ops_i32(b, v->tile_c)), zero = ops_i32(b, 0);
  tsr_op *loop =
      ops_loop(b, zero, image_elements(&v->k), TSR_VALUES(zeros(v, v->pixels, v->tile_c)));
  tsr_value sum = tsr_build_arg(b->b, 1);
  image_element(&v->k, tsr_build_arg(b->b, 0), element);
  tsr_value x = image_load(&v->k, name, base, element, first, count, v->tile_c, data, 0);
  tsr_value w =
      ops_broadcast(b, to_sum(v, load_filters(v, &filters, element, zero, v->tile)), shape);
  ops_loop_end(b, TSR_VALUES(ops_add(b, sum, ops_mul(b, to_sum(v, x), w))));
  store_result(v, tsr_op_result(loop, 0), v->tile_c, count);
}

/* ---- gradients of filters -------------------------------------------------------------------- */

typedef struct pixel_loop {
  tsr_value turns, tiles;
  tsr_value element[IMAGE_DIMS];
} pixel_loop;

/* One turn for each image and each tile of its pixels. */
static pixel_loop over_pixels(kernel *v) {
  pixel_loop l = {.tiles = image_count(&v->k, false)};
  l.turns = times(v, l.tiles, ops_arg(v->b, "batch"));
  image_element(&v->k, v->b->block[1], l.element);
  return l;
}

static void go_to_turn(kernel *v, const pixel_loop *l, tsr_value turn) {
  v->batch = tsr_build_divi(v->b->b, turn, l->tiles, TSR_SIGNED);
  image_go(&v->k, tsr_build_remi(v->b->b, turn, l->tiles, TSR_SIGNED), false);
}

/* dy's tile of pixels x channels. */
static tsr_value load_gradient(kernel *v, tsr_value first, tsr_value tile, tsr_value count,
                               int64_t channels) {
  tsr_value base = image_base(&v->k, v->c->y, v->batch, first);
  ops_tiles t = image_view(&v->k, v->c->y, type_of(v, v->c->y), base, count, channels, false);
  return image_load_tile(&v->k, &t, tile);
}

static void build_weights(kernel *v) {
  ops_build *b = v->b;
  tsr_value tiles = ops_ceil_div(b, v->channels, v->tile_c);
  tsr_value c = tsr_build_remi(b->b, b->block[0], tiles, TSR_SIGNED);
  tsr_value f = tsr_build_divi(b->b, b->block[0], tiles, TSR_SIGNED);
  v->group = b->block[2];
  pixel_loop l = over_pixels(v);
  tsr_value first = times(v, c, ops_i32(b, v->tile_c));
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), l.turns, TSR_VALUES(zeros(v, v->tile_f, v->tile_c)));
  tsr_value sum = tsr_build_arg(b->b, 1);
  go_to_turn(v, &l, tsr_build_arg(b->b, 0));
  tsr_value base = image_base(&v->k, v->c->x, v->batch, times(v, v->group, v->channels));
  tsr_value x =
      image_load(&v->k, v->c->x, base, l.element, first, v->channels, v->tile_c, false, 0);
  tsr_value dy = load_gradient(v, times(v, v->group, v->filters), f, v->filters, v->tile_f);
  dy = ops_permute(b, dy, TSR_INTS(1, 0));
  ops_loop_end(b, TSR_VALUES(multiply(v, dy, x, sum)));
  ops_tiles t = filter_view(v, v->group, v->tile_c, v->tile_f, false);
  store_filters(v, &t, l.element, f, c, tsr_op_result(loop, 0));
}

static void build_deep_weights(kernel *v) {
  ops_build *b = v->b;
  tsr_value count = ops_arg(b, "groups"), c = b->block[0];
  pixel_loop l = over_pixels(v);
  tsr_value first = times(v, c, ops_i32(b, v->tile_c));
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), l.turns, TSR_VALUES(zeros(v, v->pixels, v->tile_c)));
  tsr_value sum = tsr_build_arg(b->b, 1);
  go_to_turn(v, &l, tsr_build_arg(b->b, 0));
  tsr_value base = image_base(&v->k, v->c->x, v->batch, NULL);
  tsr_value x = image_load(&v->k, v->c->x, base, l.element, first, count, v->tile_c, false, 0);
  tsr_value dy = load_gradient(v, NULL, c, count, v->tile_c);
  ops_loop_end(b, TSR_VALUES(ops_add(b, sum, ops_mul(b, to_sum(v, x), to_sum(v, dy)))));
  tsr_value all = ops_reduce(b, tsr_op_result(loop, 0), 0, OPS_FOLD_SUM);
  ops_tiles t = filter_view(v, NULL, 1, v->tile_c, true);
  store_filters(v, &t, l.element, ops_i32(b, 0), c, ops_reshape(b, all, TSR_INTS(1, v->tile_c)));
}

void convolution_build(ops_build *b) {
  kernel v = begin(b);
  bool deep = get(&v, CONVOLUTION_depthwise) == 1;
  if (v.pass == CONVOLUTION_WEIGHTS)
    (deep ? build_deep_weights : build_weights)(&v);
  else
    (deep ? build_deep : build_products)(&v);
}
