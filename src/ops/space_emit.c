/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdio.h>

#include "num/num.h"
#include "ops/space.h"

static unsigned tensor_index(const ops_space *s, const char *name) {
  unsigned i = 0;
  while (i + 1 < s->count && strcmp(s->tensors[i].name, name) != 0) i++;
  return i;
}

/* Which dimensions are the tile's. */
static unsigned row_dim(const ops_space *s) {
  return s->kept == s->rank ? s->rank - 2 : s->kept - 1;
}

static bool has_part(const ops_space *s, const space_tensor *t, unsigned d) {
  return t->part == SPACE_ALL || (t->part == SPACE_GONE) == (d >= s->kept);
}

static tsr_value size_of(space_kernel *k, unsigned d) {
  char name[24];
  snprintf(name, sizeof name, "size_%u", d);
  return ops_arg(k->b, name);
}

/* ---- where a tile block is ------------------------------------------------------------------- */

/* Takes a number apart into indices of dimensions, the last one first. */
static void take_apart(space_kernel *k, tsr_value number, unsigned first, unsigned end,
                       tsr_value *out) {
  tsr_value sizes[TSR_OP_MAX_RANK];
  for (unsigned d = first; d < end; d++) sizes[d] = size_of(k, d);
  if (end > first) ops_take_apart(k->b, number, sizes + first, end - first, out + first);
}

static tsr_padding padding_of(const space_tensor *t, double outside) {
  const num_format *f = num_format_of(ops_type_elem(t->type));
  if (f && f->has_inf && isinf(outside))
    return outside < 0 ? TSR_PADDING_NEG_INF : TSR_PADDING_POS_INF;
  return TSR_PADDING_ZERO;
}

static ops_tiles view_of(space_kernel *k, unsigned index, tsr_padding padding) {
  const ops_space *s = k->s;
  const space_tensor *t = &s->tensors[index];
  char name[64];
  ops_view_spec spec = {
      .base = ops_arg(k->b, t->name), .elem = ops_type_elem(t->type), .padding = padding};
  for (unsigned d = 0; d < s->rank; d++) {
    if (!has_part(s, t, d)) continue;
    snprintf(name, sizeof name, "%s_%u", t->name, d);
    spec.sizes[spec.rank] = size_of(k, d);
    spec.strides[spec.rank] = t->unit == (int)d ? NULL : ops_arg(k->b, name);
    spec.tile[spec.rank++] = d == row_dim(s)    ? k->tile_rows
                             : d == s->rank - 1 ? k->tile_columns
                                                : 1;
  }
  return ops_view(k->b, &spec);
}

space_kernel space_begin(ops_build *b, const ops_space *s, int64_t tile_rows,
                         int64_t tile_columns) {
  bool none_go = s->kept == s->rank;
  space_kernel k = {.b = b,
                    .s = s,
                    .tile_rows = tile_rows,
                    .tile_columns = tile_columns,
                    .row = b->block[none_go ? 1 : 0],
                    .column = none_go ? b->block[0] : NULL};
  take_apart(&k, ops_to_index(b, b->block[2]), 0, row_dim(s), k.outer);
  for (unsigned i = 0; i < s->count; i++)
    if (ops_has_arg(b, s->tensors[i].name)) k.views[i] = view_of(&k, i, TSR_PADDING_ZERO);
  return k;
}

static tsr_value tiles_of_columns(space_kernel *k) {
  return ops_ceil_div(k->b, size_of(k, k->s->rank - 1), k->tile_columns);
}

static tsr_value to_i32(space_kernel *k, tsr_value v) {
  if (!ops_is_wide(k->b->p)) return v;
  return tsr_build_trunci(k->b->b, v, tsr_type_scalar(k->b->b, TSR_I32));
}

