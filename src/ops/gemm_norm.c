/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gemm_norm: y = norm(epilogue(a b)) of each row, by layer or RMS normalisation. Fused, a tile of
 * the product holds whole rows and is normalised at once; else the product of all rows waits in the
 * workspace, as `type_h`.
 */
#include <math.h>

#include "ops/chain.h"
#include "ops/families.h"
#include "ops/gemm.h"
#include "ops/norm.h"

#define GEMM_NORM_PARAMS(P)                                                                        \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what a and b hold")                                      \
  P(type_h, TYPE, FORM, 0, 0, "auto", "auto", "what the product is before it is normalised")       \
  P(type_y, TYPE, FORM, 0, 0, "auto", "auto",                                                      \
    "what y holds; auto: the type, f16 if that is small")                                          \
  P(type_w, TYPE, FORM, 0, 0, "auto", "auto", "what gamma and beta hold; auto: as y")              \
  P(a, CHOSEN, FORM, 0, 0, "row column", "row", "rows of a are contiguous, or its columns")        \
  P(b, CHOSEN, FORM, 0, 0, "row column", "row", "rows of b are contiguous, or its columns")        \
  P(epilogue, TEXT, FORM, 0, 0, NULL, "none",                                                      \
    "what becomes of elements before the norm: bias:n+relu+residual")                              \
  P(kind, CHOSEN, FORM, 0, 0, "layer rms", "layer", "which norm")                                  \
  P(gamma, CHOSEN, FORM, 0, 0, "no yes", "yes", "multiply by gamma, a number for each column")     \
  P(beta, CHOSEN, FORM, 0, 0, "auto no yes", "auto",                                               \
    "add beta, a number for each column; auto: yes of the kind layer, which alone has it")         \
  P(save, CHOSEN, FORM, 0, 0, "no yes", "no", "store mean (of the kind layer) and scale, as f32")  \
  P(quantise, CHOSEN, FORM, 0, 0, "no row", "no", "quantise y by row, with y_scale as f32")        \
  P(m, INTEGER, SIZE, 0, INT32_MAX, NULL, "1024", "rows of a and y")                               \
  P(n, INTEGER, SIZE, 0, INT32_MAX, NULL, "1", "columns of b and y")                               \
  P(k, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1024", "columns of a, rows of b")                    \
  P(epsilon, REAL, SIZE, 0, 0, NULL, "1e-5", "what is added to the variance")                      \
  P(tile_m, INTEGER, CHOICE, 1, 1024, "auto", "auto", "rows of a tile, a power of two")            \
  P(tile_n, INTEGER, CHOICE, 1, 4096, "auto", "auto", "columns of a tile, a power of two")         \
  P(tile_k, INTEGER, CHOICE, 1, 1024, "auto", "auto", "length of a step along k, a power of two")  \
  P(split_k, INTEGER, CHOICE, 1, 256, "auto", "auto", "parts of k that are summed up apart")       \
  P(tile_rows, INTEGER, CHOICE, 1, 4096, "auto", "auto", "rows of a tile of the norm")             \
  P(tile_columns, INTEGER, CHOICE, 1, 65536, "auto", "auto", "columns of a tile of the norm")      \
  P(whole, INTEGER, CHOICE, 0, 1, "auto", "auto", "1: a tile of the norm holds whole rows")        \
  P(fused, INTEGER, CHOICE, 0, 1, "auto", "auto",                                                  \
    "1: a tile of the product has whole rows, tile_n of at least n, and is normalised at once; "   \
    "0: the product waits in memory")                                                              \
  P(kept, INTEGER, DERIVED, 0, TSR_OP_MAX_RANK, NULL, "0", "dimensions of rows")                   \
  P(gone, INTEGER, DERIVED, 0, TSR_OP_MAX_RANK, NULL, "0", "dimensions that are normalised")       \
  P(units, TEXT, DERIVED, 0, 0, NULL, "auto", "which dimension of each tensor has the stride 1")   \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) GEMM_NORM_##id,
  GEMM_NORM_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {GEMM_NORM_PARAMS(OPS_PARAM_ROW)};

static const chain_param product_params[] = {
    {GEMM_NORM_type, "type"},
    {GEMM_NORM_type_h, "type_c"},
    {GEMM_NORM_a, "a"},
    {GEMM_NORM_b, "b"},
    {GEMM_NORM_epilogue, "epilogue"},
    {GEMM_NORM_m, "m"},
    {GEMM_NORM_n, "n"},
    {GEMM_NORM_k, "k"},
    {GEMM_NORM_tile_m, "tile_m"},
    {GEMM_NORM_tile_n, "tile_n"},
    {GEMM_NORM_tile_k, "tile_k"},
    {GEMM_NORM_split_k, "split_k"},
};
static const chain_param norm_params[] = {
    {GEMM_NORM_type_h, "type"},     {GEMM_NORM_type_y, "type_y"},
    {GEMM_NORM_type_w, "type_w"},   {GEMM_NORM_kind, "kind"},
    {GEMM_NORM_gamma, "weight"},    {GEMM_NORM_beta, "bias"},
    {GEMM_NORM_save, "save"},       {GEMM_NORM_quantise, "quantise"},
    {GEMM_NORM_epsilon, "epsilon"}, {GEMM_NORM_tile_rows, "tile_rows"},
    {GEMM_NORM_whole, "whole"},     {GEMM_NORM_tile_columns, "tile_columns"},
    {GEMM_NORM_kept, "kept"},       {GEMM_NORM_gone, "gone"},
    {GEMM_NORM_units, "units"},
};
static const ops_link product_links[] = {{"c", "h", true}};
static const ops_link norm_links[] = {
    {"x", "h", true}, {"weight", "gamma", false}, {"bias", "beta", false}};

typedef struct gemm_norm_parts {
  chain_part product, norm;
} gemm_norm_parts;

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static const gemm_norm_parts *parts_of(const ops_problem *p) {
  return p->parts;
}

static void settle_types(ops_problem *p) {
  ops_type type = get(p, GEMM_NORM_type);
  ops_type y = ops_type_bits(type) <= 8          ? TSR_F16
               : ops_type_elem(type) == TSR_TF32 ? TSR_F32
                                                 : type;
  if (get(p, GEMM_NORM_quantise)) y = TSR_I8;
  if (get(p, GEMM_NORM_type_h) < 0)
    p->values[GEMM_NORM_type_h].i = ops_type_elem(type) == TSR_F64 ? TSR_F64 : TSR_F32;
  if (get(p, GEMM_NORM_type_y) < 0) p->values[GEMM_NORM_type_y].i = y;
  if (get(p, GEMM_NORM_type_w) < 0)
    p->values[GEMM_NORM_type_w].i = get(p, GEMM_NORM_quantise) ? TSR_F32 : get(p, GEMM_NORM_type_y);
}

static bool settle_beta(ops_problem *p, ops_why *why) {
  enum { AUTO, NO, YES };
  bool is_rms = get(p, GEMM_NORM_kind) == 1;
  if (get(p, GEMM_NORM_beta) == AUTO) p->values[GEMM_NORM_beta].i = is_rms ? NO : YES;
  if (!is_rms || get(p, GEMM_NORM_beta) == NO) return true;
  return ops_refuse(why, "beta=yes: RMS normalisation has none; give beta=no or kind=layer");
}

static bool settle(ops_problem *p, ops_why *why) {
  gemm_norm_parts *parts = arena_new(p->arena, gemm_norm_parts);
  p->parts = parts;
  settle_types(p);
  if (strstr(p->values[GEMM_NORM_epilogue].text, "quantise:row"))
    return ops_refuse(why, "epilogue=%s: rows that are normalised are quantised by quantise=row",
                      p->values[GEMM_NORM_epilogue].text);
  if (!settle_beta(p, why)) return false;
  return chain_begin(&parts->product, p, &ops_family_gemm, "product", product_params,
                     ARRAY_LEN(product_params), why) &&
         chain_settle(&parts->product, p, product_links, ARRAY_LEN(product_links), "", why) &&
         chain_begin(&parts->norm, p, &ops_family_norm, "norm", norm_params, ARRAY_LEN(norm_params),
                     why) &&
         ops_inner_set(&parts->norm.inner, why, "shape", "%lldx%lld",
                       (long long)get(p, GEMM_NORM_m), (long long)get(p, GEMM_NORM_n)) &&
         chain_settle(&parts->norm, p, norm_links, ARRAY_LEN(norm_links), "norm_", why);
}

static void operands(const ops_problem *p, ops_operands *out) {
  ops_inner_operands(&parts_of(p)->product.inner, out);
  ops_inner_operands(&parts_of(p)->norm.inner, out);
}

/* A tile of the product is one of the norm. */
static bool check_fused(const ops_problem *p, ops_why *why) {
  static const unsigned same[][2] = {{GEMM_NORM_tile_rows, GEMM_NORM_tile_m},
                                     {GEMM_NORM_tile_columns, GEMM_NORM_tile_n}};
  if (!get(p, GEMM_NORM_fused)) return true;
  for (size_t i = 0; i < ARRAY_LEN(same); i++)
    if (get(p, same[i][0]) != get(p, same[i][1]))
      return ops_refuse(why, "%s=%lld, but with fused=1 it is %s=%lld", params[same[i][0]].name,
                        (long long)get(p, same[i][0]), params[same[i][1]].name,
                        (long long)get(p, same[i][1]));
  if (get(p, GEMM_NORM_split_k) != 1 || get(p, GEMM_NORM_whole) != 1)
    return ops_refuse(why, "split_k=%lld, whole=%lld: with fused=1 both are 1",
                      (long long)get(p, GEMM_NORM_split_k), (long long)get(p, GEMM_NORM_whole));
  return true;
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  if (!check_fused(p, why)) return false;
  const ops_problem *product = &chain_chosen(&parts_of(p)->product, p)->problem;
  const ops_problem *norm = &chain_chosen(&parts_of(p)->norm, p)->problem;
  return ops_family_gemm.supported(product, t, why) && ops_family_norm.supported(norm, t, why);
}

/* Tiles of whole rows, as many as registers or a cache hold. */
static void add_fused(const ops_target *t, ops_candidates *out) {
  static const int16_t rows[] = {128, 64, 32, 16, 8, 4, 1}, steps[] = {64, 32, 16};
  int64_t columns = ops_next_power(get(out->problem, GEMM_NORM_n));
  int64_t most = t->kind == OPS_ON_GPU ? 128 * 128 : 64 * 512;
  for (size_t i = 0; i < ARRAY_LEN(rows) * ARRAY_LEN(steps); i++) {
    int64_t m = rows[i / ARRAY_LEN(steps)], k = steps[i % ARRAY_LEN(steps)];
    const chain_value values[] = {{GEMM_NORM_tile_m, m},
                                  {GEMM_NORM_tile_n, columns},
                                  {GEMM_NORM_tile_k, k},
                                  {GEMM_NORM_split_k, 1},
                                  {GEMM_NORM_whole, 1},
                                  {GEMM_NORM_tile_rows, m},
                                  {GEMM_NORM_tile_columns, columns}};
    bool fits = m * columns <= most && (t->kind != OPS_ON_GPU || m >= 16);
    if (fits || (get(out->problem, GEMM_NORM_fused) == 1 && m == 1))
      chain_fused_candidate(out->problem, GEMM_NORM_fused, values, ARRAY_LEN(values), out);
  }
}

static void candidates(const ops_target *t, ops_candidates *out) {
  ops_problem best = *out->problem;
  if (get(&best, GEMM_NORM_fused)) add_fused(t, out);
  if (get(&best, GEMM_NORM_fused) == 1) return;
  best.values[GEMM_NORM_fused].i = 0;
  chain_choose(&parts_of(&best)->product, &best, t);
  chain_choose(&parts_of(&best)->norm, &best, t);
  chain_candidate(&best, out);
}

/* The rows are gone through once more for each of the sums. */
static double fused_cost(const ops_problem *p, const ops_target *t) {
  enum { PASSES = 6, NEAR = 64 << 10 };
  double blocks = (double)ops_tiles_of(get(p, GEMM_NORM_m), get(p, GEMM_NORM_tile_m));
  double tile = (double)(get(p, GEMM_NORM_tile_m) * get(p, GEMM_NORM_tile_n));
  double lanes = fmax(t->vector_bytes, 4) / 4, each = PASSES * 4 * lanes / (t->gflops * 1e6);
  /* Rows of more bytes have left the caches that are near before they are normalised. */
  if (t->kind == OPS_ON_CPU && tile * 4 > NEAR) each *= 3;
  ops_target one = chain_one_core(t);
  double product = ops_family_gemm.cost(&chain_chosen(&parts_of(p)->product, p)->problem, &one);
  return chain_shared(product + blocks * tile / lanes * each, blocks, t);
}

static double cost(const ops_problem *p, const ops_target *t) {
  if (get(p, GEMM_NORM_fused)) return fused_cost(p, t);
  return ops_family_gemm.cost(&chain_chosen(&parts_of(p)->product, p)->problem, t) +
         ops_family_norm.cost(&chain_chosen(&parts_of(p)->norm, p)->problem, t);
}

static void fused_step(const ops_problem *p, ops_steps *out) {
  int64_t rows = ops_tiles_of(get(p, GEMM_NORM_m), get(p, GEMM_NORM_tile_m));
  if (!rows) return;
  ops_step *s = ops_step_add(out, "fused", rows, 1, 1);
  ops_inner_pass(chain_chosen(&parts_of(p)->product, p), gemm_pass, out, s);
  ops_inner_pass(chain_chosen(&parts_of(p)->norm, p), norm_pass, out, s);
}

static void steps(const ops_problem *p, ops_steps *out) {
  if (get(p, GEMM_NORM_fused)) {
    fused_step(p, out);
    return;
  }
  ops_inner_steps(chain_chosen(&parts_of(p)->product, p), out);
  ops_inner_steps(chain_chosen(&parts_of(p)->norm, p), out);
}

/* The kernel of both: the product as it would wait. */
static void build(ops_build *b) {
  ops_inner *product = chain_chosen(&parts_of(b->p)->product, b->p);
  ops_inner *norm = chain_chosen(&parts_of(b->p)->norm, b->p);
  gemm_kernel g = gemm_begin(ops_inner_build(product, b));
  ops_type late = gemm_late_type(&product->problem), h = get(b->p, GEMM_NORM_type_h);
  tsr_value sums[2];
  gemm_sum_tile(&g, sums);
  tsr_value x = ops_convert(b, gemm_finish(&g, sums, NULL), late, h);
  bool is_double = ops_type_elem(h) == TSR_F64;
  norm_build_given(ops_inner_build(norm, b), ops_convert(b, x, h, is_double ? TSR_F64 : TSR_F32));
}

static void reference(ops_host *h) {
  chain_reference(&parts_of(h->p)->product, &parts_of(h->p)->norm, NULL, h);
}

static double flops(const ops_problem *p) {
  return ops_family_gemm.flops(&parts_of(p)->product.inner.problem) +
         ops_family_norm.flops(&parts_of(p)->norm.inner.problem);
}

/* Errors of sums are divided by their deviation, which may be small. */
static double tolerance(const ops_problem *p) {
  double h = 2 * ops_type_roundoff(get(p, GEMM_NORM_type_h));
  return 16 * ops_family_gemm.tolerance(&parts_of(p)->product.inner.problem) + 4 * h +
         ops_family_norm.tolerance(&parts_of(p)->norm.inner.problem);
}

const ops_family ops_family_gemm_norm = {
    .name = "gemm_norm",
    .about = "products of matrices whose rows are normalised",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = GEMM_NORM_index,
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
