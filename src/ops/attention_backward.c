/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * attention_backward: the gradients of attention. Of q, k, v, its result o, the logarithms of sums
 * that it gave (lse=yes), and the gradient of o,
 *
 *   p = exp(score - lse), 0 where a query does not see a key;   delta = sum(do o)
 *   ds = p (kept (do v^T) - delta),   dbias = ds
 *   dv = (kept p)^T do,   dk = (c ds)^T q,   dq = c ds k,   sums over the heads that share keys
 *
 * where scores are those of attention (attention_score.c), `kept` is 1 / (1 - dropout), or 0 for
 * what was left out, and c is the scale times the gradient of the cap. One more score of each head
 * (sinks) is in lse already. Three kernels: delta; dk and dv for a tile of keys; dq, and dbias, for
 * a tile of queries. Where heads keep all cores busy the last two are one kernel (joined=1), which
 * computes p and ds once: a tile block has all keys of a head and adds to dq in memory. Nothing of
 * the size of p is stored unless dbias is wanted, and no sum depends on the order in which tile
 * blocks run.
 */
#include <math.h>
#include <stdio.h>

#include "ops/attention.h"
#include "ops/families.h"

#define ATTENTION_BACKWARD_PARAMS(P)                                                               \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what tensors hold, but for lse: f32 f16 bf16")           \
  P(head, INTEGER, FORM, 1, 512, NULL, "64", "elements of a query and of a key")                   \
  P(head_v, INTEGER, FORM, 1, 512, "same", "same", "elements of a value")                          \
  P(type_bias, TYPE, FORM, 0, 0, "auto", "auto", "what bias and dbias hold; auto: as q")           \
  P(lengths, CHOSEN, FORM, 0, 0, "fixed variable", "fixed",                                        \
    "variable: sequences follow each other, and offsets_q and offsets_k say where they begin")     \
  P(corner, CHOSEN, FORM, 0, 0, "bottom top", "bottom",                                            \
    "which query and key are aligned: the last ones, or the first ones")                           \
  P(bias, CHOSEN, FORM, 0, 0, "no yes", "no", "a tensor was added to the scores")                  \
  P(alibi, CHOSEN, FORM, 0, 0, "no yes", "no", "scores fell by a slope of the head and distance")  \
  P(dbias, CHOSEN, FORM, 0, 0, "no yes", "no", "the gradient of a bias is written, too")           \
  P(batch, INTEGER, SIZE, 0, 1 << 30, NULL, "1", "how many sequences")                             \
  P(heads, INTEGER, SIZE, 0, 1 << 20, NULL, "8", "heads of q and o")                               \
  P(kv_heads, INTEGER, SIZE, 1, 1 << 20, "same", "same", "heads of k and v, a divisor of heads")   \
  P(seq, INTEGER, SIZE, 0, 1 << 29, NULL, "512", "queries of a sequence")                          \
  P(keys, INTEGER, SIZE, 0, 1 << 29, "same", "same", "keys of a sequence")                         \
  P(total_q, INTEGER, SIZE, 0, INT32_MAX, "packed", "packed", "queries of all sequences")          \
  P(total_k, INTEGER, SIZE, 0, INT32_MAX, "packed", "packed", "keys of all sequences")             \
  P(layout, CHOSEN, SIZE, 0, 0, "bhsd bshd", "bhsd",                                               \
    "how tensors lie: a head after the other, or a token after the other")                         \
  P(strides, TEXT, SIZE, 0, 0, NULL, "packed",                                                     \
    "of tensors that do not lie packed: q:8192x64x512x1; the last is 1")                           \
  P(scale, REAL, SIZE, 0, 0, NULL, "0", "factor of the scores; 0: 1/sqrt(head)")                   \
  P(causal, CHOSEN, SIZE, 0, 0, "no yes", "no", "queries see no key behind their place: right=0")  \
  P(left, INTEGER, SIZE, 0, 1 << 29, "all", "all", "how many keys before its place a query sees")  \
  P(right, INTEGER, SIZE, 0, 1 << 29, "all", "all", "how many keys behind its place")              \
  P(sink_keys, INTEGER, SIZE, 0, 1 << 29, NULL, "0", "first keys that all queries see")            \
  P(cap, REAL, SIZE, 0, 0, NULL, "0", "scores were cap * tanh(score / cap); 0: they stayed")       \
  P(dropout, REAL, SIZE, 0, 0, NULL, "0", "part of the probabilities that was left out")           \
  P(seed, INTEGER, SIZE, 0, INT64_MAX, NULL, "0", "of dropout")                                    \
  P(offset, INTEGER, SIZE, 0, INT64_MAX, NULL, "0", "of dropout: another pattern for each number") \
  P(tile_m, INTEGER, CHOICE, 1, 256, "auto", "auto", "queries of a tile, a power of two")          \
  P(tile_n, INTEGER, CHOICE, 1, 256, "auto", "auto", "keys of a tile, a power of two")             \
  P(joined, INTEGER, CHOICE, 0, 1, "auto", "auto",                                                 \
    "1: a tile block has all keys of a head, and computes p once for all gradients; of f32")       \
  OPS_HINT_PARAMS(P)                                                                               \
  P(has_sink_keys, CHOSEN, DERIVED, 0, 0, "no yes", "no", "sink_keys is not 0")                    \
  P(capped, CHOSEN, DERIVED, 0, 0, "no yes", "no", "cap is not 0")                                 \
  P(drops, CHOSEN, DERIVED, 0, 0, "no yes", "no", "dropout is not 0")                              \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) AT_##id,
  ATTENTION_BACKWARD_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {ATTENTION_BACKWARD_PARAMS(OPS_PARAM_ROW)};

