/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * attention_backward: the gradients of attention. Of q, k, v, its result o, the logarithms of sums
 * that it gave (lse=yes), and the gradient of o,
 *
 *   p = exp(scale q k^T - lse), 0 where a query does not see a key;   delta = sum(do o)
 *   ds = scale p (do v^T - delta)
 *   dv = p^T do,   dk = ds^T q,   dq = ds k,   sums over the heads that share keys
 *
 * Three kernels: delta; dk and dv for a tile of keys; dq for a tile of queries. Nothing of the size
 * of p is stored, and no sum depends on the order in which tile blocks run.
 */
#include <math.h>
#include <stdio.h>

#include "ops/emit.h"
#include "ops/families.h"
#include "ops/host.h"

#define ATTENTION_BACKWARD_PARAMS(P)                                                               \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what tensors hold, but for lse: f32 f16 bf16")           \
  P(head, INTEGER, FORM, 1, 512, NULL, "64", "elements of a query and of a key")                   \
  P(head_v, INTEGER, FORM, 1, 512, "same", "same", "elements of a value")                          \
  P(corner, CHOSEN, FORM, 0, 0, "bottom top", "bottom",                                            \
    "which query and key are aligned: the last ones, or the first ones")                           \
  P(batch, INTEGER, SIZE, 0, 1 << 30, NULL, "1", "how many sequences")                             \
  P(heads, INTEGER, SIZE, 0, 1 << 20, NULL, "8", "heads of q and o")                               \
  P(kv_heads, INTEGER, SIZE, 1, 1 << 20, "same", "same", "heads of k and v, a divisor of heads")   \
  P(seq, INTEGER, SIZE, 0, 1 << 29, NULL, "512", "queries of a sequence")                          \
  P(keys, INTEGER, SIZE, 0, 1 << 29, "same", "same", "keys of a sequence")                         \
  P(layout, CHOSEN, SIZE, 0, 0, "bhsd bshd", "bhsd",                                               \
    "how tensors lie: a head after the other, or a token after the other")                         \
  P(strides, TEXT, SIZE, 0, 0, NULL, "packed",                                                     \
    "of tensors that do not lie packed: q:8192x64x512x1; the last is 1")                           \
  P(scale, REAL, SIZE, 0, 0, NULL, "0", "factor of the scores; 0: 1/sqrt(head)")                   \
  P(causal, CHOSEN, SIZE, 0, 0, "no yes", "no", "queries see no key behind their place: right=0")  \
  P(left, INTEGER, SIZE, 0, 1 << 29, "all", "all", "how many keys before its place a query sees")  \
  P(right, INTEGER, SIZE, 0, 1 << 29, "all", "all", "how many keys behind its place")              \
  P(tile_m, INTEGER, CHOICE, 1, 256, "auto", "auto", "queries of a tile, a power of two")          \
  P(tile_n, INTEGER, CHOICE, 1, 256, "auto", "auto", "keys of a tile, a power of two")             \
  OPS_HINT_PARAMS(P)                                                                               \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) AT_##id,
  ATTENTION_BACKWARD_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {ATTENTION_BACKWARD_PARAMS(OPS_PARAM_ROW)};
enum { FAR = 1 << 29 };

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static double scale_of(const ops_problem *p) {
  double scale = p->values[AT_scale].r;
  return scale != 0 ? scale : 1 / sqrt((double)get(p, AT_head));
}

/* ---- the problem ----------------------------------------------------------------------------- */

static void set_open(ops_problem *p, unsigned param, int64_t value) {
  if (get(p, param) == OPS_WORD) p->values[param].i = value;
}

static int64_t times(int64_t x, int64_t y) {
  int64_t product;
  return __builtin_mul_overflow(x, y, &product) || product > OPS_MAX_SIZE ? OPS_MAX_SIZE : product;
}

