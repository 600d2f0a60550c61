/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * norm: layer and RMS normalisation of lines, with an added residual, weights and biases, saved
 * statistics, and results that are quantised line by line.
 *
 *   h = x + residual
 *   y = epilogue((h - mean) * scale * weight + bias),   scale = 1 / sqrt(variance + epsilon)
 *
 * RMS has the mean 0, and the mean square for the variance. Weights and biases of channels are
 * tensors of all dimensions that repeat along others: for groups of channels of images
 * shape=8x32x10x4096, dims=2+3, weights=all, strides=weight:0x10x1x0. Tensors of the epilogue are
 * called epilogue_residual and so on: lines are its rows, their elements its columns. Quantised, y
 * * smooth is divided by y_scale, a number for each line, which makes the largest of them the
 * largest of y's type.
 */
#include <math.h>

#include "num/num.h"
#include "ops/epilogue.h"
#include "ops/families.h"
#include "ops/lines.h"
#include "ops/norm.h"

#define NORM_PARAMS(P)                                                                             \
  P(kind, CHOSEN, FORM, 0, 0, "layer rms", "layer", "which of them")                               \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what x, residual and h hold")                            \
  P(type_y, TYPE, FORM, 0, 0, "auto", "auto", "what y holds; auto: the type, i8 if quantised")     \
  P(type_w, TYPE, FORM, 0, 0, "auto", "auto",                                                      \
    "what weight, bias and smooth hold, if not the type")                                          \
  P(residual, CHOSEN, FORM, 0, 0, "no add store", "no", "add a residual; store the sum as h, too") \
  P(weight, CHOSEN, FORM, 0, 0, "no yes", "yes",                                                   \
    "multiply by a weight for each element of a line")                                             \
  P(bias, CHOSEN, FORM, 0, 0, "no yes", "no", "add a bias for each element of a line")             \
  P(weights, CHOSEN, FORM, 0, 0, "line all", "line",                                               \
    "weight and bias have a line's dimensions, or all, with strides that repeat: group and batch"  \
    " normalisation")                                                                              \
  P(save, CHOSEN, FORM, 0, 0, "no yes", "no", "store scale, and mean of the kind layer, as f32")   \
  P(quantise, CHOSEN, FORM, 0, 0, "no row smooth", "no",                                           \
    "quantise y by line, with y_scale as f32; smooth multiplies elements first")                   \
  P(epilogue, TEXT, FORM, 0, 0, NULL, "none",                                                      \
    "what becomes of elements before they are quantised: residual+gelu, with tensors that are "    \
    "called epilogue_residual; mn: all dimensions, m: of a line, n: of its elements")              \
  P(epsilon, REAL, SIZE, 0, 0, NULL, "1e-5", "what is added to the variance")                      \
  LINES_PARAMS(P)                                                                                  \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) NORM_##id,
  NORM_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

enum { NO_RESIDUAL, ADD_RESIDUAL, STORE_SUM };
enum { NOT_QUANTISED, BY_ROW, SMOOTH };

static const ops_param params[] = {NORM_PARAMS(OPS_PARAM_ROW)};
static const lines_params at = LINES_AT(NORM);

/* The first is what families of lines have. */
typedef struct norm_parts {
  ops_space space;
  ops_epilogue epilogue;
} norm_parts;

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static const ops_epilogue *epilogue_of(const ops_problem *p) {
  return &((const norm_parts *)p->parts)->epilogue;
}

static bool is_rms(const ops_problem *p) {
  return get(p, NORM_kind) == 1;
}

/* ---- the problem ----------------------------------------------------------------------------- */

static void settle_types(ops_problem *p) {
  ops_type t = get(p, NORM_type);
  if (get(p, NORM_type_y) < 0) p->values[NORM_type_y].i = get(p, NORM_quantise) ? TSR_I8 : t;
  if (get(p, NORM_type_w) < 0) p->values[NORM_type_w].i = t;
}

static ops_type late_type(const ops_problem *p) {
  return ops_type_elem(get(p, NORM_type)) == TSR_F64 ? TSR_F64 : TSR_F32;
}

