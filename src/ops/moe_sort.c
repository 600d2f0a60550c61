/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * moe_sort: the rows of a product of experts (gemm with rows=sorted). A *pair* is a token and one
 * of the experts that it goes to; pair number token * top + place. Pairs are sorted by expert,
 * those of one in their order; the rows of an expert are rounded up to `unit`, so that `unit` rows
 * from a multiple of it on have one expert.
 *
 * The first step counts the pairs of each expert in chunks of them, and fills the results with
 * padding; the second, of one block, finds where experts and chunks begin; the third puts pairs to
 * their places. Pairs of experts that are none of 0 to experts - 1 have no row: an expert that
 * lives elsewhere is left out in this way.
 */
#include <math.h>

#include "ops/emit.h"
#include "ops/families.h"
#include "ops/host.h"
#include "ops/moe.h"

#define MOE_SORT_PARAMS(P)                                                                         \
  P(weights, CHOSEN, FORM, 0, 0, "no yes", "no", "pairs have weights, which are sorted as well")   \
  P(type_weight, TYPE, FORM, 0, 0, NULL, "f32", "what weights hold: floats of 8 bits and more")    \
  P(unit, INTEGER, FORM, 1, 1024, NULL, "32", "rows of an expert are a multiple of it")            \
  P(tokens, INTEGER, SIZE, 0, INT32_MAX, NULL, "1024", "rows of index and weight")                 \
  P(top, INTEGER, SIZE, 0, INT32_MAX, NULL, "2", "experts of a token: columns of these")           \
  P(experts, INTEGER, SIZE, 0, MOE_SORT_MOST, NULL, "8", "how many experts there are")             \
  P(tile_pairs, INTEGER, CHOICE, 1, 4096, "auto", "auto", "pairs of a chunk, a power of two")      \
  P(tile_experts, INTEGER, CHOICE, 1, MOE_SORT_MOST, "auto", "auto",                               \
    "experts of a tile, a power of two of at least `experts`")                                     \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) MOE_SORT_##id,
  MOE_SORT_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {MOE_SORT_PARAMS(OPS_PARAM_ROW)};

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static int64_t pairs_of(const ops_problem *p) {
  return get(p, MOE_SORT_tokens) * get(p, MOE_SORT_top);
}

static int64_t rows_of(const ops_problem *p) {
  return moe_sorted_rows(pairs_of(p), get(p, MOE_SORT_experts), get(p, MOE_SORT_unit));
}

static int64_t chunks_of(const ops_problem *p) {
  return MAX(ops_tiles_of(pairs_of(p), get(p, MOE_SORT_tile_pairs)), 1);
}

int64_t moe_sorted_rows(int64_t pairs, int64_t experts, int64_t unit) {
  int64_t rows = pairs + MIN(experts, pairs) * (unit - 1);
  return rows / unit * unit;
}

static bool settle(ops_problem *p, ops_why *why) {
  ops_type t = get(p, MOE_SORT_type_weight);
  if (!ops_type_is_float(t) || ops_type_bits(t) < 8)
    return ops_refuse(why, "type_weight=%s: weights are floats of 8 bits and more",
                      ops_type_name(t));
  if (pairs_of(p) <= MOE_MOST_ROWS && rows_of(p) <= MOE_MOST_ROWS) return true;
  return ops_refuse(why, "tokens=%lld, top=%lld: at most 2^30 rows can be sorted, with padding",
                    (long long)get(p, MOE_SORT_tokens), (long long)get(p, MOE_SORT_top));
}

static ops_operand *add_pairs(const ops_problem *p, ops_operands *out, const char *name,
                              ops_type type) {
  ops_operand *o = ops_operand_add(out, name, type, TSR_OP_READ);
  ops_operand_dim(o, get(p, MOE_SORT_tokens), get(p, MOE_SORT_top));
  ops_operand_dim(o, get(p, MOE_SORT_top), 1);
  return o;
}