static void add_tensor(const ops_problem *p, ops_operands *out, const char *name, bool of_queries,
                       int64_t elements, tsr_op_use use) {
  int64_t heads = get(p, of_queries ? AT_heads : AT_kv_heads);
  int64_t tokens = get(p, of_queries ? AT_seq : AT_keys);
  bool by_token = get(p, AT_layout) == 1;
  ops_operand *o = ops_operand_add(out, name, get(p, AT_type), use);
  int64_t line = times(MAX(heads, 1), elements), head = times(MAX(tokens, 1), elements);
  ops_operand_dim(o, get(p, AT_batch), times(line, MAX(tokens, 1)));
  ops_operand_dim(o, heads, by_token ? elements : head);
  ops_operand_dim(o, tokens, by_token ? line : elements);
  ops_operand_dim(o, elements, 1);
}

static void add_lse(const ops_problem *p, ops_operands *out) {
  ops_operand *o = ops_operand_add(out, "lse", TSR_F32, TSR_OP_READ);
  int64_t heads = get(p, AT_heads), seq = get(p, AT_seq);
  o->low = 1, o->high = 3;
  ops_operand_dim(o, get(p, AT_batch), times(MAX(heads, 1), MAX(seq, 1)));
  ops_operand_dim(o, heads, MAX(seq, 1));
  ops_operand_dim(o, seq, 1);
}

static void packed_operands(const ops_problem *p, ops_operands *out) {
  int64_t head = get(p, AT_head), head_v = get(p, AT_head_v);
  add_tensor(p, out, "q", true, head, TSR_OP_READ);
  add_tensor(p, out, "k", false, head, TSR_OP_READ);
  add_tensor(p, out, "v", false, head_v, TSR_OP_READ);
  add_tensor(p, out, "o", true, head_v, TSR_OP_READ);
  add_tensor(p, out, "do", true, head_v, TSR_OP_READ);
  add_lse(p, out);
  add_tensor(p, out, "dq", true, head, TSR_OP_WRITTEN);
  add_tensor(p, out, "dk", false, head, TSR_OP_WRITTEN);
  add_tensor(p, out, "dv", false, head_v, TSR_OP_WRITTEN);
}

static bool set_strides(ops_operands *list, const ops_strides *given, ops_why *why) {
  ops_operand *o = NULL;
  for (unsigned i = 0; i < list->count; i++)
    if (str_is(given->name, list->data[i].name) && list->data[i].rank == 4) o = &list->data[i];
  if (!o)
    return ops_refuse(why, "strides=" STR_FMT ": name a tensor, as in q:8192x64x512x1",
                      (int)MIN(given->text.len, (size_t)64), given->text.data);
  if (!ops_check_strides(given, o->name, 4, why)) return false;
  memcpy(o->strides, given->values, 4 * sizeof *o->strides);
  return o->strides[3] == 1 || o->shape[3] <= 1 ||
         ops_refuse(why, "strides=" STR_FMT ": dimension 3 of %s must have the stride 1",
                    (int)MIN(given->text.len, (size_t)64), given->text.data, o->name);
}

static bool check_values(const ops_problem *p, ops_why *why) {
  ops_type t = get(p, AT_type);
  int64_t heads = get(p, AT_heads), kv_heads = get(p, AT_kv_heads);
  if (t != TSR_F32 && t != TSR_F16 && t != TSR_BF16)
    return ops_refuse(why, "type=%s: attention_backward takes f32 f16 bf16", ops_type_name(t));
  if (kv_heads >= 1 && heads % kv_heads == 0) return true;
  return ops_refuse(why, "kv_heads=%lld does not divide heads=%lld", (long long)kv_heads,
                    (long long)heads);
}

static bool settle(ops_problem *p, ops_why *why) {
  ops_operands *list = arena_new(p->arena, ops_operands);
  ops_strides given;
  p->parts = list;
  set_open(p, AT_head_v, get(p, AT_head));
  set_open(p, AT_kv_heads, MAX(get(p, AT_heads), 1));
  set_open(p, AT_keys, get(p, AT_seq));
  if (get(p, AT_causal)) p->values[AT_right].i = 0;
  if (!check_values(p, why)) return false;
  packed_operands(p, list);
  for (str rest = ops_strides_begin(p->values[AT_strides].text); ops_strides_next(&rest, &given);)
    if (!set_strides(list, &given, why)) return false;
  return true;
}

static void operands(const ops_problem *p, ops_operands *out) {
  *out = *(const ops_operands *)p->parts;
}

