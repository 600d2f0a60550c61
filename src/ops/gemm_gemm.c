/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gemm_gemm: c = epilogue(softmax(between(a b0)) b1), for a batch of matrices. Fused, a tile block
 * computes rows of the first product tile by tile, each of which it multiplies by rows of b1 at
 * once; else the first product waits in the workspace, as `type_h`. A softmax is always fused: the
 * largest number and the sum of a row are corrected from tile to tile, as in attention, which has
 * more kinds of masks.
 */
#include <math.h>

#include "ops/chain.h"
#include "ops/families.h"
#include "ops/gemm.h"

#define GEMM_GEMM_PARAMS(P)                                                                        \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what a, b0 and b1 hold")                                 \
  P(type_h, TYPE, FORM, 0, 0, "auto", "auto", "what the second product takes; auto: the type")     \
  P(type_c, TYPE, FORM, 0, 0, "auto", "auto", "what c holds; auto: as that of gemm")               \
  P(a, CHOSEN, FORM, 0, 0, "row column", "row", "rows of a are contiguous, or its columns")        \
  P(b0, CHOSEN, FORM, 0, 0, "row column", "row", "rows of b0 are contiguous, or its columns")      \
  P(b1, CHOSEN, FORM, 0, 0, "row column", "row", "rows of b1 are contiguous, or its columns")      \
  P(c, CHOSEN, FORM, 0, 0, "row column", "row", "rows of c are contiguous, or its columns")        \
  P(between, TEXT, FORM, 0, 0, NULL, "none",                                                       \
    "what becomes of the first product's elements: residual+relu, with tensors that are called "   \
    "between_residual")                                                                            \
  P(softmax, CHOSEN, FORM, 0, 0, "no row causal", "no",                                            \
    "rows of the first product become probabilities, after `between`; causal: of the columns up "  \
    "to the row's own number")                                                                     \
  P(epilogue, TEXT, FORM, 0, 0, NULL, "none", "what becomes of c's elements: bias+residual")       \
  P(m, INTEGER, SIZE, 0, INT32_MAX, NULL, "1024", "rows of a and c")                               \
  P(n, INTEGER, SIZE, 0, INT32_MAX, NULL, "1024", "columns of b0, rows of b1")                     \
  P(k, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "64", "columns of a, rows of b0")                     \
  P(o, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "64", "columns of b1 and c")                          \
  P(batch, INTEGER, SIZE, 0, INT32_MAX, NULL, "1", "how many products")                            \
  P(alpha, REAL, SIZE, 0, 0, NULL, "1", "factor of the first product, before `between`")           \
  P(tile_m, INTEGER, CHOICE, 1, 1024, "auto", "auto", "rows of a tile of the first product")       \
  P(tile_n, INTEGER, CHOICE, 1, 4096, "auto", "auto", "columns of a tile of the first product")    \
  P(tile_k, INTEGER, CHOICE, 1, 1024, "auto", "auto", "length of a step of the first product")     \
  P(split_k, INTEGER, CHOICE, 1, 256, "auto", "auto", "parts of k that are summed up apart")       \
  P(tile_m1, INTEGER, CHOICE, 1, 1024, "auto", "auto", "the same of the second product")           \
  P(tile_n1, INTEGER, CHOICE, 1, 4096, "auto", "auto", "the same of the second product")           \
  P(tile_k1, INTEGER, CHOICE, 1, 1024, "auto", "auto", "the same of the second product")           \
  P(split_n, INTEGER, CHOICE, 1, 256, "auto", "auto", "parts of n that are summed up apart")       \
  P(fused, INTEGER, CHOICE, 0, 1, "auto", "auto",                                                  \
    "1: tiles of the first product go right into the second one, anew for each tile_n1 columns "   \
    "of c; 0: the first product waits in memory")                                                  \
  P(batched, CHOSEN, DERIVED, 0, 0, "no yes", "no", "there are several products")                  \
  P(scaled, CHOSEN, DERIVED, 0, 0, "no yes", "no", "alpha is not 1")                               \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) GEMM_GEMM_##id,
  GEMM_GEMM_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {GEMM_GEMM_PARAMS(OPS_PARAM_ROW)};

