/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "ops/attention.h"

static int64_t get(const attention_kernel *a, unsigned param) {
  return attention_get(a->p, param);
}

/* ---- where ----------------------------------------------------------------------------------- */

static tsr_value clamp_word(ops_build *b, tsr_value x, tsr_value high) {
  x = tsr_build_maxi(b->b, x, ops_i32(b, 0), TSR_SIGNED);
  return tsr_build_mini(b->b, x, high, TSR_SIGNED);
}

/* Where the sequence begins and how long it is, whatever its offsets say: inside of the tensor, and
 * no longer than the longest. */
static void find_sequence(attention_kernel *a, const char *offsets, const char *total,
                          const char *longest, tsr_value *start, tsr_value *length) {
  ops_build *b = a->b;
  *length = ops_arg(b, longest);
  if (!attention_is_variable(a->p)) return;
  tsr_value base = ops_arg(b, offsets), all = ops_arg(b, total);
  tsr_value next = tsr_build_addi(b->b, a->batch, ops_i32(b, 1));
  *start = clamp_word(b, ops_load_element(b, base, a->batch), all);
  tsr_value end = clamp_word(b, ops_load_element(b, base, next), all);
  *length = clamp_word(b, tsr_build_subi(b->b, end, *start), *length);
}

/* Keys of the sequence's cache, with new ones. */
static void find_length(attention_kernel *a) {
  ops_build *b = a->b;
  tsr_value length = ops_load_element(b, ops_arg(b, "key_lengths"), a->batch_or_0);
  a->keys = clamp_word(b, length, ops_arg(b, "keys"));
  if (ops_has_arg(b, "new"))
    a->keys = clamp_word(b, tsr_build_addi(b->b, a->keys, ops_arg(b, "new")), ops_arg(b, "keys"));
}

void attention_find_sequences(attention_kernel *a) {
  find_sequence(a, "offsets_q", "total_q", "seq", &a->start_q, &a->seq);
  if (attention_is_cached(a->p))
    find_length(a);
  else
    find_sequence(a, "offsets_k", "total_k", "keys", &a->start_k, &a->keys);
}

/* Tile blocks begin with the last queries: under a causal mask these see most keys, and what takes
 * longest should not begin last. */
static tsr_value last_first(ops_build *b) {
  tsr_value blocks = tsr_build_get_num_tile_blocks(b->b);
  tsr_value last = tsr_build_subi(b->b, blocks, ops_i32(b, 1));
  return tsr_build_subi(b->b, last, b->block[0]);
}

static bool is_combine(const ops_build *b) {
  return strcmp(b->step->kernel, "combine") == 0;
}

static attention_kernel begin(ops_build *b) {
  const ops_problem *p = b->p;
  attention_kernel a = {.b = b,
                        .p = p,
                        .rows = attention_get(p, ATTENTION_tile_m),
                        .columns = attention_get(p, ATTENTION_tile_n),
                        .i = b->block[0],
                        .head = b->block[1]};
  int64_t split = attention_get(p, ATTENTION_split);
  bool divided = split > 1 && !is_combine(b);
  tsr_value z = b->block[2], parts = ops_i32(b, split);
  if (attention_get(p, ATTENTION_has_right)) a.i = last_first(b);
  if (divided) a.part = tsr_build_remi(b->b, z, parts, TSR_SIGNED);
  if (attention_get(p, ATTENTION_batched))
    a.batch = divided ? tsr_build_divi(b->b, z, parts, TSR_SIGNED) : z;
  a.batch_or_0 = a.batch ? a.batch : ops_i32(b, 0);
  if (!is_combine(b)) a.kv_head = tsr_build_divi(b->b, a.head, ops_arg(b, "group"), TSR_SIGNED);
  attention_find_sequences(&a);
  if (!is_combine(b)) a.queries = ops_arg(b, "queries");
  return a;
}

/* ---- tensors --------------------------------------------------------------------------------- */