/* The tensors, and the problem whose gradients these are: its scores are computed again. */
typedef struct backward_parts {
  ops_operands tensors;
  ops_problem forward;
} backward_parts;

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static const ops_problem *forward_of(const ops_problem *p) {
  return &((const backward_parts *)p->parts)->forward;
}

static bool is_variable(const ops_problem *p) {
  return get(p, AT_lengths) == 1;
}

/* ---- the problem ----------------------------------------------------------------------------- */

static int64_t times(int64_t x, int64_t y) {
  int64_t product;
  return __builtin_mul_overflow(x, y, &product) || product > OPS_MAX_SIZE ? OPS_MAX_SIZE : product;
}

/* Queries or keys of a tensor: those of a sequence, or of all. */
static int64_t tokens_of(const ops_problem *p, bool of_queries) {
  if (is_variable(p)) return get(p, of_queries ? AT_total_q : AT_total_k);
  return get(p, of_queries ? AT_seq : AT_keys);
}

/* [batch, heads, tokens, ...], without batch where lengths are variable. */
static ops_operand *add_heads(const ops_problem *p, ops_operands *out, const char *name,
                              ops_type type, bool of_queries, int64_t elements, tsr_op_use use) {
  int64_t heads = get(p, of_queries ? AT_heads : AT_kv_heads), tokens = tokens_of(p, of_queries);
  bool by_token = get(p, AT_layout) == 1 && elements >= 0, has_elements = elements >= 0;
  int64_t each = MAX(elements, 1), line = times(MAX(heads, 1), each);
  int64_t head = times(MAX(tokens, 1), each);
  if (use == TSR_OP_WRITTEN && is_variable(p)) use = TSR_OP_UPDATED;
  ops_operand *o = ops_operand_add(out, name, type, use);
  if (!is_variable(p)) ops_operand_dim(o, get(p, AT_batch), times(line, MAX(tokens, 1)));
  ops_operand_dim(o, heads, by_token ? each : head);
  ops_operand_dim(o, tokens, by_token ? line : each);
  if (has_elements) ops_operand_dim(o, elements, 1);
  return o;
}

static void add_tensor(const ops_problem *p, ops_operands *out, const char *name, bool of_queries,
                       int64_t elements, tsr_op_use use) {
  add_heads(p, out, name, get(p, AT_type), of_queries, elements, use);
}

/* The last dimension has the stride 1; heads lie one after the other whatever the layout is. */
static void add_bias(const ops_problem *p, ops_operands *out, const char *name, tsr_op_use use) {
  int64_t keys = get(p, AT_keys), tokens = tokens_of(p, true);
  ops_operand *o = add_heads(p, out, name, get(p, AT_type_bias), true, keys, use);
  int64_t *strides = &o->strides[o->rank - 3];
  strides[1] = MAX(keys, 1);
  strides[0] = times(strides[1], MAX(tokens, 1));
}

static void add_extras(const ops_problem *p, ops_operands *out) {
  static const char *const names[] = {"offsets_q", "offsets_k"};
  for (unsigned i = 0; is_variable(p) && i < 2; i++) {
    ops_operand *o = ops_operand_add(out, names[i], TSR_I32, TSR_OP_READ);
    ops_operand_dim(o, get(p, AT_batch) + 1, 1);
    o->rises = true;
    o->high = (double)tokens_of(p, i == 0);
  }
  if (get(p, AT_bias)) add_bias(p, out, "bias", TSR_OP_READ);
  if (!get(p, AT_alibi)) return;
  ops_operand *o = ops_operand_add(out, "slopes", TSR_F32, TSR_OP_READ);
  ops_operand_dim(o, get(p, AT_batch), 0);
  ops_operand_dim(o, get(p, AT_heads), 1);
  o->low = 0.01, o->high = 0.5;
}

static void packed_operands(const ops_problem *p, ops_operands *out) {
  int64_t head = get(p, AT_head), head_v = get(p, AT_head_v);
  add_tensor(p, out, "q", true, head, TSR_OP_READ);
  add_tensor(p, out, "k", false, head, TSR_OP_READ);
  add_tensor(p, out, "v", false, head_v, TSR_OP_READ);
  add_tensor(p, out, "o", true, head_v, TSR_OP_READ);
  add_tensor(p, out, "do", true, head_v, TSR_OP_READ);
  ops_operand *lse = add_heads(p, out, "lse", TSR_F32, true, -1, TSR_OP_READ);
  lse->low = 1, lse->high = 3;
  add_extras(p, out);
  add_tensor(p, out, "dq", true, head, TSR_OP_WRITTEN);
  add_tensor(p, out, "dk", false, head, TSR_OP_WRITTEN);
  add_tensor(p, out, "dv", false, head_v, TSR_OP_WRITTEN);
  if (get(p, AT_dbias)) add_bias(p, out, "dbias", TSR_OP_WRITTEN);
}