static const chain_param first_params[] = {
    {GEMM_GEMM_type, "type"},
    {GEMM_GEMM_type_h, "type_c"},
    {GEMM_GEMM_a, "a"},
    {GEMM_GEMM_b0, "b"},
    {GEMM_GEMM_between, "epilogue"},
    {GEMM_GEMM_m, "m"},
    {GEMM_GEMM_n, "n"},
    {GEMM_GEMM_k, "k"},
    {GEMM_GEMM_batch, "batch"},
    {GEMM_GEMM_alpha, "alpha"},
    {GEMM_GEMM_tile_m, "tile_m"},
    {GEMM_GEMM_tile_n, "tile_n"},
    {GEMM_GEMM_tile_k, "tile_k"},
    {GEMM_GEMM_split_k, "split_k"},
    {GEMM_GEMM_batched, "batched"},
    {GEMM_GEMM_scaled, "scaled"},
};
static const chain_param second_params[] = {
    {GEMM_GEMM_type_h, "type_a"},
    {GEMM_GEMM_type, "type_b"},
    {GEMM_GEMM_type_c, "type_c"},
    {GEMM_GEMM_b1, "b"},
    {GEMM_GEMM_c, "c"},
    {GEMM_GEMM_m, "m"},
    {GEMM_GEMM_epilogue, "epilogue"},
    {GEMM_GEMM_o, "n"},
    {GEMM_GEMM_n, "k"},
    {GEMM_GEMM_batch, "batch"},
    {GEMM_GEMM_tile_m1, "tile_m"},
    {GEMM_GEMM_tile_n1, "tile_n"},
    {GEMM_GEMM_tile_k1, "tile_k"},
    {GEMM_GEMM_split_n, "split_k"},
    {GEMM_GEMM_batched, "batched"},
};
static const ops_link first_links[] = {{"a", "a", false}, {"b", "b0", false}, {"c", "h", true}};
static const ops_link second_links[] = {{"a", "p", true}, {"b", "b1", false}};
static const ops_link plain_links[] = {{"a", "h", true}, {"b", "b1", false}};

enum { NO_SOFTMAX, ROW_SOFTMAX, CAUSAL_SOFTMAX };

typedef struct gemm_gemm_parts {
  chain_part first, second;
} gemm_gemm_parts;

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static const gemm_gemm_parts *parts_of(const ops_problem *p) {
  return p->parts;
}

static bool has_softmax(const ops_problem *p) {
  return get(p, GEMM_GEMM_softmax) != NO_SOFTMAX;
}

static bool check_softmax(const ops_problem *p, ops_why *why) {
  ops_type type = get(p, GEMM_GEMM_type), h = get(p, GEMM_GEMM_type_h);
  if (!has_softmax(p) || (ops_type_is_float(type) && ops_type_is_float(h))) return true;
  return ops_refuse(why, "softmax=%s takes floats, not type=%s and type_h=%s",
                    get(p, GEMM_GEMM_softmax) == ROW_SOFTMAX ? "row" : "causal",
                    ops_type_name(type), ops_type_name(h));
}

/* Scores are not rounded before they become probabilities. */
static bool settle_scores(ops_problem *p, gemm_gemm_parts *parts, ops_why *why) {
  bool is_double = ops_type_elem(get(p, GEMM_GEMM_type)) == TSR_F64;
  return !has_softmax(p) ||
         ops_inner_set(&parts->first.inner, why, "type_c", "%s", is_double ? "f64" : "f32");
}

static bool settle(ops_problem *p, ops_why *why) {
  gemm_gemm_parts *parts = arena_new(p->arena, gemm_gemm_parts);
  p->parts = parts;
  if (get(p, GEMM_GEMM_type_h) < 0) p->values[GEMM_GEMM_type_h].i = get(p, GEMM_GEMM_type);
  if (strstr(p->values[GEMM_GEMM_between].text, "quantise:row"))
    return ops_refuse(why, "between=%s: the second product has no factor for each row",
                      p->values[GEMM_GEMM_between].text);
  return check_softmax(p, why) &&
         chain_begin(&parts->first, p, &ops_family_gemm, "first", first_params,
                     ARRAY_LEN(first_params), why) &&
         settle_scores(p, parts, why) &&
         chain_settle(&parts->first, p, first_links, ARRAY_LEN(first_links), "between_", why) &&
         chain_begin(&parts->second, p, &ops_family_gemm, "second", second_params,
                     ARRAY_LEN(second_params), why) &&
         chain_settle(&parts->second, p, has_softmax(p) ? second_links : plain_links,
                      ARRAY_LEN(second_links), "", why);
}

static void operands(const ops_problem *p, ops_operands *out) {
  ops_inner_operands(&parts_of(p)->first.inner, out);
  ops_inner_operands(&parts_of(p)->second.inner, out);
}

