/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * moe: a layer of experts. Every token t goes to the experts index[t, 0], index[t, 1], ...:
 *
 *   h = activation(x[t] w1[e])             or, gated, with the columns of w1[e] in two halves:
 *   h = activation(x[t] g[e]) * (x[t] u[e])
 *   y[t] = epilogue(sum over its experts e of weight[t, .] * (h w2[e]))
 *
 * One plan has all of it: pairs of tokens and experts are sorted (moe_sort); the first product
 * gathers rows of x and leaves h in the sorted order, the second puts its rows where their pair
 * belongs (both gemm with rows=sorted), and the last step adds up those of a token, always in the
 * same order. Experts that are none of 0 to experts - 1 add nothing.
 */
#include <math.h>

#include "ops/compose.h"
#include "ops/emit.h"
#include "ops/epilogue.h"
#include "ops/families.h"
#include "ops/moe.h"

#define MOE_PARAMS(P)                                                                              \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what x holds")                                           \
  P(type_w, TYPE, FORM, 0, 0, "auto", "auto", "what w1 and w2 hold, if not the type")              \
  P(type_h, TYPE, FORM, 0, 0, "auto", "auto",                                                      \
    "what the second product takes: with quantise=row i8, u8 or a float of 8 bits")                \
  P(type_y, TYPE, FORM, 0, 0, "auto", "auto",                                                      \
    "what y holds; auto: the type, f16 if that is small")                                          \
  P(w, CHOSEN, FORM, 0, 0, "row column", "row",                                                    \
    "rows of w1 and w2 are contiguous (experts x inputs x outputs), or their columns (experts x "  \
    "outputs x inputs)")                                                                           \
  P(activation, TEXT, FORM, 0, 0, NULL, "silu", "a function of one number: silu, gelu, relu")      \
  P(gated, CHOSEN, FORM, 0, 0, "no yes", "yes", "w1 has 2 inter columns: gates, then values")      \
  P(epilogue, TEXT, FORM, 0, 0, NULL, "none", "what becomes of y's elements: bias:n+residual")     \
  P(scale_x, CHOSEN, FORM, 0, 0, "none tensor row group", "none", "as scale_a of gemm, of x")      \
  P(scale_w, CHOSEN, FORM, 0, 0, "none tensor column group", "none",                               \
    "as scale_b of gemm: each expert has one number, one for each column, or groups")              \
  P(type_scale, TYPE, FORM, 0, 0, NULL, "f32", "what scales hold")                                 \
  P(group, INTEGER, FORM, 16, 1 << 20, NULL, "128", "inputs that share a scale")                   \
  P(group_n, INTEGER, FORM, 1, 1 << 20, NULL, "1", "outputs that share a scale of a group")        \
  P(smooth, CHOSEN, FORM, 0, 0, "no yes", "no",                                                    \
    "h is multiplied by a number for each expert and column")                                      \
  P(quantise, CHOSEN, FORM, 0, 0, "no row", "no", "rows of h are quantised to type_h")             \
  P(unit, INTEGER, FORM, 1, 1024, "auto", "auto", "rows of an expert are a multiple of it")        \
  P(tokens, INTEGER, SIZE, 0, INT32_MAX, NULL, "1024", "rows of x and y")                          \
  P(top, INTEGER, SIZE, 1, INT32_MAX, NULL, "2", "experts of a token")                             \
  P(experts, INTEGER, SIZE, 0, MOE_SORT_MOST, NULL, "8", "how many experts there are")             \
  P(hidden, INTEGER, SIZE, 0, INT32_MAX, NULL, "1024", "columns of x and y")                       \
  P(inter, INTEGER, SIZE, 0, INT32_MAX >> 1, NULL, "1024", "columns of h")                         \
  P(tile_m, INTEGER, CHOICE, 1, 1024, "auto", "auto", "rows of a tile, which divide `unit`")       \
  P(tile_n, INTEGER, CHOICE, 1, 4096, "auto", "auto", "columns of a tile, a power of two")         \
  P(tile_k, INTEGER, CHOICE, 1, 1024, "auto", "auto", "length of a step along k, a power of two")  \
  P(tile_pairs, INTEGER, CHOICE, 1, 4096, "auto", "auto",                                          \
    "pairs of a chunk that is sorted, a power of two")                                             \
  P(tile_experts, INTEGER, CHOICE, 1, MOE_SORT_MOST, "auto", "auto",                               \
    "experts of a tile where pairs are sorted, a power of two of at least `experts`")              \
  OPS_HINT_PARAMS(P)                                                                               \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) MOE_##id,
  MOE_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {MOE_PARAMS(OPS_PARAM_ROW)};

