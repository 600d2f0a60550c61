/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "ops/gemm.h"

typedef struct gemm_tensors {
  const ops_problem *p;
  const ops_host *h;
  const ops_tensor *a, *b, *scale_a, *scale_b;
  ops_tensor *c;
  int64_t row_a; /* of sorted rows; below 0: one of zeros */
} gemm_tensors;

static int64_t at(const ops_tensor *t, int64_t batch, int64_t i, int64_t j) {
  return t->operand->rank == 3 ? ops_at(t, batch, i, j) : ops_at(t, i, j, 0);
}

/* The row of a that makes row i of c. */
static int64_t row_of_a(const gemm_tensors *g, int64_t i) {
  return gemm_is_sorted(g->p) ? g->row_a : i;
}

/* What the product takes its operands as; integers stay what they are. */
static double as_product(const ops_problem *p, double x) {
  ops_type t = gemm_get(p, GEMM_compute);
  return ops_type_is_int(t) ? x : ops_round_to(t, x);
}

static double plain_scale_a(const gemm_tensors *g, int64_t i) {
  int64_t how = gemm_get(g->p, GEMM_scale_a);
  if (how == GEMM_SCALE_TENSOR) return g->scale_a->numbers[0];
  return how == GEMM_SCALE_LINE ? g->scale_a->numbers[row_of_a(g, i)] : 1;
}

static double plain_scale_b(const gemm_tensors *g, int64_t batch, int64_t j) {
  int64_t how = gemm_get(g->p, GEMM_scale_b);
  if (!gemm_is_sorted(g->p)) batch = 0;
  if (how == GEMM_SCALE_TENSOR) return g->scale_b->numbers[batch];
  return how == GEMM_SCALE_LINE ? g->scale_b->numbers[batch * gemm_columns_b(g->p) + j] : 1;
}

/* Of the line's group along k, whatever order they have. */
static double scale_of_line(const gemm_tensors *g, const ops_tensor *t, int64_t line,
                            int64_t group) {
  gemm_order order = gemm_order_of_scales();
  int64_t groups = ops_tiles_of(gemm_get(g->p, GEMM_k), gemm_get(g->p, GEMM_group));
  return t->numbers[gemm_order_at(&order, groups, line, group)];
}

static double shuffled_scale(const gemm_tensors *g, int64_t i, int64_t j, int64_t group) {
  double s = 1;
  if (gemm_get(g->p, GEMM_scale_a) == GEMM_SCALE_GROUP) s *= scale_of_line(g, g->scale_a, i, group);
  if (gemm_get(g->p, GEMM_scale_b) == GEMM_SCALE_GROUP) s *= scale_of_line(g, g->scale_b, j, group);
  return s;
}

static double group_scale(const gemm_tensors *g, int64_t batch, int64_t i, int64_t j, int64_t k) {
  const ops_problem *p = g->p;
  int64_t group = k / gemm_get(p, GEMM_group);
  double s = 1;
  if (gemm_has_shuffled_scales(p)) return shuffled_scale(g, i, j, group);
  if (gemm_get(p, GEMM_scale_a) == GEMM_SCALE_GROUP)
    s *= g->scale_a->numbers[ops_at(g->scale_a, row_of_a(g, i), group, 0)];
  if (gemm_get(p, GEMM_scale_b) == GEMM_SCALE_GROUP)
    s *= g->scale_b->numbers[at(g->scale_b, batch, group, j / gemm_get(p, GEMM_group_n))];
  return s;
}

static double shuffled_factor(const gemm_tensors *g, int64_t batch, int64_t k, int64_t j) {
  gemm_order order = gemm_order_of_b(g->p);
  bool is_one = g->b->operand->rank == order.rank;
  int64_t base = is_one ? 0 : batch * g->b->operand->strides[0];
  return g->b->numbers[base + gemm_order_at(&order, gemm_get(g->p, GEMM_k), j, k)];
}

/* An element of a or b: of expressions what they come to. */
static double factor(const gemm_tensors *g, unsigned side, int64_t batch, int64_t i, int64_t j) {
  const ops_tensor *t = side == GEMM_SIDE_A ? g->a : g->b;
  if (side == GEMM_SIDE_B && gemm_is_shuffled(g->p)) return shuffled_factor(g, batch, i, j);
  if (side == GEMM_SIDE_A) i = row_of_a(g, i);
  double x = t->numbers[at(t, batch, i, j)];
  if (!gemm_side_of(g->p, side)->expression) return x;
  return as_product(g->p, gemm_combine_value(g->h, side, x, batch, i, j));
}

static double dot(const gemm_tensors *g, int64_t batch, int64_t i, int64_t j) {
  bool groups = gemm_has_group_scales(g->p);
  int64_t depth = gemm_get(g->p, GEMM_k);
  double sum = 0;
  for (int64_t k = 0; k < depth; k++) {
    double x = factor(g, GEMM_SIDE_A, batch, i, k) * factor(g, GEMM_SIDE_B, batch, k, j);
    sum += groups ? x * group_scale(g, batch, i, j, k) : x;
  }
  return sum;
}