static bool is_slopes(const ops_operand *o) {
  return strcmp(o->name, "slopes") == 0;
}

/* Tensors whose strides are their own; the last one is 1, but of slopes. */
static bool has_strides(const ops_operand *o) {
  return is_slopes(o) || (o->rank >= 3 && strcmp(o->name, "lse") != 0);
}

static bool set_strides(ops_operands *list, const ops_strides *given, ops_why *why) {
  ops_operand *o = NULL;
  for (unsigned i = 0; i < list->count; i++)
    if (str_is(given->name, list->data[i].name) && has_strides(&list->data[i])) o = &list->data[i];
  if (!o)
    return ops_refuse(why, "strides=" STR_FMT ": name a tensor, as in q:8192x64x512x1",
                      (int)MIN(given->text.len, (size_t)64), given->text.data);
  if (!ops_check_strides(given, o->name, o->rank, why)) return false;
  memcpy(o->strides, given->values, o->rank * sizeof *o->strides);
  unsigned last = o->rank - 1u;
  return is_slopes(o) || o->strides[last] == 1 || o->shape[last] <= 1 ||
         ops_refuse(why, "strides=" STR_FMT ": dimension %u of %s must have the stride 1",
                    (int)MIN(given->text.len, (size_t)64), given->text.data, last, o->name);
}

static bool check_values(const ops_problem *p, ops_why *why) {
  ops_type t = get(p, AT_type), bias = get(p, AT_type_bias);
  if (t != TSR_F32 && t != TSR_F16 && t != TSR_BF16)
    return ops_refuse(why, "type=%s: attention_backward takes f32 f16 bf16", ops_type_name(t));
  if (bias >= 0 && bias != TSR_F32 && bias != TSR_F16 && bias != TSR_BF16)
    return ops_refuse(why, "type_bias=%s: attention_backward takes f32 f16 bf16",
                      ops_type_name(bias));
  return !get(p, AT_dbias) || get(p, AT_bias) ||
         ops_refuse(why, "dbias=yes goes with bias=yes: there is no bias to have a gradient");
}

/* What both families say by one name is the same; what queries see is always asked for. */
static bool settle_forward(ops_problem *p, ops_why *why) {
  ops_problem *f = &((backward_parts *)p->parts)->forward;
  ops_operands *unused = arena_new(p->arena, ops_operands);
  ops_problem_init(f, &ops_family_attention, p->arena);
  for (unsigned i = 0; i < p->family->n_params; i++) {
    const ops_param *param = &p->family->params[i];
    unsigned same = ops_param_find(f->family, str_of(param->name));
    bool is_own = param->role == TSR_OP_CHOICE || i == AT_strides || i == AT_index;
    if (!is_own && same < f->family->n_params) f->values[same] = p->values[i];
  }
  f->values[ATTENTION_has_left].i = f->values[ATTENTION_has_right].i = 1;
  f->values[ATTENTION_batched].i = 1;
  if (!ops_problem_settle(f, unused, why)) return false;
  static const unsigned found[][2] = {
      {AT_head_v, ATTENTION_head_v},   {AT_kv_heads, ATTENTION_kv_heads},
      {AT_keys, ATTENTION_keys},       {AT_total_q, ATTENTION_total_q},
      {AT_total_k, ATTENTION_total_k}, {AT_has_sink_keys, ATTENTION_has_sink_keys},
      {AT_capped, ATTENTION_capped},   {AT_drops, ATTENTION_drops},
      {AT_right, ATTENTION_right}};
  for (size_t i = 0; i < ARRAY_LEN(found); i++) p->values[found[i][0]].i = f->values[found[i][1]].i;
  if (get(p, AT_bias)) p->values[AT_type_bias].i = f->values[ATTENTION_type_bias].i;
  return true;
}

static bool settle(ops_problem *p, ops_why *why) {
  backward_parts *parts = arena_new(p->arena, backward_parts);
  ops_strides given;
  p->parts = parts;
  if (!check_values(p, why) || !settle_forward(p, why)) return false;
  packed_operands(p, &parts->tensors);
  for (str rest = ops_strides_begin(p->values[AT_strides].text); ops_strides_next(&rest, &given);)
    if (!set_strides(&parts->tensors, &given, why)) return false;
  return true;
}

static void operands(const ops_problem *p, ops_operands *out) {
  *out = ((const backward_parts *)p->parts)->tensors;
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
  if (get(p, AT_drops) && n < 4)
    return ops_refuse(why,
                      "tile_n=%lld: with dropout four keys are decided about at once; give 4 "
                      "or more",
                      (long long)n);
  if (m * n > 32768 || m * head > 65536 || n * head > 65536)
    return ops_refuse(why,
                      "tiles of %lld x %lld with %lld elements are too large: tile_m * tile_n "
                      "is at most 32768, and 65536 each with the elements",
                      (long long)m, (long long)n, (long long)head);
  if (get(p, AT_joined) && (get(p, AT_type) != TSR_F32 || get(p, AT_dbias)))
    return ops_refuse(why, "joined=1 goes with type=f32 and dbias=no: dq is summed where it lies");
  double turns = (double)ops_tiles_of(get(p, AT_seq), m) * (double)get(p, AT_heads);
  return turns <= INT32_MAX ||
         ops_refuse(why, "seq=%lld and heads=%lld make more than 2^31 - 1 tiles; give larger ones",
                    (long long)get(p, AT_seq), (long long)get(p, AT_heads));
}