static attention_views q_views(attention_kernel *a) {
  return attention_views_of(a, &(attention_tensor){.name = "q",
                                                   .type = get(a, ATTENTION_type),
                                                   .heads = ops_arg(a->b, "heads"),
                                                   .start = a->start_q,
                                                   .tokens = a->seq,
                                                   .elements = get(a, ATTENTION_head),
                                                   .tile_tokens = a->rows});
}

attention_views attention_views_like_o(attention_kernel *a, const char *name, ops_type type) {
  return attention_views_of(a, &(attention_tensor){.name = name,
                                                   .type = type,
                                                   .heads = ops_arg(a->b, "heads"),
                                                   .start = a->start_q,
                                                   .tokens = a->seq,
                                                   .elements = get(a, ATTENTION_head_v),
                                                   .tile_tokens = a->rows});
}

/* ---- the loop over keys ---------------------------------------------------------------------- */

typedef struct key_loop {
  attention_kernel *a;
  attention_keys k, v;
  tsr_value q[ATTENTION_MAX_PIECES];
  attention_scores scores;
  attention_range range;
  tsr_value by_row; /* what products are multiplied by, rows x 1; NULL: nothing */
  double boost;     /* of exponents: small floats have more bits for small numbers then */
} key_loop;

/* What goes from turn to turn: m, l, then the pieces of o. */
enum { AT_M, AT_L, AT_O, STATE_MAX = AT_O + ATTENTION_MAX_PIECES };

static tsr_value rows_full(attention_kernel *a, double value) {
  return ops_full(a->b, TSR_F32, TSR_INTS(a->rows, 1), value);
}

static bool is_silu(const attention_kernel *a) {
  return get(a, ATTENTION_weights) == 1;
}

static key_loop loop_begin(attention_kernel *a) {
  key_loop l = {.a = a};
  attention_views q = q_views(a);
  l.k = attention_keys_begin(a, "k", get(a, ATTENTION_head), false);
  l.v = attention_keys_begin(a, "v", get(a, ATTENTION_head_v), get(a, ATTENTION_v) == 1);
  l.scores = attention_scores_begin(a);
  l.range = attention_range_of(a);
  l.by_row = attention_scale_rows(a);
  l.boost = ops_type_bits(get(a, ATTENTION_type_p)) == 8 && !is_silu(a) ? 8 : 0;
  for (unsigned i = 0; i < q.pieces.count; i++)
    l.q[i] = attention_scaled_q(a, attention_load_piece(a, &q, i, a->head, a->i),
                                q.pieces.index[i] * q.pieces.size[i]);
  return l;
}

/* Rounds of the loop of this tile block. */
static void turn_range(key_loop *l, tsr_value *first, tsr_value *end) {
  ops_build *b = l->a->b;
  *first = ops_i32(b, 0);
  *end = l->range.count;
  if (!l->a->part) return;
  tsr_value each = ops_ceil_div(b, l->range.count, get(l->a, ATTENTION_split));
  tsr_value from = tsr_build_muli(b->b, l->a->part, each);
  *first = tsr_build_mini(b->b, from, l->range.count, TSR_SIGNED);
  *end = tsr_build_mini(b->b, tsr_build_addi(b->b, from, each), l->range.count, TSR_SIGNED);
}

/* A head's score without a value belongs to the first part of the keys. */
static void begin_with_sink(key_loop *l, tsr_value *m, tsr_value *sum) {
  attention_kernel *a = l->a;
  ops_build *b = a->b;
  tsr_value sink = ops_load_element(b, ops_arg(b, "sinks"), a->head);
  tsr_value one = rows_full(a, exp2(l->boost));
  sink = ops_mul(b, sink, ops_full_like(b, sink, M_LOG2E));
  sink = ops_spread(b, sink, TSR_INTS(a->rows, 1));
  if (a->part) {
    tsr_value is_first = tsr_build_cmpi(b->b, a->part, ops_i32(b, 0), TSR_CMP_EQUAL, TSR_SIGNED);
    is_first = ops_spread(b, is_first, TSR_INTS(a->rows, 1));
    sink = tsr_build_select(b->b, is_first, sink, *m);
    one = tsr_build_select(b->b, is_first, one, *sum);
  }
  *m = sink;
  *sum = one;
}

