/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/convolution.h"

#include <math.h>

#include "ops/families.h"

static const ops_param params[] = {CONVOLUTION_PARAMS(OPS_PARAM_ROW)};
static const image_params at = IMAGE_AT(CONVOLUTION);

static int64_t get(const ops_problem *p, unsigned param) {
  return convolution_get(p, param);
}

int64_t convolution_channels(const ops_problem *p, bool of_y) {
  return get(p, of_y ? CONVOLUTION_filters : CONVOLUTION_channels) / get(p, CONVOLUTION_groups);
}

static bool is_joined(const ops_problem *p) {
  return get(p, CONVOLUTION_joined) == 1;
}

int64_t convolution_run(const ops_problem *p, bool of_y) {
  int64_t channels = convolution_channels(p, of_y);
  if (of_y || !is_joined(p)) return channels;
  return channels * convolution_parts(p)->window.kernel[IMAGE_DIMS - 1];
}

int64_t convolution_elements(const ops_problem *p) {
  const int64_t *kernel = convolution_parts(p)->window.kernel;
  return is_joined(p) ? kernel[0] * kernel[1] : image_pixels(kernel);
}

/* ---- types ----------------------------------------------------------------------------------- */

ops_type convolution_sum_type(const ops_problem *p) {
  return ops_type_accumulator(get(p, CONVOLUTION_type));
}

ops_type convolution_late_type(const ops_problem *p) {
  bool is_double = convolution_sum_type(p) == TSR_F64 || get(p, CONVOLUTION_type_y) == TSR_F64;
  return is_double ? TSR_F64 : TSR_F32;
}

bool convolution_is_whole(const ops_problem *p) {
  return ops_type_is_int(convolution_sum_type(p)) && ops_type_is_int(get(p, CONVOLUTION_type_y)) &&
         !convolution_parts(p)->epilogue.count;
}

static bool check_type(const ops_problem *p, ops_why *why) {
  static const tsr_elem all[] = {TSR_F64,  TSR_F32,      TSR_TF32,   TSR_F16,
                                 TSR_BF16, TSR_F8E4M3FN, TSR_F8E5M2, TSR_I8};
  ops_type t = get(p, CONVOLUTION_type);
  for (size_t i = 0; i < ARRAY_LEN(all); i++)
    if (t == (ops_type)all[i]) return true;
  return ops_refuse(why, "type=%s: convolutions take f64 f32 tf32 f16 bf16 f8E4M3FN f8E5M2 i8",
                    ops_type_name(t));
}

static bool check_epilogue(const ops_problem *p, const ops_epilogue *e, ops_why *why) {
  const char *text = p->values[CONVOLUTION_epilogue].text;
  if (get(p, CONVOLUTION_pass) != CONVOLUTION_FORWARD && (e->count || e->result >= 0))
    return ops_refuse(why, "epilogue=%s goes with pass=forward", text);
  for (unsigned i = 0; i < e->count; i++) {
    const ops_stage *s = &e->stages[i];
    if (s->operand && s->span == OPS_SPAN_M)
      return ops_refuse(why,
                        "epilogue=%s: %s has a number for each filter (n), one (tensor), or "
                        "all elements (mn)",
                        text, s->operand);
    if (s->function && s->function->f32_only && convolution_late_type(p) == TSR_F64)
      return ops_refuse(why, "epilogue=%s: %s is computed to 3e-7, not in f64", text,
                        s->function->name);
  }
  return !e->by_row || ops_refuse(why, "epilogue=%s: quantise:row goes with matrices", text);
}