/* A step of the second product is a tile of the first. */
static bool check_fused(const ops_problem *p, ops_why *why) {
  static const unsigned same[][2] = {{GEMM_GEMM_tile_m1, GEMM_GEMM_tile_m},
                                     {GEMM_GEMM_tile_k1, GEMM_GEMM_tile_n}};
  static const unsigned ones[] = {GEMM_GEMM_split_k, GEMM_GEMM_split_n};
  if (!get(p, GEMM_GEMM_fused) && has_softmax(p))
    return ops_refuse(why,
                      "fused=0, but probabilities do not wait in memory; give 1 or softmax=no");
  if (!get(p, GEMM_GEMM_fused)) return true;
  for (size_t i = 0; i < ARRAY_LEN(same); i++)
    if (get(p, same[i][0]) != get(p, same[i][1]))
      return ops_refuse(why, "%s=%lld, but with fused=1 it is %s=%lld", params[same[i][0]].name,
                        (long long)get(p, same[i][0]), params[same[i][1]].name,
                        (long long)get(p, same[i][1]));
  for (size_t i = 0; i < ARRAY_LEN(ones); i++)
    if (get(p, ones[i]) != 1)
      return ops_refuse(why, "%s=%lld, but with fused=1 sums are not divided; give 1",
                        params[ones[i]].name, (long long)get(p, ones[i]));
  if (!strstr(p->values[GEMM_GEMM_epilogue].text, "quantise:row")) return true;
  return ops_refuse(why, "epilogue=%s: with fused=1 no rows are quantised; give fused=0",
                    p->values[GEMM_GEMM_epilogue].text);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  if (!check_fused(p, why)) return false;
  return ops_family_gemm.supported(&chain_chosen(&parts_of(p)->first, p)->problem, t, why) &&
         ops_family_gemm.supported(&chain_chosen(&parts_of(p)->second, p)->problem, t, why);
}

/* Rows, columns of the first product, its steps, columns of c. */
typedef struct fused_tile {
  int16_t m, n, k, o;
} fused_tile;
static const fused_tile cpu_tiles[] = {{64, 64, 64, 64},   {64, 64, 64, 128},   {64, 64, 64, 256},
                                       {64, 128, 64, 128}, {32, 64, 64, 64},    {32, 64, 64, 128},
                                       {32, 64, 64, 512},  {128, 128, 64, 128}, {16, 64, 64, 64},
                                       {128, 64, 64, 64},  {8, 64, 64, 64},     {16, 64, 64, 256},
                                       {1, 256, 32, 256},  {128, 128, 64, 256}};
static const fused_tile gpu_tiles[] = {{64, 64, 64, 64},   {64, 64, 32, 128}, {128, 64, 64, 64},
                                       {128, 64, 32, 128}, {32, 64, 32, 64},  {16, 32, 32, 32},
                                       {16, 64, 32, 64}};

static void add_fused(const ops_target *t, ops_candidates *out) {
  bool on_gpu = t->kind == OPS_ON_GPU;
  const fused_tile *tiles = on_gpu ? gpu_tiles : cpu_tiles;
  size_t count = on_gpu ? ARRAY_LEN(gpu_tiles) : ARRAY_LEN(cpu_tiles);
  for (size_t i = 0; i < count; i++) {
    const fused_tile *f = &tiles[i];
    const chain_value values[] = {{GEMM_GEMM_tile_m, f->m},  {GEMM_GEMM_tile_n, f->n},
                                  {GEMM_GEMM_tile_k, f->k},  {GEMM_GEMM_split_k, 1},
                                  {GEMM_GEMM_tile_m1, f->m}, {GEMM_GEMM_tile_n1, f->o},
                                  {GEMM_GEMM_tile_k1, f->n}, {GEMM_GEMM_split_n, 1}};
    chain_fused_candidate(out->problem, GEMM_GEMM_fused, values, ARRAY_LEN(values), out);
  }
}

static void candidates(const ops_target *t, ops_candidates *out) {
  ops_problem best = *out->problem;
  if (get(&best, GEMM_GEMM_fused)) add_fused(t, out);
  if (get(&best, GEMM_GEMM_fused) == 1) return;
  best.values[GEMM_GEMM_fused].i = 0;
  chain_choose(&parts_of(&best)->first, &best, t);
  chain_choose(&parts_of(&best)->second, &best, t);
  chain_candidate(&best, out);
}

static int64_t tiles_of(const ops_problem *p, unsigned size, unsigned tile) {
  return ops_tiles_of(get(p, size), get(p, tile));
}

