/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/gemm.h"

typedef struct gemm_tensors {
  const ops_problem *p;
  const ops_host *h;
  const ops_tensor *a, *b, *scale_a, *scale_b;
  ops_tensor *c;
  bool batched;
} gemm_tensors;

static int64_t at(const gemm_tensors *g, const ops_tensor *t, int64_t batch, int64_t i, int64_t j) {
  return g->batched ? ops_at(t, batch, i, j) : ops_at(t, i, j, 0);
}

/* What the product takes its operands as; integers stay what they are. */
static double as_product(const ops_problem *p, double x) {
  ops_type t = gemm_get(p, GEMM_compute);
  return ops_type_is_int(t) ? x : ops_round_to(t, x);
}

static double plain_scale(const ops_tensor *s, int64_t how, int64_t line) {
  if (how == GEMM_SCALE_TENSOR) return s->numbers[0];
  return how == GEMM_SCALE_LINE ? s->numbers[line] : 1;
}

static double group_scale(const gemm_tensors *g, int64_t i, int64_t j, int64_t k) {
  const ops_problem *p = g->p;
  int64_t group = k / gemm_get(p, GEMM_group);
  double s = 1;
  if (gemm_get(p, GEMM_scale_a) == GEMM_SCALE_GROUP)
    s *= g->scale_a->numbers[ops_at(g->scale_a, i, group, 0)];
  if (gemm_get(p, GEMM_scale_b) == GEMM_SCALE_GROUP)
    s *= g->scale_b->numbers[ops_at(g->scale_b, group, j / gemm_get(p, GEMM_group_n), 0)];
  return s;
}

static double dot(const gemm_tensors *g, int64_t batch, int64_t i, int64_t j) {
  bool groups = gemm_has_groups(g->p);
  int64_t depth = gemm_get(g->p, GEMM_k);
  double sum = 0;
  for (int64_t k = 0; k < depth; k++) {
    double x = g->a->numbers[at(g, g->a, batch, i, k)] * g->b->numbers[at(g, g->b, batch, k, j)];
    sum += groups ? x * group_scale(g, i, j, k) : x;
  }
  return sum;
}

static void one_element(const gemm_tensors *g, int64_t batch, int64_t i, int64_t j) {
  const ops_problem *p = g->p;
  double x = dot(g, batch, i, j), *c = &g->c->numbers[at(g, g->c, batch, i, j)];
  x *= plain_scale(g->scale_a, gemm_get(p, GEMM_scale_a), i);
  x *= plain_scale(g->scale_b, gemm_get(p, GEMM_scale_b), j);
  x *= p->values[GEMM_alpha].r;
  if (gemm_get(p, GEMM_added)) x += p->values[GEMM_beta].r * *c;
  *c = ops_epilogue_value(g->h, gemm_epilogue(p), x, batch, i, j);
}

static void round_operand(const ops_problem *p, const ops_tensor *t) {
  int64_t span = ops_operand_span(t->operand);
  for (int64_t i = 0; i < span; i++) t->numbers[i] = as_product(p, t->numbers[i]);
}

void gemm_reference(ops_host *h) {
  const ops_problem *p = h->p;
  gemm_tensors g = {.p = p,
                    .h = h,
                    .a = ops_host_tensor(h, "a"),
                    .b = ops_host_tensor(h, "b"),
                    .scale_a = ops_host_tensor(h, "scale_a"),
                    .scale_b = ops_host_tensor(h, "scale_b"),
                    .c = ops_host_tensor(h, "c"),
                    .batched = gemm_get(p, GEMM_batched)};
  round_operand(p, g.a);
  round_operand(p, g.b);
  for (int64_t batch = 0; batch < gemm_get(p, GEMM_batch); batch++)
    for (int64_t i = 0; i < gemm_get(p, GEMM_m); i++)
      for (int64_t j = 0; j < gemm_get(p, GEMM_n); j++) one_element(&g, batch, i, j);
}
