/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * topk: the largest numbers of each row, from the largest on, and which columns they are from; of
 * equal ones the first. Optionally as parts of a softmax of the whole row, or of those k.
 *
 * A tile holds whole rows. Each turn takes the largest number that has not been taken.
 */
#include <math.h>

#include "ops/emit.h"
#include "ops/families.h"
#include "ops/host.h"

#define TOPK_PARAMS(P)                                                                             \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what x and y hold: floats of 8 bits and more")           \
  P(k, INTEGER, FORM, 1, 256, NULL, "2", "how many numbers of a row are wanted")                   \
  P(softmax, CHOSEN, FORM, 0, 0, "no row chosen", "no",                                            \
    "y holds probabilities: among all numbers of the row, or among the chosen ones")               \
  P(rows, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1024", "rows of x, y and index")                  \
  P(columns, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "64", "columns of x")                           \
  P(ldx, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "from row to row of x")               \
  P(ldy, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "from row to row of y and index")     \
  P(tile_rows, INTEGER, CHOICE, 1, 4096, "auto", "auto", "rows of a tile, a power of two")         \
  P(tile_columns, INTEGER, CHOICE, 1, 16384, "auto", "auto",                                       \
    "columns of a tile, a power of two of at least `columns`")                                     \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) TOPK_##id,
  TOPK_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};
enum { WITHOUT_SOFTMAX, SOFTMAX_OF_ROW, SOFTMAX_OF_CHOSEN };
enum { MOST_COLUMNS = 16384 };

static const ops_param params[] = {TOPK_PARAMS(OPS_PARAM_ROW)};

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static ops_type late_type(const ops_problem *p) {
  return ops_type_elem(get(p, TOPK_type)) == TSR_F64 ? TSR_F64 : TSR_F32;
}

static int64_t power_from(int64_t x) {
  int64_t power = 1;
  while (power < x) power *= 2;
  return power;
}

static bool settle(ops_problem *p, ops_why *why) {
  ops_type t = get(p, TOPK_type);
  if (!ops_type_is_float(t) || ops_type_bits(t) < 8 || ops_type_elem(t) == TSR_F8E8M0FNU)
    return ops_refuse(why, "type=%s: topk takes floats of 8 bits and more", ops_type_name(t));
  if (get(p, TOPK_columns) > MOST_COLUMNS)
    return ops_refuse(why, "columns=%lld: a tile holds a row of at most 16384",
                      (long long)get(p, TOPK_columns));
  if (get(p, TOPK_k) > get(p, TOPK_columns))
    return ops_refuse(why, "k=%lld, but a row has columns=%lld; give no more than these",
                      (long long)get(p, TOPK_k), (long long)get(p, TOPK_columns));
  if (get(p, TOPK_ldx) < 0) p->values[TOPK_ldx].i = get(p, TOPK_columns);
  if (get(p, TOPK_ldy) < 0) p->values[TOPK_ldy].i = get(p, TOPK_k);
  return true;
}

static void add_matrix(const ops_problem *p, ops_operands *out, const char *name, ops_type type,
                       int64_t columns, int64_t ld, tsr_op_use use) {
  ops_operand *o = ops_operand_add(out, name, type, use);
  ops_operand_dim(o, get(p, TOPK_rows), ld);
  ops_operand_dim(o, columns, 1);
}

static void operands(const ops_problem *p, ops_operands *out) {
  int64_t k = get(p, TOPK_k), ldy = get(p, TOPK_ldy);
  add_matrix(p, out, "x", get(p, TOPK_type), get(p, TOPK_columns), get(p, TOPK_ldx), TSR_OP_READ);
  add_matrix(p, out, "y", get(p, TOPK_type), k, ldy, TSR_OP_WRITTEN);
  add_matrix(p, out, "index", TSR_I32, k, ldy, TSR_OP_WRITTEN);
}

