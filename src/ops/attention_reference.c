/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "ops/attention.h"

typedef attention_query query;

static int64_t get(const query *q, unsigned param) {
  return attention_get(q->p, param);
}

/* An element of a cache; of pages that there are not 0. */
static double *cached_element(const query *q, const ops_tensor *t, int64_t head, int64_t key,
                              int64_t e) {
  const int64_t *s = t->operand->strides;
  int64_t batch = q->batch, page = get(q, ATTENTION_page);
  if (attention_is_paged(q->p))
    batch = ops_page_of(q->h, q->batch, page, get(q, ATTENTION_pages), &key);
  if (batch < 0) return q->nothing;
  return &t->numbers[batch * s[0] + head * s[1] + key * s[2] + e * s[3]];
}

double *attention_element(const query *q, const char *name, int64_t head, int64_t start,
                          int64_t token, int64_t e) {
  const ops_tensor *t = ops_host_tensor(q->h, name);
  const int64_t *s = t->operand->strides;
  bool is_key = strcmp(name, "k") == 0 || strcmp(name, "v") == 0;
  if (is_key && attention_is_cached(q->p)) return cached_element(q, t, head, token, e);
  int64_t at = attention_is_variable(q->p) ? start * s[1] : q->batch * *s++;
  bool has_elements = &s[2] < &t->operand->strides[t->operand->rank];
  return &t->numbers[at + head * s[0] + token * s[1] + (has_elements ? e * s[2] : 0)];
}

double attention_dot(const query *q, int64_t key) {
  double sum = 0;
  for (int64_t e = 0; e < get(q, ATTENTION_head); e++)
    sum += *attention_element(q, "q", q->head, q->start_q, q->i, e) *
           attention_scale_at(q, "q", q->i, e) *
           *attention_element(q, "k", q->kv_head, q->start_k, key, e) *
           attention_scale_at(q, "k", key, e);
  return sum;
}

static int64_t place_of(const query *q) {
  return q->i + (get(q, ATTENTION_corner) == 0 ? q->keys - q->seq : 0);
}

static bool is_seen(const query *q, int64_t key) {
  int64_t left = get(q, ATTENTION_left), right = get(q, ATTENTION_right), at = place_of(q);
  if (right >= 0 && key > at + right) return false;
  return left < 0 || key >= at - left || key < get(q, ATTENTION_sink_keys);
}

double attention_score(const query *q, int64_t key) {
  double cap = q->p->values[ATTENTION_cap].r, x = attention_dot(q, key) * attention_scale(q->p);
  if (!is_seen(q, key)) return -INFINITY;
  if (cap != 0) x = cap * tanh(x / cap);
  if (get(q, ATTENTION_bias)) x += *attention_element(q, "bias", q->head, q->start_q, q->i, key);
  if (get(q, ATTENTION_alibi)) {
    const ops_tensor *slopes = ops_host_tensor(q->h, "slopes");
    double slope = slopes->numbers[ops_at(slopes, q->batch, q->head, 0)];
    x -= slope * fabs((double)(key - place_of(q)));
  }
  return x;
}

bool attention_is_dropped(const query *q, int64_t key) {
  uint64_t seed = (uint64_t)get(q, ATTENTION_seed), offset = (uint64_t)get(q, ATTENTION_offset);
  uint32_t line = (uint32_t)(q->batch * get(q, ATTENTION_heads) + q->head);
  uint32_t counter[4] = {(uint32_t)(key / 4), (uint32_t)q->i, line + (uint32_t)(offset >> 32),
                         (uint32_t)offset};
  num_philox(counter, seed, PHILOX_ROUNDS);
  return counter[key % 4] < attention_threshold(q->p);
}

/* Weights that need no sum. */
static void weigh_alone(query *q) {
  for (int64_t j = 0; j < q->keys; j++) {
    double x = attention_score(q, j);
    q->weights[j] = x > -INFINITY ? x / (1 + exp(-x)) : 0;
  }
  q->sum = 1;
}