static void add_line(ops_operands *out, const char *name, ops_type type, int64_t size) {
  ops_operand_dim(ops_operand_add(out, name, type, TSR_OP_WRITTEN), size, 1);
}

static void operands(const ops_problem *p, ops_operands *out) {
  ops_operand *expert = add_pairs(p, out, "index", TSR_I32);
  expert->low = -1, expert->high = (double)get(p, MOE_SORT_experts);
  if (get(p, MOE_SORT_weights)) add_pairs(p, out, "weight", get(p, MOE_SORT_type_weight));
  add_line(out, "ids", TSR_I32, rows_of(p));
  add_line(out, "experts", TSR_I32, rows_of(p) / get(p, MOE_SORT_unit));
  add_line(out, "offsets", TSR_I32, get(p, MOE_SORT_experts) + 1);
  if (get(p, MOE_SORT_weights))
    add_line(out, "sorted_weight", get(p, MOE_SORT_type_weight), rows_of(p));
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  (void)t;
  int64_t pairs = get(p, MOE_SORT_tile_pairs), experts = get(p, MOE_SORT_tile_experts);
  if (!ops_check_power(p, MOE_SORT_tile_pairs, why) ||
      !ops_check_power(p, MOE_SORT_tile_experts, why))
    return false;
  if (experts < get(p, MOE_SORT_experts))
    return ops_refuse(why, "tile_experts=%lld, but a tile holds all experts=%lld; give more",
                      (long long)experts, (long long)get(p, MOE_SORT_experts));
  if (pairs * experts <= MOE_SORT_TILE) return true;
  return ops_refuse(why, "tiles of %lld x %lld are too large: at most 16384 elements",
                    (long long)pairs, (long long)experts);
}

static void candidates(const ops_target *t, ops_candidates *out) {
  int64_t experts = 1;
  (void)t;
  while (experts < get(out->problem, MOE_SORT_experts)) experts *= 2;
  for (int64_t pairs = MIN(MOE_SORT_TILE / experts, 16);
       pairs <= 1024 && pairs * experts <= MOE_SORT_TILE; pairs *= 4)
    ops_candidates_add(out, (int64_t[]){pairs, experts});
}

static double cost(const ops_problem *p, const ops_target *t) {
  double chunks = (double)chunks_of(p), experts = (double)get(p, MOE_SORT_tile_experts);
  double each = (double)get(p, MOE_SORT_tile_pairs) * experts * 6 + 400;
  double alone = chunks * (experts + 200);
  return 0.012 + (ceil(chunks / t->cores) * each + alone) / (t->gflops * 1e6);
}

static void pass_sizes(const ops_problem *p, ops_steps *out, ops_step *s) {
  ops_pass_workspace(out, s, "counts", TSR_I32, chunks_of(p) * get(p, MOE_SORT_tile_experts));
  ops_pass_word(s, "pairs", pairs_of(p));
  ops_pass_word(s, "n_experts", get(p, MOE_SORT_experts));
  ops_pass_word(s, "rows", rows_of(p));
  ops_pass_word(s, "chunks", chunks_of(p));
}

static void pass_sorted(const ops_problem *p, ops_steps *out, ops_step *s) {
  ops_pass_tensor(out, s, "index");
  ops_pass_tensor(out, s, "ids");
  if (get(p, MOE_SORT_weights)) ops_pass_tensor(out, s, "sorted_weight");
}

static void steps(const ops_problem *p, ops_steps *out) {
  ops_step *s = ops_step_add(out, "count", chunks_of(p), 1, 1);
  pass_sizes(p, out, s);
  pass_sorted(p, out, s);
  s = ops_step_add(out, "place", 1, 1, 1);
  pass_sizes(p, out, s);
  ops_pass_tensor(out, s, "experts");
  ops_pass_tensor(out, s, "offsets");
  s = ops_step_add(out, "scatter", chunks_of(p), 1, 1);
  pass_sizes(p, out, s);
  pass_sorted(p, out, s);
  if (get(p, MOE_SORT_weights)) ops_pass_tensor(out, s, "weight");
}