static bool settle_types(ops_problem *p, ops_epilogue *e, ops_why *why) {
  ops_type t = get(p, CONVOLUTION_type), y = get(p, CONVOLUTION_type_y);
  if (!check_type(p, why)) return false;
  ops_type usual = t == TSR_I8 ? TSR_I32 : t == TSR_TF32 ? TSR_F32 : t;
  if (ops_type_bits(t) == 8 && t != TSR_I8) usual = TSR_F16;
  if (!ops_epilogue_parse(e, p->arena, str_of(p->values[CONVOLUTION_epilogue].text),
                          y >= 0 ? y : usual, why))
    return false;
  if (y < 0) y = e->result >= 0 ? e->result : usual;
  p->values[CONVOLUTION_type_y].i = y;
  if (e->result >= 0 && e->result != y)
    return ops_refuse(why, "type_y=%s, but epilogue=%s makes y %s", ops_type_name(y),
                      p->values[CONVOLUTION_epilogue].text, ops_type_name(e->result));
  if (ops_type_bits(y) < 8)
    return ops_refuse(why, "type_y=%s: results have elements of 8 bits and more", ops_type_name(y));
  return check_epilogue(p, e, why);
}

/* ---- the problem ----------------------------------------------------------------------------- */

static bool check_groups(const ops_problem *p, ops_why *why) {
  int64_t c = get(p, CONVOLUTION_channels), f = get(p, CONVOLUTION_filters);
  int64_t groups = get(p, CONVOLUTION_groups);
  if (c % groups == 0 && f % groups == 0) return true;
  return ops_refuse(why, "groups=%lld divides not both channels=%lld and filters=%lld",
                    (long long)groups, (long long)c, (long long)f);
}

static void add_tensors(ops_problem *p, convolution *c) {
  int64_t pass = get(p, CONVOLUTION_pass), batch = get(p, CONVOLUTION_batch);
  ops_type t = get(p, CONVOLUTION_type), y = get(p, CONVOLUTION_type_y);
  ops_image *w = &c->window;
  c->x = pass == CONVOLUTION_DATA ? "dx" : "x";
  c->w = pass == CONVOLUTION_WEIGHTS ? "dw" : "w";
  c->y = pass == CONVOLUTION_FORWARD ? "y" : "dy";
  for (unsigned i = 0; i < 3; i++) {
    bool is_result = i == (pass == CONVOLUTION_DATA ? 0u : pass == CONVOLUTION_WEIGHTS ? 1u : 2u);
    ops_type type = is_result ? y : t;
    tsr_op_use use = is_result ? TSR_OP_WRITTEN : TSR_OP_READ;
    if (i == 0)
      image_add(w, p, &at, c->x, type, use, batch, get(p, CONVOLUTION_channels), w->in);
    else if (i == 1)
      image_add(w, p, &at, c->w, type, use, get(p, CONVOLUTION_filters),
                convolution_channels(p, false), w->kernel);
    else
      image_add(w, p, &at, c->y, type, use, batch, get(p, CONVOLUTION_filters), w->out);
  }
}

/* Do the columns of the tensor lie one behind the other, each with all its channels? */
static bool lies_joined(const ops_problem *p, const char *name) {
  const image_tensor *t = image_find(&convolution_parts(p)->window, name);
  return t->unit == IMAGE_CHANNEL && t->strides[IMAGE_COLUMN] == t->sizes[IMAGE_CHANNEL];
}

/* Products that sum up over the window, or have a result for each of its elements. */
static bool may_join(const ops_problem *p) {
  const convolution *c = convolution_parts(p);
  return get(p, CONVOLUTION_pass) != CONVOLUTION_DATA && get(p, CONVOLUTION_groups) == 1 &&
         get(p, CONVOLUTION_depthwise) == 0 && c->window.dilation[IMAGE_DIMS - 1] == 1 &&
         lies_joined(p, c->x) && lies_joined(p, c->w);
}

/* Rows of more channels are long enough, and are not divided where the window hangs over the edge.
 */
static bool is_worth_joining(const ops_problem *p) {
  enum { FEW = 32 };
  return convolution_channels(p, false) < FEW &&
         convolution_parts(p)->window.kernel[IMAGE_DIMS - 1] > 1;
}