static void weigh(query *q) {
  if (get(q, ATTENTION_weights) == 1) {
    weigh_alone(q);
    return;
  }
  bool sinks = get(q, ATTENTION_sinks);
  double sink = sinks ? ops_host_tensor(q->h, "sinks")->numbers[q->head] : -INFINITY;
  q->largest = sink;
  for (int64_t j = 0; j < q->keys; j++) {
    q->weights[j] = attention_score(q, j);
    q->largest = fmax(q->largest, q->weights[j]);
  }
  bool any = q->largest > -INFINITY;
  q->sum = any ? exp(sink - q->largest) : 0;
  for (int64_t j = 0; j < q->keys; j++) {
    q->weights[j] = any ? exp(q->weights[j] - q->largest) : 0;
    q->sum += q->weights[j];
  }
}

static double mean_value(const query *q, int64_t e) {
  double sum = 0, dropout = q->p->values[ATTENTION_dropout].r;
  for (int64_t j = 0; j < q->keys; j++)
    if (q->weights[j] != 0 && !(dropout != 0 && attention_is_dropped(q, j)))
      sum += q->weights[j] * attention_scale_at(q, "v", j, e) *
             *attention_element(q, "v", q->kv_head, q->start_k, j, e);
  if (q->sum == 0) return 0;
  return sum / q->sum / (1 - dropout) * q->p->values[ATTENTION_scale_o].r;
}

static void one_query(query *q) {
  weigh(q);
  for (int64_t e = 0; e < get(q, ATTENTION_head_v); e++)
    *attention_element(q, "o", q->head, q->start_q, q->i, e) = mean_value(q, e);
  attention_end_row(q);
  if (get(q, ATTENTION_lse))
    *attention_element(q, "lse", q->head, q->start_q, q->i, 0) = q->largest + log(q->sum);
}

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return MAX(MIN(x, high), low);
}

/* Where a sequence begins and how long it is, inside of the tensor and no longer than `longest`. */
static void find_sequence(const query *q, const char *offsets, int64_t total, int64_t longest,
                          int64_t *start, int64_t *length) {
  *start = 0, *length = longest;
  if (!attention_is_variable(q->p)) return;
  const double *at = &ops_host_tensor(q->h, offsets)->numbers[q->batch];
  *start = clamp((int64_t)at[0], 0, total);
  *length = clamp(clamp((int64_t)at[1], 0, total) - *start, 0, longest);
}

void attention_query_begin(query *q) {
  find_sequence(q, "offsets_q", get(q, ATTENTION_total_q), get(q, ATTENTION_seq), &q->start_q,
                &q->seq);
  if (!attention_is_cached(q->p)) {
    find_sequence(q, "offsets_k", get(q, ATTENTION_total_k), get(q, ATTENTION_keys), &q->start_k,
                  &q->keys);
    return;
  }
  double length = ops_host_tensor(q->h, "key_lengths")->numbers[q->batch];
  q->start_k = 0;
  q->keys = clamp((int64_t)length, 0, get(q, ATTENTION_keys));
  if (attention_appends(q->p))
    q->keys = clamp(q->keys + get(q, ATTENTION_new), 0, get(q, ATTENTION_keys));
}

static void one_sequence(query *q) {
  int64_t heads = get(q, ATTENTION_heads);
  attention_query_begin(q);
  for (q->head = 0; q->head < heads; q->head++) {
    q->kv_head = q->head / (heads / get(q, ATTENTION_kv_heads));
    for (q->i = 0; q->i < q->seq; q->i++) one_query(q);
  }
}

void attention_reference(ops_host *h) {
  query q = {.p = h->p, .h = h, .nothing = arena_new(h->arena, double)};
  attention_append_reference(h);
  q.weights = arena_array(h->arena, double, (size_t)attention_get(h->p, ATTENTION_keys) + 1);
  for (q.batch = 0; q.batch < attention_get(h->p, ATTENTION_batch); q.batch++) one_sequence(&q);
}