/* ---- what kernels share ---------------------------------------------------------------------- */

typedef struct sort_kernel {
  ops_build *b;
  int64_t pairs, experts; /* of a tile */
} sort_kernel;

static ops_tiles line_view(sort_kernel *k, const char *name, tsr_elem elem, const char *size,
                           int64_t tile) {
  return ops_view(k->b, &(ops_view_spec){.base = ops_arg(k->b, name),
                                         .elem = elem,
                                         .rank = 1,
                                         .sizes = {ops_to_index(k->b, ops_arg(k->b, size))},
                                         .tile = {tile},
                                         .padding = TSR_PADDING_ZERO});
}

/* What the chunks have of each expert; later where these pairs go. */
static ops_tiles counts_view(sort_kernel *k) {
  return ops_view(k->b, &(ops_view_spec){.base = ops_arg(k->b, "counts"),
                                         .elem = TSR_I32,
                                         .rank = 2,
                                         .sizes = {ops_to_index(k->b, ops_arg(k->b, "chunks"))},
                                         .strides = {ops_index(k->b, k->experts)},
                                         .known = {0, k->experts},
                                         .tile = {1, k->experts}});
}

static tsr_value numbers_from(ops_build *b, tsr_value first, int64_t count) {
  tsr_value v = tsr_build_iota(b->b, ops_tile(b, TSR_I32, TSR_INTS(count)));
  return ops_add(b, v, ops_spread(b, first, TSR_INTS(count)));
}

static tsr_value chunk_numbers(sort_kernel *k, tsr_value chunk) {
  tsr_value first = tsr_build_muli(k->b->b, chunk, ops_i32(k->b, k->pairs));
  return numbers_from(k->b, first, k->pairs);
}

static tsr_value is_below(ops_build *b, tsr_value x, tsr_value end) {
  end = ops_spread(b, end, tsr_type_shape(tsr_value_type(x)));
  return tsr_build_cmpi(b->b, x, end, TSR_CMP_LESS_THAN, TSR_SIGNED);
}

/* The experts of a chunk's pairs: -1 beyond the last pair, and for those that are not sorted. */
static tsr_value chunk_experts(sort_kernel *k) {
  ops_build *b = k->b;
  ops_tiles view = line_view(k, "index", TSR_I32, "pairs", k->pairs);
  tsr_value v = ops_load(b, &view, TSR_VALUES(b->block[0]));
  tsr_value is = is_below(b, chunk_numbers(k, b->block[0]), ops_arg(b, "pairs"));
  is = tsr_build_andi(b->b, is, is_below(b, v, ops_arg(b, "n_experts")));
  return tsr_build_select(b->b, is, v, ops_full_like(b, v, -1));
}

/* pairs x experts: 1 where the pair goes to the expert. */
static tsr_value one_hot(sort_kernel *k, tsr_value expert) {
  ops_build *b = k->b;
  tsr_ints shape = TSR_INTS(k->pairs, k->experts);
  tsr_value column = tsr_build_iota(b->b, ops_tile(b, TSR_I32, TSR_INTS(k->experts)));
  column = ops_broadcast(b, ops_reshape(b, column, TSR_INTS(1, k->experts)), shape);
  expert = ops_broadcast(b, ops_reshape(b, expert, TSR_INTS(k->pairs, 1)), shape);
  tsr_value same = tsr_build_cmpi(b->b, expert, column, TSR_CMP_EQUAL, TSR_SIGNED);
  return tsr_build_select(b->b, same, ops_full_like(b, column, 1), ops_full_like(b, column, 0));
}

