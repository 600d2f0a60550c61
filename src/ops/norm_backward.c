/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * norm_backward: of what norm normalised (x, or h with an added residual), the statistics that it
 * saved (save=yes), and the gradient of its result,
 *
 *   n = (x - mean) scale,  g = dy weight
 *   dx = scale (g - average(g) - n average(g n)) + dh,   dweight = sum over lines of dy n,
 *   dbias = sum over lines of dy
 *
 * RMS has no mean, and no average(g). Sums over lines are a second kernel, over the same tensors
 * with the dimensions of the weight kept and the others gone. Weights of channels have dimensions
 * of their own: of groups of channels of images shape=8x32x10x4096, dims=2+3, weight_dims=1+2, of
 * batches shape=8x320x4096, dims=0+2, weight_dims=1.
 */
#include <math.h>

#include "ops/families.h"
#include "ops/lines.h"

#define NORM_BACKWARD_PARAMS(P)                                                                    \
  P(kind, CHOSEN, FORM, 0, 0, "layer rms", "layer", "of which of them")                            \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what x, dy, dh and dx hold")                             \
  P(type_w, TYPE, FORM, 0, 0, "auto", "auto", "what weight, dweight, dbias hold, if not the type") \
  P(weight, CHOSEN, FORM, 0, 0, "no yes", "yes", "elements were multiplied by a weight")           \
  P(dweight, CHOSEN, FORM, 0, 0, "no yes", "no", "give the gradient of the weight, too")           \
  P(dbias, CHOSEN, FORM, 0, 0, "no yes", "no", "give the gradient of the bias, too")               \
  P(weight_dims, TEXT, FORM, 0, 0, NULL, "line",                                                   \
    "dimensions of weight, dweight and dbias, if not a line's: 1+2 for groups of channels")        \
  P(residual, CHOSEN, FORM, 0, 0, "no add", "no", "add dh, the gradient of the stored sum, to dx") \
  LINES_PARAMS(P)                                                                                  \
  P(kept_w, INTEGER, DERIVED, 0, TSR_OP_MAX_RANK, NULL, "0", "of sums over lines, as kept")        \
  P(gone_w, INTEGER, DERIVED, 0, TSR_OP_MAX_RANK, NULL, "0", "of sums over lines, as gone")        \
  P(units_w, TEXT, DERIVED, 0, 0, NULL, "auto", "of sums over lines, as units")                    \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) NORM_BACKWARD_##id,
  NORM_BACKWARD_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {NORM_BACKWARD_PARAMS(OPS_PARAM_ROW)};
static const lines_params at = LINES_AT(NORM_BACKWARD);

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static ops_type late_type(const ops_problem *p) {
  return ops_type_elem(get(p, NORM_BACKWARD_type)) == TSR_F64 ? TSR_F64 : TSR_F32;
}

static const lines_params across = {{NORM_BACKWARD_shape, NORM_BACKWARD_strides,
                                     NORM_BACKWARD_kept_w, NORM_BACKWARD_gone_w,
                                     NORM_BACKWARD_units_w, NORM_BACKWARD_dims},
                                    NORM_BACKWARD_tile_rows,
                                    NORM_BACKWARD_tile_columns,
                                    NORM_BACKWARD_whole};
enum { SUM_ROWS = 64, SUM_COLUMNS = 32 };

/* The first is what families of lines have. */
typedef struct norm_parts {
  ops_space lines, sums;
  bool of_lines; /* weights have the dimensions of a line */
  bool has_weight_dim[TSR_OP_MAX_RANK];
} norm_parts;

static bool is_rms(const ops_problem *p) {
  return get(p, NORM_BACKWARD_kind) == 1;
}

static bool has_sums(const ops_problem *p) {
  return get(p, NORM_BACKWARD_dweight) || get(p, NORM_BACKWARD_dbias);
}

/* ---- the problem ----------------------------------------------------------------------------- */

static bool check_values(const ops_problem *p, ops_why *why) {
  ops_type t = get(p, NORM_BACKWARD_type), w = get(p, NORM_BACKWARD_type_w);
  if (!ops_type_is_float(t) || !ops_type_is_float(w) || ops_type_bits(t) < 8 ||
      ops_type_bits(w) < 8)
    return ops_refuse(why, "type=%s, type_w=%s: norm_backward takes floats of 8 bits and more",
                      ops_type_name(t), ops_type_name(w));
  if (is_rms(p) && get(p, NORM_BACKWARD_dbias))
    return ops_refuse(why, "dbias=yes: RMS normalisation has no bias; give dbias=no or kind=layer");
  return true;
}

