/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The epilogue of attention. A query of a head is a row, its elements are the columns.
 */
#include "ops/attention.h"

#include <math.h>

const ops_stage *attention_stage(const ops_problem *p, const ops_operand *o) {
  const ops_epilogue *e = attention_epilogue(p);
  for (unsigned i = 0; i < e->count; i++)
    if (e->stages[i].operand && strcmp(e->stages[i].operand, o->name) == 0) return &e->stages[i];
  return NULL;
}

/* ---- on tiles -------------------------------------------------------------------------------- */

/* A number of each query, rows x 1. */
static tsr_value load_rows(attention_kernel *a, const ops_stage *s) {
  ops_build *b = a->b;
  tsr_value base = ops_arg(b, s->operand);
  if (a->start_q)
    base = ops_advance(b, base, a->start_q, ops_index(b, 1));
  else if (a->batch)
    base = ops_advance(b, base, a->batch, attention_stride(a, s->operand, 'b'));
  ops_tiles t = ops_view(b, &(ops_view_spec){.base = base,
                                             .elem = ops_type_elem(s->type),
                                             .rank = 1,
                                             .sizes = {ops_to_index(b, a->seq)},
                                             .tile = {a->rows},
                                             .padding = TSR_PADDING_ZERO});
  return ops_reshape(b, ops_load(b, &t, TSR_VALUES(a->i)), TSR_INTS(a->rows, 1));
}

/* A number of each element of the head, 1 x piece. */
static tsr_value load_columns(attention_kernel *a, const ops_stage *s,
                              const attention_pieces *pieces, unsigned i) {
  ops_build *b = a->b;
  ops_view_spec spec = {.base = ops_arg(b, s->operand),
                        .elem = ops_type_elem(s->type),
                        .rank = 2,
                        .sizes = {ops_arg(b, "heads")},
                        .strides = {attention_stride(a, s->operand, 'h')},
                        .known = {0, attention_get(a->p, ATTENTION_head_v)},
                        .tile = {1, pieces->size[i]},
                        .padding = TSR_PADDING_ZERO};
  ops_tiles t = ops_view(b, &spec);
  return ops_load(b, &t, TSR_VALUES(a->head, ops_i32(b, pieces->index[i])));
}

static tsr_value load_elements(attention_kernel *a, const ops_stage *s, unsigned i) {
  attention_views v = attention_views_like_o(a, s->operand, s->type);
  return attention_load_piece(a, &v, i, a->head, a->i);
}

static tsr_value load_number(attention_kernel *a, const ops_stage *s) {
  tsr_value base = ops_arg(a->b, s->operand);
  return ops_reshape(a->b, tsr_build_load_ptr_tko(a->b->b, base, TSR_MEMORY_WEAK), TSR_INTS(1, 1));
}

static tsr_value stage_tensor(attention_kernel *a, const ops_stage *s,
                              const attention_pieces *pieces, unsigned i) {
  tsr_value y = s->span == OPS_SPAN_MN  ? load_elements(a, s, i)
                : s->span == OPS_SPAN_M ? load_rows(a, s)
                : s->span == OPS_SPAN_N ? load_columns(a, s, pieces, i)
                                        : load_number(a, s);
  y = ops_convert(a->b, y, s->type, TSR_F32);
  return ops_broadcast(a->b, y, TSR_INTS(a->rows, pieces->size[i]));
}

static tsr_value apply_stages(attention_kernel *a, const attention_pieces *pieces, unsigned i,
                              tsr_value x) {
  const ops_epilogue *e = attention_epilogue(a->p);
  for (unsigned n = 0; n < e->count; n++) {
    const ops_stage *s = &e->stages[n];
    x = ops_stage_emit(a->b, s, x, s->operand ? stage_tensor(a, s, pieces, i) : NULL);
  }
  return x;
}