/* Tiles of the step that adds up. */
enum { SUM_ROWS = 4, SUM_COLUMNS = 256 };

static const ops_link sort_links[] = {
    {"index", "index", false},
    {"ids", "ids", true},
    {"experts", "experts", true},
    {"offsets", "offsets", true},
};
static const ops_link up_links[] = {
    {"a", "x", false},
    {"b", "w1", false},
    {"scale_a", "scale_x", false},
    {"scale_b", "scale_w1", false},
    {"smooth", "smooth", false},
    {"ids", "ids", true},
    {"experts", "experts", true},
    {"c", "h", true},
    {"row_scale", "h_scale", true},
};
static const ops_link down_links[] = {
    {"a", "h", true},
    {"b", "w2", false},
    {"scale_a", "h_scale", true},
    {"scale_b", "scale_w2", false},
    {"ids", "ids", true},
    {"experts", "experts", true},
    {"c", "parts", true},
};

typedef struct moe_parts {
  ops_inner sort, up, down;
  ops_epilogue epilogue;
} moe_parts;

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static const char *type_name(const ops_problem *p, unsigned param) {
  return ops_type_name(get(p, param));
}

static const char *word(const ops_problem *p, unsigned param) {
  return p->values[param].text;
}

static bool is_quantised(const ops_problem *p) {
  return get(p, MOE_quantise) == 1;
}

/* What rows of one token are added up in. */
static ops_type late_type(const ops_problem *p) {
  return get(p, MOE_type) == TSR_F64 ? TSR_F64 : TSR_F32;
}

static int64_t pairs_of(const ops_problem *p) {
  return get(p, MOE_tokens) * get(p, MOE_top);
}

/* ---- problems that it is made of ------------------------------------------------------------- */

/* Few rows of an expert waste less in small units, many take large tiles. */
static int64_t usual_unit(const ops_problem *p) {
  int64_t each = pairs_of(p) / MAX(get(p, MOE_experts), 1);
  return each >= 512 ? 128 : each >= 128 ? 64 : each >= 24 ? 32 : 16;
}

static bool settle_types(ops_problem *p, ops_why *why) {
  ops_type type = get(p, MOE_type);
  ops_type wide = ops_type_bits(type) > 8 ? type : TSR_F16;
  if (get(p, MOE_type_w) < 0) p->values[MOE_type_w].i = type;
  if (get(p, MOE_type_h) < 0) p->values[MOE_type_h].i = is_quantised(p) ? type : wide;
  if (get(p, MOE_type_y) < 0) p->values[MOE_type_y].i = wide;
  ops_type h = get(p, MOE_type_h), y = get(p, MOE_type_y);
  if (is_quantised(p) && ops_type_bits(h) != 8)
    return ops_refuse(why, "type_h=%s: rows are quantised to i8, u8 and floats of 8 bits",
                      ops_type_name(h));
  if (!is_quantised(p) && !ops_type_is_float(h))
    return ops_refuse(why, "type_h=%s: integers take quantise=row", ops_type_name(h));
  if (ops_type_bits(y) >= 8) return true;
  return ops_refuse(why, "type_y=%s: results have 8 bits and more", ops_type_name(y));
}

static bool settle_sort(ops_problem *p, ops_why *why) {
  ops_inner *s = &((moe_parts *)p->parts)->sort;
  ops_inner_begin(s, p, &ops_family_moe_sort, "sort", sort_links, ARRAY_LEN(sort_links));
  return ops_inner_set(s, why, "unit", "%lld", (long long)get(p, MOE_unit)) &&
         ops_inner_set(s, why, "tokens", "%lld", (long long)get(p, MOE_tokens)) &&
         ops_inner_set(s, why, "top", "%lld", (long long)get(p, MOE_top)) &&
         ops_inner_set(s, why, "experts", "%lld", (long long)get(p, MOE_experts)) &&
         ops_inner_settle(s, p, why);
}