/* Sums of all elements up to each one along a dimension. */
static tsr_value running_sum(ops_build *b, tsr_value v, unsigned dim) {
  tsr_scalar zero = tsr_scalar_int(TSR_I32, 0);
  tsr_op *scan = tsr_build_scan(b->b, TSR_VALUES(v), dim, false, TSR_SCALARS(zero));
  tsr_value x = tsr_build_arg(b->b, 0), y = tsr_build_arg(b->b, 1);
  tsr_build_yield(b->b, TSR_VALUES(ops_add(b, x, y)));
  tsr_build_end(b->b);
  return tsr_op_result(scan, 0);
}

/* ---- the steps ------------------------------------------------------------------------------- */

/* Every chunk fills tiles of the sorted rows: `chunk`, `chunk` + chunks, ... */
static void fill_rows(sort_kernel *k) {
  ops_build *b = k->b;
  ops_type type = get(b->p, MOE_SORT_type_weight);
  ops_tiles ids = line_view(k, "ids", TSR_I32, "rows", k->pairs), weights = {0};
  if (get(b->p, MOE_SORT_weights))
    weights = line_view(k, "sorted_weight", ops_type_elem(type), "rows", k->pairs);
  tsr_value end = ops_ceil_div(b, ops_arg(b, "rows"), k->pairs);
  tsr_build_for(b->b, b->block[0], end, ops_arg(b, "chunks"), (tsr_values){0});
  tsr_value i = tsr_build_arg(b->b, 0), none = ops_arg(b, "pairs");
  ops_store(b, ops_spread(b, none, TSR_INTS(k->pairs)), &ids, TSR_VALUES(i));
  if (weights.view)
    ops_store(b, ops_full(b, ops_type_elem(type), TSR_INTS(k->pairs), 0), &weights, TSR_VALUES(i));
  tsr_build_end(b->b);
}

static void build_count(sort_kernel *k) {
  ops_build *b = k->b;
  tsr_value count = ops_reduce(b, one_hot(k, chunk_experts(k)), 0, OPS_FOLD_SUM);
  ops_tiles counts = counts_view(k);
  ops_store(b, ops_reshape(b, count, TSR_INTS(1, k->experts)), &counts,
            TSR_VALUES(b->block[0], ops_i32(b, 0)));
  fill_rows(k);
}

/* Adds up what the chunks have; when placing, every chunk gets where its pairs begin instead. */
static tsr_value go_through_chunks(sort_kernel *k, tsr_value so_far, bool is_placing) {
  ops_build *b = k->b;
  tsr_value zero = ops_i32(b, 0);
  ops_tiles counts = counts_view(k);
  tsr_op *loop = ops_loop(b, zero, ops_arg(b, "chunks"), TSR_VALUES(so_far));
  tsr_value i = tsr_build_arg(b->b, 0), sum = tsr_build_arg(b->b, 1);
  tsr_value more = ops_load(b, &counts, TSR_VALUES(i, zero));
  if (is_placing) ops_store(b, sum, &counts, TSR_VALUES(i, zero));
  ops_loop_end(b, TSR_VALUES(ops_add(b, sum, more)));
  return tsr_op_result(loop, 0);
}