static void candidates(const ops_target *t, ops_candidates *out) {
  static const int16_t tiles[][2] = {{64, 64}, {32, 32}, {32, 64}, {64, 32}, {16, 16}, {128, 64}};
  for (size_t i = 0; i < ARRAY_LEN(tiles); i++)
    for (int64_t joined = 0; joined < (t->kind == OPS_ON_CPU ? 2 : 1); joined++)
      ops_candidates_add(out, (int64_t[]){tiles[i][0], tiles[i][1], joined});
}

static double flops(const ops_problem *p) {
  double pairs = (double)get(p, AT_batch) * (double)get(p, AT_heads) * (double)get(p, AT_seq) *
                 (double)get(p, AT_keys);
  if (get(p, AT_causal)) pairs /= 2;
  return pairs * (double)(6 * get(p, AT_head) + 4 * get(p, AT_head_v));
}

/* Milliseconds of joined kernels on a core that reaches `rate`, operations in a millisecond. On
 * CPUs the products' operands are packed for each pair of tiles; a pair has four tiles of its size,
 * which wait in a core's caches for narrow vectors longest. */
static double joined_cost(const ops_problem *p, double rows, double columns, double rate,
                          const ops_target *t) {
  double m = (double)get(p, AT_tile_m), n = (double)get(p, AT_tile_n);
  bool wide = t->vector_bytes >= 64;
  double fit = wide ? 1 / (1 + 3 / m + 6 / n) : 1 / (1 + 1.5 / m + 1.5 / n);
  if (m * n > (wide ? 4096 : 2048)) fit *= wide ? 0.92 : 0.8;
  double pairs = rows * columns;
  /* Half of the pairs, and those of the tiles that the diagonal goes through. */
  if (get(p, AT_causal)) pairs = fmin(pairs, rows * (columns + m + n) / 2);
  double blocks = (double)get(p, AT_kv_heads) * (double)get(p, AT_batch);
  double turns = ceil(blocks / t->cores), group = (double)get(p, AT_heads);
  group /= fmax((double)get(p, AT_kv_heads), 1);
  double each = (double)(6 * get(p, AT_head) + 4 * get(p, AT_head_v) + 40);
  return 0.008 + turns * group * pairs * each / (rate * fit);
}