static bool settle(ops_problem *p, ops_why *why) {
  convolution *c = arena_new(p->arena, convolution);
  p->parts = c;
  if (!check_groups(p, why) || !image_parse(&c->window, p, &at, why) ||
      !settle_types(p, &c->epilogue, why))
    return false;
  int64_t groups = get(p, CONVOLUTION_groups);
  if (groups > 1 && groups == get(p, CONVOLUTION_channels) && groups == get(p, CONVOLUTION_filters))
    p->values[CONVOLUTION_depthwise].i = 1;
  if (get(p, CONVOLUTION_depthwise) && groups != get(p, CONVOLUTION_channels))
    p->values[CONVOLUTION_groups].i = p->values[CONVOLUTION_filters].i =
        get(p, CONVOLUTION_channels);
  add_tensors(p, c);
  if (!image_settle(&c->window, p, &at, why)) return false;
  p->values[CONVOLUTION_joined].i = may_join(p) && (is_joined(p) || is_worth_joining(p));
  return true;
}

/* A tensor of a stage of the epilogue. */
static void add_stage(const ops_problem *p, const ops_stage *s, ops_operands *out) {
  ops_operand y = *ops_operand_find(out, "y");
  ops_operand *o = ops_operand_add(out, s->operand, s->type, TSR_OP_READ);
  if (s->kind == OPS_STAGE_QUANTISE) o->low = 0.01, o->high = 0.1;
  if (s->span == OPS_SPAN_N) ops_operand_dim(o, get(p, CONVOLUTION_filters), 1);
  if (s->span != OPS_SPAN_MN) return;
  for (unsigned d = 0; d < y.rank; d++) ops_operand_dim(o, y.shape[d], y.strides[d]);
}

static void operands(const ops_problem *p, ops_operands *out) {
  const convolution *c = convolution_parts(p);
  image_operands(&c->window, out);
  for (unsigned i = 0; i < c->epilogue.count; i++)
    if (c->epilogue.stages[i].operand) add_stage(p, &c->epilogue.stages[i], out);
}

/* ---- choices --------------------------------------------------------------------------------- */

static const int64_t *result_image(const ops_problem *p) {
  const ops_image *w = &convolution_parts(p)->window;
  return get(p, CONVOLUTION_pass) == CONVOLUTION_DATA ? w->in : w->out;
}

/* Tile blocks along the axes of the grid. */
static void find_grid(const ops_problem *p, double grid[3]) {
  int64_t pass = get(p, CONVOLUTION_pass), f = get(p, CONVOLUTION_tile_f);
  int64_t c = get(p, CONVOLUTION_tile_c), groups = get(p, CONVOLUTION_groups);
  bool deep = get(p, CONVOLUTION_depthwise) == 1, data = pass == CONVOLUTION_DATA;
  if (pass == CONVOLUTION_WEIGHTS) {
    double channels = (double)ops_tiles_of(convolution_run(p, false), c);
    double filters = (double)ops_tiles_of(convolution_channels(p, true), f);
    grid[0] = deep ? (double)ops_tiles_of(get(p, CONVOLUTION_channels), c) : channels * filters;
    grid[1] = (double)convolution_elements(p);
    grid[2] = deep ? 1 : (double)groups;
    return;
  }
  grid[0] =
      (double)image_tiles(result_image(p), get(p, CONVOLUTION_tile_h), get(p, CONVOLUTION_tile_w));
  grid[1] = deep ? (double)ops_tiles_of(get(p, CONVOLUTION_channels), c)
                 : (double)groups * (double)ops_tiles_of(convolution_channels(p, !data), f);
  grid[2] = (double)get(p, CONVOLUTION_batch);
}