/* What both products have alike. */
static bool set_product(ops_problem *p, ops_inner *s, ops_why *why) {
  static const char *const scales[] = {"none", "tensor", "column", "group"};
  return ops_inner_set(s, why, "rows", "sorted") &&
         ops_inner_set(s, why, "type_b", "%s", type_name(p, MOE_type_w)) &&
         ops_inner_set(s, why, "b", get(p, MOE_w) ? "column" : "row") &&
         ops_inner_set(s, why, "scale_b", "%s", scales[get(p, MOE_scale_w)]) &&
         ops_inner_set(s, why, "type_scale", "%s", type_name(p, MOE_type_scale)) &&
         ops_inner_set(s, why, "group", "%lld", (long long)get(p, MOE_group)) &&
         ops_inner_set(s, why, "group_n", "%lld", (long long)get(p, MOE_group_n)) &&
         ops_inner_set(s, why, "unit", "%lld", (long long)get(p, MOE_unit)) &&
         ops_inner_set(s, why, "m", "%lld", (long long)pairs_of(p)) &&
         ops_inner_set(s, why, "batch", "%lld", (long long)get(p, MOE_experts));
}

/* The epilogue of the first product. */
static const char *up_epilogue(const ops_problem *p) {
  const char *parts[3];
  unsigned n = 0;
  sbuf out = SBUF(p->arena);
  if (!get(p, MOE_gated)) parts[n++] = word(p, MOE_activation);
  if (get(p, MOE_smooth)) parts[n++] = "smooth";
  if (is_quantised(p))
    parts[n++] = arena_printf(p->arena, "quantise:row:%s", type_name(p, MOE_type_h));
  if (n == 0) return "none";
  for (unsigned i = 0; i < n; i++) sbuf_printf(&out, "%s%s", i ? "+" : "", parts[i]);
  return out.data;
}

static bool settle_up(ops_problem *p, ops_why *why) {
  static const char *const scales[] = {"none", "tensor", "row", "group"};
  ops_inner *s = &((moe_parts *)p->parts)->up;
  const char *gate = get(p, MOE_gated) ? word(p, MOE_activation) : "none";
  ops_inner_begin(s, p, &ops_family_gemm, "up", up_links, ARRAY_LEN(up_links));
  return set_product(p, s, why) && ops_inner_set(s, why, "order", "c") &&
         ops_inner_set(s, why, "type_a", "%s", type_name(p, MOE_type)) &&
         ops_inner_set(s, why, "type_c", "%s", type_name(p, MOE_type_h)) &&
         ops_inner_set(s, why, "scale_a", "%s", scales[get(p, MOE_scale_x)]) &&
         ops_inner_set(s, why, "gate", "%s", gate) &&
         ops_inner_set(s, why, "epilogue", "%s", up_epilogue(p)) &&
         ops_inner_set(s, why, "top", "%lld", (long long)get(p, MOE_top)) &&
         ops_inner_set(s, why, "n", "%lld", (long long)get(p, MOE_inter)) &&
         ops_inner_set(s, why, "k", "%lld", (long long)get(p, MOE_hidden)) &&
         ops_inner_settle(s, p, why);
}

static bool settle_down(ops_problem *p, ops_why *why) {
  ops_inner *s = &((moe_parts *)p->parts)->down;
  ops_inner_begin(s, p, &ops_family_gemm, "down", down_links, ARRAY_LEN(down_links));
  return set_product(p, s, why) && ops_inner_set(s, why, "order", "a") &&
         ops_inner_set(s, why, "type_a", "%s", type_name(p, MOE_type_h)) &&
         ops_inner_set(s, why, "type_c", "%s", ops_type_name(late_type(p))) &&
         ops_inner_set(s, why, "scale_a", is_quantised(p) ? "row" : "none") &&
         ops_inner_set(s, why, "n", "%lld", (long long)get(p, MOE_hidden)) &&
         ops_inner_set(s, why, "k", "%lld", (long long)get(p, MOE_inter)) &&
         ops_inner_settle(s, p, why);
}

static bool settle_epilogue(ops_problem *p, ops_why *why) {
  ops_epilogue *e = &((moe_parts *)p->parts)->epilogue;
  str text = str_of(word(p, MOE_epilogue));
  if (!ops_epilogue_parse(e, p->arena, text, get(p, MOE_type_y), why)) return false;
  if (!e->by_row && (e->result < 0 || e->result == get(p, MOE_type_y))) return true;
  return ops_refuse(why, "epilogue=%s: y has type_y=%s, and quantise:row is not computed here",
                    word(p, MOE_epilogue), type_name(p, MOE_type_y));
}