/* Which dimensions weights have. */
static bool read_weight_dims(const ops_problem *p, norm_parts *n, ops_why *why) {
  const char *text = p->values[NORM_BACKWARD_weight_dims].text;
  int64_t dims[TSR_OP_MAX_RANK];
  n->of_lines = strcmp(text, "line") == 0;
  memcpy(n->has_weight_dim, n->lines.goes, sizeof n->has_weight_dim);
  if (n->of_lines) return true;
  memset(n->has_weight_dim, 0, sizeof n->has_weight_dim);
  int count = ops_read_list(str_of(text), '+', dims, TSR_OP_MAX_RANK);
  for (int i = 0; i < count; i++) {
    if (dims[i] >= n->lines.given_rank) count = -1;
    if (i < count) n->has_weight_dim[dims[i]] = true;
  }
  return count > 0 || ops_refuse(why,
                                 "weight_dims=%.64s: give dimensions from 0 to %u with + "
                                 "between, or line",
                                 text, n->lines.given_rank - 1);
}

/* Packed strides of a tensor that has some dimensions; 0 along the others. */
static void pack_weight(const norm_parts *n, int64_t *strides) {
  int64_t run = 1;
  for (unsigned d = n->lines.given_rank; d-- > 0;) {
    strides[d] = n->has_weight_dim[d] ? run : 0;
    if (n->has_weight_dim[d]) run = MIN(run * MAX(n->lines.given[d], 1), OPS_MAX_SIZE);
  }
}

static void add_weight(const ops_problem *p, norm_parts *n) {
  ops_type w = get(p, NORM_BACKWARD_type_w);
  if (!get(p, NORM_BACKWARD_weight)) return;
  space_tensor *t =
      space_add(&n->lines, "weight", w, TSR_OP_READ, n->of_lines ? SPACE_GONE : SPACE_ALL);
  if (!n->of_lines) pack_weight(n, t->given);
}

static void add_lines(const ops_problem *p, norm_parts *n) {
  ops_space *s = &n->lines;
  ops_type t = get(p, NORM_BACKWARD_type);
  space_add(s, "x", t, TSR_OP_READ, SPACE_ALL);
  space_add(s, "dy", t, TSR_OP_READ, SPACE_ALL);
  add_weight(p, n);
  if (!is_rms(p)) space_add(s, "mean", TSR_F32, TSR_OP_READ, SPACE_KEPT);
  space_add(s, "scale", TSR_F32, TSR_OP_READ, SPACE_KEPT);
  if (get(p, NORM_BACKWARD_residual)) space_add(s, "dh", t, TSR_OP_READ, SPACE_ALL);
  space_add(s, "dx", t, TSR_OP_WRITTEN, SPACE_ALL);
}

/* Statistics lie as in the first space: what they lack may be kept or gone here. */
static void add_sums(const ops_problem *p, norm_parts *n) {
  ops_space *s = &n->sums;
  space_part statistics = n->of_lines ? SPACE_GONE : SPACE_ALL;
  ops_type t = get(p, NORM_BACKWARD_type), w = get(p, NORM_BACKWARD_type_w);
  space_add(s, "x", t, TSR_OP_READ, SPACE_ALL);
  space_add(s, "dy", t, TSR_OP_READ, SPACE_ALL);
  if (!is_rms(p)) space_add(s, "mean", TSR_F32, TSR_OP_READ, statistics);
  space_add(s, "scale", TSR_F32, TSR_OP_READ, statistics);
  if (get(p, NORM_BACKWARD_dweight)) space_add(s, "dweight", w, TSR_OP_WRITTEN, SPACE_KEPT);
  if (get(p, NORM_BACKWARD_dbias)) space_add(s, "dbias", w, TSR_OP_WRITTEN, SPACE_KEPT);
}

/* All but the weight's dimensions go; where none would, one of size 1 does. */
static void exchange(norm_parts *n) {
  ops_space *s = &n->sums;
  bool any = false;
  for (unsigned d = 0; d < s->given_rank; d++) any |= (s->goes[d] = !n->has_weight_dim[d]);
  if (any || s->given_rank == TSR_OP_MAX_RANK) return;
  s->given[s->given_rank] = 1;
  s->goes[s->given_rank++] = true;
}

static bool settle(ops_problem *p, ops_why *why) {
  norm_parts *parts = arena_new(p->arena, norm_parts);
  p->parts = parts;
  if (get(p, NORM_BACKWARD_type_w) < 0)
    p->values[NORM_BACKWARD_type_w].i = get(p, NORM_BACKWARD_type);
  if (!check_values(p, why) || !space_parse(&parts->lines, p, &at.space, why)) return false;
  if (!read_weight_dims(p, parts, why)) return false;
  parts->sums = parts->lines;
  add_lines(p, parts);
  if (!space_settle(&parts->lines, p, &at.space, why)) return false;
  exchange(parts);
  add_sums(p, parts);
  return space_settle_like(&parts->sums, &parts->lines, p, &across.space, why);
}

