/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * quantise:row, the stage of an epilogue that needs whole rows.
 */
#include "ops/epilogue.h"

/* The largest size of an element of each row, rows x 1. */
static tsr_value find_largest(ops_build *b, const ops_quantise *q, tsr_elem elem) {
  tsr_value init = ops_full(b, elem, TSR_INTS(q->tile_rows, q->tile_columns), 0);
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), q->turns, TSR_VALUES(init));
  tsr_value j = tsr_build_arg(b->b, 0), so_far = tsr_build_arg(b->b, 1);
  tsr_value x = tsr_build_absf(b->b, q->load(q->user, j));
  ops_loop_end(b, TSR_VALUES(ops_max(b, so_far, x)));
  tsr_value largest = ops_reduce(b, tsr_op_result(loop, 0), 1, OPS_FOLD_MAX);
  return ops_reshape(b, largest, TSR_INTS(q->tile_rows, 1));
}

static void store_scales(ops_build *b, const ops_quantise *q, tsr_value scale, ops_type from) {
  ops_tiles t = ops_view(b, &(ops_view_spec){.base = q->scales,
                                             .elem = TSR_F32,
                                             .rank = 1,
                                             .sizes = {q->rows},
                                             .tile = {q->tile_rows}});
  scale = ops_convert(b, ops_reshape(b, scale, TSR_INTS(q->tile_rows)), from, TSR_F32);
  ops_store(b, scale, &t, TSR_VALUES(q->i));
}

static void store_tiles(ops_build *b, const ops_quantise *q, tsr_value scale, ops_type from) {
  tsr_ints shape = TSR_INTS(q->tile_rows, q->tile_columns);
  ops_loop(b, ops_i32(b, 0), q->turns, (tsr_values){0});
  tsr_value j = tsr_build_arg(b->b, 0);
  tsr_value x = tsr_build_divf(b->b, q->load(q->user, j), ops_broadcast(b, scale, shape));
  q->store(q->user, ops_convert(b, x, from, q->type), j);
  tsr_build_end(b->b);
}

tsr_value ops_quantise_divisor(ops_build *b, ops_type type, tsr_value largest) {
  tsr_value most = ops_full_like(b, largest, ops_type_highest(type));
  tsr_value scale = tsr_build_divf(b->b, largest, most);
  tsr_value is_zero = tsr_build_cmpf(b->b, scale, ops_full_like(b, scale, 0),
                                     TSR_CMP_LESS_THAN_OR_EQUAL, TSR_CMP_ORDERED);
  return tsr_build_select(b->b, is_zero, ops_full_like(b, scale, 1), scale);
}

void ops_quantise_emit(ops_build *b, const ops_quantise *q, ops_type from) {
  tsr_value largest = find_largest(b, q, ops_type_elem(from));
  tsr_value scale = ops_quantise_divisor(b, q->type, largest);
  store_scales(b, q, scale, from);
  store_tiles(b, q, scale, from);
}

double ops_quantise_scale(ops_type type, double largest) {
  double scale = largest / ops_type_highest(type);
  return scale > 0 ? scale : 1;
}
