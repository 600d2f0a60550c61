/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gemm_gemm: c = epilogue(between(a b0) b1), for a batch of matrices. The first product waits in
 * the workspace, as `type_h`. With a softmax between them it is attention.
 */
#include "ops/chain.h"
#include "ops/families.h"

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
static const ops_link second_links[] = {{"a", "h", true}, {"b", "b1", false}};

typedef struct gemm_gemm_parts {
  chain_part first, second;
} gemm_gemm_parts;

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static const gemm_gemm_parts *parts_of(const ops_problem *p) {
  return p->parts;
}

static bool settle(ops_problem *p, ops_why *why) {
  gemm_gemm_parts *parts = arena_new(p->arena, gemm_gemm_parts);
  p->parts = parts;
  if (get(p, GEMM_GEMM_type_h) < 0) p->values[GEMM_GEMM_type_h].i = get(p, GEMM_GEMM_type);
  if (strstr(p->values[GEMM_GEMM_between].text, "quantise:row"))
    return ops_refuse(why, "between=%s: the second product has no factor for each row",
                      p->values[GEMM_GEMM_between].text);
  return chain_begin(&parts->first, p, &ops_family_gemm, "first", first_params,
                     ARRAY_LEN(first_params), why) &&
         chain_settle(&parts->first, p, first_links, ARRAY_LEN(first_links), "between_", why) &&
         chain_begin(&parts->second, p, &ops_family_gemm, "second", second_params,
                     ARRAY_LEN(second_params), why) &&
         chain_settle(&parts->second, p, second_links, ARRAY_LEN(second_links), "", why);
}

static void operands(const ops_problem *p, ops_operands *out) {
  ops_inner_operands(&parts_of(p)->first.inner, out);
  ops_inner_operands(&parts_of(p)->second.inner, out);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return ops_family_gemm.supported(&chain_chosen(&parts_of(p)->first, p)->problem, t, why) &&
         ops_family_gemm.supported(&chain_chosen(&parts_of(p)->second, p)->problem, t, why);
}

static void candidates(const ops_target *t, ops_candidates *out) {
  ops_problem best = *out->problem;
  chain_choose(&parts_of(&best)->first, &best, t);
  chain_choose(&parts_of(&best)->second, &best, t);
  chain_candidate(&best, out);
}

static double cost(const ops_problem *p, const ops_target *t) {
  return ops_family_gemm.cost(&chain_chosen(&parts_of(p)->first, p)->problem, t) +
         ops_family_gemm.cost(&chain_chosen(&parts_of(p)->second, p)->problem, t);
}

static void steps(const ops_problem *p, ops_steps *out) {
  if (!get(p, GEMM_GEMM_o)) return;
  ops_inner_steps(chain_chosen(&parts_of(p)->first, p), out);
  ops_inner_steps(chain_chosen(&parts_of(p)->second, p), out);
}

static void build(ops_build *b) {
  (void)b; /* all steps are those of others */
}

static void reference(ops_host *h) {
  chain_reference(&parts_of(h->p)->first, &parts_of(h->p)->second, h);
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