static int64_t tiles_of(const ops_problem *p) {
  return (get(p, TOPK_rows) + get(p, TOPK_tile_rows) - 1) / get(p, TOPK_tile_rows);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  (void)t;
  int64_t rows = get(p, TOPK_tile_rows), columns = get(p, TOPK_tile_columns);
  if (!ops_check_power(p, TOPK_tile_rows, why) || !ops_check_power(p, TOPK_tile_columns, why))
    return false;
  if (columns < get(p, TOPK_columns))
    return ops_refuse(why, "tile_columns=%lld, but a tile holds rows of columns=%lld; give more",
                      (long long)columns, (long long)get(p, TOPK_columns));
  if (rows * columns > 65536 || tiles_of(p) > INT32_MAX)
    return ops_refuse(
        why,
        "rows=%lld in tiles of %lld x %lld: at most 65536 elements and 2^31 - 1 tiles "
        "are possible",
        (long long)get(p, TOPK_rows), (long long)rows, (long long)columns);
  return true;
}

static void candidates(const ops_target *t, ops_candidates *out) {
  int64_t columns = power_from(get(out->problem, TOPK_columns));
  (void)t;
  for (int64_t rows = 1; rows <= 64 && rows * columns <= MOST_COLUMNS; rows *= 4)
    ops_candidates_add(out, (int64_t[]){rows, columns});
}

static double cost(const ops_problem *p, const ops_target *t) {
  double turns = ceil((double)tiles_of(p) / t->cores);
  double elements = (double)(get(p, TOPK_tile_rows) * get(p, TOPK_tile_columns));
  double each = 4 * (double)(get(p, TOPK_k) + 1) * elements + 200.0 * (double)get(p, TOPK_k);
  return 0.004 + turns * each / (t->gflops * 1e6);
}

