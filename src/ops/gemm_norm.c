/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gemm_norm: y = norm(epilogue(a b)) of each row, by layer or RMS normalisation. The product of all
 * rows waits in the workspace, as `type_h`.
 */
#include "ops/chain.h"
#include "ops/families.h"

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

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  const ops_problem *product = &chain_chosen(&parts_of(p)->product, p)->problem;
  const ops_problem *norm = &chain_chosen(&parts_of(p)->norm, p)->problem;
  return ops_family_gemm.supported(product, t, why) && ops_family_norm.supported(norm, t, why);
}

static void candidates(const ops_target *t, ops_candidates *out) {
  ops_problem best = *out->problem;
  chain_choose(&parts_of(&best)->product, &best, t);
  chain_choose(&parts_of(&best)->norm, &best, t);
  chain_candidate(&best, out);
}

static double cost(const ops_problem *p, const ops_target *t) {
  return ops_family_gemm.cost(&chain_chosen(&parts_of(p)->product, p)->problem, t) +
         ops_family_norm.cost(&chain_chosen(&parts_of(p)->norm, p)->problem, t);
}

static void steps(const ops_problem *p, ops_steps *out) {
  ops_inner_steps(chain_chosen(&parts_of(p)->product, p), out);
  ops_inner_steps(chain_chosen(&parts_of(p)->norm, p), out);
}

static void build(ops_build *b) {
  (void)b; /* all steps are those of others */
}

static void reference(ops_host *h) {
  chain_reference(&parts_of(h->p)->product, &parts_of(h->p)->norm, h);
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