/* ---- choices --------------------------------------------------------------------------------- */

/* Tiles of elements: the least power of two from 16 on that holds them. */
static int64_t power_from(int64_t x) {
  int64_t power = 16;
  while (power < x) power *= 2;
  return power;
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  int64_t m = get(p, AT_tile_m), n = get(p, AT_tile_n);
  int64_t head = power_from(MAX(get(p, AT_head), get(p, AT_head_v)));
  (void)t;
  if (!ops_check_power(p, AT_tile_m, why) || !ops_check_power(p, AT_tile_n, why)) return false;
  if (m * n > 32768 || m * head > 65536 || n * head > 65536)
    return ops_refuse(why,
                      "tiles of %lld x %lld with %lld elements are too large: tile_m * tile_n "
                      "is at most 32768, and 65536 each with the elements",
                      (long long)m, (long long)n, (long long)head);
  double turns = (double)ops_tiles_of(get(p, AT_seq), m) * (double)get(p, AT_heads);
  return turns <= INT32_MAX ||
         ops_refuse(why, "seq=%lld and heads=%lld make more than 2^31 - 1 tiles; give larger ones",
                    (long long)get(p, AT_seq), (long long)get(p, AT_heads));
}

static void candidates(const ops_target *t, ops_candidates *out) {
  static const int16_t tiles[][2] = {{64, 64}, {32, 32}, {32, 64}, {64, 32}, {16, 16}, {128, 64}};
  (void)t;
  for (size_t i = 0; i < ARRAY_LEN(tiles); i++)
    ops_candidates_add(out, (int64_t[]){tiles[i][0], tiles[i][1]});
}

static double flops(const ops_problem *p) {
  double pairs = (double)get(p, AT_batch) * (double)get(p, AT_heads) * (double)get(p, AT_seq) *
                 (double)get(p, AT_keys);
  if (get(p, AT_causal)) pairs /= 2;
  return pairs * (double)(6 * get(p, AT_head) + 4 * get(p, AT_head_v));
}

static double cost(const ops_problem *p, const ops_target *t) {
  double m = (double)get(p, AT_tile_m), n = (double)get(p, AT_tile_n);
  double pairs = (double)ops_tiles_of(get(p, AT_seq), get(p, AT_tile_m)) * m *
                 (double)ops_tiles_of(get(p, AT_keys), get(p, AT_tile_n)) * n;
  double work = pairs * (double)get(p, AT_heads) * (double)get(p, AT_batch) *
                (double)(8 * get(p, AT_head) + 6 * get(p, AT_head_v) + 60);
  double fit = 1 / (1 + 8 / m + 8 / n) * (t->kind == OPS_ON_CPU && (m < 32 || n < 32) ? 0.3 : 1);
  return 0.012 + work / (t->gflops * 1e6 * fit * t->cores);
}

/* ---- launches -------------------------------------------------------------------------------- */

static void pass(const ops_problem *p, ops_steps *out, ops_step *s, const char *const *names) {
  for (; *names; names++) {
    const ops_operand *o = ops_operand_find(out->operands, *names);
    ops_pass_tensor(out, s, *names);
    for (unsigned d = 0; d + 1 < o->rank; d++)
      ops_pass_index(out, s, arena_printf(p->arena, "%s_%u", *names, d), o->strides[d]);
  }
}

static ops_step *add_step(const ops_problem *p, ops_steps *out, const char *name, int64_t tiles,
                          int64_t heads) {
  int64_t left = get(p, AT_left), right = get(p, AT_right);
  int64_t rows = times(times(get(p, AT_batch), get(p, AT_heads)), get(p, AT_seq));
  ops_step *s = ops_step_add(out, name, MAX(tiles, 1), heads, get(p, AT_batch));
  ops_pass_workspace(out, s, "delta", TSR_F32, rows);
  ops_pass_index(out, s, "heads", get(p, AT_heads));
  ops_pass_index(out, s, "kv_heads", get(p, AT_kv_heads));
  ops_pass_word(s, "group", get(p, AT_heads) / get(p, AT_kv_heads));
  ops_pass_word(s, "seq", get(p, AT_seq));
  ops_pass_word(s, "keys", get(p, AT_keys));
  ops_pass_word(s, "left", left < 0 ? FAR : left);
  ops_pass_word(s, "right", right < 0 ? FAR : right);
  ops_pass_real(s, "scale", TSR_F32, scale_of(p));
  return s;
}

