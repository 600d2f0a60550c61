/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "ops/attention.h"

static int64_t get(const ops_problem *p, unsigned param) {
  return attention_get(p, param);
}

/* ---- support --------------------------------------------------------------------------------- */

enum { TILE_MAX = 1 << 15 };

static bool check_tile(const ops_problem *p, ops_why *why) {
  int64_t m = get(p, ATTENTION_tile_m), n = get(p, ATTENTION_tile_n);
  int64_t head = MAX(get(p, ATTENTION_head), get(p, ATTENTION_head_v));
  if (m * n <= TILE_MAX && m * head <= 2 * TILE_MAX && n * head <= 2 * TILE_MAX) return true;
  return ops_refuse(why,
                    "tiles of %lld x %lld with %lld elements are too large: tile_m * tile_n is at "
                    "most 32768, and 65536 each with the elements",
                    (long long)m, (long long)n, (long long)head);
}

static bool check_grid(const ops_problem *p, ops_why *why) {
  double x = (double)ops_tiles_of(get(p, ATTENTION_seq), get(p, ATTENTION_tile_m));
  double y = (double)get(p, ATTENTION_heads);
  double z = (double)get(p, ATTENTION_batch) * (double)get(p, ATTENTION_split);
  if (z <= INT32_MAX && x * y * z <= 0x1p40) return true;
  return ops_refuse(why,
                    "seq=%lld, heads=%lld, batch=%lld make %.0f x %.0f x %.0f tile blocks; at most "
                    "2^31 - 1 along each axis and 2^40 altogether are possible",
                    (long long)get(p, ATTENTION_seq), (long long)get(p, ATTENTION_heads),
                    (long long)get(p, ATTENTION_batch), x, y, z);
}

/* Whether queries of the heads that share keys lie evenly. The last dimension of tensors with a
 * number for each query has the stride 1. */
static bool lies_evenly(const ops_problem *p, const ops_operand *o) {
  int64_t seq = get(p, ATTENTION_seq);
  if (seq == 0) return true;
  if (seq == 1) return o->rank == 4 || o->strides[1] == 1;
  return o->strides[1] == seq * o->strides[2];
}

/* Whether the epilogue has tensors without a row for each query of each head. */
static bool has_other_stages(const ops_problem *p) {
  const ops_epilogue *e = attention_epilogue(p);
  for (unsigned i = 0; i < e->count; i++) {
    const ops_stage *s = &e->stages[i];
    if (s->operand && (s->span == OPS_SPAN_M || s->span == OPS_SPAN_N)) return true;
  }
  return false;
}

static bool check_pack(const ops_problem *p, ops_why *why) {
  if (get(p, ATTENTION_pack) != 1) return true;
  static const unsigned without[] = {ATTENTION_lengths, ATTENTION_bias, ATTENTION_alibi,
                                     ATTENTION_sinks, ATTENTION_drops};
  const ops_operands *list = attention_operands(p);
  bool fits = !has_other_stages(p);
  for (size_t i = 0; i < ARRAY_LEN(without); i++) fits = fits && !get(p, without[i]);
  if (!fits)
    return ops_refuse(why, "pack=1 goes with lengths=fixed, without bias, alibi, sinks, dropout, "
                           "and without tensors of the epilogue that have spans of m or n");
  for (unsigned i = 0; i < list->count; i++)
    if (attention_has_queries(&list->data[i]) && !lies_evenly(p, &list->data[i]))
      return ops_refuse(why,
                        "pack=1, but the queries of heads that share keys lie unevenly in %s; "
                        "give layout=bhsd or seq=1",
                        list->data[i].name);
  return true;
}

/* Keys of a page that are less than a tile are found one by one: by rows of the whole cache. */
static bool check_pages(const ops_problem *p, ops_why *why) {
  static const char *const names[] = {"k", "v"};
  if (!attention_is_paged(p) || get(p, ATTENTION_page_step) >= get(p, ATTENTION_tile_n))
    return true;
  for (unsigned i = 0; i < 2; i++) {
    const ops_operand *o = ops_operand_find(attention_operands(p), names[i]);
    if (!ops_has_page_rows(o, get(p, ATTENTION_pages)))
      return ops_refuse(why,
                        "tile_n=%lld does not divide page=%lld, and the pages of %s (%lld apart) "
                        "do not make at most 2^31 - 1 rows (%lld apart); give another tile_n",
                        (long long)get(p, ATTENTION_tile_n), (long long)get(p, ATTENTION_page),
                        names[i], (long long)o->strides[0], (long long)o->strides[2]);
  }
  return true;
}

bool attention_supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return ops_check_power(p, ATTENTION_tile_m, why) && ops_check_power(p, ATTENTION_tile_n, why) &&
         check_tile(p, why) && check_pack(p, why) && check_grid(p, why) && check_pages(p, why) &&
         attention_check_scales(p, why) && attention_append_supported(p, t, why);
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* Few queries of several heads with the same keys. */
static bool is_worth_packing(const ops_problem *p) {
  return get(p, ATTENTION_seq) <= 16 && get(p, ATTENTION_heads) > get(p, ATTENTION_kv_heads);
}