static bool check_tiles(const ops_problem *p, ops_why *why) {
  int64_t pixels = get(p, CONVOLUTION_tile_h) * get(p, CONVOLUTION_tile_w);
  int64_t f = get(p, CONVOLUTION_tile_f), c = get(p, CONVOLUTION_tile_c);
  double grid[3];
  if (pixels * f > 65536 || pixels * c > 65536 || f * c > 65536)
    return ops_refuse(why,
                      "tiles of %lld pixels, %lld and %lld channels are too large: two of "
                      "them make at most 65536",
                      (long long)pixels, (long long)f, (long long)c);
  find_grid(p, grid);
  if (grid[0] <= INT32_MAX && grid[1] <= INT32_MAX && grid[2] <= INT32_MAX) return true;
  return ops_refuse(why,
                    "%.0f x %.0f x %.0f tile blocks are more than 2^31 - 1 along an axis; give "
                    "larger tiles",
                    grid[0], grid[1], grid[2]);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  static const unsigned tiles[] = {CONVOLUTION_tile_h, CONVOLUTION_tile_w, CONVOLUTION_tile_f,
                                   CONVOLUTION_tile_c};
  for (size_t i = 0; i < ARRAY_LEN(tiles); i++)
    if (!ops_check_power(p, tiles[i], why)) return false;
  return check_tiles(p, why) && image_supported(&convolution_parts(p)->window, t, why);
}

static void candidates(const ops_target *t, ops_candidates *out) {
  static const int16_t tiles[][4] = {
      {8, 8, 64, 64},  {1, 64, 64, 64},  {4, 16, 64, 32},  {8, 8, 32, 32},   {1, 64, 32, 32},
      {1, 16, 64, 64}, {4, 4, 64, 64},   {8, 8, 16, 16},   {1, 64, 16, 16},  {1, 16, 16, 16},
      {8, 8, 64, 4},   {1, 128, 64, 4},  {8, 8, 4, 4},     {2, 8, 128, 64},  {1, 8, 128, 128},
      {8, 8, 64, 32},  {1, 128, 64, 32}, {4, 16, 128, 16}, {2, 4, 128, 128}, {4, 4, 128, 64}};
  static const int16_t deep[][4] = {{8, 8, 1, 16}, {1, 16, 1, 64}, {4, 4, 1, 64}, {1, 64, 1, 16},
                                    {1, 64, 1, 1}, {8, 8, 1, 4},   {8, 16, 1, 1}, {2, 8, 1, 32}};
  bool is_deep = out->problem->values[CONVOLUTION_depthwise].i == 1;
  const int16_t(*list)[4] = is_deep ? deep : tiles;
  (void)t;
  for (size_t i = 0; i < (is_deep ? ARRAY_LEN(deep) : ARRAY_LEN(tiles)); i++)
    ops_candidates_add(out, (int64_t[]){list[i][0], list[i][1], list[i][2], list[i][3]});
}

/* Elements whose contiguous direction is short are slow to gather. */
static double gather_cost(const ops_problem *p) {
  const image_tensor *x = &convolution_parts(p)->window.tensors[0];
  int64_t run = x->unit == IMAGE_CHANNEL  ? get(p, CONVOLUTION_tile_c)
                : x->unit == IMAGE_COLUMN ? get(p, CONVOLUTION_tile_w)
                                          : 1;
  return 1 + 8 / (double)run;
}

/* Milliseconds that a CPU takes to look up the rows of a step: for each block of them and each
 * panel of the columns that are multiplied at once. */
static double lookup_cost(double pixels, double f, const ops_target *t) {
  enum { ROWS = 6, CYCLES = 25 };
  double panel = t->vector_bytes / 4.0 * (t->vector_bytes >= 64 ? 4 : 2);
  return t->kind == OPS_ON_CPU ? pixels / ROWS * ceil(f / panel) * CYCLES / 4e6 : 0;
}