static void steps(const ops_problem *p, ops_steps *out) {
  static const char *const first[] = {"o", "do", NULL};
  static const char *const of_keys[] = {"q", "k", "v", "do", "lse", "dk", "dv", NULL};
  static const char *const of_queries[] = {"q", "k", "v", "do", "lse", "dq", NULL};
  int64_t m = ops_tiles_of(get(p, AT_seq), get(p, AT_tile_m)), heads = get(p, AT_heads);
  int64_t n = ops_tiles_of(get(p, AT_keys), get(p, AT_tile_n));
  if (get(p, AT_batch) == 0 || heads == 0 || (m == 0 && n == 0)) return;
  pass(p, out, add_step(p, out, "delta", m, heads), first);
  pass(p, out, add_step(p, out, "keys", n, get(p, AT_kv_heads)), of_keys);
  pass(p, out, add_step(p, out, "queries", m, heads), of_queries);
}

/* ---- the kernels ----------------------------------------------------------------------------- */

typedef struct kernel {
  ops_build *b;
  const ops_problem *p;
  ops_type type;
  int64_t rows, columns; /* of tiles of queries and of keys */
  tsr_value batch, seq, keys;
} kernel;

/* A tensor of queries or keys as tiles of one head. */
static ops_tiles view_of(kernel *v, const char *name, bool of_queries, unsigned elements) {
  ops_build *b = v->b;
  int64_t size = get(v->p, elements);
  tsr_value strides[3];
  for (unsigned d = 0; d < 3; d++) {
    char full[16];
    snprintf(full, sizeof full, "%s_%u", name, d);
    strides[d] = ops_arg(b, full);
  }
  return ops_view(b,
                  &(ops_view_spec){.base = ops_advance(b, ops_arg(b, name), v->batch, strides[0]),
                                   .elem = ops_type_elem(v->type),
                                   .rank = 3,
                                   .sizes = {ops_arg(b, of_queries ? "heads" : "kv_heads"),
                                             ops_to_index(b, of_queries ? v->seq : v->keys)},
                                   .strides = {strides[1], strides[2]},
                                   .known = {0, 0, size},
                                   .tile = {1, of_queries ? v->rows : v->columns, power_from(size)},
                                   .padding = TSR_PADDING_ZERO});
}

static tsr_value load(kernel *v, const ops_tiles *t, tsr_value head, tsr_value tile) {
  tsr_value x = ops_load(v->b, t, TSR_VALUES(head, tile, ops_i32(v->b, 0)));
  return ops_reshape(v->b, x, TSR_INTS(t->tile[1], t->tile[2]));
}

static void store(kernel *v, const ops_tiles *t, tsr_value head, tsr_value tile, tsr_value x) {
  x = ops_convert(v->b, x, TSR_F32, v->type);
  x = ops_reshape(v->b, x, TSR_INTS(1, t->tile[1], t->tile[2]));
  ops_store(v->b, x, t, TSR_VALUES(head, tile, ops_i32(v->b, 0)));
}

/* Numbers of queries: lse or delta, which lies packed. */
static ops_tiles numbers_of(kernel *v, const char *name) {
  ops_build *b = v->b;
  tsr_value seq = ops_to_index(b, v->seq), heads = ops_arg(b, "heads");
  tsr_value all = tsr_build_muli(b->b, ops_to_i64(b, heads), ops_to_i64(b, seq));
  return ops_view(b, &(ops_view_spec){.base = ops_advance(b, ops_arg(b, name), v->batch, all),
                                      .elem = TSR_F32,
                                      .rank = 2,
                                      .sizes = {heads, seq},
                                      .strides = {seq},
                                      .tile = {1, v->rows},
                                      .padding = TSR_PADDING_ZERO});
}

static tsr_value load_numbers(kernel *v, const ops_tiles *t, tsr_value head, tsr_value tile) {
  tsr_value x = ops_reshape(v->b, ops_load(v->b, t, TSR_VALUES(head, tile)), TSR_INTS(v->rows, 1));
  return ops_broadcast(v->b, x, TSR_INTS(v->rows, v->columns));
}