static bool settle(ops_problem *p, ops_why *why) {
  p->parts = arena_new(p->arena, moe_parts);
  if (pairs_of(p) > MOE_MOST_ROWS)
    return ops_refuse(why, "tokens=%lld, top=%lld: at most 2^30 pairs can be sorted",
                      (long long)get(p, MOE_tokens), (long long)get(p, MOE_top));
  if (get(p, MOE_unit) < 0) p->values[MOE_unit].i = usual_unit(p);
  return settle_types(p, why) && settle_epilogue(p, why) && settle_sort(p, why) &&
         settle_up(p, why) && settle_down(p, why);
}

/* An inner problem with the choices of the whole: the instance of that has to say everything that
 * kernels depend on. Sums are not divided. */
static ops_inner *chosen(const ops_problem *p, const ops_inner *inner) {
  static const unsigned choices[] = {MOE_tile_m,       MOE_tile_n,    MOE_tile_k,    MOE_tile_pairs,
                                     MOE_tile_experts, MOE_warps,     MOE_occupancy, MOE_cluster,
                                     MOE_schedule,     MOE_persistent};
  ops_inner *out = arena_new(p->arena, ops_inner);
  *out = *inner;
  ops_problem *q = &out->problem;
  for (size_t i = 0; i < ARRAY_LEN(choices); i++) {
    unsigned at = ops_param_find(q->family, str_of(params[choices[i]].name));
    if (at < q->family->n_params) q->values[at].i = get(p, choices[i]);
  }
  unsigned split = ops_param_find(q->family, str_of("split_k"));
  if (split < q->family->n_params) q->values[split].i = 1;
  unsigned blocks = ops_param_find(q->family, str_of("blocks"));
  if (blocks < q->family->n_params) q->values[blocks].i = 0;
  q->values[q->family->index].i = get(p, MOE_index);
  return out;
}

static const moe_parts *parts_of(const ops_problem *p) {
  return p->parts;
}

/* ---- tensors --------------------------------------------------------------------------------- */

static ops_epilogue_shape shape_of(const ops_problem *p) {
  return (ops_epilogue_shape){.batch = 1,
                              .rows = get(p, MOE_tokens),
                              .columns = get(p, MOE_hidden),
                              .row_stride = get(p, MOE_hidden),
                              .column_stride = 1};
}

static void add_matrix(ops_operands *out, const char *name, ops_type type, int64_t rows,
                       int64_t columns, tsr_op_use use) {
  ops_operand *o = ops_operand_add(out, name, type, use);
  ops_operand_dim(o, rows, columns);
  ops_operand_dim(o, columns, 1);
}

static void operands(const ops_problem *p, ops_operands *out) {
  ops_epilogue_shape shape = shape_of(p);
  ops_inner_operands(&parts_of(p)->sort, out);
  add_matrix(out, "weight", late_type(p), get(p, MOE_tokens), get(p, MOE_top), TSR_OP_READ);
  ops_inner_operands(&parts_of(p)->up, out);
  ops_inner_operands(&parts_of(p)->down, out);
  ops_epilogue_operands(&parts_of(p)->epilogue, &shape, out);
  add_matrix(out, "y", get(p, MOE_type_y), get(p, MOE_tokens), get(p, MOE_hidden), TSR_OP_WRITTEN);
}

/* ---- choices --------------------------------------------------------------------------------- */

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  const moe_parts *parts = parts_of(p);
  const ops_inner *all[] = {&parts->sort, &parts->up, &parts->down};
  for (size_t i = 0; i < ARRAY_LEN(all); i++) {
    const ops_problem *q = &chosen(p, all[i])->problem;
    if (!q->family->supported(q, t, why)) return false;
  }
  return true;
}

static void candidates(const ops_target *t, ops_candidates *out) {
  static const int16_t columns[][2] = {{64, 64}, {128, 64}, {256, 32}, {1024, 16}, {32, 32}};
  int64_t unit = get(out->problem, MOE_unit), largest = unit & -unit, experts = 1;
  (void)t;
  while (experts < get(out->problem, MOE_experts)) experts *= 2;
  int64_t pairs = MIN(MOE_SORT_TILE / experts, 256);
  for (int64_t rows = largest; rows >= 1 && rows >= largest / 2; rows /= 2)
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
      ops_candidates_add(out, (int64_t[]){rows, columns[i][0], columns[i][1], pairs, experts});
}