/* The first product is computed once for each tile of c's columns. */
static double fused_cost(const ops_problem *p, const ops_target *t) {
  double turns = (double)MAX(tiles_of(p, GEMM_GEMM_o, GEMM_GEMM_tile_n1), 1);
  double blocks =
      turns * (double)tiles_of(p, GEMM_GEMM_m, GEMM_GEMM_tile_m) * (double)get(p, GEMM_GEMM_batch);
  ops_target one = chain_one_core(t);
  double first = ops_family_gemm.cost(&chain_chosen(&parts_of(p)->first, p)->problem, &one);
  double second = ops_family_gemm.cost(&chain_chosen(&parts_of(p)->second, p)->problem, &one);
  return chain_shared(first * turns + second, blocks, t);
}

/* What waits in memory is written and read by all cores, beyond what their caches hold. */
static double memory_cost(const ops_problem *p, const ops_target *t) {
  enum { HELD = 512 << 10 };
  double bytes = 2.0 * (double)get(p, GEMM_GEMM_m) * (double)get(p, GEMM_GEMM_n) *
                 (double)get(p, GEMM_GEMM_batch) * ops_type_bytes(get(p, GEMM_GEMM_type_h));
  return bytes > (double)HELD * t->cores ? bytes / (t->gbytes * 1e6) : 0;
}

static double cost(const ops_problem *p, const ops_target *t) {
  if (get(p, GEMM_GEMM_fused)) return fused_cost(p, t);
  return ops_family_gemm.cost(&chain_chosen(&parts_of(p)->first, p)->problem, t) +
         ops_family_gemm.cost(&chain_chosen(&parts_of(p)->second, p)->problem, t) +
         memory_cost(p, t);
}

static void fused_step(const ops_problem *p, ops_steps *out) {
  int64_t rows = tiles_of(p, GEMM_GEMM_m, GEMM_GEMM_tile_m), batch = get(p, GEMM_GEMM_batch);
  if (!rows || !batch) return;
  ops_step *s =
      ops_step_add(out, "fused", rows, tiles_of(p, GEMM_GEMM_o, GEMM_GEMM_tile_n1), batch);
  ops_inner_pass(chain_chosen(&parts_of(p)->first, p), gemm_pass, out, s);
  ops_inner_pass(chain_chosen(&parts_of(p)->second, p), gemm_pass, out, s);
}

static void steps(const ops_problem *p, ops_steps *out) {
  if (!get(p, GEMM_GEMM_o)) return;
  if (get(p, GEMM_GEMM_fused)) {
    fused_step(p, out);
    return;
  }
  ops_inner_steps(chain_chosen(&parts_of(p)->first, p), out);
  ops_inner_steps(chain_chosen(&parts_of(p)->second, p), out);
}

/* ---- the kernel of both ---------------------------------------------------------------------- */

typedef struct fused_kernel {
  ops_build *b;
  const ops_problem *p;
  gemm_kernel first, second;
  ops_type late, sum; /* of what the first product becomes, and of the second's sums */
} fused_kernel;

/* What goes from turn to turn: the sums of c, then of a softmax the largest number and the sum of
 * each row. */
enum { AT_SUMS, AT_LARGEST, AT_SUM, STATE };

static tsr_value rows_full(fused_kernel *f, double x) {
  return ops_full(f->b, ops_type_elem(f->late), TSR_INTS(f->first.tile_m, 1), x);
}

/* Which columns of turn j a row has. */
static tsr_value seen(fused_kernel *f, tsr_value j) {
  gemm_kernel *g = &f->first;
  ops_build *b = f->b;
  tsr_value inside = chain_inside(b, j, g->tile_m, g->tile_n, g->n);
  if (get(f->p, GEMM_GEMM_softmax) != CAUSAL_SOFTMAX) return inside;
  tsr_ints shape = TSR_INTS(g->tile_m, g->tile_n);
  tsr_value rows = tsr_build_iota(b->b, ops_tile(b, TSR_I32, TSR_INTS(g->tile_m)));
  tsr_value columns = tsr_build_iota(b->b, ops_tile(b, TSR_I32, TSR_INTS(g->tile_n)));
  tsr_value row = tsr_build_muli(b->b, b->block[0], ops_i32(b, g->tile_m));
  tsr_value column = tsr_build_muli(b->b, j, ops_i32(b, g->tile_n));
  rows = tsr_build_addi(b->b, rows, ops_spread(b, row, TSR_INTS(g->tile_m)));
  columns = tsr_build_addi(b->b, columns, ops_spread(b, column, TSR_INTS(g->tile_n)));
  rows = ops_broadcast(b, ops_reshape(b, rows, TSR_INTS(g->tile_m, 1)), shape);
  columns = ops_broadcast(b, ops_reshape(b, columns, TSR_INTS(1, g->tile_n)), shape);
  tsr_value below = tsr_build_cmpi(b->b, columns, rows, TSR_CMP_LESS_THAN_OR_EQUAL, TSR_SIGNED);
  return tsr_build_andi(b->b, inside, below);
}