static kernel begin(ops_build *b) {
  const ops_problem *p = b->p;
  return (kernel){.b = b,
                  .p = p,
                  .type = get(p, AT_type),
                  .rows = get(p, AT_tile_m),
                  .columns = get(p, AT_tile_n),
                  .batch = b->block[2],
                  .seq = ops_arg(b, "seq"),
                  .keys = ops_arg(b, "keys")};
}

static void build_delta(kernel *v) {
  ops_build *b = v->b;
  ops_tiles o = view_of(v, "o", true, AT_head_v), dy = view_of(v, "do", true, AT_head_v);
  tsr_value x = ops_convert(b, load(v, &o, b->block[1], b->block[0]), v->type, TSR_F32);
  tsr_value y = ops_convert(b, load(v, &dy, b->block[1], b->block[0]), v->type, TSR_F32);
  tsr_value sum = ops_reduce(b, ops_mul(b, x, y), 1, OPS_FOLD_SUM);
  ops_tiles delta = numbers_of(v, "delta");
  ops_store(b, ops_reshape(b, sum, TSR_INTS(1, v->rows)), &delta,
            TSR_VALUES(b->block[1], b->block[0]));
}

static tsr_value count(kernel *v, tsr_value tile, int64_t size, bool along_rows) {
  ops_build *b = v->b;
  tsr_value x = tsr_build_iota(b->b, ops_tile(b, TSR_I32, TSR_INTS(size)));
  tsr_value first = tsr_build_muli(b->b, tile, ops_i32(b, size));
  x = tsr_build_addi(b->b, x, ops_spread(b, first, TSR_INTS(size)));
  x = ops_reshape(b, x, along_rows ? TSR_INTS(size, 1) : TSR_INTS(1, size));
  return ops_broadcast(b, x, TSR_INTS(v->rows, v->columns));
}

/* Whether queries see keys. */
static tsr_value is_seen(kernel *v, tsr_value i, tsr_value j) {
  ops_build *b = v->b;
  tsr_ints shape = TSR_INTS(v->rows, v->columns);
  tsr_value shift =
      get(v->p, AT_corner) == 1 ? ops_i32(b, 0) : tsr_build_subi(b->b, v->keys, v->seq);
  tsr_value at = tsr_build_addi(b->b, count(v, i, v->rows, true), ops_spread(b, shift, shape));
  tsr_value key = count(v, j, v->columns, false);
  tsr_value high = tsr_build_addi(b->b, at, ops_spread(b, ops_arg(b, "right"), shape));
  tsr_value low = tsr_build_subi(b->b, at, ops_spread(b, ops_arg(b, "left"), shape));
  tsr_value is = tsr_build_cmpi(b->b, key, high, TSR_CMP_LESS_THAN_OR_EQUAL, TSR_SIGNED);
  return tsr_build_andi(b->b, is,
                        tsr_build_cmpi(b->b, key, low, TSR_CMP_GREATER_THAN_OR_EQUAL, TSR_SIGNED));
}

static tsr_value flipped(kernel *v, tsr_value x) {
  return ops_permute(v->b, x, TSR_INTS(1, 0));
}

static tsr_value product(kernel *v, tsr_value x, tsr_value y, tsr_value sum) {
  return tsr_build_mmaf(v->b->b, x, y, sum);
}

static tsr_value zeros(kernel *v, int64_t rows, int64_t columns) {
  return ops_full(v->b, TSR_F32, TSR_INTS(rows, columns), 0);
}

/* What a pair of tiles gives: p and ds in the tensors' type. */
typedef struct pair {
  tsr_value q, k, value, dy, lse, delta, i, j;
  tsr_value p, ds;
} pair;