tsr_value space_turns(space_kernel *k) {
  tsr_value turns = tiles_of_columns(k);
  for (unsigned d = k->s->kept; d + 1 < k->s->rank; d++)
    turns = tsr_build_muli(k->b->b, turns, size_of(k, d));
  return to_i32(k, turns);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* The indices of a tensor's tile at turn `t`. */
static size_t indices(space_kernel *k, const space_tensor *tensor, tsr_value t, tsr_value *out) {
  const ops_space *s = k->s;
  tsr_value all[TSR_OP_MAX_RANK];
  size_t n = 0;
  unsigned row = row_dim(s), column = s->rank - 1;
  for (unsigned d = 0; d < row; d++) all[d] = k->outer[d];
  all[row] = ops_to_index(k->b, k->row);
  all[column] = k->column ? ops_to_index(k->b, k->column) : NULL;
  if (t) {
    tsr_value turn = ops_to_index(k->b, t), tiles = tiles_of_columns(k);
    bool many = column > s->kept;
    all[column] = many ? tsr_build_remi(k->b->b, turn, tiles, TSR_SIGNED) : turn;
    if (many) take_apart(k, tsr_build_divi(k->b->b, turn, tiles, TSR_SIGNED), s->kept, column, all);
  }
  for (unsigned d = 0; d < s->rank; d++)
    if (has_part(s, tensor, d)) out[n++] = all[d];
  return n;
}

static tsr_ints tile_shape(const space_kernel *k, const space_tensor *t, int64_t out[2]) {
  out[0] = t->part == SPACE_GONE ? 1 : k->tile_rows;
  out[1] = t->part == SPACE_KEPT && k->s->kept != k->s->rank ? 1 : k->tile_columns;
  return (tsr_ints){out, 2};
}

/* Whether columns lie inside, as 1 x columns. */
static tsr_value inside_columns(space_kernel *k, tsr_value column) {
  tsr_elem index = ops_index_elem(k->b);
  tsr_ints shape = TSR_INTS(k->tile_columns);
  tsr_value first = tsr_build_muli(k->b->b, column, ops_index(k->b, k->tile_columns));
  tsr_value at = tsr_build_iota(k->b->b, ops_tile(k->b, TSR_I32, shape));
  if (index == TSR_I64)
    at = tsr_build_exti(k->b->b, at, TSR_SIGNED, ops_tile(k->b, TSR_I64, shape));
  at = ops_add(k->b, at, ops_spread(k->b, first, shape));
  tsr_value size = ops_spread(k->b, size_of(k, k->s->rank - 1), shape);
  tsr_value is = tsr_build_cmpi(k->b->b, at, size, TSR_CMP_LESS_THAN, TSR_SIGNED);
  return ops_reshape(k->b, is, TSR_INTS(1, k->tile_columns));
}

static tsr_value mask(space_kernel *k, tsr_value v, tsr_value column, tsr_ints shape,
                      double outside) {
  tsr_value is = ops_broadcast(k->b, inside_columns(k, column), shape);
  return tsr_build_select(k->b->b, is, v, ops_full_like(k->b, v, outside));
}

tsr_value space_mask(space_kernel *k, tsr_value v, tsr_value t, double outside) {
  tsr_value at[TSR_OP_MAX_RANK];
  space_tensor all = {.part = SPACE_ALL};
  size_t n = indices(k, &all, t, at);
  return mask(k, v, at[n - 1], TSR_INTS(k->tile_rows, k->tile_columns), outside);
}

tsr_value space_load(space_kernel *k, const char *name, tsr_value t, ops_type type,
                     double outside) {
  unsigned i = tensor_index(k->s, name);
  const space_tensor *tensor = &k->s->tensors[i];
  tsr_value at[TSR_OP_MAX_RANK];
  int64_t dims[2];
  size_t n = indices(k, tensor, t, at);
  tsr_ints shape = tile_shape(k, tensor, dims);
  tsr_padding padding = padding_of(tensor, outside);
  ops_tiles view = padding == TSR_PADDING_ZERO ? k->views[i] : view_of(k, i, padding);
  tsr_value v = ops_load(k->b, &view, (tsr_values){at, n});
  v = ops_convert(k->b, ops_reshape(k->b, v, shape), tensor->type, type);
  bool done = outside == 0 || padding != TSR_PADDING_ZERO || tensor->part == SPACE_KEPT;
  return done ? v : mask(k, v, at[n - 1], shape, outside);
}

void space_store(space_kernel *k, const char *name, tsr_value t, tsr_value tile, ops_type type) {
  unsigned i = tensor_index(k->s, name);
  const space_tensor *tensor = &k->s->tensors[i];
  tsr_value at[TSR_OP_MAX_RANK];
  size_t n = indices(k, tensor, t, at);
  tile = ops_convert(k->b, tile, type, tensor->type);
  tile = ops_reshape(k->b, tile, (tsr_ints){k->views[i].tile, k->views[i].rank});
  ops_store(k->b, tile, &k->views[i], (tsr_values){at, n});
}

tsr_value space_spread(space_kernel *k, tsr_value v) {
  return ops_broadcast(k->b, v, TSR_INTS(k->tile_rows, k->tile_columns));
}
