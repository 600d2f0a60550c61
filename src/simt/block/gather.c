/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rows that are gathered or scattered have no offsets, and accesses with a memory order no
 * operations of their own: each element has a pointer, the sum of its coordinates times the
 * strides, and exists where each coordinate is below the view's extent.
 */
#include "num/num.h"
#include "simt/block/internal.h"

/* A tile under way: `d` is its layout, `type` without it. */
typedef struct gathering {
  emission *x;
  const ir_type *type; /* of the tile, in i64 */
  const simt_dist *d;
  const ir_op *made; /* make_tensor_view */
} gathering;

static ir_value *tile_op(const gathering *q, op_code opcode, const ir_type *t, const simt_dist *d,
                         ir_value *v) {
  return emission_make(q->x, opcode, emission_type(q->x, t, d), v ? 1 : 0, &v);
}

/* A scalar in each element. */
static ir_value *spread(const gathering *q, ir_value *v) {
  int64_t ones[IR_MAX_RANK];
  simt_dist none = simt_dist_private(0, simt_threads_of(q->d));
  const ir_type *t = q->type;
  if (!t->rank) return v;
  for (unsigned d = 0; d < t->rank; d++) ones[d] = 1;
  const ir_type *one = ir_tile_reshaped(q->x->m, v->type, t->rank, ones);
  const ir_type *all = ir_tile_reshaped(q->x->m, v->type, t->rank, t->shape);
  v = tile_op(q, OP_reshape, one, &none, v);
  return tile_op(q, OP_broadcast, all, q->d, v);
}

/* The layout of a row along a dimension: what its elements are in the tile. */
static simt_dist row_dist(const gathering *q, unsigned d) {
  unsigned first, n;
  simt_dim_bits(q->type, d, &first, &n);
  simt_map m = {.from_n = (uint8_t)n, .to_n = (uint8_t)simt_tile_bits(q->type)};
  for (unsigned k = 0; k < n; k++) m.to[k] = (int8_t)(first + k);
  return simt_dist_back(q->d, &m);
}

/* A row of numbers along a dimension in each element. */
static ir_value *spread_row(const gathering *q, ir_value *v, unsigned d) {
  int64_t shape[IR_MAX_RANK];
  simt_dist row = row_dist(q, d);
  for (unsigned i = 0; i < q->type->rank; i++) shape[i] = i == d ? q->type->shape[d] : 1;
  v = emission_widened(q->x, v, TSR_I64);
  v = tile_op(q, OP_reshape, ir_tile_reshaped(q->x->m, v->type, q->type->rank, shape), &row, v);
  return tile_op(q, OP_broadcast, q->type, q->d, v);
}

/* Coordinates along a dimension. Indices are numbers without sign. */
static ir_value *coordinates(const gathering *q, const ir_value *index, int64_t distance,
                             unsigned d) {
  emission *x = q->x;
  simt_dist row = row_dist(q, d);
  if (index->type->rank) return spread_row(q, emission_get(x, index, &row), d);
  ir_value *start = spread(q, emission_wide_offset(x, index, distance));
  const ir_type *t = ir_tile(x->m, TSR_I64, TSR_I1, 1, &q->type->shape[d]);
  ir_value *number = tile_op(q, OP_iota, t, &row, NULL);
  return emission_make_two(x, OP_addi, start, spread_row(q, number, d));
}

/* An extent (group 1) or a stride (group 2) of the view, in i64. */
static ir_value *size_of(const gathering *q, unsigned group, const int64_t *known, unsigned d) {
  emission *x = q->x;
  uint32_t n, next = 0;
  if (known[d] != IR_DYNAMIC) return emission_number(x, ir_scalar(x->m, TSR_I64), known[d]);
  for (unsigned i = 0; i < d; i++) next += known[i] == IR_DYNAMIC;
  const ir_value *v = ir_operand_group(q->made, group, &n)[next].value;
  return emission_widened(x, emission_only(x, v), TSR_I64);
}

static ir_value *sum(emission *x, op_code opcode, ir_value *a, ir_value *b) {
  return a ? emission_make_two(x, opcode, a, b) : b;
}

block_pointers emission_pointers(emission *x, const ir_value *tiles, const ir_use *index,
                                 const simt_dist *d) {
  const ir_value *view = emission_tensor_view(tiles);
  const ir_type *t = tiles->type, *v = t->view;
  gathering q = {.x = x, .d = d, .made = ir_defining_op(view)};
  while (q.made->opcode == OP_assume) q.made = ir_defining_op(ir_operand(q.made, 0));
  q.type = ir_tile(x->m, TSR_I64, TSR_I1, t->rank, t->tile->shape);
  ir_value *total = NULL, *inside = NULL;
  for (unsigned i = 0; i < t->rank; i++) {
    unsigned in_view = t->dim_map ? (unsigned)t->dim_map[i] : i;
    ir_value *c = coordinates(&q, index[i].value, emission_distance(t, i), i);
    ir_value *extent = spread(&q, size_of(&q, 1, v->shape, in_view));
    inside = sum(x, OP_andi, inside, emission_compare(x, CMP_LESS, SIGN_UNSIGNED, c, extent));
    ir_value *stride = spread(&q, size_of(&q, 2, v->strides, in_view));
    total = sum(x, OP_addi, total, emission_make_two(x, OP_muli, c, stride));
  }
  ir_value *base = spread(&q, emission_only(x, ir_operand(q.made, 0)));
  ir_value *operands[] = {base, total};
  if (total) base = emission_make(x, OP_offset, base->type, 2, operands);
  return (block_pointers){base, inside};
}

static uint64_t padding_pattern(int padding, tsr_elem elem) {
  const num_format *f = num_format_of(elem);
  if (!f) return 0;
  num_format plain = *f;
  plain.saturates = plain.nan_to_max = false;
  switch (padding) {
  case PADDING_NAN: return num_nan(&plain);
  case PADDING_POS_INF: return num_inf(&plain, false);
  case PADDING_NEG_INF: return num_inf(&plain, true);
  default: return num_zero(f, padding == PADDING_NEG_ZERO);
  }
}

ir_value *emission_padding(emission *x, const ir_type *tiles, const ir_type *t) {
  ir_value *v = emission_make(x, OP_constant, t, 0, NULL);
  uint64_t pattern = padding_pattern(tiles->padding, (tsr_elem)t->elem);
  ir_set_attr(v->owner.op, ATTR_value, (ir_attr){.dense = rewrite_splat_dense(x->m, t, pattern)});
  return v;
}