static double cost(const ops_problem *p, const ops_target *t) {
  const ops_image *w = &convolution_parts(p)->window;
  double pixels = (double)(get(p, CONVOLUTION_tile_h) * get(p, CONVOLUTION_tile_w));
  double f = (double)get(p, CONVOLUTION_tile_f), c = (double)get(p, CONVOLUTION_tile_c);
  bool weights = get(p, CONVOLUTION_pass) == CONVOLUTION_WEIGHTS;
  bool data = get(p, CONVOLUTION_pass) == CONVOLUTION_DATA;
  double grid[3], turns, rate = t->gflops * 1e6;
  double run = (double)convolution_run(p, data);
  find_grid(p, grid);
  if (weights)
    turns = (double)get(p, CONVOLUTION_batch) *
            (double)image_tiles(w->out, get(p, CONVOLUTION_tile_h), get(p, CONVOLUTION_tile_w));
  else
    turns = (double)convolution_elements(p) * ceil(run / c);
  /* Both operands are gone through again for each tile; of weights, pixels are summed up. */
  double fit = 1 / (1 + 8 / (weights ? c : pixels) + 8 / f);
  /* Tiles of few pixels are computed by code that does not pack its operands. */
  if (t->kind == OPS_ON_CPU && (weights ? f : pixels) < 32) fit *= 0.25;
  /* Channels that don't exist are not multiplied where rows are read in their places. */
  enum { ROW = 16 };
  double channels =
      t->kind == OPS_ON_CPU && !weights && c >= ROW && run > 0 ? run / ceil(run / c) : c;
  double step = get(p, CONVOLUTION_depthwise) ? 8 * pixels * c / rate
                                              : 2 * pixels * f * channels / (rate * fit);
  step += 4 * pixels * c * gather_cost(p) / rate + 2e-5;
  if (!weights && !get(p, CONVOLUTION_depthwise)) step += lookup_cost(pixels, f, t);
  return 0.004 + ceil(grid[0] * grid[1] * grid[2] / t->cores) * (turns * step + 0.0005);
}

/* ---- launches -------------------------------------------------------------------------------- */

static void steps(const ops_problem *p, ops_steps *out) {
  const convolution *c = convolution_parts(p);
  double grid[3];
  find_grid(p, grid);
  if (grid[0] * grid[1] * grid[2] == 0) return;
  ops_step *s = ops_step_add(out, "main", (int64_t)grid[0], (int64_t)grid[1], (int64_t)grid[2]);
  image_pass(&c->window, s);
  ops_pass_word(s, "batch", get(p, CONVOLUTION_batch));
  ops_pass_word(s, "channels", convolution_channels(p, false));
  ops_pass_word(s, "filters", convolution_channels(p, true));
  ops_pass_word(s, "groups", get(p, CONVOLUTION_groups));
  for (unsigned i = 0; i < c->window.count; i++)
    image_pass_tensor(&c->window, out, s, c->window.tensors[i].name);
  for (unsigned i = 0; i < c->epilogue.count; i++)
    if (c->epilogue.stages[i].operand) ops_pass_tensor(out, s, c->epilogue.stages[i].operand);
}

/* ---- the reference --------------------------------------------------------------------------- */

static double stage_value(ops_host *h, const ops_stage *s, int64_t batch, int64_t filter,
                          int64_t pixel) {
  const ops_image *w = &convolution_parts(h->p)->window;
  if (!s->operand) return 0;
  const double *numbers = ops_host_tensor(h, s->operand)->numbers;
  if (s->span == OPS_SPAN_MN) return numbers[image_at(w, "y", batch, filter, pixel)];
  return numbers[s->span == OPS_SPAN_N ? filter : 0];
}