/* 0 for what lies behind the last element, which functions and sums have made anything. */
static tsr_value only_elements(attention_kernel *a, tsr_value x, int64_t count, int64_t size) {
  ops_build *b = a->b;
  if (count >= size) return x;
  tsr_value at = attention_count(a, size, 1);
  tsr_value limit = ops_full(b, TSR_I32, TSR_INTS(1, size), (double)count);
  tsr_value is_element = tsr_build_cmpi(b->b, at, limit, TSR_CMP_LESS_THAN, TSR_SIGNED);
  is_element = ops_broadcast(b, is_element, TSR_INTS(a->rows, size));
  return tsr_build_select(b->b, is_element, x, ops_full_like(b, x, 0));
}

/* The largest size of an element of each row, rows x 1. */
static tsr_value find_largest(attention_kernel *a, const attention_pieces *pieces,
                              const tsr_value *o) {
  ops_build *b = a->b;
  tsr_value largest = ops_full(b, TSR_F32, TSR_INTS(a->rows, 1), 0);
  for (unsigned i = 0; i < pieces->count; i++) {
    int64_t size = pieces->size[i];
    int64_t count = attention_get(a->p, ATTENTION_head_v) - pieces->index[i] * size;
    tsr_value x = only_elements(a, tsr_build_absf(b->b, o[i]), count, size);
    x = ops_reshape(b, ops_reduce(b, x, 1, OPS_FOLD_MAX), TSR_INTS(a->rows, 1));
    largest = ops_max(b, largest, x);
  }
  return largest;
}

static void quantise_rows(attention_kernel *a, const attention_pieces *pieces, tsr_value *o) {
  ops_build *b = a->b;
  ops_type type = attention_get(a->p, ATTENTION_type_o);
  tsr_value scale = ops_quantise_divisor(b, type, find_largest(a, pieces, o));
  for (unsigned i = 0; i < pieces->count; i++)
    o[i] = tsr_build_divf(b->b, o[i], ops_broadcast(b, scale, TSR_INTS(a->rows, pieces->size[i])));
  attention_store_rows(a, OPS_ROW_SCALE, scale);
}

void attention_end(attention_kernel *a, const attention_pieces *pieces, tsr_value *o) {
  for (unsigned i = 0; i < pieces->count; i++) o[i] = apply_stages(a, pieces, i, o[i]);
  if (attention_epilogue(a->p)->by_row) quantise_rows(a, pieces, o);
}

/* ---- on the host ----------------------------------------------------------------------------- */

static double stage_value(const attention_query *q, const ops_stage *s, int64_t e) {
  const ops_tensor *t = ops_host_tensor(q->h, s->operand);
  bool variable = attention_is_variable(q->p);
  switch (s->span) {
  case OPS_SPAN_MN: return *attention_element(q, s->operand, q->head, q->start_q, q->i, e);
  case OPS_SPAN_M:
    return t->numbers[variable ? ops_at(t, q->start_q + q->i, 0, 0) : ops_at(t, q->batch, q->i, 0)];
  case OPS_SPAN_N: return t->numbers[ops_at(t, q->head, e, 0)];
  default: return t->numbers[0];
  }
}

static double end_value(const attention_query *q, double x, int64_t e) {
  const ops_epilogue *end = attention_epilogue(q->p);
  for (unsigned n = 0; n < end->count; n++) {
    const ops_stage *s = &end->stages[n];
    x = ops_stage_value(s, x, s->operand ? stage_value(q, s, e) : 0);
  }
  return x;
}

void attention_end_row(const attention_query *q) {
  int64_t elements = attention_get(q->p, ATTENTION_head_v);
  double largest = 0;
  for (int64_t e = 0; e < elements; e++) {
    double *x = attention_element(q, "o", q->head, q->start_q, q->i, e);
    *x = end_value(q, *x, e);
    largest = fmax(largest, fabs(*x));
  }
  if (!attention_epilogue(q->p)->by_row) return;
  double scale = ops_quantise_scale(attention_get(q->p, ATTENTION_type_o), largest);
  for (int64_t e = 0; e < elements; e++)
    *attention_element(q, "o", q->head, q->start_q, q->i, e) /= scale;
  *attention_element(q, OPS_ROW_SCALE, q->head, q->start_q, q->i, 0) = scale;
}