static unsigned initial_state(key_loop *l, tsr_value *state) {
  attention_kernel *a = l->a;
  state[AT_M] = rows_full(a, -1e30);
  state[AT_L] = rows_full(a, 0);
  if (get(a, ATTENTION_sinks)) begin_with_sink(l, &state[AT_M], &state[AT_L]);
  for (unsigned i = 0; i < l->v.pieces.count; i++)
    state[AT_O + i] = ops_full(a->b, TSR_F32, TSR_INTS(a->rows, l->v.pieces.size[i]), 0);
  return AT_O + l->v.pieces.count;
}

static tsr_value products_of(key_loop *l, tsr_value j) {
  attention_kernel *a = l->a;
  ops_build *b = a->b;
  bool integers = ops_type_is_int(attention_product_type(a->p));
  tsr_value sum = ops_full(b, integers ? TSR_I32 : TSR_F32, TSR_INTS(a->rows, a->columns), 0);
  for (unsigned i = 0; i < l->k.pieces.count; i++) {
    tsr_value k = ops_permute(b, attention_scaled_key(a, &l->k, i, j), TSR_INTS(1, 0));
    sum = integers ? tsr_build_mmai(b->b, l->q[i], k, sum, TSR_SIGNED, TSR_SIGNED)
                   : tsr_build_mmaf(b->b, l->q[i], k, sum);
  }
  if (integers) sum = ops_convert(b, sum, TSR_I32, TSR_F32);
  sum = attention_times(a, sum, l->by_row);
  return attention_times(a, sum, attention_scale_keys(a, "scale_k", j));
}

/* The largest number of each row, rows x 1. */
static tsr_value row_max(attention_kernel *a, tsr_value v) {
  tsr_builder *b = a->b->b;
  tsr_op *r =
      tsr_build_reduce(b, TSR_VALUES(v), 1, TSR_SCALARS(tsr_scalar_real(TSR_F32, -INFINITY)));
  tsr_value x = tsr_build_arg(b, 0), y = tsr_build_arg(b, 1);
  tsr_build_yield(b, TSR_VALUES(tsr_build_maxf(b, x, y)));
  tsr_build_end(b);
  return ops_reshape(a->b, tsr_op_result(r, 0), TSR_INTS(a->rows, 1));
}

/* Differences of scores as logarithms to the base 2. */
static tsr_value in_base_2(key_loop *l, tsr_value x) {
  if (!l->scores.plain) return x;
  tsr_ints shape = tsr_type_shape(tsr_value_type(x));
  return ops_mul(l->a->b, x, ops_spread(l->a->b, l->scores.scale, shape));
}

/* 2^(score - m) of each key, times 2^boost. */
static tsr_value weights(key_loop *l, tsr_value s, tsr_value m) {
  attention_kernel *a = l->a;
  ops_build *b = a->b;
  tsr_ints shape = TSR_INTS(a->rows, a->columns);
  tsr_value base = in_base_2(l, m);
  if (l->boost != 0) base = ops_sub(b, base, ops_full_like(b, base, l->boost));
  if (!l->scores.plain) return tsr_build_exp2(b->b, ops_sub(b, s, ops_broadcast(b, base, shape)));
  base = ops_broadcast(b, tsr_build_negf(b->b, base), shape);
  return tsr_build_exp2(b->b, tsr_build_fma(b->b, s, ops_spread(b, l->scores.scale, shape), base));
}

/* silu of each score, which are logarithms to the base 2; 0 of keys that are not seen. */
static tsr_value silu_of(attention_kernel *a, tsr_value s) {
  ops_build *b = a->b;
  tsr_value zero = ops_full_like(b, s, 0), one = ops_full_like(b, s, 1);
  tsr_value seen =
      tsr_build_cmpf(b->b, s, ops_full_like(b, s, -1e30), TSR_CMP_GREATER_THAN, TSR_CMP_ORDERED);
  s = tsr_build_select(b->b, seen, s, zero);
  tsr_value sum = ops_add(b, one, tsr_build_exp2(b->b, tsr_build_negf(b->b, s)));
  return tsr_build_divf(b->b, ops_mul(b, s, ops_full_like(b, s, M_LN2)), sum);
}