static double cost(const ops_problem *p, const ops_target *t) {
  double m = (double)get(p, AT_tile_m), n = (double)get(p, AT_tile_n);
  double rows = (double)ops_tiles_of(get(p, AT_seq), get(p, AT_tile_m)) * m;
  double columns = (double)ops_tiles_of(get(p, AT_keys), get(p, AT_tile_n)) * n;
  if (get(p, AT_joined)) return joined_cost(p, rows, columns, t->gflops * 1e6, t);
  double work = rows * columns * (double)get(p, AT_heads) * (double)get(p, AT_batch) *
                (double)(8 * get(p, AT_head) + 6 * get(p, AT_head_v) + 60);
  if (get(p, AT_causal)) work *= fmin((columns + m + n) / (2 * columns + 1), 1);
  double fit = 1 / (1 + 8 / m + 8 / n) * (t->kind == OPS_ON_CPU && (m < 32 || n < 32) ? 0.3 : 1);
  return 0.012 + work / (t->gflops * 1e6 * fit * t->cores);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Strides but the last, as q_b, q_h and q_t. */
static void pass(const ops_problem *p, ops_steps *out, ops_step *s, const char *const *names) {
  static const char dims[] = "bht";
  for (; *names; names++) {
    const ops_operand *o = ops_operand_find(out->operands, *names);
    if (!o) continue;
    ops_pass_tensor(out, s, *names);
    unsigned first = is_variable(p) ? 1 : 0;
    for (unsigned d = 0; has_strides(o) && d + 1 < o->rank; d++)
      ops_pass_index(out, s, arena_printf(p->arena, "%s_%c", *names, dims[d + first]),
                     o->strides[d]);
  }
}

/* Of a batch and of a head; a stride that is 0 is no constant. */
static void pass_slopes(const ops_problem *p, ops_steps *out, ops_step *s) {
  if (!get(p, AT_alibi)) return;
  const ops_operand *o = ops_operand_find(out->operands, "slopes");
  ops_pass_tensor(out, s, "slopes");
  ops_pass_index(out, s, "slopes_b", o->strides[0]);
  ops_pass_index(out, s, "slopes_h", o->strides[1]);
}

static ops_step *add_step(const ops_problem *p, ops_steps *out, const char *name, int64_t tiles,
                          int64_t heads) {
  int64_t batches = is_variable(p) ? 1 : get(p, AT_batch);
  int64_t rows = times(times(batches, get(p, AT_heads)), tokens_of(p, true));
  ops_step *s = ops_step_add(out, name, MAX(tiles, 1), heads, get(p, AT_batch));
  ops_pass_workspace(out, s, "delta", TSR_F32, rows);
  ops_pass_index(out, s, "heads", get(p, AT_heads));
  ops_pass_index(out, s, "kv_heads", get(p, AT_kv_heads));
  ops_pass_word(s, "group", get(p, AT_heads) / get(p, AT_kv_heads));
  ops_pass_word(s, "seq", get(p, AT_seq));
  ops_pass_word(s, "keys", get(p, AT_keys));
  if (!is_variable(p)) return s;
  ops_pass_tensor(out, s, "offsets_q");
  ops_pass_tensor(out, s, "offsets_k");
  ops_pass_word(s, "total_q", get(p, AT_total_q));
  ops_pass_word(s, "total_k", get(p, AT_total_k));
  return s;
}

static void add_scores_step(const ops_problem *p, ops_steps *out, const char *name, int64_t tiles,
                            int64_t heads, const char *const *names) {
  ops_step *s = add_step(p, out, name, tiles, heads);
  pass(p, out, s, names);
  pass_slopes(p, out, s);
  attention_pass_scores(forward_of(p), s);
  ops_pass_real(s, "gradient_scale", TSR_F32, attention_scale(forward_of(p)));
  if (get(p, AT_drops)) ops_pass_real(s, "kept", TSR_F32, 1 / (1 - p->values[AT_dropout].r));
}

static void steps(const ops_problem *p, ops_steps *out) {
  static const char *const first[] = {"o", "do", NULL};
  static const char *const of_keys[] = {"q", "k", "v", "do", "lse", "bias", "dk", "dv", NULL};
  static const char *const of_queries[] = {"q", "k", "v", "do", "lse", "bias", "dq", "dbias", NULL};
  static const char *const of_pairs[] = {"q",    "k",  "v",  "do", "lse",
                                         "bias", "dq", "dk", "dv", NULL};
  int64_t m = ops_tiles_of(get(p, AT_seq), get(p, AT_tile_m)), heads = get(p, AT_heads);
  int64_t n = ops_tiles_of(get(p, AT_keys), get(p, AT_tile_n));
  if (get(p, AT_batch) == 0 || heads == 0 || (m == 0 && n == 0)) return;
  pass(p, out, add_step(p, out, "delta", m, heads), first);
  if (get(p, AT_joined)) {
    add_scores_step(p, out, "pairs", 1, get(p, AT_kv_heads), of_pairs);
    return;
  }
  add_scores_step(p, out, "keys", n, get(p, AT_kv_heads), of_keys);
  add_scores_step(p, out, "queries", m, heads, of_queries);
}

/* ---- the kernels ----------------------------------------------------------------------------- */

typedef struct kernel {
  ops_build *b;
  const ops_problem *p;
  ops_problem forward; /* the instance whose scores are computed */
  ops_type type;
  int64_t rows, columns; /* of tiles of queries and of keys */
  attention_kernel a;    /* the pair of tiles, as scores take it */
} kernel;

static tsr_value stride(kernel *v, const char *name, char dim) {
  char full[16];
  snprintf(full, sizeof full, "%s_%c", name, dim);
  return ops_arg(v->b, full);
}

/* Where a tensor's sequence begins. */
static tsr_value base_of(kernel *v, const char *name, bool of_queries) {
  tsr_value base = ops_arg(v->b, name), start = of_queries ? v->a.start_q : v->a.start_k;
  if (start) return ops_advance(v->b, base, start, stride(v, name, 't'));
  return ops_advance(v->b, base, v->a.batch, stride(v, name, 'b'));
}

static tsr_value tokens(kernel *v, bool of_queries) {
  return ops_to_index(v->b, of_queries ? v->a.seq : v->a.keys);
}

/* A tensor of queries or keys as tiles of one head. */
static ops_tiles view_of(kernel *v, const char *name, bool of_queries, unsigned elements) {
  ops_build *b = v->b;
  int64_t size = get(v->p, elements);
  return ops_view(b,
                  &(ops_view_spec){.base = base_of(v, name, of_queries),
                                   .elem = ops_type_elem(v->type),
                                   .rank = 3,
                                   .sizes = {ops_arg(b, of_queries ? "heads" : "kv_heads"),
                                             tokens(v, of_queries)},
                                   .strides = {stride(v, name, 'h'), stride(v, name, 't')},
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

/* Numbers of queries: lse or delta, which lie packed. */
static ops_tiles numbers_of(kernel *v, const char *name) {
  ops_build *b = v->b;
  tsr_value heads = ops_arg(b, "heads"), base = ops_arg(b, name), one = ops_index(b, 1);
  tsr_value line = ops_to_index(b, ops_arg(b, v->a.start_q ? "total_q" : "seq"));
  tsr_value all = tsr_build_muli(b->b, ops_to_i64(b, heads), ops_to_i64(b, line));
  base = v->a.start_q ? ops_advance(b, base, v->a.start_q, one)
                      : ops_advance(b, base, v->a.batch, all);
  return ops_view(b, &(ops_view_spec){.base = base,
                                      .elem = TSR_F32,
                                      .rank = 2,
                                      .sizes = {heads, tokens(v, true)},
                                      .strides = {line},
                                      .tile = {1, v->rows},
                                      .padding = TSR_PADDING_ZERO});
}

static tsr_value load_numbers(kernel *v, const ops_tiles *t, tsr_value head, tsr_value tile) {
  tsr_value x = ops_reshape(v->b, ops_load(v->b, t, TSR_VALUES(head, tile)), TSR_INTS(v->rows, 1));
  return ops_broadcast(v->b, x, TSR_INTS(v->rows, v->columns));
}

static void begin(kernel *v, ops_build *b) {
  const ops_problem *p = b->p;
  *v = (kernel){.b = b,
                .p = p,
                .forward = ops_problem_instance(forward_of(p)),
                .type = get(p, AT_type),
                .rows = get(p, AT_tile_m),
                .columns = get(p, AT_tile_n)};
  v->a = (attention_kernel){.b = b,
                            .p = &v->forward,
                            .rows = v->rows,
                            .columns = v->columns,
                            .batch = b->block[2],
                            .batch_or_0 = b->block[2]};
  attention_find_sequences(&v->a);
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

static tsr_value flipped(kernel *v, tsr_value x) {
  return ops_permute(v->b, x, TSR_INTS(1, 0));
}

static tsr_value product(kernel *v, tsr_value x, tsr_value y, tsr_value sum) {
  return tsr_build_mmaf(v->b->b, x, y, sum);
}

static tsr_value zeros(kernel *v, int64_t rows, int64_t columns) {
  return ops_full(v->b, TSR_F32, TSR_INTS(rows, columns), 0);
}

/* What a pair of tiles gives: p and ds in the tensors' type, ds of scores as f32. */
typedef struct pair {
  tsr_value q, k, value, dy, lse, delta, i, j, head;
  tsr_value p, ds, dscore;
} pair;

static tsr_value everywhere(kernel *v, const char *name) {
  return ops_spread(v->b, ops_arg(v->b, name), TSR_INTS(v->rows, v->columns));
}

/* 2^(score - lse); scores of keys that are not seen are -infinity, as lse may be. */
static tsr_value probabilities(kernel *v, const pair *x, tsr_value products,
                               const attention_scores *scores) {
  ops_build *b = v->b;
  tsr_value s = attention_scores_of(&v->a, scores, products, x->j);
  tsr_value none = ops_full_like(b, s, -INFINITY);
  tsr_value is = tsr_build_cmpf(b->b, s, none, TSR_CMP_GREATER_THAN, TSR_CMP_ORDERED);
  tsr_value lse = ops_mul(b, x->lse, ops_full_like(b, x->lse, -M_LOG2E));
  s = scores->plain ? tsr_build_fma(b->b, s, everywhere(v, "scale"), lse) : ops_add(b, s, lse);
  return tsr_build_select(b->b, is, tsr_build_exp2(b->b, s), ops_full_like(b, s, 0));
}

static tsr_value with_dropout(kernel *v, const pair *x, tsr_value tile) {
  if (!get(v->p, AT_drops)) return tile;
  return ops_mul(v->b, attention_drop(&v->a, tile, x->j), everywhere(v, "kept"));
}

/* The gradient of cap * tanh(score / cap) and the scale. */
static tsr_value through_scale(kernel *v, tsr_value products, tsr_value ds) {
  ops_build *b = v->b;
  ds = ops_mul(b, ds, everywhere(v, "gradient_scale"));
  if (!get(v->p, AT_capped)) return ds;
  tsr_value t = tsr_build_tanh(b->b, ops_mul(b, products, everywhere(v, "scale")));
  return ops_mul(b, ds, ops_sub(b, ops_full_like(b, t, 1), ops_mul(b, t, t)));
}

static void compute(kernel *v, pair *x) {
  ops_build *b = v->b;
  v->a.i = x->i;
  v->a.head = x->head;
  attention_scores scores = attention_scores_begin(&v->a);
  tsr_value s = product(v, x->q, flipped(v, x->k), zeros(v, v->rows, v->columns));
  tsr_value p = probabilities(v, x, s, &scores);
  tsr_value dp = product(v, x->dy, flipped(v, x->value), zeros(v, v->rows, v->columns));
  x->dscore = ops_mul(b, p, ops_sub(b, with_dropout(v, x, dp), x->delta));
  x->p = ops_convert(b, with_dropout(v, x, p), TSR_F32, v->type);
  x->ds = ops_convert(b, through_scale(v, s, x->dscore), TSR_F32, v->type);
}

/* dq of a pair of tiles is added to what lies there, behind what was stored before. */
static tsr_value add_to_queries(kernel *v, const pair *x, const ops_tiles *dq, tsr_value behind) {
  tsr_value index[] = {x->head, x->i, ops_i32(v->b, 0)};
  tsr_value old = tsr_build_load_view_tko(v->b->b, dq->view, (tsr_values){index, 3},
                                          TSR_MEMORY_WEAK, .token = behind);
  behind = tsr_result_of(old, 1);
  tsr_value sum = ops_reshape(v->b, old, TSR_INTS(dq->tile[1], dq->tile[2]));
  sum = product(v, x->ds, x->k, sum);
  sum = ops_reshape(v->b, sum, TSR_INTS(1, dq->tile[1], dq->tile[2]));
  return tsr_build_store_view_tko(v->b->b, sum, dq->view, (tsr_values){index, 3}, TSR_MEMORY_WEAK,
                                  .token = behind);
}

/* One turn for each tile of queries that may see some of the keys of tile `j`, of each head that
 * shares them. With `dq` that is added to, too, behind the token, and a later token is returned. */
static tsr_value go_through_queries(kernel *v, tsr_value j, const ops_tiles *dq, tsr_value behind) {
  ops_build *b = v->b;
  ops_tiles q = view_of(v, "q", true, AT_head), k = view_of(v, "k", false, AT_head);
  ops_tiles value = view_of(v, "v", false, AT_head_v), dy = view_of(v, "do", true, AT_head_v);
  ops_tiles dk = view_of(v, "dk", false, AT_head), dv = view_of(v, "dv", false, AT_head_v);
  ops_tiles lse = numbers_of(v, "lse"), delta = numbers_of(v, "delta");
  tsr_value kv_head = b->block[1], group = ops_arg(b, "group");
  pair x = {.j = j, .k = load(v, &k, kv_head, j), .value = load(v, &value, kv_head, j)};
  tsr_value from, tiles;
  attention_queries_of(&v->a, x.j, &from, &tiles);
  tsr_value init[] = {zeros(v, v->columns, k.tile[2]), zeros(v, v->columns, value.tile[2]), behind};
  size_t count = dq ? 3 : 2;
  tsr_op *loop =
      ops_loop(b, ops_i32(b, 0), tsr_build_muli(b->b, tiles, group), (tsr_values){init, count});
  tsr_value turn = tsr_build_arg(b->b, 0), sum_k = tsr_build_arg(b->b, 1);
  tsr_value sum_v = tsr_build_arg(b->b, 2), so_far = dq ? tsr_build_arg(b->b, 3) : NULL;
  /* With none there is no turn. */
  tiles = tsr_build_maxi(b->b, tiles, ops_i32(b, 1), TSR_SIGNED);
  tsr_value head = tsr_build_divi(b->b, turn, tiles, TSR_SIGNED);
  head = tsr_build_addi(b->b, head, tsr_build_muli(b->b, kv_head, group));
  x.i = tsr_build_addi(b->b, from, tsr_build_remi(b->b, turn, tiles, TSR_SIGNED));
  x.head = head;
  x.q = load(v, &q, head, x.i);
  x.dy = load(v, &dy, head, x.i);
  x.lse = load_numbers(v, &lse, head, x.i);
  x.delta = load_numbers(v, &delta, head, x.i);
  compute(v, &x);
  tsr_value next[] = {product(v, flipped(v, x.ds), x.q, sum_k),
                      product(v, flipped(v, x.p), x.dy, sum_v),
                      dq ? add_to_queries(v, &x, dq, so_far) : NULL};
  ops_loop_end(b, (tsr_values){next, count});
  store(v, &dk, kv_head, x.j, tsr_op_result(loop, 0));
  store(v, &dv, kv_head, x.j, tsr_op_result(loop, 1));
  return dq ? tsr_op_result(loop, 2) : NULL;
}

static void build_keys(kernel *v) {
  go_through_queries(v, v->b->block[0], NULL, NULL);
}

/* Stores 0 to dq of the heads that share keys; a token behind that is returned. */
static tsr_value clear_queries(kernel *v, const ops_tiles *dq) {
  ops_build *b = v->b;
  tsr_value group = ops_arg(b, "group"), tiles = ops_ceil_div(b, v->a.seq, v->rows);
  tsr_value first = tsr_build_muli(b->b, b->block[1], group);
  tsr_value zero = ops_full(b, TSR_F32, TSR_INTS(1, dq->tile[1], dq->tile[2]), 0);
  tsr_op *heads = ops_loop(b, ops_i32(b, 0), group, TSR_VALUES(tsr_build_make_token(b->b)));
  tsr_value head = tsr_build_addi(b->b, first, tsr_build_arg(b->b, 0));
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), tiles, TSR_VALUES(tsr_build_arg(b->b, 1)));
  tsr_value index[] = {head, tsr_build_arg(b->b, 0), ops_i32(b, 0)};
  tsr_value behind = tsr_build_arg(b->b, 1);
  behind = tsr_build_store_view_tko(b->b, zero, dq->view, (tsr_values){index, 3}, TSR_MEMORY_WEAK,
                                    .token = behind);
  ops_loop_end(b, TSR_VALUES(behind));
  ops_loop_end(b, TSR_VALUES(tsr_op_result(loop, 0)));
  return tsr_op_result(heads, 0);
}

static void build_pairs(kernel *v) {
  ops_build *b = v->b;
  ops_tiles dq = view_of(v, "dq", true, AT_head);
  tsr_value tiles = ops_ceil_div(b, v->a.keys, v->columns), behind = clear_queries(v, &dq);
  ops_loop(b, ops_i32(b, 0), tiles, TSR_VALUES(behind));
  behind = go_through_queries(v, tsr_build_arg(b->b, 0), &dq, tsr_build_arg(b->b, 1));
  ops_loop_end(b, TSR_VALUES(behind));
}

static void store_bias(kernel *v, const pair *x) {
  ops_build *b = v->b;
  ops_type type = get(v->p, AT_type_bias);
  ops_tiles t = ops_view(
      b, &(ops_view_spec){.base = base_of(v, "dbias", true),
                          .elem = ops_type_elem(type),
                          .rank = 3,
                          .sizes = {ops_arg(b, "heads"), tokens(v, true), tokens(v, false)},
                          .strides = {stride(v, "dbias", 'h'), stride(v, "dbias", 't')},
                          .tile = {1, v->rows, v->columns}});
  tsr_value y = ops_reshape(b, x->dscore, TSR_INTS(1, v->rows, v->columns));
  ops_store(b, ops_convert(b, y, TSR_F32, type), &t, TSR_VALUES(x->head, x->i, x->j));
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
            .head = head,
            .q = load(v, &q, head, b->block[0]),
            .dy = load(v, &dy, head, b->block[0]),
            .lse = load_numbers(v, &lse, head, b->block[0]),
            .delta = load_numbers(v, &delta, head, b->block[0])};
  v->a.i = x.i;
  /* All of a bias has a gradient, that of keys which are not seen is 0. */
  attention_range range = {.count = ops_ceil_div(b, v->a.keys, v->columns)};
  if (!get(v->p, AT_dbias)) range = attention_range_of(&v->a);
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), range.count, TSR_VALUES(zeros(v, v->rows, q.tile[2])));
  tsr_value sum = tsr_build_arg(b->b, 1);
  x.j = attention_tile_at(&v->a, &range, tsr_build_arg(b->b, 0));
  x.k = load(v, &k, kv_head, x.j);
  x.value = load(v, &value, kv_head, x.j);
  compute(v, &x);
  if (get(v->p, AT_dbias)) store_bias(v, &x);
  ops_loop_end(b, TSR_VALUES(product(v, x.ds, x.k, sum)));
  store(v, &dq, head, x.i, tsr_op_result(loop, 0));
}

