/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * pool: the largest number or the average of each window of an image, and its gradient.
 *
 *   forward    y, and with where=yes the number of the pixel that had the largest number
 *   backward   dx: of averages what each pixel had a part of, of largest numbers where it was it
 *
 * Averages are of what lies in the image, or (count=all) of whole windows, whose rest counts as 0.
 */
#include <math.h>

#include "ops/families.h"
#include "ops/image_tiling.h"

#define POOL_PARAMS(P)                                                                             \
  P(kind, CHOSEN, FORM, 0, 0, "max average", "max", "what a window gives")                         \
  P(pass, CHOSEN, FORM, 0, 0, "forward backward", "forward", "the result, or its gradient")        \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what x, y and gradients hold")                           \
  P(where, CHOSEN, FORM, 0, 0, "no yes", "no", "of max: where the largest is, too, as i32")        \
  P(count, CHOSEN, FORM, 0, 0, "image all", "image", "averages of what lies in the image, or all") \
  IMAGE_PARAMS(P)                                                                                  \
  P(tile_h, INTEGER, CHOICE, 1, 64, "auto", "auto", "rows of pixels of a tile, a power of two")    \
  P(tile_w, INTEGER, CHOICE, 1, 1024, "auto", "auto", "pixels of a row, a power of two")           \
  P(tile_c, INTEGER, CHOICE, 1, 1024, "auto", "auto", "channels of a tile, a power of two")        \
  IMAGE_DERIVED_PARAMS(P)                                                                          \
  OPS_COMMON_PARAMS(P)

enum { POOL_MAX, POOL_AVERAGE };