static void operands(const ops_problem *p, ops_operands *out) {
  const norm_parts *parts = p->parts;
  static const char *const sums[] = {"dweight", "dbias"};
  space_operands(p, out);
  for (size_t i = 0; i < ARRAY_LEN(sums); i++) {
    if (!space_has(&parts->sums, sums[i])) continue;
    ops_operand *o = ops_operand_add(out, sums[i], get(p, NORM_BACKWARD_type_w), TSR_OP_WRITTEN);
    int64_t strides[TSR_OP_MAX_RANK];
    pack_weight(parts, strides);
    for (unsigned d = 0; d < parts->lines.given_rank; d++)
      if (parts->has_weight_dim[d]) ops_operand_dim(o, parts->lines.given[d], strides[d]);
  }
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return lines_supported(p, p->parts, &at, t, why);
}

static double cost(const ops_problem *p, const ops_target *t) {
  return lines_cost(p, p->parts, &at, 3, t);
}

static void steps(const ops_problem *p, ops_steps *out) {
  const norm_parts *parts = p->parts;
  /* Without lines the sums are 0. */
  lines_step(p, &parts->lines, &at, out);
  if (!has_sums(p) || space_kept_count(&parts->sums) == 0) return;
  int64_t rows = (space_rows(&parts->sums) + SUM_ROWS - 1) / SUM_ROWS;
  ops_step *s = ops_step_add(out, "sums", rows, 1, space_outer(&parts->sums));
  space_pass(&parts->sums, out, s);
}

/* ---- the kernels ----------------------------------------------------------------------------- */

typedef struct norm_kernel {
  tsr_value mean, scale;            /* of lines */
  tsr_value average, average_times; /* of g, NULL for RMS, and of g n: rows x 1 */
} norm_kernel;

static tsr_value load(lines *l, const char *name, tsr_value turn) {
  return space_load(&l->k, name, turn, l->late, 0);
}

/* What the statistics make of x. */
static tsr_value normalised(lines *l, tsr_value turn, tsr_value mean, tsr_value scale) {
  tsr_value x = load(l, "x", turn);
  if (mean) x = ops_sub(l->k.b, x, space_spread(&l->k, mean));
  return ops_mul(l->k.b, x, space_spread(&l->k, scale));
}

static tsr_value gradient(lines *l, tsr_value turn, void *user) {
  (void)user;
  tsr_value g = load(l, "dy", turn);
  if (!get(l->k.b->p, NORM_BACKWARD_weight)) return g;
  return ops_mul(l->k.b, g, space_spread(&l->k, load(l, "weight", turn)));
}

static tsr_value gradient_times(lines *l, tsr_value turn, void *user) {
  const norm_kernel *n = user;
  return ops_mul(l->k.b, gradient(l, turn, NULL), normalised(l, turn, n->mean, n->scale));
}

static void write_tile(lines *l, tsr_value turn, void *user) {
  const norm_kernel *n = user;
  ops_build *b = l->k.b;
  tsr_value g = gradient(l, turn, NULL);
  if (n->average) g = ops_sub(b, g, space_spread(&l->k, n->average));
  tsr_value x = normalised(l, turn, n->mean, n->scale);
  g = ops_sub(b, g, ops_mul(b, x, space_spread(&l->k, n->average_times)));
  g = ops_mul(b, g, space_spread(&l->k, n->scale));
  if (get(b->p, NORM_BACKWARD_residual)) g = ops_add(b, g, load(l, "dh", turn));
  space_store(&l->k, "dx", turn, g, l->late);
}

static void build_lines(ops_build *b, const ops_space *s) {
  lines l = lines_begin(b, s, &at, late_type(b->p));
  norm_kernel n = {NULL, NULL, NULL, NULL};
  tsr_value length = lines_length(&l);
  if (!is_rms(b->p)) n.mean = load(&l, "mean", NULL);
  n.scale = load(&l, "scale", NULL);
  if (!is_rms(b->p))
    n.average = tsr_build_divf(b->b, lines_fold(&l, OPS_FOLD_SUM, true, gradient, NULL), length);
  tsr_value sum = lines_fold(&l, OPS_FOLD_SUM, true, gradient_times, &n);
  n.average_times = tsr_build_divf(b->b, sum, length);
  lines_each(&l, write_tile, &n);
}

/* What a tile adds to each of its columns' sums, which are lines here. */
static tsr_value sum_of_tile(lines *l, tsr_value v, tsr_value so_far) {
  tsr_value sum = ops_reduce(l->k.b, v, 1, OPS_FOLD_SUM);
  return ops_add(l->k.b, so_far, ops_reshape(l->k.b, sum, TSR_INTS(l->k.tile_rows, 1)));
}