/* What values of the tile are weighed by; sets the next m and l, and what sums so far are
 * multiplied by, which is NULL where they stay. */
static tsr_value weights_of(key_loop *l, tsr_value s, const tsr_value *now, tsr_value *next,
                            tsr_value *shrink) {
  attention_kernel *a = l->a;
  ops_build *b = a->b;
  *shrink = NULL;
  next[AT_M] = now[AT_M], next[AT_L] = now[AT_L];
  if (is_silu(a)) return silu_of(a, s);
  next[AT_M] = tsr_build_maxf(b->b, now[AT_M], row_max(a, s));
  tsr_value p = weights(l, s, next[AT_M]);
  tsr_value row = ops_reshape(b, ops_reduce(b, p, 1, OPS_FOLD_SUM), TSR_INTS(a->rows, 1));
  *shrink = tsr_build_exp2(b->b, in_base_2(l, ops_sub(b, now[AT_M], next[AT_M])));
  next[AT_L] = tsr_build_fma(b->b, now[AT_L], *shrink, row);
  return p;
}

static tsr_value next_o(key_loop *l, unsigned i, tsr_value p, tsr_value o, tsr_value shrink,
                        tsr_value j) {
  attention_kernel *a = l->a;
  tsr_value v = attention_scaled_key(a, &l->v, i, j);
  return tsr_build_mmaf(a->b->b, p, v, attention_times(a, o, shrink));
}

static void turn(key_loop *l, tsr_value j, const tsr_value *now, tsr_value *next) {
  attention_kernel *a = l->a;
  ops_build *b = a->b;
  attention_keys_turn(a, &l->k, &l->v, j);
  tsr_value shrink, s = attention_scores_of(a, &l->scores, products_of(l, j), j);
  tsr_value p = weights_of(l, s, now, next, &shrink);
  if (get(a, ATTENTION_drops)) p = attention_drop(a, p, j);
  p = attention_times(a, p, attention_scale_keys(a, "scale_v", j));
  p = ops_convert(b, p, TSR_F32, get(a, ATTENTION_type_p));
  for (unsigned i = 0; i < l->v.pieces.count; i++)
    next[AT_O + i] = next_o(l, i, p, now[AT_O + i], shrink, j);
}