/* Columns that c has, of rows of numbers. */
static tsr_value over_sums(fused_kernel *f, tsr_value rows) {
  rows = ops_convert(f->b, rows, f->late, f->sum);
  return ops_broadcast(f->b, rows, TSR_INTS(f->second.tile_m, f->second.tile_n));
}

/* The probabilities of a tile, as if its rows had no larger numbers than so far. */
static tsr_value soften(fused_kernel *f, tsr_value x, const tsr_value *now, tsr_value *next) {
  ops_build *b = f->b;
  tsr_ints column = TSR_INTS(f->first.tile_m, 1);
  tsr_value most = ops_reshape(b, ops_reduce(b, x, 1, OPS_FOLD_MAX), column);
  next[AT_LARGEST] = ops_max(b, now[AT_LARGEST], most);
  tsr_ints shape = TSR_INTS(f->first.tile_m, f->first.tile_n);
  tsr_value p = tsr_build_exp(b->b, ops_sub(b, x, ops_broadcast(b, next[AT_LARGEST], shape)));
  tsr_value shrink = tsr_build_exp(b->b, ops_sub(b, now[AT_LARGEST], next[AT_LARGEST]));
  tsr_value sum = ops_reshape(b, ops_reduce(b, p, 1, OPS_FOLD_SUM), column);
  next[AT_SUM] = tsr_build_fma(b->b, now[AT_SUM], shrink, sum);
  next[AT_SUMS] = ops_mul(b, now[AT_SUMS], over_sums(f, shrink));
  return p;
}

/* Tile j of the first product, as the second one takes it, is multiplied by rows of b1. */
static void turn(fused_kernel *f, const ops_tiles *b1, tsr_value j, const tsr_value *now,
                 tsr_value *next) {
  ops_build *b = f->b;
  tsr_value sums[2];
  tsr_ints shape = TSR_INTS(f->first.tile_m, f->first.tile_n);
  f->first.j = j;
  gemm_sum_tile(&f->first, sums);
  tsr_value x = gemm_finish(&f->first, sums, NULL);
  double outside = has_softmax(f->p) ? -INFINITY : 0;
  x = tsr_build_select(b->b, seen(f, j), x, ops_full(b, ops_type_elem(f->late), shape, outside));
  next[AT_SUMS] = now[AT_SUMS];
  if (has_softmax(f->p)) x = soften(f, x, now, next);
  x = ops_convert(b, x, f->late, get(f->p, GEMM_GEMM_type_h));
  tsr_value y = ops_load(b, b1, TSR_VALUES(j, f->second.j));
  next[AT_SUMS] = gemm_multiply(&f->second, x, y, next[AT_SUMS]);
}

/* Rows without a column have the sum 0 and the result 0. */
static tsr_value divided(fused_kernel *f, tsr_value sums, tsr_value sum) {
  sum = tsr_build_maxf(f->b->b, sum, rows_full(f, 1e-30));
  return tsr_build_divf(f->b->b, sums, over_sums(f, sum));
}

/* How many tiles of the first product rows have. */
static tsr_value turns_of(fused_kernel *f) {
  ops_build *b = f->b;
  int64_t rows = f->first.tile_m, columns = f->first.tile_n;
  tsr_value turns = ops_from_index(b, ops_ceil_div(b, f->first.n, columns));
  if (get(f->p, GEMM_GEMM_softmax) != CAUSAL_SOFTMAX) return turns;
  tsr_value end = tsr_build_addi(b->b, b->block[0], ops_i32(b, 1));
  end = ops_ceil_div(b, tsr_build_muli(b->b, end, ops_i32(b, rows)), columns);
  return tsr_build_mini(b->b, turns, end, TSR_SIGNED);
}