/* The sums of both gradients in one loop, so that what they have in common is read once. */
static void build_sums(ops_build *b, const ops_space *s) {
  lines l = {.k = space_begin(b, s, SUM_ROWS, SUM_COLUMNS),
             .late = late_type(b->p),
             .zero = ops_i32(b, 0)};
  bool weight = space_has(s, "dweight"), bias = space_has(s, "dbias");
  tsr_value none = lines_number(&l, 0), start[] = {none, none}, next[2];
  unsigned count = 0, of_bias = weight;
  tsr_op *loop = ops_loop(b, l.zero, space_turns(&l.k), (tsr_values){start, (size_t)weight + bias});
  tsr_value turn = tsr_build_arg(b->b, 0), dy = load(&l, "dy", turn);
  if (weight) {
    tsr_value mean = is_rms(b->p) ? NULL : load(&l, "mean", turn);
    tsr_value n = normalised(&l, turn, mean, load(&l, "scale", turn));
    next[count++] = sum_of_tile(&l, ops_mul(b, n, dy), tsr_build_arg(b->b, 1));
  }
  if (bias) next[count++] = sum_of_tile(&l, dy, tsr_build_arg(b->b, of_bias + 1));
  ops_loop_end(b, (tsr_values){next, count});
  if (weight) space_store(&l.k, "dweight", NULL, tsr_op_result(loop, 0), l.late);
  if (bias) space_store(&l.k, "dbias", NULL, tsr_op_result(loop, of_bias), l.late);
}

static void build(ops_build *b) {
  const norm_parts *parts = b->p->parts;
  if (strcmp(b->step->kernel, "sums") == 0)
    build_sums(b, &parts->sums);
  else
    build_lines(b, &parts->lines);
}

/* ---- the reference --------------------------------------------------------------------------- */

static double number(ops_host *h, const ops_space *s, const char *name, int64_t line, int64_t i) {
  return *space_element(h, s, name, line, i);
}

static double normal(ops_host *h, const ops_space *s, int64_t line, int64_t i) {
  double mean = is_rms(h->p) ? 0 : number(h, s, "mean", line, i);
  return (number(h, s, "x", line, i) - mean) * number(h, s, "scale", line, i);
}

static double weighted(ops_host *h, const ops_space *s, int64_t line, int64_t i) {
  double g = number(h, s, "dy", line, i);
  return space_has(s, "weight") ? g * number(h, s, "weight", line, i) : g;
}

static void one_line(ops_host *h, const ops_space *s, int64_t line) {
  int64_t length = space_gone_count(s);
  double average = 0, times = 0;
  for (int64_t i = 0; i < length; i++) {
    average += weighted(h, s, line, i) / (double)length;
    times += weighted(h, s, line, i) * normal(h, s, line, i) / (double)length;
  }
  if (is_rms(h->p)) average = 0;
  for (int64_t i = 0; i < length; i++) {
    double g = weighted(h, s, line, i) - average - normal(h, s, line, i) * times;
    g *= number(h, s, "scale", line, 0);
    *space_element(h, s, "dx", line, i) = space_has(s, "dh") ? g + number(h, s, "dh", line, i) : g;
  }
}

static void sum_lines(ops_host *h) {
  const ops_space *s = &((const norm_parts *)h->p->parts)->sums;
  for (int64_t i = 0; i < space_kept_count(s); i++) {
    double weight = 0, bias = 0;
    for (int64_t j = 0; j < space_gone_count(s); j++) {
      weight += number(h, s, "dy", i, j) * normal(h, s, i, j);
      bias += number(h, s, "dy", i, j);
    }
    if (space_has(s, "dweight")) *space_element(h, s, "dweight", i, 0) = weight;
    if (space_has(s, "dbias")) *space_element(h, s, "dbias", i, 0) = bias;
  }
}

static void reference(ops_host *h) {
  lines_reference(h, one_line);
  if (has_sums(h->p)) sum_lines(h);
}

static double flops(const ops_problem *p) {
  return lines_flops(p, 10 + 3 * has_sums(p));
}

static double tolerance(const ops_problem *p) {
  const norm_parts *parts = p->parts;
  double u = ops_type_roundoff(late_type(p)), count = (double)space_gone_count(&parts->sums);
  return lines_tolerance(p, late_type(p)) + 16 * u + (has_sums(p) ? 2 * sqrt(count) * u : 0);
}

const ops_family ops_family_norm_backward = {
    .name = "norm_backward",
    .about = "gradients of layer, RMS, group and batch normalisation",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = NORM_BACKWARD_index,
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