static void steps(const ops_problem *p, ops_steps *out) {
  if (get(p, TOPK_rows) == 0) return;
  ops_step *s = ops_step_add(out, "main", tiles_of(p), 1, 1);
  ops_pass_tensor(out, s, "x");
  ops_pass_tensor(out, s, "y");
  ops_pass_tensor(out, s, "index");
  ops_pass_index(out, s, "rows", get(p, TOPK_rows));
  ops_pass_index(out, s, "columns", get(p, TOPK_columns));
  ops_pass_index(out, s, "ldx", get(p, TOPK_ldx));
  ops_pass_index(out, s, "ldy", get(p, TOPK_ldy));
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct topk_kernel {
  ops_build *b;
  ops_type late;
  int64_t rows, columns, k; /* of tiles: k as a power of two */
  tsr_value x, column;      /* numbers and their columns, rows x columns */
} topk_kernel;

static ops_tiles matrix(topk_kernel *t, const char *name, ops_type type, tsr_value columns,
                        int64_t known, const char *ld, int64_t tile) {
  return ops_view(t->b, &(ops_view_spec){.base = ops_arg(t->b, name),
                                         .elem = ops_type_elem(type),
                                         .rank = 2,
                                         .sizes = {ops_arg(t->b, "rows"), columns},
                                         .strides = {ops_arg(t->b, ld)},
                                         .known = {0, known},
                                         .tile = {t->rows, tile},
                                         .padding = TSR_PADDING_ZERO});
}

static tsr_value number_of(topk_kernel *t, int64_t columns) {
  ops_build *b = t->b;
  tsr_value v = tsr_build_iota(b->b, ops_tile(b, TSR_I32, TSR_INTS(columns)));
  v = ops_reshape(b, v, TSR_INTS(1, columns));
  return ops_broadcast(b, v, TSR_INTS(t->rows, columns));
}

static tsr_value whole(topk_kernel *t, tsr_value v) {
  return ops_broadcast(t->b, v, TSR_INTS(t->rows, t->columns));
}

static tsr_value fold(topk_kernel *t, tsr_value v, ops_fold how) {
  return ops_reshape(t->b, ops_reduce(t->b, v, 1, how), TSR_INTS(t->rows, 1));
}

/* `v` where `taken` is 0; else `other`. */
static tsr_value where_left(topk_kernel *t, tsr_value taken, tsr_value v, double other) {
  tsr_value zero = ops_full_like(t->b, taken, 0);
  tsr_value left = tsr_build_cmpi(t->b->b, taken, zero, TSR_CMP_EQUAL, TSR_SIGNED);
  return tsr_build_select(t->b->b, left, v, ops_full_like(t->b, v, other));
}

static tsr_value equal(topk_kernel *t, tsr_value x, tsr_value y) {
  return tsr_build_cmpi(t->b->b, x, y, TSR_CMP_EQUAL, TSR_SIGNED);
}

/* The first column that is left and holds `largest`, rows x 1. */
static tsr_value first_column(topk_kernel *t, tsr_value taken, tsr_value largest) {
  ops_build *b = t->b;
  tsr_value same = tsr_build_cmpf(b->b, t->x, whole(t, largest), TSR_CMP_EQUAL, TSR_CMP_ORDERED);
  tsr_value far = ops_full_like(b, t->column, INT32_MAX);
  tsr_value at = tsr_build_select(b->b, same, t->column, far);
  return fold(t, where_left(t, taken, at, INT32_MAX), OPS_FOLD_MIN);
}

/* Puts a column into a tile of results. */
static tsr_value put(topk_kernel *t, tsr_value results, tsr_value turn, tsr_value v) {
  ops_build *b = t->b;
  tsr_ints shape = TSR_INTS(t->rows, t->k);
  tsr_value here = equal(t, number_of(t, t->k), ops_spread(b, turn, shape));
  return tsr_build_select(b->b, here, ops_broadcast(b, v, shape), results);
}

/* The numbers and columns, rows x k. */
static void choose(topk_kernel *t, tsr_value *y, tsr_value *index) {
  ops_build *b = t->b;
  tsr_elem late = ops_type_elem(t->late);
  tsr_value columns =
      ops_spread(b, ops_from_index(b, ops_arg(b, "columns")), TSR_INTS(t->rows, t->columns));
  tsr_value outside =
      tsr_build_cmpi(b->b, t->column, columns, TSR_CMP_GREATER_THAN_OR_EQUAL, TSR_SIGNED);
  tsr_value one = ops_full_like(b, t->column, 1), none = ops_full_like(b, t->column, 0);
  tsr_value init[] = {tsr_build_select(b->b, outside, one, none),
                      ops_full(b, late, TSR_INTS(t->rows, t->k), -INFINITY),
                      ops_full(b, TSR_I32, TSR_INTS(t->rows, t->k), 0)};
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), ops_i32(b, get(b->p, TOPK_k)), (tsr_values){init, 3});
  tsr_value turn = tsr_build_arg(b->b, 0), taken = tsr_build_arg(b->b, 1);
  tsr_value largest = fold(t, where_left(t, taken, t->x, -INFINITY), OPS_FOLD_MAX);
  tsr_value at = first_column(t, taken, largest);
  tsr_value now = tsr_build_select(b->b, equal(t, t->column, whole(t, at)), one, taken);
  tsr_value next[] = {now, put(t, tsr_build_arg(b->b, 2), turn, largest),
                      put(t, tsr_build_arg(b->b, 3), turn, at)};
  ops_loop_end(b, (tsr_values){next, 3});
  *y = tsr_op_result(loop, 1);
  *index = tsr_op_result(loop, 2);
}

/* exp(v - largest) / the sum of exp(of - largest), of tiles of rows; the largest of both is in the
 * first column of `v`. */
static tsr_value probabilities(topk_kernel *t, tsr_value v, tsr_value of) {
  ops_build *b = t->b;
  tsr_ints shape = tsr_type_shape(tsr_value_type(of));
  tsr_value largest = fold(t, of, OPS_FOLD_MAX);
  tsr_value e = tsr_build_exp(b->b, ops_sub(b, of, ops_broadcast(b, largest, shape)));
  tsr_ints small = TSR_INTS(t->rows, t->k);
  tsr_value sum = ops_broadcast(b, fold(t, e, OPS_FOLD_SUM), small);
  v = tsr_build_exp(b->b, ops_sub(b, v, ops_broadcast(b, largest, small)));
  return tsr_build_divf(b->b, v, sum);
}

/* Numbers outside of the row do not count. */
static tsr_value row_numbers(topk_kernel *t) {
  ops_build *b = t->b;
  tsr_value columns =
      ops_spread(b, ops_from_index(b, ops_arg(b, "columns")), TSR_INTS(t->rows, t->columns));
  tsr_value inside = tsr_build_cmpi(b->b, t->column, columns, TSR_CMP_LESS_THAN, TSR_SIGNED);
  return tsr_build_select(b->b, inside, t->x, ops_full_like(b, t->x, -INFINITY));
}

