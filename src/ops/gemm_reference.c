/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "ops/gemm.h"

typedef struct gemm_tensors {
  const ops_problem *p;
  const ops_host *h;
  const ops_tensor *a, *b, *scale_a, *scale_b;
  ops_tensor *c;
} gemm_tensors;

static int64_t at(const ops_tensor *t, int64_t batch, int64_t i, int64_t j) {
  return t->operand->rank == 3 ? ops_at(t, batch, i, j) : ops_at(t, i, j, 0);
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
    double x = g->a->numbers[at(g->a, batch, i, k)] * g->b->numbers[at(g->b, batch, k, j)];
    sum += groups ? x * group_scale(g, i, j, k) : x;
  }
  return sum;
}

static double scaled_dot(const gemm_tensors *g, int64_t batch, int64_t i, int64_t j) {
  double x = dot(g, batch, i, j);
  x *= plain_scale(g->scale_a, gemm_get(g->p, GEMM_scale_a), i);
  return x * plain_scale(g->scale_b, gemm_get(g->p, GEMM_scale_b), j);
}

static double gate_value(const ops_function *f, double x) {
  double args[OPS_FUNCTION_ARGS];
  memcpy(args, f->numbers, sizeof args);
  args[0] = x;
  return f->value(args);
}

static void one_element(const gemm_tensors *g, int64_t batch, int64_t i, int64_t j) {
  const ops_problem *p = g->p;
  double x = scaled_dot(g, batch, i, j), *c = &g->c->numbers[at(g->c, batch, i, j)];
  if (gemm_gate(p))
    x = gate_value(gemm_gate(p), x) * scaled_dot(g, batch, i, j + gemm_get(p, GEMM_n));
  x *= p->values[GEMM_alpha].r;
  if (gemm_get(p, GEMM_added)) x += p->values[GEMM_beta].r * *c;
  *c = ops_epilogue_value(g->h, gemm_epilogue(p), x, batch, i, j);
}

static void round_operand(const ops_problem *p, const ops_tensor *t) {
  int64_t span = ops_operand_span(t->operand);
  for (int64_t i = 0; i < span; i++) t->numbers[i] = as_product(p, t->numbers[i]);
}

/* The first row of a product, and the row after its last. */
static void find_rows(const gemm_tensors *g, int64_t batch, int64_t *first, int64_t *end) {
  int64_t m = gemm_get(g->p, GEMM_m), all = gemm_all_rows(g->p);
  *first = 0, *end = m;
  if (!gemm_is_grouped(g->p)) return;
  const double *offsets = ops_host_tensor(g->h, "offsets")->numbers;
  *first = (int64_t)fmin(fmax(offsets[batch], 0), (double)all);
  *end = (int64_t)fmin(fmax(offsets[batch + 1], 0), (double)all);
  *end = MIN(*end, *first + m);
}

void gemm_reference(ops_host *h) {
  const ops_problem *p = h->p;
  gemm_tensors g = {.p = p,
                    .h = h,
                    .a = ops_host_tensor(h, "a"),
                    .b = ops_host_tensor(h, "b"),
                    .scale_a = ops_host_tensor(h, "scale_a"),
                    .scale_b = ops_host_tensor(h, "scale_b"),
                    .c = ops_host_tensor(h, "c")};
  round_operand(p, g.a);
  round_operand(p, g.b);
  int64_t first, end;
  for (int64_t batch = 0; batch < gemm_get(p, GEMM_batch); batch++) {
    find_rows(&g, batch, &first, &end);
    for (int64_t i = first; i < end; i++)
      for (int64_t j = 0; j < gemm_get(p, GEMM_n); j++) one_element(&g, batch, i, j);
  }
}
