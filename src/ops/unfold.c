/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * unfold: what the windows of an image see, as a matrix with a line for each pixel of the result
 * (image to column), and the sums of such lines back in an image.
 *
 *   forward    y[n, o, k, c] = x[n, c, o stride + k dilation - pad], 0 beyond the image
 *   backward   x[n, c, i]    = the sum of all y[n, o, k, c] that came from there
 */
#include <math.h>
#include <stdio.h>

#include "ops/families.h"
#include "ops/image_tiling.h"

#define UNFOLD_PARAMS(P)                                                                           \
  P(pass, CHOSEN, FORM, 0, 0, "forward backward", "forward", "to columns, or back")                \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what x and y hold")                                      \
  IMAGE_PARAMS(P)                                                                                  \
  P(tile_h, INTEGER, CHOICE, 1, 64, "auto", "auto", "rows of pixels of a tile, a power of two")    \
  P(tile_w, INTEGER, CHOICE, 1, 1024, "auto", "auto", "pixels of a row, a power of two")           \
  P(tile_c, INTEGER, CHOICE, 1, 1024, "auto", "auto", "channels of a tile, a power of two")        \
  IMAGE_DERIVED_PARAMS(P)                                                                          \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) UNFOLD_##id,
  UNFOLD_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {UNFOLD_PARAMS(OPS_PARAM_ROW)};
static const image_params at = IMAGE_AT(UNFOLD);
static const image_tiling tiling = IMAGE_TILING(UNFOLD);

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static ops_type late_type(const ops_problem *p) {
  return ops_type_elem(get(p, UNFOLD_type)) == TSR_F64 ? TSR_F64 : TSR_F32;
}

/* Which images tiles are of: a gradient's tiles are of what went in. */
static bool of_images(const ops_problem *p) {
  return get(p, UNFOLD_pass) == 1;
}

static bool settle(ops_problem *p, ops_why *why) {
  ops_image *w = arena_new(p->arena, ops_image);
  ops_type t = get(p, UNFOLD_type);
  p->parts = w;
  if (ops_type_bits(t) < 8)
    return ops_refuse(why, "type=%s: unfold takes elements of 8 bits and more", ops_type_name(t));
  if (!image_parse(w, p, &at, why)) return false;
  image_add(w, p, &at, "x", t, of_images(p) ? TSR_OP_WRITTEN : TSR_OP_READ, get(p, UNFOLD_batch),
            get(p, UNFOLD_channels), w->in);
  return image_settle(w, p, &at, why);
}

static int64_t times(int64_t x, int64_t y) {
  int64_t product;
  return __builtin_mul_overflow(x, y, &product) || product > OPS_MAX_SIZE ? OPS_MAX_SIZE : product;
}

/* Elements of a line of y. */
static int64_t line_of(const ops_problem *p) {
  const ops_image *w = p->parts;
  return times(image_pixels(w->kernel), get(p, UNFOLD_channels));
}

static void operands(const ops_problem *p, ops_operands *out) {
  const ops_image *w = p->parts;
  image_operands(w, out);
  ops_operand *y =
      ops_operand_add(out, "y", get(p, UNFOLD_type), of_images(p) ? TSR_OP_READ : TSR_OP_WRITTEN);
  int64_t line = line_of(p), pixels = image_pixels(w->out);
  ops_operand_dim(y, get(p, UNFOLD_batch), times(MAX(line, 1), MAX(pixels, 1)));
  ops_operand_dim(y, pixels, MAX(line, 1));
  ops_operand_dim(y, image_pixels(w->kernel), MAX(get(p, UNFOLD_channels), 1));
  ops_operand_dim(y, get(p, UNFOLD_channels), 1);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return image_tiling_supported(p, &tiling, t, why);
}

static double cost(const ops_problem *p, const ops_target *t) {
  return image_tiling_cost(p, &tiling, t);
}