static double scaled_dot(const gemm_tensors *g, int64_t batch, int64_t i, int64_t j) {
  if (row_of_a(g, i) < 0) return 0;
  return dot(g, batch, i, j) * plain_scale_a(g, i) * plain_scale_b(g, batch, j);
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
  x = gemm_combine_value(g->h, GEMM_SIDE_C, x, batch, i, j);
  *c = ops_epilogue_value(g->h, gemm_epilogue(p), x, batch, i, j);
}

static void quantise_row(const gemm_tensors *g, int64_t batch, int64_t i) {
  const ops_problem *p = g->p;
  const ops_tensor *scales = ops_host_tensor(g->h, OPS_ROW_SCALE);
  double largest = 0;
  for (int64_t j = 0; j < gemm_get(p, GEMM_n); j++)
    largest = fmax(largest, fabs(g->c->numbers[at(g->c, batch, i, j)]));
  double scale = ops_quantise_scale(gemm_get(p, GEMM_type_c), largest);
  for (int64_t j = 0; j < gemm_get(p, GEMM_n); j++) g->c->numbers[at(g->c, batch, i, j)] /= scale;
  scales->numbers[scales->operand->rank == 2 ? ops_at(scales, batch, i, 0)
                                             : ops_at(scales, i, 0, 0)] = scale;
}

static void one_row(const gemm_tensors *g, int64_t batch, int64_t i) {
  for (int64_t j = 0; j < gemm_get(g->p, GEMM_n); j++) one_element(g, batch, i, j);
  if (gemm_epilogue(g->p)->by_row) quantise_row(g, batch, i);
}

static void round_operand(const ops_problem *p, const ops_tensor *t) {
  int64_t span = ops_operand_span(t->operand);
  for (int64_t i = 0; i < span; i++) t->numbers[i] = as_product(p, t->numbers[i]);
}

/* The first row of a product, and the row after its last. */
static void find_rows(const gemm_tensors *g, int64_t batch, int64_t *first, int64_t *end) {
  int64_t m = gemm_get(g->p, GEMM_m), all = gemm_rows_c(g->p);
  *first = 0, *end = m;
  if (!gemm_is_grouped(g->p)) return;
  const double *offsets = ops_host_tensor(g->h, "offsets")->numbers;
  *first = (int64_t)fmin(fmax(offsets[batch], 0), (double)all);
  *end = (int64_t)fmin(fmax(offsets[batch + 1], 0), (double)all);
  *end = MIN(*end, *first + m);
}

/* ---- groups by pointers ---------------------------------------------------------------------- */

static void by_pointers(const ops_host *h) {
  const ops_tensor *groups = ops_host_tensor(h, "groups");
  ops_operands *operands = arena_new(h->arena, ops_operands);
  ops_host *one = arena_new(h->arena, ops_host);
  const int64_t *row = groups->data;
  for (int64_t g = 0; g < gemm_get(h->p, GEMM_batch); g++, row += gemm_table_columns(h->p)) {
    void *data[OPS_MAX_OPERANDS];
    ops_problem p = gemm_group_problem(h->p, row);
    operands->count = 0;
    p.family->operands(&p, operands);
    for (unsigned i = 0; i < operands->count; i++)
      data[i] = (void *)(uintptr_t)row[gemm_group_column(&p, operands->data[i].name)];
    ops_host_init(one, &p, h->arena, operands, data);
    gemm_reference(one);
    ops_host_finish(one);
  }
}

/* ---- sorted rows ----------------------------------------------------------------------------- */

/* Rows of padding are those of zeros where c is sorted, and none elsewhere. */
static void sorted_row(gemm_tensors *g, int64_t row) {
  const ops_problem *p = g->p;
  int64_t expert = (int64_t)ops_host_tensor(g->h, "experts")->numbers[row / gemm_get(p, GEMM_unit)];
  int64_t id = (int64_t)ops_host_tensor(g->h, "ids")->numbers[row];
  bool is_pair = id >= 0 && id < gemm_get(p, GEMM_m);
  if (expert < 0 || expert >= gemm_get(p, GEMM_batch)) return;
  g->row_a = !gemm_gathers(p) ? row : is_pair ? id / gemm_get(p, GEMM_top) : -1;
  if (!gemm_scatters(p))
    one_row(g, expert, row);
  else if (is_pair)
    one_row(g, expert, id);
}

void gemm_reference(ops_host *h) {
  const ops_problem *p = h->p;
  if (gemm_has_pointers(p)) {
    by_pointers(h);
    return;
  }
  gemm_tensors g = {.p = p,
                    .h = h,
                    .a = ops_host_tensor(h, "a"),
                    .b = ops_host_tensor(h, "b"),
                    .scale_a = ops_host_tensor(h, "scale_a"),
                    .scale_b = ops_host_tensor(h, "scale_b"),
                    .c = ops_host_tensor(h, "c")};
  if (!gemm_side_of(p, GEMM_SIDE_A)->expression) round_operand(p, g.a);
  if (!gemm_side_of(p, GEMM_SIDE_B)->expression) round_operand(p, g.b);
  int64_t first, end;
  for (int64_t i = 0; gemm_is_sorted(p) && i < gemm_get(p, GEMM_total_m); i++) sorted_row(&g, i);
  if (gemm_is_sorted(p)) return;
  for (int64_t batch = 0; batch < gemm_get(p, GEMM_batch); batch++) {
    find_rows(&g, batch, &first, &end);
    for (int64_t i = first; i < end; i++) one_row(&g, batch, i);
  }
}