void attention_candidates(const ops_target *t, ops_candidates *out) {
  static const int16_t cpu_tiles[][2] = {{64, 64},  {128, 64}, {64, 128}, {32, 64},
                                         {128, 32}, {32, 32},  {16, 64},  {16, 32},
                                         {4, 64},   {1, 64},   {1, 128},  {16, 16}};
  static const int16_t gpu_tiles[][2] = {{128, 128}, {128, 64}, {64, 128}, {64, 64},
                                         {64, 32},   {32, 64},  {16, 64},  {16, 32}};
  static const int16_t splits[] = {1, 2, 4, 8, 16, 32};
  bool gpu = t->kind == OPS_ON_GPU;
  size_t count = gpu ? ARRAY_LEN(gpu_tiles) : ARRAY_LEN(cpu_tiles);
  for (size_t i = 0; i < count; i++)
    for (size_t s = 0; s < 2 * ARRAY_LEN(splits); s++)
      if (s % 2 == 0 || is_worth_packing(out->problem))
        ops_candidates_add(out,
                           (int64_t[]){(gpu ? gpu_tiles : cpu_tiles)[i][0],
                                       (gpu ? gpu_tiles : cpu_tiles)[i][1], splits[s / 2], s % 2});
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* Keys that a tile of queries goes through, on average. */
static double keys_seen(const ops_problem *p, double tile_m) {
  double keys = (double)get(p, ATTENTION_keys), seq = (double)get(p, ATTENTION_seq);
  double left = get(p, ATTENTION_has_left) ? (double)get(p, ATTENTION_left) : keys;
  double right = get(p, ATTENTION_has_right) ? (double)get(p, ATTENTION_right) : keys;
  double before = left < 0 ? keys : fmin(left, keys - seq / 2), after = right < 0 ? keys : right;
  return fmin(keys, fmax(before, 0) + after + tile_m) + (double)get(p, ATTENTION_sink_keys);
}

/* Products of 16 and 8 bits go faster where the target has them. */
static double type_speed(ops_type t, const ops_target *on) {
  unsigned bits = ops_type_bits(t);
  if (on->kind == OPS_ON_GPU) return bits == 32 ? 1 : 256.0 / bits;
  return on->bf16 && t == TSR_BF16 ? 2 : 1;
}

/* How much of the rate of multiply-adds tiles reach. On CPUs keys are packed once for each tile of
 * queries, and sums and weights of a row are gone through for each tile of keys; tiles of few
 * queries are multiplied by code that does not pack. */
static double fit_of(double m, double n, const ops_target *on) {
  enum { PACKED_ROWS = 32 };
  if (on->kind != OPS_ON_CPU) return 1 / (1 + 8 / m + 8 / n);
  if (m >= PACKED_ROWS) return 1 / (1 + 2 / m + 3 / n);
  double narrow = on->vector_bytes < 64 && m >= 16 ? 0.5 : 1; /* vectors wait less for a row */
  return 1 / (1 + narrow * 12 / m + 3 / n);
}

double attention_cost(const ops_problem *p, const ops_target *t) {
  double m = (double)get(p, ATTENTION_tile_m), n = (double)get(p, ATTENTION_tile_n);
  double size = (double)(get(p, ATTENTION_head) + get(p, ATTENTION_head_v));
  double split = (double)get(p, ATTENTION_split);
  int64_t packed = attention_heads_packed(p);
  double tiles = (double)ops_tiles_of(get(p, ATTENTION_seq) * packed, get(p, ATTENTION_tile_m));
  int64_t heads = get(p, ATTENTION_heads) / packed;
  double blocks = tiles * (double)heads * (double)get(p, ATTENTION_batch) * split;
  double steps = ceil(ceil(keys_seen(p, m) / n) / split), turns = ceil(blocks / t->cores);
  double rate = t->gflops * 1e6 * type_speed(attention_product_type(p), t);
  bool cpu = t->kind == OPS_ON_CPU;
  /* An exponential and what goes with it is worth about 24 operations. */
  double step_ms = (2 * m * n * size / fit_of(m, n, t) + 24 * m * n) / rate;
  /* What a tile block begins and ends with takes as long as some keys. */
  double around = cpu ? fmin(16 / n, 1) : 1;
  /* Most keys come from a cache. */
  double bytes =
      blocks * steps * n * size * ops_type_bytes(get(p, ATTENTION_type)) * (cpu ? 0.05 : 0.2);
  double sums = split > 1 ? 8 * blocks * m * (double)get(p, ATTENTION_head_v) : 0;
  double launch_ms = 0.004 * (split > 1 ? 2 : 1) + (cpu ? 0.0001 : 0.0005) * turns;
  return turns * (steps + around) * step_ms + (bytes + sums) / (t->gbytes * 1e6) + launch_ms;
}

/* Every probability carries the rounding to type_p, the rounding of its score, a sum of `head`
 * terms, and that of an exponential; these errors are independent, so that those of sums grow as
 * the root of the number of terms. */
double attention_tolerance(const ops_problem *p) {
  double u = ops_type_roundoff(TSR_F32), terms = (double)get(p, ATTENTION_head);
  double keys = (double)get(p, ATTENTION_keys);
  /* Queries and keys that are turned are rounded once more. */
  double turned = get(p, ATTENTION_rotary) ? ops_type_roundoff(get(p, ATTENTION_type)) : 0;
  /* So are those, and values, whose scales are no powers of two. */
  if (attention_has_groups(p) && get(p, ATTENTION_type_scale) == TSR_F32)
    turned += 3 * ops_type_roundoff(TSR_BF16);
  return turned + 2 * ops_type_roundoff(get(p, ATTENTION_type_p)) +
         (attention_epilogue(p)->count ? 1e-6 : 0) + u * (16 + 2 * sqrt(terms) + 2 * sqrt(keys));
}