static void steps(const ops_problem *p, ops_steps *out) {
  const ops_image *w = p->parts;
  int64_t batch = get(p, UNFOLD_batch), channels = get(p, UNFOLD_channels);
  double blocks = image_tiling_blocks(p, &tiling),
         across = (double)ops_tiles_of(channels, get(p, UNFOLD_tile_c));
  if (blocks == 0 || across == 0 || batch == 0) return;
  ops_step *s = ops_step_add(out, "main", (int64_t)blocks, (int64_t)across, batch);
  image_pass(w, s);
  ops_pass_word(s, "channels", channels);
  image_pass_tensor(w, out, s, "x");
  ops_pass_tensor(out, s, "y");
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct kernel {
  ops_build *b;
  const ops_problem *p;
  image_kernel k;
  tsr_value channels, first, tile, batch;
  int64_t tile_c, pixels;
} kernel;

static kernel begin(ops_build *b) {
  const ops_problem *p = b->p;
  kernel v = {.b = b, .p = p, .tile_c = get(p, UNFOLD_tile_c)};
  int64_t rows = get(p, UNFOLD_tile_h), columns = get(p, UNFOLD_tile_w);
  v.pixels = rows * columns;
  v.k = image_begin(b, p->parts, get(p, UNFOLD_stepped) == 1, rows, columns);
  v.channels = ops_arg(b, "channels");
  v.tile = b->block[1];
  v.batch = b->block[2];
  v.first = tsr_build_muli(b->b, v.tile, ops_i32(b, v.tile_c));
  image_go(&v.k, b->block[0], of_images(p));
  return v;
}

/* Where the lines of a batch's image begin in y, at an element of the window. */
static tsr_value base_of_y(kernel *v, tsr_value element) {
  ops_build *b = v->b;
  tsr_value lines = tsr_build_muli(b->b, v->k.out[0], v->k.out[1]);
  lines = ops_to_i64(b, tsr_build_muli(b->b, lines, v->k.out[2]));
  tsr_value line = tsr_build_muli(b->b, ops_to_i64(b, v->batch), lines);
  line = tsr_build_muli(b->b, line, ops_to_i64(b, image_elements(&v->k)));
  line = tsr_build_addi(b->b, line, ops_to_i64(b, element));
  return ops_advance(b, ops_arg(b, "y"), line, v->channels);
}

static void build_forward(kernel *v) {
  ops_build *b = v->b;
  tsr_value element[IMAGE_DIMS], base = image_base(&v->k, "x", v->batch, NULL);
  tsr_value elements = image_elements(&v->k);
  tsr_value line = ops_to_index(b, tsr_build_muli(b->b, elements, v->channels));
  tsr_value row = tsr_build_muli(b->b, line, ops_to_index(b, v->k.out[2]));
  tsr_value plane = tsr_build_muli(b->b, row, ops_to_index(b, v->k.out[1]));
  ops_loop(b, ops_i32(b, 0), elements, (tsr_values){0});
  tsr_value number = tsr_build_arg(b->b, 0);
  image_element(&v->k, number, element);
  tsr_value x = image_load(&v->k, "x", base, element, v->first, v->channels, v->tile_c, false, 0);
  ops_view_spec spec = {.base = base_of_y(v, number),
                        .elem = ops_type_elem(get(v->p, UNFOLD_type)),
                        .rank = 4,
                        .strides = {plane, row, line},
                        .tile = {1, v->k.rows, v->k.columns, v->tile_c},
                        .padding = TSR_PADDING_ZERO};
  for (unsigned d = 0; d < IMAGE_DIMS; d++) spec.sizes[d] = ops_to_index(b, v->k.out[d]);
  spec.sizes[IMAGE_DIMS] = ops_to_index(b, v->channels);
  ops_tiles y = ops_view(b, &spec);
  image_store_tile(&v->k, &y, v->tile, x);
  tsr_build_end(b->b);
}

/* A line of y for each pixel of the image that is one of its results'. */
static void build_backward(kernel *v) {
  ops_build *b = v->b;
  ops_type t = get(v->p, UNFOLD_type), sum_type = ops_arithmetic_type(t);
  tsr_value element[IMAGE_DIMS], elements = image_elements(&v->k);
  tsr_value line = tsr_build_muli(b->b, elements, v->channels);
  tsr_value zero = ops_full(b, ops_type_elem(sum_type), TSR_INTS(v->pixels, v->tile_c), 0);
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), elements, TSR_VALUES(zero));
  tsr_value number = tsr_build_arg(b->b, 0), sum = tsr_build_arg(b->b, 1);
  image_element(&v->k, number, element);
  tsr_value y = image_gather(&v->k, ops_type_elem(t), base_of_y(v, number), element, line, v->first,
                             v->channels, v->tile_c);
  ops_loop_end(b, TSR_VALUES(ops_add(b, sum, ops_convert(b, y, t, sum_type))));
  tsr_value base = image_base(&v->k, "x", v->batch, NULL);
  ops_tiles x = image_view(&v->k, "x", t, base, v->channels, v->tile_c, true);
  image_store_tile(&v->k, &x, v->tile, ops_convert(b, tsr_op_result(loop, 0), sum_type, t));
}

static void build(ops_build *b) {
  kernel v = begin(b);
  (of_images(b->p) ? build_backward : build_forward)(&v);
}

/* ---- the reference --------------------------------------------------------------------------- */

static void one_element(ops_host *h, int64_t n, int64_t o, int64_t e, int64_t c) {
  const ops_image *w = h->p->parts;
  ops_tensor *t = ops_host_tensor(h, "y");
  double *y = &t->numbers[ops_at(t, n, o, e) + c];
  int64_t seen;
  bool is = image_sees(w, o, e, &seen);
  if (!of_images(h->p))
    *y = is ? *image_number(h, w, "x", n, c, seen) : 0;
  else if (is)
    *image_number(h, w, "x", n, c, seen) += *y;
}

static void reference(ops_host *h) {
  const ops_image *w = h->p->parts;
  ops_tensor *x = ops_host_tensor(h, "x");
  for (int64_t i = 0; of_images(h->p) && i < ops_operand_span(x->operand); i++) x->numbers[i] = 0;
  for (int64_t n = 0; n < get(h->p, UNFOLD_batch); n++)
    for (int64_t o = 0; o < image_pixels(w->out); o++)
      for (int64_t e = 0; e < image_pixels(w->kernel); e++)
        for (int64_t c = 0; c < get(h->p, UNFOLD_channels); c++) one_element(h, n, o, e, c);
}

static double flops(const ops_problem *p) {
  const ops_image *w = p->parts;
  return (double)get(p, UNFOLD_batch) * (double)line_of(p) * (double)image_pixels(w->out);
}

static double tolerance(const ops_problem *p) {
  const ops_image *w = p->parts;
  if (!of_images(p)) return 0;
  return (4 + sqrt((double)image_pixels(w->kernel))) * ops_type_roundoff(late_type(p));
}

const ops_family ops_family_unfold = {
    .name = "unfold",
    .about = "images as columns of what windows see, and columns summed to images",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = UNFOLD_index,
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