static void build(ops_build *b) {
  const ops_problem *p = b->p;
  int64_t k = get(p, TOPK_k), how = get(p, TOPK_softmax);
  ops_type type = get(p, TOPK_type);
  topk_kernel t = {.b = b,
                   .late = late_type(p),
                   .rows = get(p, TOPK_tile_rows),
                   .columns = get(p, TOPK_tile_columns),
                   .k = power_from(k)};
  tsr_value zero = ops_i32(b, 0), i = b->block[0], y, index;
  ops_tiles x = matrix(&t, "x", type, ops_arg(b, "columns"), 0, "ldx", t.columns);
  t.x = ops_convert(b, ops_load(b, &x, TSR_VALUES(i, zero)), type, t.late);
  t.column = number_of(&t, t.columns);
  choose(&t, &y, &index);
  if (how != WITHOUT_SOFTMAX) y = probabilities(&t, y, how == SOFTMAX_OF_ROW ? row_numbers(&t) : y);
  ops_tiles to = matrix(&t, "y", type, NULL, k, "ldy", t.k);
  ops_store(b, ops_convert(b, y, t.late, type), &to, TSR_VALUES(i, zero));
  to = matrix(&t, "index", TSR_I32, NULL, k, "ldy", t.k);
  ops_store(b, index, &to, TSR_VALUES(i, zero));
}

/* ---- the reference --------------------------------------------------------------------------- */

/* The column of the largest number that has not been taken. */
static int64_t largest_left(const double *x, const bool *taken, int64_t columns) {
  int64_t best = -1;
  for (int64_t j = 0; j < columns; j++)
    if (!taken[j] && (best < 0 || x[j] > x[best])) best = j;
  return best;
}

static void make_probabilities(const ops_problem *p, const double *x, double *y) {
  int64_t k = get(p, TOPK_k), how = get(p, TOPK_softmax);
  const double *of = how == SOFTMAX_OF_ROW ? x : y;
  double sum = 0, largest = y[0];
  if (how == WITHOUT_SOFTMAX) return;
  for (int64_t j = 0; j < (how == SOFTMAX_OF_ROW ? get(p, TOPK_columns) : k); j++)
    sum += exp(of[j] - largest);
  for (int64_t j = 0; j < k; j++) y[j] = exp(y[j] - largest) / sum;
}

static void reference(ops_host *h) {
  const ops_problem *p = h->p;
  int64_t columns = get(p, TOPK_columns), k = get(p, TOPK_k);
  bool *taken = arena_array(h->arena, bool, (size_t)columns + 1);
  for (int64_t i = 0; i < get(p, TOPK_rows); i++) {
    const double *x = &ops_host_tensor(h, "x")->numbers[i * get(p, TOPK_ldx)];
    double *y = &ops_host_tensor(h, "y")->numbers[i * get(p, TOPK_ldy)];
    double *index = &ops_host_tensor(h, "index")->numbers[i * get(p, TOPK_ldy)];
    memset(taken, 0, (size_t)columns);
    for (int64_t j = 0; j < k; j++) {
      int64_t best = largest_left(x, taken, columns);
      taken[best] = true;
      index[j] = (double)best;
      y[j] = x[best];
    }
    make_probabilities(p, x, y);
  }
}

static double flops(const ops_problem *p) {
  return 2 * (double)get(p, TOPK_rows) * (double)get(p, TOPK_columns) * (double)get(p, TOPK_k);
}

static double tolerance(const ops_problem *p) {
  if (get(p, TOPK_softmax) == WITHOUT_SOFTMAX) return 0;
  return (16 + 2 * sqrt((double)get(p, TOPK_columns))) * ops_type_roundoff(late_type(p));
}

const ops_family ops_family_topk = {
    .name = "topk",
    .about = "the largest numbers of rows with their columns, also as probabilities",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = TOPK_index,
    .settle = settle,
    .operands = operands,
    .supported = supported,
    .candidates = candidates,
    .cost = cost,
    .steps = steps,
    .build = build,
    .reference = reference,
    .flops = flops,
    .tolerance = tolerance,
};