static void build(ops_build *b) {
  const ops_problem *p = b->p;
  ops_inner *first = chain_chosen(&parts_of(p)->first, p);
  ops_inner *second = chain_chosen(&parts_of(p)->second, p);
  fused_kernel f = {.b = b,
                    .p = p,
                    .first = gemm_begin(ops_inner_build(first, b)),
                    .second = gemm_begin(ops_inner_build(second, b)),
                    .late = gemm_late_type(&first->problem),
                    .sum = gemm_partial_type(&second->problem)};
  tsr_value state[STATE], now[STATE], next[STATE];
  unsigned count = has_softmax(p) ? STATE : AT_SUMS + 1;
  ops_tiles b1 = gemm_b_view(&f.second);
  tsr_ints shape = TSR_INTS(f.second.tile_m, f.second.tile_n);
  state[AT_SUMS] = ops_full(b, ops_type_elem(f.sum), shape, 0);
  if (has_softmax(p)) state[AT_LARGEST] = rows_full(&f, -1e30), state[AT_SUM] = rows_full(&f, 0);
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), turns_of(&f), (tsr_values){state, count});
  for (unsigned i = 0; i < count; i++) now[i] = tsr_build_arg(b->b, i + 1);
  turn(&f, &b1, tsr_build_arg(b->b, 0), now, next);
  ops_loop_end(b, (tsr_values){next, count});
  tsr_value sums = tsr_op_result(loop, AT_SUMS);
  if (has_softmax(p)) sums = divided(&f, sums, tsr_op_result(loop, AT_SUM));
  gemm_end(&f.second, &sums);
}

/* ---- the reference --------------------------------------------------------------------------- */

static void soften_row(const ops_problem *p, double *x, int64_t row) {
  int64_t n = get(p, GEMM_GEMM_n), end = n;
  if (get(p, GEMM_GEMM_softmax) == CAUSAL_SOFTMAX) end = MIN(n, row + 1);
  double most = -INFINITY, sum = 0;
  for (int64_t i = 0; i < end; i++) most = fmax(most, x[i]);
  for (int64_t i = 0; i < end; i++) sum += x[i] = exp(x[i] - most);
  for (int64_t i = 0; i < n; i++) x[i] = i < end ? x[i] / sum : 0;
}

/* From "h" to "p". */
static void soften_all(ops_host *h, ops_memories *memories) {
  const ops_problem *p = h->p;
  int64_t n = get(p, GEMM_GEMM_n), m = get(p, GEMM_GEMM_m);
  int64_t rows = m * get(p, GEMM_GEMM_batch);
  ops_type from = get(&parts_of(p)->first.inner.problem, GEMM_type_c);
  ops_operand in = {.name = "h", .type = from, .rank = 2, .shape = {rows, n}, .strides = {n, 1}};
  ops_operand out = in;
  ops_host x;
  out.name = "p", out.type = get(p, GEMM_GEMM_type_h), out.use = TSR_OP_WRITTEN;
  ops_operands both = {.data = {in, out}, .count = 2};
  void *data[] = {ops_memory_find(memories, "h"),
                  ops_memory_of(memories, "p", ops_operand_bytes(&out), h->arena)};
  ops_host_init(&x, p, h->arena, &both, data);
  for (int64_t i = 0; i < rows; i++) soften_row(p, x.tensors[0].numbers + i * n, i % MAX(m, 1));
  x.tensors[1].numbers = x.tensors[0].numbers;
  ops_host_finish(&x);
}

static void reference(ops_host *h) {
  const gemm_gemm_parts *parts = parts_of(h->p);
  chain_reference(&parts->first, &parts->second, has_softmax(h->p) ? soften_all : NULL, h);
}

static double flops(const ops_problem *p) {
  return ops_family_gemm.flops(&parts_of(p)->first.inner.problem) +
         ops_family_gemm.flops(&parts_of(p)->second.inner.problem);
}

/* An element of the first product that lies near the middle of two numbers may become the other. */
static double tolerance(const ops_problem *p) {
  ops_type h = get(p, GEMM_GEMM_type_h);
  bool exact = strcmp(p->values[GEMM_GEMM_between].text, "none") == 0;
  double flip = !ops_type_is_int(h) ? 2 * ops_type_roundoff(h)
                : exact             ? 0
                                    : 2 / ops_type_highest(h);
  return 2 * ops_family_gemm.tolerance(&parts_of(p)->first.inner.problem) + flip +
         ops_family_gemm.tolerance(&parts_of(p)->second.inner.problem);
}

const ops_family ops_family_gemm_gemm = {
    .name = "gemm_gemm",
    .about = "products of matrices by a second matrix, in batches, with an epilogue between",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = GEMM_GEMM_index,
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
