/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/gemm_shuffle.h"

/* ---- orders ---------------------------------------------------------------------------------- */

enum { LANES = 64, VECTOR_BITS = 128, SCALE_LINES = 32, SCALE_GROUPS = 8 };

bool gemm_has_order(ops_type type) {
  unsigned bits = ops_type_bits(type);
  return (bits == 4 || bits == 8 || bits == 16 || bits == 32) && ops_stride_unit(type) == 1;
}

gemm_order gemm_order_of_weights(ops_type type, int64_t lines) {
  int64_t vector = VECTOR_BITS / ops_type_bits(type), lanes = LANES / lines;
  return (gemm_order){.rank = 5,
                      .size = {0, 0, lanes, lines, vector},
                      .unit = {lines, lanes * vector, vector, 1, 1},
                      .along_k = {false, true, true, false, true},
                      .lines = lines,
                      .depth = lanes * vector};
}

gemm_order gemm_order_of_scales(void) {
  return (gemm_order){.rank = 6,
                      .size = {0, 0, 4, 16, 2, 2},
                      .unit = {SCALE_LINES, SCALE_GROUPS, 1, 1, 4, 16},
                      .along_k = {false, true, true, false, true, false},
                      .lines = SCALE_LINES,
                      .depth = SCALE_GROUPS};
}

static int64_t size_of(const gemm_order *o, unsigned d, int64_t lines, int64_t depth) {
  if (o->size[d]) return o->size[d];
  return o->along_k[d] ? ops_tiles_of(depth, o->depth) : ops_tiles_of(lines, o->lines);
}

int64_t gemm_order_dims(const gemm_order *o, ops_operand *out, int64_t lines, int64_t depth) {
  int64_t strides[GEMM_SHUFFLE_RANK], run = 1;
  for (unsigned d = o->rank; d-- > 0;) {
    strides[d] = MIN(run, OPS_MAX_SIZE);
    if (__builtin_mul_overflow(run, size_of(o, d, lines, depth), &run)) run = OPS_MAX_SIZE;
  }
  for (unsigned d = 0; out && d < o->rank; d++)
    ops_operand_dim(out, size_of(o, d, lines, depth), strides[d]);
  return MIN(run, OPS_MAX_SIZE);
}

int64_t gemm_order_at(const gemm_order *o, int64_t all_depth, int64_t line, int64_t k) {
  int64_t at = 0;
  for (unsigned d = 0; d < o->rank; d++) {
    int64_t part = (o->along_k[d] ? k : line) / o->unit[d];
    if (o->size[d]) part %= o->size[d];
    at = at * size_of(o, d, 0, all_depth) + part;
  }
  return at;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* How much of a tile of lines or of depth lies along a dimension: the part with the unit 1 is
 * filled first. */
static int64_t part_of_tile(const gemm_order *o, unsigned d, int64_t tile) {
  if (tile <= o->unit[d]) return 1;
  return o->size[d] ? MIN(tile / o->unit[d], o->size[d]) : tile / o->unit[d];
}

static tsr_value blocks_of(ops_build *b, tsr_value size, int64_t block) {
  return ops_ceil_div(b, size, block);
}

gemm_shuffled gemm_shuffled_view(ops_build *b, const gemm_order *o, ops_type type, tsr_value base,
                                 tsr_value all_lines, tsr_value all_depth, int64_t lines,
                                 int64_t depth) {
  gemm_shuffled s = {.order = *o, .lines = lines, .depth = depth};
  ops_view_spec spec = {
      .base = base, .elem = ops_type_elem(type), .rank = o->rank, .padding = TSR_PADDING_ZERO};
  int64_t run = 1;
  tsr_value blocks = blocks_of(b, all_depth, o->depth);
  for (unsigned d = o->rank; d-- > 0;) {
    spec.tile[d] = part_of_tile(o, d, o->along_k[d] ? depth : lines);
    spec.known[d] = o->size[d];
    if (d + 1 < o->rank && d > 0) spec.strides[d] = ops_index(b, run);
    if (o->size[d]) run *= o->size[d];
  }
  spec.sizes[0] = blocks_of(b, all_lines, o->lines);
  spec.sizes[1] = blocks;
  spec.strides[0] = tsr_build_muli(b->b, blocks, ops_index(b, run));
  s.tiles = ops_view(b, &spec);
  return s;
}

/* Which tile along each dimension tile `i` of lines or depth is. */
static tsr_value index_along(ops_build *b, const gemm_shuffled *s, unsigned d, tsr_value i) {
  const gemm_order *o = &s->order;
  int64_t tile = o->along_k[d] ? s->depth : s->lines, part = s->tiles.tile[d];
  int64_t each = MAX(o->unit[d] / tile, 1); /* tiles that have one index here */
  i = tsr_build_divi(b->b, i, ops_i32(b, each), TSR_SIGNED);
  if (!o->size[d]) return i;
  return tsr_build_remi(b->b, i, ops_i32(b, o->size[d] / part), TSR_SIGNED);
}

static void indices_of(ops_build *b, const gemm_shuffled *s, tsr_value i, tsr_value j,
                       tsr_value *out) {
  for (unsigned d = 0; d < s->order.rank; d++)
    out[d] = index_along(b, s, d, s->order.along_k[d] ? j : i);
}

/* Dimensions by what they are a part of, those that count more first: first those of lines or of
 * depth. */
static void dims_in_order(const gemm_order *o, bool depth_first, int64_t *out) {
  unsigned n = 0;
  for (unsigned pass = 0; pass < 2; pass++)
    for (int64_t unit = INT64_C(1) << 20; unit; unit /= 2)
      for (unsigned d = 0; d < o->rank; d++)
        if (o->along_k[d] == (depth_first == (pass == 0)) && o->unit[d] == unit) out[n++] = d;
}

tsr_value gemm_shuffled_load(ops_build *b, const gemm_shuffled *s, tsr_value i, tsr_value j,
                             bool by_depth) {
  tsr_value at[GEMM_SHUFFLE_RANK];
  int64_t order[GEMM_SHUFFLE_RANK];
  indices_of(b, s, i, j, at);
  dims_in_order(&s->order, by_depth, order);
  tsr_value x = ops_load(b, &s->tiles, (tsr_values){at, s->order.rank});
  x = ops_permute(b, x, (tsr_ints){order, s->order.rank});
  return ops_reshape(b, x, by_depth ? TSR_INTS(s->depth, s->lines) : TSR_INTS(s->lines, s->depth));
}

void gemm_shuffled_store(ops_build *b, const gemm_shuffled *s, tsr_value tile, tsr_value i,
                         tsr_value j) {
  tsr_value at[GEMM_SHUFFLE_RANK];
  int64_t order[GEMM_SHUFFLE_RANK], shape[GEMM_SHUFFLE_RANK], back[GEMM_SHUFFLE_RANK];
  indices_of(b, s, i, j, at);
  dims_in_order(&s->order, false, order);
  for (unsigned d = 0; d < s->order.rank; d++) {
    shape[d] = s->tiles.tile[order[d]];
    back[order[d]] = d;
  }
  tile = ops_reshape(b, tile, (tsr_ints){shape, s->order.rank});
  tile = ops_permute(b, tile, (tsr_ints){back, s->order.rank});
  ops_store(b, tile, &s->tiles, (tsr_values){at, s->order.rank});
}