static void compute(kernel *v, pair *x) {
  ops_build *b = v->b;
  tsr_ints shape = TSR_INTS(v->rows, v->columns);
  tsr_value scale = ops_spread(b, ops_arg(b, "scale"), shape);
  tsr_value s = product(v, x->q, flipped(v, x->k), zeros(v, v->rows, v->columns));
  tsr_value p = tsr_build_exp(b->b, ops_sub(b, ops_mul(b, s, scale), x->lse));
  p = tsr_build_select(b->b, is_seen(v, x->i, x->j), p, ops_full_like(b, p, 0));
  tsr_value dp = product(v, x->dy, flipped(v, x->value), zeros(v, v->rows, v->columns));
  tsr_value ds = ops_mul(b, ops_mul(b, p, scale), ops_sub(b, dp, x->delta));
  x->p = ops_convert(b, p, TSR_F32, v->type);
  x->ds = ops_convert(b, ds, TSR_F32, v->type);
}

/* One turn for each tile of queries of each head that shares the keys. */
static void build_keys(kernel *v) {
  ops_build *b = v->b;
  ops_tiles q = view_of(v, "q", true, AT_head), k = view_of(v, "k", false, AT_head);
  ops_tiles value = view_of(v, "v", false, AT_head_v), dy = view_of(v, "do", true, AT_head_v);
  ops_tiles dk = view_of(v, "dk", false, AT_head), dv = view_of(v, "dv", false, AT_head_v);
  ops_tiles lse = numbers_of(v, "lse"), delta = numbers_of(v, "delta");
  tsr_value kv_head = b->block[1], group = ops_arg(b, "group");
  pair x = {.j = b->block[0],
            .k = load(v, &k, kv_head, b->block[0]),
            .value = load(v, &value, kv_head, b->block[0])};
  tsr_value tiles = ops_ceil_div(b, v->seq, v->rows);
  tsr_value init[] = {zeros(v, v->columns, k.tile[2]), zeros(v, v->columns, value.tile[2])};
  tsr_op *loop =
      ops_loop(b, ops_i32(b, 0), tsr_build_muli(b->b, tiles, group), (tsr_values){init, 2});
  tsr_value turn = tsr_build_arg(b->b, 0), sum_k = tsr_build_arg(b->b, 1);
  tsr_value sum_v = tsr_build_arg(b->b, 2);
  tsr_value head = tsr_build_divi(b->b, turn, tiles, TSR_SIGNED);
  head = tsr_build_addi(b->b, head, tsr_build_muli(b->b, kv_head, group));
  x.i = tsr_build_remi(b->b, turn, tiles, TSR_SIGNED);
  x.q = load(v, &q, head, x.i);
  x.dy = load(v, &dy, head, x.i);
  x.lse = load_numbers(v, &lse, head, x.i);
  x.delta = load_numbers(v, &delta, head, x.i);
  compute(v, &x);
  tsr_value next[] = {product(v, flipped(v, x.ds), x.q, sum_k),
                      product(v, flipped(v, x.p), x.dy, sum_v)};
  ops_loop_end(b, (tsr_values){next, 2});
  store(v, &dk, kv_head, x.j, tsr_op_result(loop, 0));
  store(v, &dv, kv_head, x.j, tsr_op_result(loop, 1));
}

static void build_queries(kernel *v) {
  ops_build *b = v->b;
  ops_tiles q = view_of(v, "q", true, AT_head), k = view_of(v, "k", false, AT_head);
  ops_tiles value = view_of(v, "v", false, AT_head_v), dy = view_of(v, "do", true, AT_head_v);
  ops_tiles dq = view_of(v, "dq", true, AT_head);
  ops_tiles lse = numbers_of(v, "lse"), delta = numbers_of(v, "delta");
  tsr_value head = b->block[1];
  tsr_value kv_head = tsr_build_divi(b->b, head, ops_arg(b, "group"), TSR_SIGNED);
  pair x = {.i = b->block[0],
            .q = load(v, &q, head, b->block[0]),
            .dy = load(v, &dy, head, b->block[0]),
            .lse = load_numbers(v, &lse, head, b->block[0]),
            .delta = load_numbers(v, &delta, head, b->block[0])};
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), ops_ceil_div(b, v->keys, v->columns),
                          TSR_VALUES(zeros(v, v->rows, q.tile[2])));
  tsr_value sum = tsr_build_arg(b->b, 1);
  x.j = tsr_build_arg(b->b, 0);
  x.k = load(v, &k, kv_head, x.j);
  x.value = load(v, &value, kv_head, x.j);
  compute(v, &x);
  ops_loop_end(b, TSR_VALUES(product(v, x.ds, x.k, sum)));
  store(v, &dq, head, x.i, tsr_op_result(loop, 0));
}