static bool check_types(const ops_problem *p, ops_why *why) {
  static const unsigned all[] = {NORM_type, NORM_type_y, NORM_type_w};
  for (size_t i = 0; i < ARRAY_LEN(all); i++)
    if (ops_type_bits(get(p, all[i])) < 8)
      return ops_refuse(why, "%s=%s: norm takes elements of 8 bits and more", params[all[i]].name,
                        ops_type_name(get(p, all[i])));
  if (get(p, NORM_quantise) && ops_type_bits(get(p, NORM_type_y)) > 8)
    return ops_refuse(why, "type_y=%s: quantised results hold i8, u8 or floats of 8 bits",
                      ops_type_name(get(p, NORM_type_y)));
  if (is_rms(p) && get(p, NORM_bias))
    return ops_refuse(why, "bias=yes: RMS normalisation has none; give bias=no or kind=layer");
  return true;
}

/* Its tensors have names of their own, since a norm has a residual, a bias and scales already. */
static bool settle_epilogue(ops_problem *p, ops_epilogue *e, ops_why *why) {
  const char *text = p->values[NORM_epilogue].text;
  ops_type y = get(p, NORM_type_y);
  if (!ops_epilogue_parse(e, p->arena, str_of(text), y >= 0 ? y : get(p, NORM_type), why))
    return false;
  if (e->by_row || (e->result >= 0 && get(p, NORM_quantise)))
    return ops_refuse(why, "epilogue=%s: rows are quantised by quantise=row", text);
  if (y >= 0 && e->result >= 0 && y != e->result)
    return ops_refuse(why, "type_y=%s, but epilogue=%s makes y %s", ops_type_name(y), text,
                      ops_type_name(e->result));
  if (e->result >= 0) p->values[NORM_type_y].i = e->result;
  for (unsigned i = 0; i < e->count; i++) {
    ops_stage *s = &e->stages[i];
    if (s->operand) s->operand = arena_printf(p->arena, "epilogue_%s", s->operand);
    if (s->function && s->function->f32_only && late_type(p) == TSR_F64)
      return ops_refuse(why, "epilogue=%s: %s is computed to 3e-7, not in f64", text,
                        s->function->name);
  }
  return true;
}

/* One number is none of the space's tensors. */
static void add_stages(const ops_epilogue *e, ops_space *s) {
  static const uint8_t parts[] = {
      [OPS_SPAN_MN] = SPACE_ALL, [OPS_SPAN_M] = SPACE_KEPT, [OPS_SPAN_N] = SPACE_GONE};
  for (unsigned i = 0; i < e->count; i++)
    if (e->stages[i].operand && e->stages[i].span != OPS_SPAN_TENSOR)
      space_add(s, e->stages[i].operand, e->stages[i].type, TSR_OP_READ,
                (space_part)parts[e->stages[i].span]);
}

static void operands(const ops_problem *p, ops_operands *out) {
  const ops_epilogue *e = epilogue_of(p);
  space_operands(p, out);
  for (unsigned i = 0; i < e->count; i++)
    if (e->stages[i].operand && e->stages[i].span == OPS_SPAN_TENSOR)
      ops_operand_add(out, e->stages[i].operand, e->stages[i].type, TSR_OP_READ);
}

static void add_tensors(const ops_problem *p, ops_space *s) {
  ops_type t = get(p, NORM_type), w = get(p, NORM_type_w);
  space_add(s, "x", t, TSR_OP_READ, SPACE_ALL);
  if (get(p, NORM_residual)) space_add(s, "residual", t, TSR_OP_READ, SPACE_ALL);
  space_part part = get(p, NORM_weights) == 1 ? SPACE_ALL : SPACE_GONE;
  if (get(p, NORM_weight)) space_add(s, "weight", w, TSR_OP_READ, part);
  if (get(p, NORM_bias)) space_add(s, "bias", w, TSR_OP_READ, part);
  if (get(p, NORM_quantise) == SMOOTH) space_add(s, "smooth", w, TSR_OP_READ, SPACE_GONE);
  add_stages(epilogue_of(p), s);
  if (get(p, NORM_residual) == STORE_SUM) space_add(s, "h", t, TSR_OP_WRITTEN, SPACE_ALL);
  space_add(s, "y", get(p, NORM_type_y), TSR_OP_WRITTEN, SPACE_ALL);
  if (get(p, NORM_save) && !is_rms(p)) space_add(s, "mean", TSR_F32, TSR_OP_WRITTEN, SPACE_KEPT);
  if (get(p, NORM_save)) space_add(s, "scale", TSR_F32, TSR_OP_WRITTEN, SPACE_KEPT);
  if (get(p, NORM_quantise)) space_add(s, "y_scale", TSR_F32, TSR_OP_WRITTEN, SPACE_KEPT);
}