/* The experts of units: how many experts have their last row before it; -1 behind the last row. */
static void store_experts(sort_kernel *k, tsr_value end, tsr_value rows) {
  ops_build *b = k->b;
  int64_t unit = get(b->p, MOE_SORT_unit), tile = MAX(MIN(MOE_SORT_TILE / k->experts, 256), 1);
  tsr_ints shape = TSR_INTS(tile, k->experts);
  tsr_value all = ops_ceil_div(b, ops_arg(b, "rows"), unit);
  ops_tiles view = ops_view(b, &(ops_view_spec){.base = ops_arg(b, "experts"),
                                                .elem = TSR_I32,
                                                .rank = 1,
                                                .sizes = {ops_to_index(b, all)},
                                                .tile = {tile}});
  ops_loop(b, ops_i32(b, 0), ops_ceil_div(b, all, tile), (tsr_values){0});
  tsr_value i = tsr_build_arg(b->b, 0), first = tsr_build_muli(b->b, i, ops_i32(b, tile));
  tsr_value row = numbers_from(b, first, tile);
  row = ops_mul(b, row, ops_full_like(b, row, (double)unit));
  tsr_value wide = ops_broadcast(b, ops_reshape(b, row, TSR_INTS(tile, 1)), shape);
  tsr_value is = tsr_build_cmpi(b->b, ops_broadcast(b, end, shape), wide,
                                TSR_CMP_LESS_THAN_OR_EQUAL, TSR_SIGNED);
  is = tsr_build_select(b->b, is, ops_full_like(b, wide, 1), ops_full_like(b, wide, 0));
  tsr_value expert = ops_reduce(b, is, 1, OPS_FOLD_SUM);
  expert = tsr_build_select(b->b, is_below(b, row, rows), expert, ops_full_like(b, row, -1));
  ops_store(b, expert, &view, TSR_VALUES(i));
  tsr_build_end(b->b);
}

/* Where each expert's rows begin, then where the last one's end. */
static void store_offsets(sort_kernel *k, tsr_value start, tsr_value rows) {
  ops_build *b = k->b;
  tsr_value count = ops_arg(b, "n_experts"), base = ops_arg(b, "offsets");
  ops_tiles view = ops_view(b, &(ops_view_spec){.base = base,
                                                .elem = TSR_I32,
                                                .rank = 1,
                                                .sizes = {ops_to_index(b, count)},
                                                .tile = {k->experts}});
  ops_store(b, ops_reshape(b, start, TSR_INTS(k->experts)), &view, TSR_VALUES(ops_i32(b, 0)));
  tsr_build_store_ptr_tko(b->b, tsr_build_offset(b->b, base, count), rows, TSR_MEMORY_WEAK);
}

static void build_place(sort_kernel *k) {
  ops_build *b = k->b;
  tsr_ints line = TSR_INTS(1, k->experts);
  int64_t unit = get(b->p, MOE_SORT_unit);
  tsr_value total = go_through_chunks(k, ops_full(b, TSR_I32, line, 0), false);
  tsr_value by = ops_full_like(b, total, (double)unit);
  tsr_value rounded =
      tsr_build_divi(b->b, total, by, TSR_SIGNED, .rounding = TSR_ROUND_POSITIVE_INF);
  rounded = ops_mul(b, rounded, by);
  tsr_value end = running_sum(b, rounded, 1), start = ops_sub(b, end, rounded);
  tsr_value rows = ops_reduce(b, rounded, 1, OPS_FOLD_SUM);
  rows = tsr_build_reshape(b->b, rows, tsr_type_scalar(b->b, TSR_I32));
  store_offsets(k, start, rows);
  store_experts(k, end, rows);
  go_through_chunks(k, start, true);
}

/* The row of each of a chunk's pairs: that of the first one of its expert, and how many of them are
 * before it. */
static tsr_value rows_of_chunk(sort_kernel *k, tsr_value hot) {
  ops_build *b = k->b;
  ops_tiles counts = counts_view(k);
  tsr_value first = ops_load(b, &counts, TSR_VALUES(b->block[0], ops_i32(b, 0)));
  tsr_value row = ops_sub(b, running_sum(b, hot, 0), ops_full_like(b, hot, 1));
  row = ops_add(b, row, ops_broadcast(b, first, TSR_INTS(k->pairs, k->experts)));
  return ops_reduce(b, ops_mul(b, row, hot), 1, OPS_FOLD_SUM);
}