static void build(ops_build *b) {
  kernel v;
  begin(&v, b);
  if (strcmp(b->step->kernel, "delta") == 0)
    build_delta(&v);
  else if (strcmp(b->step->kernel, "keys") == 0)
    build_keys(&v);
  else if (strcmp(b->step->kernel, "pairs") == 0)
    build_pairs(&v);
  else
    build_queries(&v);
}

/* ---- the reference --------------------------------------------------------------------------- */

/* A query, and for its tensors where the sequence and the head begin. */
static double *at(const attention_query *q, const char *name, int64_t token, int64_t e) {
  char last = name[strlen(name) - 1];
  bool of_keys = last == 'k' || last == 'v';
  return attention_element(q, name, of_keys ? q->kv_head : q->head,
                           of_keys ? q->start_k : q->start_q, token, e);
}

static double dot(const attention_query *q, const char *a, const char *b, int64_t j) {
  double sum = 0;
  for (int64_t e = 0; e < attention_get(q->p, ATTENTION_head_v); e++)
    sum += *at(q, a, q->i, e) * *at(q, b, j, e);
  return sum;
}

/* How the score changes with the product of the query and the key. */
static double slope(const attention_query *q, int64_t j) {
  double cap = q->p->values[ATTENTION_cap].r, scale = attention_scale(q->p);
  double t = cap != 0 ? tanh(attention_dot(q, j) * scale / cap) : 0;
  return scale * (1 - t * t);
}