static void go_through_keys(key_loop *l, tsr_value *state) {
  ops_build *b = l->a->b;
  tsr_value first, end, now[STATE_MAX], next[STATE_MAX];
  unsigned count = initial_state(l, state);
  turn_range(l, &first, &end);
  tsr_op *loop = ops_loop(b, first, end, (tsr_values){state, count});
  tsr_value j = attention_tile_at(l->a, &l->range, tsr_build_arg(b->b, 0));
  for (unsigned i = 0; i < count; i++) now[i] = tsr_build_arg(b->b, i + 1);
  turn(l, j, now, next);
  ops_loop_end(b, (tsr_values){next, count});
  for (unsigned i = 0; i < count; i++) state[i] = tsr_op_result(loop, i);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Logarithms of the sums to the base 2, rows x 1. */
static tsr_value log_sum(key_loop *l, const tsr_value *state) {
  ops_build *b = l->a->b;
  tsr_value sum = tsr_build_log2(b->b, state[AT_L]);
  if (l->boost != 0) sum = ops_sub(b, sum, ops_full_like(b, sum, l->boost));
  return ops_add(b, in_base_2(l, state[AT_M]), sum);
}

/* 1 / sum; a query that sees no key has the sum 0 and the result 0. */
static tsr_value share_of(attention_kernel *a, tsr_value sum) {
  sum = tsr_build_maxf(a->b->b, sum, rows_full(a, 1e-30));
  return tsr_build_divf(a->b->b, rows_full(a, 1), sum);
}

void attention_store_rows(attention_kernel *a, const char *name, tsr_value rows) {
  ops_build *b = a->b;
  tsr_value base = ops_arg(b, name), seq = ops_to_index(b, a->seq), one = ops_index(b, 1);
  if (a->start_q)
    base = ops_advance(b, base, a->start_q, one);
  else if (a->batch)
    base = ops_advance(b, base, a->batch, attention_stride(a, name, 'b'));
  ops_tiles t = ops_view(b, &(ops_view_spec){.base = base,
                                             .elem = TSR_F32,
                                             .rank = 2,
                                             .sizes = {ops_arg(b, "heads"), seq},
                                             .strides = {attention_stride(a, name, 'h')},
                                             .tile = {1, a->rows}});
  ops_store(b, ops_reshape(b, rows, TSR_INTS(1, a->rows)), &t, TSR_VALUES(a->head, a->i));
}

/* Sums of rows, their pieces weighed by `share`, and the logarithms. */
static void store_results(attention_kernel *a, const tsr_value *o, tsr_value share, tsr_value lse) {
  ops_build *b = a->b;
  ops_type type = get(a, ATTENTION_type_o);
  attention_views views = attention_views_like_o(a, "o", type);
  tsr_value x[ATTENTION_MAX_PIECES];
  if (ops_has_arg(b, "factor"))
    share = ops_mul(b, share, ops_spread(b, ops_arg(b, "factor"), TSR_INTS(a->rows, 1)));
  for (unsigned i = 0; i < views.pieces.count; i++) x[i] = attention_times(a, o[i], share);
  attention_end(a, &views.pieces, x);
  for (unsigned i = 0; i < views.pieces.count; i++)
    attention_store_piece(a, &views, i, ops_convert(b, x[i], TSR_F32, type));
  if (ops_has_arg(b, "lse"))
    attention_store_rows(a, "lse", ops_mul(b, lse, ops_full_like(b, lse, M_LN2)));
}

/* ---- parts of the keys ----------------------------------------------------------------------- */

/* What part `z` of a head left: seq x head_v numbers, and seq logarithms. */
typedef struct partial_views {
  attention_pieces pieces;
  ops_tiles o[ATTENTION_MAX_PIECES], lse;
} partial_views;

static partial_views views_of_part(attention_kernel *a, tsr_value z) {
  ops_build *b = a->b;
  tsr_value heads = ops_to_i64(b, ops_arg(b, "heads")), seq = ops_to_i64(b, ops_arg(b, "seq"));
  tsr_value line = tsr_build_muli(b->b, ops_to_i64(b, z), heads);
  line = tsr_build_addi(b->b, line, ops_to_i64(b, a->head));
  int64_t elements = get(a, ATTENTION_head_v);
  tsr_value width = ops_to_i64(b, ops_i32(b, elements)), size = ops_to_index(b, a->seq);
  partial_views v = {.pieces = attention_pieces_of(elements)};
  tsr_value base = ops_advance(b, ops_arg(b, "partial"), line, tsr_build_muli(b->b, seq, width));
  for (unsigned i = 0; i < v.pieces.count; i++)
    v.o[i] = ops_view(b, &(ops_view_spec){.base = base,
                                          .elem = TSR_F32,
                                          .rank = 2,
                                          .sizes = {size},
                                          .strides = {ops_index(b, elements)},
                                          .known = {0, elements},
                                          .tile = {a->rows, v.pieces.size[i]},
                                          .padding = TSR_PADDING_ZERO});
  v.lse = ops_view(b, &(ops_view_spec){.base = ops_advance(b, ops_arg(b, "partial_lse"), line, seq),
                                       .elem = TSR_F32,
                                       .rank = 1,
                                       .sizes = {size},
                                       .tile = {a->rows},
                                       .padding = TSR_PADDING_ZERO});
  return v;
}

static void store_part(attention_kernel *a, const tsr_value *o, tsr_value share, tsr_value lse) {
  partial_views v = views_of_part(a, a->b->block[2]);
  for (unsigned i = 0; i < v.pieces.count; i++)
    ops_store(a->b, attention_times(a, o[i], share), &v.o[i],
              TSR_VALUES(a->i, ops_i32(a->b, v.pieces.index[i])));
  ops_store(a->b, ops_reshape(a->b, lse, TSR_INTS(a->rows)), &v.lse, TSR_VALUES(a->i));
}

static tsr_value load_lse(attention_kernel *a, const partial_views *v) {
  return ops_reshape(a->b, ops_load(a->b, &v->lse, TSR_VALUES(a->i)), TSR_INTS(a->rows, 1));
}

/* The largest logarithm of all parts. */
static tsr_value largest_part(attention_kernel *a, tsr_value first, tsr_value end) {
  ops_build *b = a->b;
  tsr_op *loop = ops_loop(b, first, end, TSR_VALUES(rows_full(a, -1e30)));
  tsr_value z = tsr_build_arg(b->b, 0), so_far = tsr_build_arg(b->b, 1);
  partial_views v = views_of_part(a, z);
  ops_loop_end(b, TSR_VALUES(tsr_build_maxf(b->b, so_far, load_lse(a, &v))));
  return tsr_op_result(loop, 0);
}

/* Sums of the parts by their weights: of these themselves, then of the pieces of o. */
static void sum_parts(attention_kernel *a, tsr_value first, tsr_value end, tsr_value largest,
                      tsr_value *sums) {
  ops_build *b = a->b;
  attention_pieces pieces = attention_pieces_of(get(a, ATTENTION_head_v));
  tsr_value next[STATE_MAX];
  sums[0] = rows_full(a, 0);
  for (unsigned i = 0; i < pieces.count; i++)
    sums[1 + i] = ops_full(b, TSR_F32, TSR_INTS(a->rows, pieces.size[i]), 0);
  tsr_op *loop = ops_loop(b, first, end, (tsr_values){sums, pieces.count + 1});
  partial_views v = views_of_part(a, tsr_build_arg(b->b, 0));
  tsr_value weight = tsr_build_exp2(b->b, ops_sub(b, load_lse(a, &v), largest));
  next[0] = ops_add(b, tsr_build_arg(b->b, 1), weight);
  for (unsigned i = 0; i < pieces.count; i++) {
    tsr_value o = ops_load(b, &v.o[i], TSR_VALUES(a->i, ops_i32(b, pieces.index[i])));
    next[1 + i] = ops_add(b, tsr_build_arg(b->b, 2 + i), attention_times(a, o, weight));
  }
  ops_loop_end(b, (tsr_values){next, pieces.count + 1});
  for (unsigned i = 0; i < pieces.count + 1; i++) sums[i] = tsr_op_result(loop, i);
}

static void build_combine(attention_kernel *a) {
  ops_build *b = a->b;
  tsr_value sums[STATE_MAX], parts = ops_i32(b, get(a, ATTENTION_split));
  tsr_value first = tsr_build_muli(b->b, a->batch_or_0, parts);
  tsr_value end = tsr_build_addi(b->b, first, parts);
  tsr_value largest = largest_part(a, first, end);
  sum_parts(a, first, end, largest, sums);
  tsr_value lse = ops_add(b, largest, tsr_build_log2(b->b, sums[0]));
  store_results(a, &sums[1], share_of(a, sums[0]), lse);
}

void attention_build(ops_build *b) {
  attention_kernel a = begin(b);
  if (is_combine(b)) {
    build_combine(&a);
    return;
  }
  tsr_value state[STATE_MAX];
  key_loop l = loop_begin(&a);
  go_through_keys(&l, state);
  tsr_value share = is_silu(&a) ? rows_full(&a, 1) : share_of(&a, state[AT_L]);
  tsr_value lse = log_sum(&l, state);
  share = attention_scale_sum(&a, share);
  if (a.part)
    store_part(&a, &state[AT_O], share, lse);
  else
    store_results(&a, &state[AT_O], share, lse);
}