static void scatter(sort_kernel *k, const char *name, tsr_value row, tsr_value is, tsr_value v) {
  ops_build *b = k->b;
  tsr_elem elem = tsr_type_elem(tsr_value_type(v));
  tsr_ints line = TSR_INTS(k->pairs);
  tsr_value to =
      tsr_build_reshape(b->b, ops_arg(b, name), tsr_type_pointers(b->b, elem, TSR_INTS(1)));
  to = tsr_build_broadcast(b->b, to, tsr_type_pointers(b->b, elem, line));
  to = tsr_build_offset(b->b, to, row);
  tsr_build_store_ptr_tko(b->b, to, v, TSR_MEMORY_WEAK, .mask = is);
}

static void build_scatter(sort_kernel *k) {
  ops_build *b = k->b;
  tsr_elem type = ops_type_elem(get(b->p, MOE_SORT_type_weight));
  tsr_value expert = chunk_experts(k), row = rows_of_chunk(k, one_hot(k, expert));
  tsr_value is = tsr_build_cmpi(b->b, expert, ops_full_like(b, expert, 0),
                                TSR_CMP_GREATER_THAN_OR_EQUAL, TSR_SIGNED);
  scatter(k, "ids", row, is, chunk_numbers(k, b->block[0]));
  if (!get(b->p, MOE_SORT_weights)) return;
  ops_tiles view = line_view(k, "weight", type, "pairs", k->pairs);
  scatter(k, "sorted_weight", row, is, ops_load(b, &view, TSR_VALUES(b->block[0])));
}

static void build(ops_build *b) {
  sort_kernel k = {
      .b = b, .pairs = get(b->p, MOE_SORT_tile_pairs), .experts = get(b->p, MOE_SORT_tile_experts)};
  static void (*const steps_of[])(sort_kernel *) = {build_count, build_place, build_scatter};
  steps_of[b->step_index](&k);
}

/* ---- the reference --------------------------------------------------------------------------- */

static void sort_expert(ops_host *h, int64_t expert, int64_t *row) {
  const ops_tensor *of = ops_host_tensor(h, "index"), *ids = ops_host_tensor(h, "ids");
  const ops_tensor *weight = ops_host_tensor(h, "weight"),
                   *sorted = ops_host_tensor(h, "sorted_weight");
  int64_t unit = get(h->p, MOE_SORT_unit), first = *row;
  for (int64_t pair = 0; pair < pairs_of(h->p); pair++) {
    if (of->numbers[pair] != (double)expert) continue;
    if (sorted) sorted->numbers[*row] = weight->numbers[pair];
    ids->numbers[(*row)++] = (double)pair;
  }
  *row = ops_tiles_of(*row, unit) * unit;
  for (int64_t i = first / unit; i < *row / unit; i++)
    ops_host_tensor(h, "experts")->numbers[i] = (double)expert;
}

static void reference(ops_host *h) {
  const ops_problem *p = h->p;
  const ops_tensor *weights = ops_host_tensor(h, "sorted_weight"),
                   *offsets = ops_host_tensor(h, "offsets");
  int64_t row = 0, rows = rows_of(p), experts = get(p, MOE_SORT_experts);
  for (int64_t i = 0; i < rows; i++) {
    ops_host_tensor(h, "ids")->numbers[i] = (double)pairs_of(p);
    ops_host_tensor(h, "experts")->numbers[i / get(p, MOE_SORT_unit)] = -1;
    if (weights) weights->numbers[i] = 0;
  }
  for (int64_t expert = 0; expert < experts; expert++) {
    offsets->numbers[expert] = (double)row;
    sort_expert(h, expert, &row);
  }
  offsets->numbers[experts] = (double)row;
}

/* Each pair is compared with each expert. */
static double flops(const ops_problem *p) {
  return 2 * (double)pairs_of(p) * (double)get(p, MOE_SORT_experts);
}

static double tolerance(const ops_problem *p) {
  (void)p;
  return 0;
}

const ops_family ops_family_moe_sort = {
    .name = "moe_sort",
    .about = "pairs of tokens and experts sorted by expert, for products of experts",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = MOE_SORT_index,
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