static double cost(const ops_problem *p, const ops_target *t) {
  double ms = 0.02;
  ms += ops_family_gemm.cost(&chosen(p, &parts_of(p)->up)->problem, t);
  ms += ops_family_gemm.cost(&chosen(p, &parts_of(p)->down)->problem, t);
  return ms + 4.0 * (double)pairs_of(p) * (double)get(p, MOE_hidden) / (t->gbytes * 1e6);
}

static void steps(const ops_problem *p, ops_steps *out) {
  ops_epilogue_shape shape = shape_of(p);
  int64_t tokens = get(p, MOE_tokens), hidden = get(p, MOE_hidden);
  if (tokens == 0 || hidden == 0) return;
  ops_inner_steps(chosen(p, &parts_of(p)->sort), out);
  ops_inner_steps(chosen(p, &parts_of(p)->up), out);
  ops_inner_steps(chosen(p, &parts_of(p)->down), out);
  ops_step *s = ops_step_add(out, "sum", ops_tiles_of(tokens, SUM_ROWS),
                             ops_tiles_of(hidden, SUM_COLUMNS), 1);
  ops_pass_workspace(out, s, "parts", ops_type_elem(late_type(p)), pairs_of(p) * hidden);
  ops_pass_tensor(out, s, "index");
  ops_pass_tensor(out, s, "weight");
  ops_pass_tensor(out, s, "y");
  ops_pass_index(out, s, "tokens", tokens);
  ops_pass_index(out, s, "top", get(p, MOE_top));
  ops_pass_index(out, s, "hidden", hidden);
  ops_pass_word(s, "n_experts", get(p, MOE_experts));
  ops_epilogue_pass(&parts_of(p)->epilogue, &shape, out, s);
}

/* ---- the step that adds up ------------------------------------------------------------------- */

/* The products of each token's experts: tokens x top x hidden. */
static ops_tiles parts_view(ops_build *b) {
  tsr_value top = ops_arg(b, "top"), hidden = ops_arg(b, "hidden");
  return ops_view(b, &(ops_view_spec){.base = ops_arg(b, "parts"),
                                      .elem = ops_type_elem(late_type(b->p)),
                                      .rank = 3,
                                      .sizes = {ops_arg(b, "tokens"), top, hidden},
                                      .strides = {ops_mul(b, top, hidden), hidden},
                                      .tile = {SUM_ROWS, 1, SUM_COLUMNS},
                                      .padding = TSR_PADDING_ZERO});
}

static ops_tiles pair_view(ops_build *b, const char *name, tsr_elem elem) {
  return ops_view(b, &(ops_view_spec){.base = ops_arg(b, name),
                                      .elem = elem,
                                      .rank = 2,
                                      .sizes = {ops_arg(b, "tokens"), ops_arg(b, "top")},
                                      .strides = {ops_arg(b, "top")},
                                      .tile = {SUM_ROWS, 1},
                                      .padding = TSR_PADDING_ZERO});
}

/* Whether an expert is one of those that were computed. */
static tsr_value is_here(ops_build *b, tsr_value expert) {
  tsr_value count = ops_spread(b, ops_arg(b, "n_experts"), TSR_INTS(SUM_ROWS, 1));
  /* As unsigned numbers, negative ones are the largest. */
  return tsr_build_cmpi(b->b, expert, count, TSR_CMP_LESS_THAN, TSR_UNSIGNED);
}

static tsr_value add_up(ops_build *b) {
  tsr_elem late = ops_type_elem(late_type(b->p));
  tsr_ints shape = TSR_INTS(SUM_ROWS, SUM_COLUMNS);
  ops_tiles parts = parts_view(b), weight = pair_view(b, "weight", late);
  ops_tiles index = pair_view(b, "index", TSR_I32);
  tsr_value i = b->block[0], j = b->block[1], init = ops_full(b, late, shape, 0);
  tsr_value end = ops_from_index(b, ops_arg(b, "top"));
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), end, TSR_VALUES(init));
  tsr_value k = tsr_build_arg(b->b, 0), sum = tsr_build_arg(b->b, 1);
  tsr_value x = ops_reshape(b, ops_load(b, &parts, TSR_VALUES(i, k, j)), shape);
  tsr_value by = ops_broadcast(b, ops_load(b, &weight, TSR_VALUES(i, k)), shape);
  tsr_value is = is_here(b, ops_load(b, &index, TSR_VALUES(i, k)));
  /* What was not computed is anything. */
  x = tsr_build_select(b->b, ops_broadcast(b, is, shape), ops_mul(b, x, by), init);
  ops_loop_end(b, TSR_VALUES(ops_add(b, sum, x)));
  return tsr_op_result(loop, 0);
}