/* Everything that one product of the sums takes part in. */
static void one_product(ops_host *h, int64_t n, int64_t f, int64_t c, int64_t o, int64_t element) {
  const convolution *v = convolution_parts(h->p);
  const ops_image *w = &v->window;
  int64_t seen, channel = f / convolution_channels(h->p, true) * convolution_channels(h->p, false);
  if (!image_sees(w, o, element, &seen)) return;
  double *x = image_number(h, w, v->x, n, channel + c, seen);
  double *weight = image_number(h, w, v->w, f, c, element);
  double *y = image_number(h, w, v->y, n, f, o);
  switch (get(h->p, CONVOLUTION_pass)) {
  case CONVOLUTION_FORWARD: *y += *x * *weight; break;
  case CONVOLUTION_DATA: *x += *y * *weight; break;
  default: *weight += *x * *y; break;
  }
}

static void finish(ops_host *h, int64_t n, int64_t f, int64_t o) {
  const convolution *v = convolution_parts(h->p);
  double *y = image_number(h, &v->window, v->y, n, f, o);
  for (unsigned i = 0; i < v->epilogue.count; i++)
    *y = ops_stage_value(&v->epilogue.stages[i], *y,
                         stage_value(h, &v->epilogue.stages[i], n, f, o));
}

static void one_result(ops_host *h, int64_t n, int64_t f, int64_t o) {
  int64_t elements = image_pixels(convolution_parts(h->p)->window.kernel);
  for (int64_t c = 0; c < convolution_channels(h->p, false); c++)
    for (int64_t e = 0; e < elements; e++) one_product(h, n, f, c, o, e);
  if (get(h->p, CONVOLUTION_pass) == CONVOLUTION_FORWARD) finish(h, n, f, o);
}

static void reference(ops_host *h) {
  const convolution *v = convolution_parts(h->p);
  for (unsigned i = 0; i < v->window.count; i++) {
    ops_tensor *t = ops_host_tensor(h, v->window.tensors[i].name);
    int64_t span = ops_operand_span(t->operand);
    for (int64_t k = 0; k < span; k++)
      t->numbers[k] = t->operand->use == TSR_OP_WRITTEN
                          ? 0
                          : ops_round_to(get(h->p, CONVOLUTION_type), t->numbers[k]);
  }
  for (int64_t n = 0; n < get(h->p, CONVOLUTION_batch); n++)
    for (int64_t f = 0; f < get(h->p, CONVOLUTION_filters); f++)
      for (int64_t o = 0; o < image_pixels(v->window.out); o++) one_result(h, n, f, o);
}

static double terms(const ops_problem *p) {
  const ops_image *w = &convolution_parts(p)->window;
  switch (get(p, CONVOLUTION_pass)) {
  case CONVOLUTION_WEIGHTS: return (double)image_pixels(w->out) * (double)get(p, CONVOLUTION_batch);
  case CONVOLUTION_DATA:
    return (double)image_pixels(w->kernel) * (double)convolution_channels(p, true);
  default: return (double)image_pixels(w->kernel) * (double)convolution_channels(p, false);
  }
}

static double flops(const ops_problem *p) {
  const ops_image *w = &convolution_parts(p)->window;
  return 2.0 * (double)get(p, CONVOLUTION_batch) * (double)get(p, CONVOLUTION_filters) *
         (double)convolution_channels(p, false) * (double)image_pixels(w->kernel) *
         (double)image_pixels(w->out);
}

static double tolerance(const ops_problem *p) {
  if (convolution_is_whole(p)) return 0;
  double u = ops_type_roundoff(convolution_sum_type(p));
  return u * (8 + 2 * sqrt(terms(p))) + 16 * ops_type_roundoff(convolution_late_type(p)) +
         (convolution_parts(p)->epilogue.count ? 1e-6 : 0);
}

const ops_family ops_family_convolution = {
    .name = "convolution",
    .about = "convolutions of images of one to three dimensions, in groups, and their gradients",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = CONVOLUTION_index,
    .settle = settle,
    .operands = operands,
    .supported = supported,
    .candidates = candidates,
    .cost = cost,
    .steps = steps,
    .build = convolution_build,
    .reference = reference,
    .flops = flops,
    .tolerance = tolerance,
};