static void build(ops_build *b) {
  kernel v = begin(b);
  if (strcmp(b->step->kernel, "delta") == 0)
    build_delta(&v);
  else if (strcmp(b->step->kernel, "keys") == 0)
    build_keys(&v);
  else
    build_queries(&v);
}

/* ---- the reference --------------------------------------------------------------------------- */

typedef struct one_place {
  ops_host *h;
  int64_t batch, head;
} one_place;

static double *at(const one_place *x, const char *name, int64_t token, int64_t element) {
  const ops_tensor *t = ops_host_tensor(x->h, name);
  bool of_keys = name[strlen(name) - 1] == 'k' || name[strlen(name) - 1] == 'v';
  int64_t group = get(x->h->p, AT_heads) / get(x->h->p, AT_kv_heads);
  return &t->numbers[ops_at(t, x->batch, of_keys ? x->head / group : x->head, token) + element];
}

static double dot(const one_place *x, const char *a, int64_t i, const char *b, int64_t j,
                  int64_t n) {
  double sum = 0;
  for (int64_t e = 0; e < n; e++) sum += *at(x, a, i, e) * *at(x, b, j, e);
  return sum;
}

static void one_pair(const one_place *x, int64_t i, int64_t j, double delta) {
  const ops_problem *p = x->h->p;
  double p_ij = exp(scale_of(p) * dot(x, "q", i, "k", j, get(p, AT_head)) - *at(x, "lse", i, 0));
  double ds = scale_of(p) * p_ij * (dot(x, "do", i, "v", j, get(p, AT_head_v)) - delta);
  for (int64_t e = 0; e < get(p, AT_head); e++) {
    *at(x, "dq", i, e) += ds * *at(x, "k", j, e);
    *at(x, "dk", j, e) += ds * *at(x, "q", i, e);
  }
  for (int64_t e = 0; e < get(p, AT_head_v); e++) *at(x, "dv", j, e) += p_ij * *at(x, "do", i, e);
}

static void one_head(const one_place *x) {
  const ops_problem *p = x->h->p;
  int64_t left = get(p, AT_left) < 0 ? FAR : get(p, AT_left);
  int64_t right = get(p, AT_right) < 0 ? FAR : get(p, AT_right);
  int64_t shift = get(p, AT_corner) == 1 ? 0 : get(p, AT_keys) - get(p, AT_seq);
  for (int64_t i = 0; i < get(p, AT_seq); i++) {
    double delta = dot(x, "do", i, "o", i, get(p, AT_head_v));
    for (int64_t j = 0; j < get(p, AT_keys); j++)
      if (j <= i + shift + right && j >= i + shift - left) one_pair(x, i, j, delta);
  }
}

static void reference(ops_host *h) {
  static const char *const results[] = {"dq", "dk", "dv"};
  for (size_t r = 0; r < ARRAY_LEN(results); r++) {
    ops_tensor *t = ops_host_tensor(h, results[r]);
    for (int64_t i = 0, n = ops_operand_span(t->operand); i < n; i++) t->numbers[i] = 0;
  }
  for (int64_t n = 0; n < get(h->p, AT_batch); n++)
    for (int64_t head = 0; head < get(h->p, AT_heads); head++) one_head(&(one_place){h, n, head});
}

/* p and ds are rounded to the tensors' type for products; these errors are independent. */
static double tolerance(const ops_problem *p) {
  double u = ops_type_roundoff(TSR_F32), terms = (double)(get(p, AT_head) + get(p, AT_keys));
  int64_t heads = get(p, AT_heads) / get(p, AT_kv_heads);
  double group = (double)heads * (double)get(p, AT_seq);
  return 4 * ops_type_roundoff(get(p, AT_type)) + u * (64 + 4 * sqrt(terms) + 4 * sqrt(group));
}

const ops_family ops_family_attention_backward = {
    .name = "attention_backward",
    .about = "gradients of attention, with masks and heads that share keys",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = AT_index,
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