static void build(ops_build *b) {
  tsr_value tokens = ops_arg(b, "tokens"), hidden = ops_arg(b, "hidden");
  ops_place at = {.rows = tokens,
                  .columns = hidden,
                  .i = b->block[0],
                  .j = b->block[1],
                  .tile_rows = SUM_ROWS,
                  .tile_columns = SUM_COLUMNS};
  tsr_value y = ops_epilogue_emit(b, &parts_of(b->p)->epilogue, add_up(b), &at);
  ops_tiles to = ops_view(b, &(ops_view_spec){.base = ops_arg(b, "y"),
                                              .elem = ops_type_elem(get(b->p, MOE_type_y)),
                                              .rank = 2,
                                              .sizes = {tokens, hidden},
                                              .strides = {hidden},
                                              .tile = {SUM_ROWS, SUM_COLUMNS}});
  ops_store(b, ops_convert(b, y, late_type(b->p), get(b->p, MOE_type_y)), &to,
            TSR_VALUES(at.i, at.j));
}

/* ---- the reference --------------------------------------------------------------------------- */

/* The product of a pair, of the late type. */
static double part_of(const ops_problem *p, const void *parts, int64_t at) {
  if (late_type(p) == TSR_F64) return ((const double *)parts)[at];
  return ((const float *)parts)[at];
}

static double sum_of(const ops_host *h, const void *parts, int64_t token, int64_t j) {
  const ops_problem *p = h->p;
  const ops_tensor *index = ops_host_tensor(h, "index"), *weight = ops_host_tensor(h, "weight");
  double sum = 0;
  for (int64_t k = 0; k < get(p, MOE_top); k++) {
    int64_t pair = token * get(p, MOE_top) + k;
    if (index->numbers[pair] < 0 || index->numbers[pair] >= (double)get(p, MOE_experts)) continue;
    sum += weight->numbers[pair] * part_of(p, parts, pair * get(p, MOE_hidden) + j);
  }
  return sum;
}

static void reference(ops_host *h) {
  const ops_problem *p = h->p;
  const moe_parts *parts = parts_of(p);
  ops_memories *memories = arena_new(h->arena, ops_memories);
  ops_inner_reference(&parts->sort, h, memories);
  ops_inner_reference(&parts->up, h, memories);
  ops_inner_reference(&parts->down, h, memories);
  const void *each = ops_memory_find(memories, "parts");
  ops_tensor *y = ops_host_tensor(h, "y");
  for (int64_t i = 0; i < get(p, MOE_tokens); i++)
    for (int64_t j = 0; j < get(p, MOE_hidden); j++)
      y->numbers[ops_at(y, i, j, 0)] =
          ops_epilogue_value(h, &parts->epilogue, sum_of(h, each, i, j), 0, i, j);
}

static double flops(const ops_problem *p) {
  return ops_family_gemm.flops(&parts_of(p)->up.problem) +
         ops_family_gemm.flops(&parts_of(p)->down.problem);
}

/* Every expert's weights once, and what goes from one step to the next is written and read. */
static double bytes(const ops_problem *p, const ops_operands *all) {
  double sum = 0, between = (double)get(p, MOE_inter) * ops_type_bytes(get(p, MOE_type_h)) +
                            (double)get(p, MOE_hidden) * ops_type_bytes(late_type(p));
  for (unsigned i = 0; i < all->count; i++)
    sum += (double)ops_operand_elements(&all->data[i]) * ops_type_bytes(all->data[i].type);
  return sum + 2 * (double)pairs_of(p) * between;
}

/* An element of h that lies near the middle of two numbers may become the other one. */
static double tolerance(const ops_problem *p) {
  ops_type h = get(p, MOE_type_h);
  double flip = ops_type_is_int(h) ? 1 / ops_type_highest(h) : 2 * ops_type_roundoff(h);
  return ops_family_gemm.tolerance(&parts_of(p)->up.problem) +
         ops_family_gemm.tolerance(&parts_of(p)->down.problem) + flip;
}

const ops_family ops_family_moe = {
    .name = "moe",
    .about = "a layer of experts: products of the rows that each one has, combined",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = MOE_index,
    .settle = settle,
    .operands = operands,
    .supported = supported,
    .candidates = candidates,
    .cost = cost,
    .steps = steps,
    .build = build,
    .reference = reference,
    .flops = flops,
    .bytes = bytes,
    .tolerance = tolerance,
};