/* Every tensor is passed with a stride for each dimension. */
static bool check_passes(const ops_problem *p, const ops_space *s, ops_why *why) {
  enum { OTHERS = 16 };
  if (s->count * (s->rank + 1) + s->rank + OTHERS <= OPS_MAX_PASSES) return true;
  return ops_refuse(why,
                    "epilogue=%s: %u tensors of %u dimensions that cannot be merged are too "
                    "many; give fewer stages",
                    p->values[NORM_epilogue].text, s->count, s->rank);
}

static bool settle(ops_problem *p, ops_why *why) {
  norm_parts *parts = arena_new(p->arena, norm_parts);
  ops_space *s = &parts->space;
  p->parts = parts;
  if (!settle_epilogue(p, &parts->epilogue, why)) return false;
  settle_types(p);
  if (!check_types(p, why) || !space_parse(s, p, &at.space, why)) return false;
  add_tensors(p, s);
  return space_settle(s, p, &at.space, why) && check_passes(p, s, why);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return lines_supported(p, p->parts, &at, t, why);
}

static double cost(const ops_problem *p, const ops_target *t) {
  return lines_cost(p, p->parts, &at, (is_rms(p) ? 2 : 3) + (get(p, NORM_quantise) != 0), t);
}

static void pass_numbers(const ops_problem *p, ops_steps *steps, ops_step *s) {
  const ops_epilogue *e = epilogue_of(p);
  ops_pass_real(s, "epsilon", ops_type_elem(late_type(p)), p->values[NORM_epsilon].r);
  for (unsigned i = 0; i < e->count; i++)
    if (e->stages[i].operand && e->stages[i].span == OPS_SPAN_TENSOR)
      ops_pass_tensor(steps, s, e->stages[i].operand);
}

static void steps(const ops_problem *p, ops_steps *out) {
  ops_step *s = lines_step(p, p->parts, &at, out);
  if (s) pass_numbers(p, out, s);
}