enum {
#define OPS_PARAM_ID(id, ...) POOL_##id,
  POOL_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {POOL_PARAMS(OPS_PARAM_ROW)};
static const image_params at = IMAGE_AT(POOL);
static const image_tiling tiling = IMAGE_TILING(POOL);

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static ops_type late_type(const ops_problem *p) {
  return ops_type_elem(get(p, POOL_type)) == TSR_F64 ? TSR_F64 : TSR_F32;
}

/* Which images tiles are of: a gradient's tiles are of what went in. */
static bool of_images(const ops_problem *p) {
  return get(p, POOL_pass) == 1;
}

static bool is_max(const ops_problem *p) {
  return get(p, POOL_kind) == POOL_MAX;
}

/* ---- the problem ----------------------------------------------------------------------------- */

static bool check_values(const ops_problem *p, ops_why *why) {
  ops_type t = get(p, POOL_type);
  if (ops_type_bits(t) < 8 || (of_images(p) && ops_type_is_int(t)))
    return ops_refuse(why, "type=%s: pool takes elements of 8 bits and more, and gradients floats",
                      ops_type_name(t));
  return !get(p, POOL_where) || (is_max(p) && !of_images(p)) ||
         ops_refuse(why, "where=yes goes with kind=max and pass=forward");
}

static bool settle(ops_problem *p, ops_why *why) {
  ops_image *w = arena_new(p->arena, ops_image);
  ops_type t = get(p, POOL_type);
  int64_t batch = get(p, POOL_batch), channels = get(p, POOL_channels);
  p->parts = w;
  if (!check_values(p, why) || !image_parse(w, p, &at, why)) return false;
  if (of_images(p)) {
    image_add(w, p, &at, "dy", t, TSR_OP_READ, batch, channels, w->out);
    if (is_max(p)) image_add(w, p, &at, "where", TSR_I32, TSR_OP_READ, batch, channels, w->out);
    image_add(w, p, &at, "dx", t, TSR_OP_WRITTEN, batch, channels, w->in);
  } else {
    image_add(w, p, &at, "x", t, TSR_OP_READ, batch, channels, w->in);
    image_add(w, p, &at, "y", t, TSR_OP_WRITTEN, batch, channels, w->out);
    if (get(p, POOL_where))
      image_add(w, p, &at, "where", TSR_I32, TSR_OP_WRITTEN, batch, channels, w->out);
  }
  return image_settle(w, p, &at, why);
}

static void operands(const ops_problem *p, ops_operands *out) {
  const ops_image *w = p->parts;
  image_operands(w, out);
  for (unsigned i = 0; of_images(p) && i < out->count; i++)
    if (strcmp(out->data[i].name, "where") == 0)
      out->data[i].low = -1, out->data[i].high = (double)image_pixels(w->in) - 1;
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return image_tiling_supported(p, &tiling, t, why);
}

static double cost(const ops_problem *p, const ops_target *t) {
  return image_tiling_cost(p, &tiling, t);
}

static void steps(const ops_problem *p, ops_steps *out) {
  const ops_image *w = p->parts;
  int64_t batch = get(p, POOL_batch), channels = get(p, POOL_channels);
  double blocks = image_tiling_blocks(p, &tiling),
         across = (double)ops_tiles_of(channels, get(p, POOL_tile_c));
  if (blocks == 0 || across == 0 || batch == 0) return;
  ops_step *s = ops_step_add(out, "main", (int64_t)blocks, (int64_t)across, batch);
  image_pass(w, s);
  ops_pass_word(s, "channels", channels);
  for (unsigned i = 0; i < w->count; i++) image_pass_tensor(w, out, s, w->tensors[i].name);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct kernel {
  ops_build *b;
  const ops_problem *p;
  image_kernel k;
  tsr_value channels, first, tile, batch;
  int64_t tile_c, pixels;
  ops_type late;
} kernel;

static kernel begin(ops_build *b) {
  const ops_problem *p = b->p;
  kernel v = {.b = b, .p = p, .late = late_type(p), .tile_c = get(p, POOL_tile_c)};
  int64_t rows = get(p, POOL_tile_h), columns = get(p, POOL_tile_w);
  v.pixels = rows * columns;
  v.k = image_begin(b, p->parts, get(p, POOL_stepped) == 1, rows, columns);
  v.channels = ops_arg(b, "channels");
  v.tile = b->block[1];
  v.batch = b->block[2];
  v.first = tsr_build_muli(b->b, v.tile, ops_i32(b, v.tile_c));
  image_go(&v.k, b->block[0], of_images(p));
  return v;
}

static tsr_value whole(kernel *v, tsr_elem elem, double x) {
  return ops_full(v->b, elem, TSR_INTS(v->pixels, v->tile_c), x);
}

static tsr_value load(kernel *v, const char *name, ops_type type, const tsr_value *element,
                      double outside) {
  tsr_value base = image_base(&v->k, name, v->batch, NULL);
  tsr_value x = image_load(&v->k, name, base, element, v->first, v->channels, v->tile_c,
                           of_images(v->p), outside);
  return ops_convert(v->b, x, image_find(v->p->parts, name)->type, type);
}

static void store(kernel *v, const char *name, tsr_value x, ops_type from) {
  const image_tensor *t = image_find(v->p->parts, name);
  tsr_value base = image_base(&v->k, name, v->batch, NULL);
  ops_tiles tiles = image_view(&v->k, name, t->type, base, v->channels, v->tile_c, of_images(v->p));
  image_store_tile(&v->k, &tiles, v->tile, ops_convert(v->b, x, from, t->type));
}

/* The loop over elements of the window, with values that go on; `element` gets its indices. */
static tsr_op *each_element(kernel *v, tsr_values init, tsr_value *element) {
  tsr_op *loop = ops_loop(v->b, ops_i32(v->b, 0), image_elements(&v->k), init);
  image_element(&v->k, tsr_build_arg(v->b->b, 0), element);
  return loop;
}

/* Below all numbers of the type, where it has infinities or is of integers. */
static double lowest(ops_type t) {
  return ops_type_is_int(t) ? ops_type_lowest(t) : -INFINITY;
}

/* The first of the largest numbers counts; NaN is larger than all. */
static void build_max(kernel *v) {
  ops_build *b = v->b;
  ops_type t = get(v->p, POOL_type);
  tsr_value element[IMAGE_DIMS];
  tsr_value init[] = {whole(v, ops_type_elem(v->late), -INFINITY), whole(v, TSR_I32, -1)};
  tsr_op *loop = each_element(v, (tsr_values){init, 2}, element);
  tsr_value best = tsr_build_arg(b->b, 1), where = tsr_build_arg(b->b, 2);
  /* Small floats have no infinity: what is outside is told apart by its place. */
  tsr_value pixel = image_seen(&v->k, element), is = image_is_seen(&v->k, element);
  tsr_value x = load(v, "x", v->late, element, ops_type_is_int(t) ? lowest(t) : 0);
  tsr_ints shape = TSR_INTS(v->pixels, v->tile_c);
  is = ops_broadcast(b, is, shape);
  tsr_value more = tsr_build_cmpf(b->b, x, best, TSR_CMP_GREATER_THAN, TSR_CMP_UNORDERED);
  tsr_value old = tsr_build_cmpf(b->b, best, best, TSR_CMP_EQUAL, TSR_CMP_ORDERED);
  tsr_value first =
      tsr_build_cmpi(b->b, where, ops_full_like(b, where, 0), TSR_CMP_LESS_THAN, TSR_SIGNED);
  more = tsr_build_ori(b->b, tsr_build_andi(b->b, more, old), first);
  more = tsr_build_andi(b->b, more, is);
  tsr_value next[] = {tsr_build_select(b->b, more, x, best),
                      tsr_build_select(b->b, more, ops_broadcast(b, pixel, shape), where)};
  ops_loop_end(b, (tsr_values){next, 2});
  store(v, "y", tsr_op_result(loop, 0), v->late);
  if (get(v->p, POOL_where)) store(v, "where", tsr_op_result(loop, 1), TSR_I32);
}

/* How many elements of the windows of results lie in the image, pixels x 1 of the late type: with
 * count=all one number. */
static tsr_value count_elements(kernel *v) {
  ops_build *b = v->b;
  tsr_ints shape = TSR_INTS(v->pixels, 1);
  tsr_value element[IMAGE_DIMS], zero = ops_full(b, ops_type_elem(v->late), shape, 0);
  if (get(v->p, POOL_count) == 1) {
    tsr_value all = ops_spread(b, image_elements(&v->k), shape);
    return ops_convert(b, all, TSR_I32, v->late);
  }
  tsr_op *loop = each_element(v, TSR_VALUES(zero), element);
  tsr_value is = image_is_seen(&v->k, element), sum = tsr_build_arg(b->b, 1);
  tsr_value one = tsr_build_select(b->b, is, ops_full_like(b, sum, 1), ops_full_like(b, sum, 0));
  ops_loop_end(b, TSR_VALUES(ops_add(b, sum, one)));
  return tsr_op_result(loop, 0);
}

static void build_average(kernel *v) {
  ops_build *b = v->b;
  tsr_value element[IMAGE_DIMS], init = whole(v, ops_type_elem(v->late), 0);
  tsr_op *loop = each_element(v, TSR_VALUES(init), element);
  tsr_value sum = ops_add(b, tsr_build_arg(b->b, 1), load(v, "x", v->late, element, 0));
  ops_loop_end(b, TSR_VALUES(sum));
  tsr_value count = ops_broadcast(b, count_elements(v), TSR_INTS(v->pixels, v->tile_c));
  store(v, "y", tsr_build_divf(b->b, tsr_op_result(loop, 0), count), v->late);
}

/* The gradients of the windows that had this pixel for their largest. */
static tsr_value part_of_max(kernel *v, const tsr_value *element, tsr_value dy) {
  ops_build *b = v->b;
  tsr_value where = load(v, "where", TSR_I32, element, -1);
  tsr_value here = ops_broadcast(b, image_numbers(&v->k, true), TSR_INTS(v->pixels, v->tile_c));
  tsr_value is = tsr_build_cmpi(b->b, where, here, TSR_CMP_EQUAL, TSR_SIGNED);
  return tsr_build_select(b->b, is, dy, ops_full_like(b, dy, 0));
}

static tsr_value part_of_average(kernel *v, const tsr_value *element, tsr_value dy) {
  ops_build *b = v->b;
  tsr_value count = get(v->p, POOL_count) == 1
                        ? ops_spread(b, image_elements(&v->k), TSR_INTS(v->pixels, 1))
                        : image_counts(&v->k, element);
  count = ops_convert(b, count, TSR_I32, v->late);
  return tsr_build_divf(b->b, dy, ops_broadcast(b, count, TSR_INTS(v->pixels, v->tile_c)));
}

static void build_gradient(kernel *v) {
  ops_build *b = v->b;
  tsr_value element[IMAGE_DIMS], init = whole(v, ops_type_elem(v->late), 0);
  tsr_op *loop = each_element(v, TSR_VALUES(init), element);
  tsr_value dy = load(v, "dy", v->late, element, 0);
  dy = is_max(v->p) ? part_of_max(v, element, dy) : part_of_average(v, element, dy);
  ops_loop_end(b, TSR_VALUES(ops_add(b, tsr_build_arg(b->b, 1), dy)));
  store(v, "dx", tsr_op_result(loop, 0), v->late);
}

static void build(ops_build *b) {
  kernel v = begin(b);
  if (of_images(b->p))
    build_gradient(&v);
  else if (is_max(b->p))
    build_max(&v);
  else
    build_average(&v);
}

/* ---- the reference --------------------------------------------------------------------------- */

static double count_of(const ops_problem *p, int64_t out) {
  const ops_image *w = p->parts;
  int64_t seen, n = 0, elements = image_pixels(w->kernel);
  for (int64_t e = 0; e < elements; e++)
    n += get(p, POOL_count) == 1 || image_sees(w, out, e, &seen);
  return (double)n;
}

static void one_result(ops_host *h, int64_t n, int64_t c, int64_t o) {
  const ops_image *w = h->p->parts;
  double best = -INFINITY, where = -1, sum = 0;
  int64_t seen;
  for (int64_t e = 0; e < image_pixels(w->kernel); e++) {
    if (!image_sees(w, o, e, &seen)) continue;
    double x = *image_number(h, w, "x", n, c, seen);
    if (where < 0 || x > best) best = x, where = (double)seen;
    sum += x;
  }
  *image_number(h, w, "y", n, c, o) = is_max(h->p) ? best : sum / count_of(h->p, o);
  if (get(h->p, POOL_where)) *image_number(h, w, "where", n, c, o) = where;
}

static void one_gradient(ops_host *h, int64_t n, int64_t c, int64_t o) {
  const ops_image *w = h->p->parts;
  int64_t seen;
  for (int64_t e = 0; e < image_pixels(w->kernel); e++) {
    if (!image_sees(w, o, e, &seen)) continue;
    double dy = *image_number(h, w, "dy", n, c, o);
    bool is_here = !is_max(h->p) || *image_number(h, w, "where", n, c, o) == (double)seen;
    if (is_here)
      *image_number(h, w, "dx", n, c, seen) += is_max(h->p) ? dy : dy / count_of(h->p, o);
  }
}

static void reference(ops_host *h) {
  const ops_image *w = h->p->parts;
  if (of_images(h->p)) {
    ops_tensor *dx = ops_host_tensor(h, "dx");
    for (int64_t i = 0, span = ops_operand_span(dx->operand); i < span; i++) dx->numbers[i] = 0;
  }
  for (int64_t n = 0; n < get(h->p, POOL_batch); n++)
    for (int64_t c = 0; c < get(h->p, POOL_channels); c++)
      for (int64_t o = 0; o < image_pixels(w->out); o++)
        (of_images(h->p) ? one_gradient : one_result)(h, n, c, o);
}

static double flops(const ops_problem *p) {
  const ops_image *w = p->parts;
  return (double)get(p, POOL_batch) * (double)get(p, POOL_channels) * (double)image_pixels(w->out) *
         (double)image_pixels(w->kernel);
}

static double tolerance(const ops_problem *p) {
  const ops_image *w = p->parts;
  if (is_max(p) && !of_images(p)) return 0;
  return (8 + 2 * sqrt((double)image_pixels(w->kernel))) * ops_type_roundoff(late_type(p));
}

const ops_family ops_family_pool = {
    .name = "pool",
    .about = "the largest numbers or averages of windows of images, and their gradients",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = POOL_index,
    .settle = settle,
    .operands = operands,
    .supported = supported,
    .candidates = image_tiling_candidates,
    .cost = cost,
    .steps = steps,
    .build = build,
    .reference = reference,
    .flops = flops,
    .tolerance = tolerance,
};