static void one_pair(const attention_query *q, int64_t j, double delta) {
  const ops_problem *p = q->p;
  double score = attention_score(q, j), dropout = p->values[ATTENTION_dropout].r;
  double p_ij = score > -INFINITY ? exp(score - *at(q, "lse", q->i, 0)) : 0;
  double kept = dropout != 0 && attention_is_dropped(q, j) ? 0 : 1 / (1 - dropout);
  double ds = p_ij * (dot(q, "do", "v", j) * kept - delta), c = slope(q, j);
  if (ops_host_tensor(q->h, "dbias"))
    *attention_element(q, "dbias", q->head, q->start_q, q->i, j) = ds;
  for (int64_t e = 0; e < attention_get(p, ATTENTION_head); e++) {
    *at(q, "dq", q->i, e) += c * ds * *at(q, "k", j, e);
    *at(q, "dk", j, e) += c * ds * *at(q, "q", q->i, e);
  }
  for (int64_t e = 0; e < attention_get(p, ATTENTION_head_v); e++)
    *at(q, "dv", j, e) += p_ij * kept * *at(q, "do", q->i, e);
}

/* Sums begin with 0 where there are tokens; what lies behind all sequences stays. */
static void clear(const attention_query *q, const char *name, int64_t count, int64_t elements) {
  for (int64_t t = 0; t < count; t++)
    for (int64_t e = 0; e < elements; e++) *at(q, name, t, e) = 0;
}

static void one_sequence(attention_query *q) {
  const ops_problem *p = q->p;
  int64_t heads = attention_get(p, ATTENTION_heads);
  int64_t group = heads / attention_get(p, ATTENTION_kv_heads);
  attention_query_begin(q);
  for (q->head = 0; q->head < heads; q->head++) {
    q->kv_head = q->head / group;
    clear(q, "dq", q->seq, attention_get(p, ATTENTION_head));
    if (q->head % group == 0) {
      clear(q, "dk", q->keys, attention_get(p, ATTENTION_head));
      clear(q, "dv", q->keys, attention_get(p, ATTENTION_head_v));
    }
    for (q->i = 0; q->i < q->seq; q->i++) {
      double delta = dot(q, "do", "o", q->i);
      for (int64_t j = 0; j < q->keys; j++) one_pair(q, j, delta);
    }
  }
}

static void reference(ops_host *h) {
  attention_query q = {.p = forward_of(h->p), .h = h};
  for (q.batch = 0; q.batch < get(h->p, AT_batch); q.batch++) one_sequence(&q);
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
    .about = "gradients of attention, with all that it has",
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