void norm_pass(const ops_problem *p, ops_steps *steps, ops_step *s) {
  space_pass(p->parts, steps, s);
  pass_numbers(p, steps, s);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct norm_kernel {
  tsr_value given;                /* x; NULL: it is loaded */
  tsr_value mean, scale, y_scale; /* rows x 1; NULL: not known, or none */
} norm_kernel;

/* As h is stored: what follows is computed from that. */
static tsr_value load_h(lines *l, tsr_value turn, void *user) {
  const norm_kernel *n = user;
  ops_build *b = l->k.b;
  tsr_value x = n->given ? n->given : space_load(&l->k, "x", turn, l->late, 0);
  if (!get(b->p, NORM_residual)) return x;
  x = ops_add(b, x, space_load(&l->k, "residual", turn, l->late, 0));
  ops_type t = get(b->p, NORM_type);
  if (get(b->p, NORM_residual) != STORE_SUM) return x;
  return ops_convert(b, ops_convert(b, x, l->late, t), t, l->late);
}

static tsr_value centred(lines *l, tsr_value turn, norm_kernel *n) {
  tsr_value h = load_h(l, turn, n);
  return n->mean ? ops_sub(l->k.b, h, space_spread(&l->k, n->mean)) : h;
}

static tsr_value squared(lines *l, tsr_value turn, void *user) {
  tsr_value h = centred(l, turn, user);
  return ops_mul(l->k.b, h, h);
}

static tsr_value line_of(lines *l, const char *name, tsr_value turn) {
  return space_spread(&l->k, space_load(&l->k, name, turn, l->late, 0));
}

static tsr_value stage_tensor(lines *l, const ops_stage *s, tsr_value turn) {
  ops_build *b = l->k.b;
  if (s->span != OPS_SPAN_TENSOR) return line_of(l, s->operand, turn);
  tsr_value x = tsr_build_load_ptr_tko(b->b, ops_arg(b, s->operand), TSR_MEMORY_WEAK);
  x = ops_spread(b, x, TSR_INTS(l->k.tile_rows, l->k.tile_columns));
  return ops_convert(b, x, s->type, l->late);
}

static tsr_value result(lines *l, tsr_value turn, void *user) {
  norm_kernel *n = user;
  ops_build *b = l->k.b;
  tsr_value y = ops_mul(b, centred(l, turn, n), space_spread(&l->k, n->scale));
  if (get(b->p, NORM_weight)) y = ops_mul(b, y, line_of(l, "weight", turn));
  if (get(b->p, NORM_bias)) y = ops_add(b, y, line_of(l, "bias", turn));
  const ops_epilogue *e = epilogue_of(b->p);
  for (unsigned i = 0; i < e->count; i++) {
    const ops_stage *s = &e->stages[i];
    y = ops_stage_emit(b, s, y, s->operand ? stage_tensor(l, s, turn) : NULL);
  }
  if (get(b->p, NORM_quantise) == SMOOTH) y = ops_mul(b, y, line_of(l, "smooth", turn));
  return y;
}

static tsr_value size_of_result(lines *l, tsr_value turn, void *user) {
  return tsr_build_absf(l->k.b->b, result(l, turn, user));
}

/* What the largest number of a line is divided by; 1 for lines of zeros, and of nothing. */
static tsr_value find_y_scale(lines *l, norm_kernel *n) {
  ops_build *b = l->k.b;
  tsr_value largest = lines_fold(l, OPS_FOLD_MAX, false, size_of_result, n);
  return ops_quantise_divisor(b, get(b->p, NORM_type_y), largest);
}

static void write_tile(lines *l, tsr_value turn, void *user) {
  const norm_kernel *n = user;
  tsr_value y = result(l, turn, user);
  if (n->y_scale) y = tsr_build_divf(l->k.b->b, y, space_spread(&l->k, n->y_scale));
  if (get(l->k.b->p, NORM_residual) == STORE_SUM)
    space_store(&l->k, "h", turn, load_h(l, turn, user), l->late);
  space_store(&l->k, "y", turn, y, l->late);
}

static tsr_value find_scale(lines *l, norm_kernel *n, tsr_value length) {
  ops_build *b = l->k.b;
  tsr_value squares = lines_fold(l, OPS_FOLD_SUM, n->mean == NULL, squared, n);
  tsr_value epsilon = ops_spread(b, ops_arg(b, "epsilon"), TSR_INTS(l->k.tile_rows, 1));
  tsr_value variance = tsr_build_divf(b->b, squares, length);
  return tsr_build_rsqrt(b->b, ops_add(b, variance, epsilon));
}

static void build_lines(ops_build *b, tsr_value given) {
  const ops_space *s = b->p->parts;
  lines l = lines_begin(b, s, &at, late_type(b->p));
  norm_kernel n = {.given = given};
  tsr_value length = lines_length(&l);
  if (given) n.given = space_mask(&l.k, given, l.zero, 0);
  if (!is_rms(b->p))
    n.mean = tsr_build_divf(b->b, lines_fold(&l, OPS_FOLD_SUM, true, load_h, &n), length);
  n.scale = find_scale(&l, &n, length);
  if (get(b->p, NORM_quantise)) n.y_scale = find_y_scale(&l, &n);
  if (space_has(s, "mean")) space_store(&l.k, "mean", l.zero, n.mean, l.late);
  if (space_has(s, "scale")) space_store(&l.k, "scale", l.zero, n.scale, l.late);
  if (n.y_scale) space_store(&l.k, "y_scale", l.zero, n.y_scale, l.late);
  lines_each(&l, write_tile, &n);
}

static void build(ops_build *b) {
  build_lines(b, NULL);
}

void norm_build_given(ops_build *b, tsr_value x) {
  build_lines(b, x);
}

/* ---- the reference --------------------------------------------------------------------------- */

typedef struct norm_line {
  ops_host *h;
  const ops_space *s;
  int64_t line, length;
  double mean, scale, y_scale;
} norm_line;

static double h_at(const norm_line *n, int64_t i) {
  double x = *space_element(n->h, n->s, "x", n->line, i);
  if (space_has(n->s, "residual")) x += *space_element(n->h, n->s, "residual", n->line, i);
  return space_has(n->s, "h") ? ops_round_to(get(n->h->p, NORM_type), x) : x;
}

static double y_at(const norm_line *n, int64_t i) {
  double y = (h_at(n, i) - n->mean) * n->scale;
  if (space_has(n->s, "weight")) y *= *space_element(n->h, n->s, "weight", n->line, i);
  if (space_has(n->s, "bias")) y += *space_element(n->h, n->s, "bias", n->line, i);
  const ops_epilogue *e = epilogue_of(n->h->p);
  for (unsigned k = 0; k < e->count; k++) {
    const ops_stage *s = &e->stages[k];
    double x = !s->operand                  ? 0
               : s->span == OPS_SPAN_TENSOR ? ops_host_tensor(n->h, s->operand)->numbers[0]
                                            : *space_element(n->h, n->s, s->operand, n->line, i);
    y = ops_stage_value(s, y, x);
  }
  if (space_has(n->s, "smooth")) y *= *space_element(n->h, n->s, "smooth", 0, i);
  return y;
}

static void find_statistics(norm_line *n) {
  const ops_problem *p = n->h->p;
  double squares = 0, largest = 0;
  n->mean = 0;
  for (int64_t i = 0; !is_rms(p) && i < n->length; i++) n->mean += h_at(n, i);
  n->mean /= (double)n->length;
  if (is_rms(p)) n->mean = 0;
  for (int64_t i = 0; i < n->length; i++) squares += pow(h_at(n, i) - n->mean, 2);
  n->scale = 1 / sqrt(squares / (double)n->length + p->values[NORM_epsilon].r);
  for (int64_t i = 0; i < n->length; i++) largest = fmax(largest, fabs(y_at(n, i)));
  n->y_scale = ops_quantise_scale(get(p, NORM_type_y), largest);
}

static void put(const norm_line *n, const char *name, int64_t i, double x) {
  if (space_has(n->s, name)) *space_element(n->h, n->s, name, n->line, i) = x;
}

static void one_line(norm_line *n) {
  bool quantised = space_has(n->s, "y_scale");
  find_statistics(n);
  put(n, "mean", 0, n->mean);
  put(n, "scale", 0, n->scale);
  put(n, "y_scale", 0, n->y_scale);
  for (int64_t i = 0; i < n->length; i++) {
    put(n, "h", i, h_at(n, i));
    put(n, "y", i, quantised ? y_at(n, i) / n->y_scale : y_at(n, i));
  }
}

static void reference(ops_host *h) {
  const ops_space *s = h->p->parts;
  norm_line n = {.h = h, .s = s, .length = space_gone_count(s)};
  for (n.line = 0; n.line < space_kept_count(s); n.line++) one_line(&n);
}

static double flops(const ops_problem *p) {
  return lines_flops(p, 8);
}

/* Lines whose elements are nearly equal lose digits when the mean is taken away. */
static double tolerance(const ops_problem *p) {
  double u = ops_type_roundoff(late_type(p));
  double n = (double)space_gone_count(p->parts);
  /* Few elements may lie close together, and the root of their variance plus epsilon magnifies the
   * rounding of their distances from the mean. */
  double magnified = n < 16 ? 1 / sqrt(p->values[NORM_epsilon].r) : 0;
  return (32 + 2 * sqrt(n) + magnified) * u + (epilogue_of(p)->count ? 1e-6 : 0);
}

const ops_family ops_family_norm = {
    .name = "norm",
    .about = "layer and RMS normalisation, with residual, statistics and quantised results",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = NORM_index,
    .settle = settle,
    .operands = operands,
    .supported = supported,
    .candidates = lines_candidates,
    .cost = cost,
    .steps = steps,
    .build = build,
    .reference = reference,
    .flops = flops,
    .tolerance = tolerance,
};
