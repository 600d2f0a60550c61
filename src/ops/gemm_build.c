/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/gemm.h"

/* A kernel that is being built: which tile of c, and of which product. */
typedef struct gemm_kernel {
  ops_build *b;
  const ops_problem *p;
  tsr_value m, n, k;
  tsr_value i, j;
  tsr_value batch; /* NULL: there is one product */
  tsr_value start; /* the first row of a group, i32; NULL: rows are not grouped */
  tsr_value most;  /* rows of the largest group, m of others */
  tsr_value skip;  /* columns of b before those that are multiplied; NULL: none */
  tsr_value part;  /* of k; NULL: it is not divided */
  int64_t tile_m, tile_n, tile_k;
} gemm_kernel;

static tsr_value clamp_rows(ops_build *b, tsr_value x, tsr_value high) {
  x = tsr_build_maxi(b->b, x, ops_i32(b, 0), TSR_SIGNED);
  return tsr_build_mini(b->b, x, high, TSR_SIGNED);
}

/* The rows of a group, whatever its offsets say: inside of the tensors, and no more than the
 * largest group has. */
static void find_group(gemm_kernel *g) {
  ops_build *b = g->b;
  tsr_value base = ops_arg(b, "offsets"), all = ops_arg(b, "total_m");
  tsr_value next = tsr_build_addi(b->b, g->batch, ops_i32(b, 1));
  g->start = clamp_rows(b, ops_load_element(b, base, g->batch), all);
  tsr_value end = clamp_rows(b, ops_load_element(b, base, next), all);
  tsr_value rows = tsr_build_subi(b->b, end, g->start);
  rows = clamp_rows(b, rows, ops_from_index(b, g->most));
  g->m = ops_to_index(b, rows);
}

static gemm_kernel begin(ops_build *b) {
  const ops_problem *p = b->p;
  int64_t split = gemm_get(p, GEMM_split_k);
  gemm_kernel g = {.b = b,
                   .p = p,
                   .m = ops_arg(b, "m"),
                   .n = ops_arg(b, "n"),
                   .k = ops_arg(b, "k"),
                   .most = ops_arg(b, "m"),
                   .i = b->block[0],
                   .j = b->block[1],
                   .tile_m = gemm_get(p, GEMM_tile_m),
                   .tile_n = gemm_get(p, GEMM_tile_n),
                   .tile_k = gemm_get(p, GEMM_tile_k)};
  bool divided = split > 1 && b->step_index == 0;
  tsr_value z = b->block[2], parts = ops_i32(b, split);
  if (divided) g.part = tsr_build_remi(b->b, z, parts, TSR_SIGNED);
  if (gemm_get(p, GEMM_batched)) g.batch = divided ? tsr_build_divi(b->b, z, parts, TSR_SIGNED) : z;
  if (gemm_is_grouped(p)) find_group(&g);
  return g;
}

/* ---- operands -------------------------------------------------------------------------------- */

static ops_tiles matrix(gemm_kernel *g, const char *name, ops_type type, tsr_value rows,
                        tsr_value columns, int64_t tile_rows, int64_t tile_columns,
                        tsr_padding padding) {
  char row[] = "?_0", column[] = "?_1", batch[] = "batch_?";
  row[0] = column[0] = batch[sizeof batch - 2] = name[0];
  tsr_value base = ops_arg(g->b, name);
  tsr_value along = ops_arg(g->b, row), one = ops_index(g->b, 1);
  if (g->start && name[0] != 'b')
    base = ops_advance(g->b, base, g->start, along ? along : one);
  else if (g->batch)
    base = ops_advance(g->b, base, g->batch, ops_arg(g->b, batch));
  if (g->skip) {
    tsr_value across = ops_arg(g->b, column);
    base = ops_advance(g->b, base, g->skip, across ? across : one);
  }
  ops_view_spec spec = {.base = base,
                        .elem = ops_type_elem(type),
                        .rank = 2,
                        .sizes = {rows, columns},
                        .strides = {ops_arg(g->b, row), ops_arg(g->b, column)},
                        .tile = {tile_rows, tile_columns},
                        .padding = padding};
  return ops_view(g->b, &spec);
}

/* As the product takes it: integers keep their sign. */
static ops_type product_type(const ops_problem *p, ops_type from) {
  ops_type t = gemm_get(p, GEMM_compute);
  return ops_type_is_int(t) ? t | (from & OPS_UNSIGNED) : t;
}

static tsr_signedness sign_of(ops_type t) {
  return ops_type_is_unsigned(t) ? TSR_UNSIGNED : TSR_SIGNED;
}

static tsr_value multiply(gemm_kernel *g, tsr_value a, tsr_value b, tsr_value sum) {
  ops_type type_a = gemm_get(g->p, GEMM_type_a), type_b = gemm_get(g->p, GEMM_type_b);
  a = ops_convert(g->b, a, type_a, product_type(g->p, type_a));
  b = ops_convert(g->b, b, type_b, product_type(g->p, type_b));
  if (ops_type_is_int(gemm_get(g->p, GEMM_compute)))
    return tsr_build_mmai(g->b->b, a, b, sum, sign_of(type_a), sign_of(type_b));
  return tsr_build_mmaf(g->b->b, a, b, sum);
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* To the type that the rest is computed in, over a whole tile of c. */
static tsr_value spread_scale(gemm_kernel *g, tsr_value s) {
  s = ops_convert(g->b, s, gemm_get(g->p, GEMM_type_scale), gemm_late_type(g->p));
  return ops_broadcast(g->b, s, TSR_INTS(g->tile_m, g->tile_n));
}

/* One number, or one for each row or column. */
static tsr_value plain_scale(gemm_kernel *g, const char *name, int64_t how, bool rows) {
  tsr_value base = ops_arg(g->b, name);
  if (how == GEMM_SCALE_TENSOR) {
    tsr_value one = tsr_build_load_ptr_tko(g->b->b, base, TSR_MEMORY_WEAK);
    return spread_scale(g, ops_reshape(g->b, one, TSR_INTS(1, 1)));
  }
  int64_t tile = rows ? g->tile_m : g->tile_n;
  if (rows && g->start) base = ops_advance(g->b, base, g->start, ops_index(g->b, 1));
  ops_view_spec spec = {.base = base,
                        .elem = ops_type_elem(gemm_get(g->p, GEMM_type_scale)),
                        .rank = 1,
                        .sizes = {rows ? g->m : g->n},
                        .tile = {tile},
                        .padding = TSR_PADDING_ZERO};
  ops_tiles tiles = ops_view(g->b, &spec);
  tsr_value v = ops_load(g->b, &tiles, TSR_VALUES(rows ? g->i : g->j));
  return spread_scale(g, ops_reshape(g->b, v, rows ? TSR_INTS(tile, 1) : TSR_INTS(1, tile)));
}

static tsr_value apply_plain_scales(gemm_kernel *g, tsr_value x) {
  int64_t a = gemm_get(g->p, GEMM_scale_a), b = gemm_get(g->p, GEMM_scale_b);
  if (a == GEMM_SCALE_TENSOR || a == GEMM_SCALE_LINE)
    x = ops_mul(g->b, x, plain_scale(g, "scale_a", a, true));
  if (b == GEMM_SCALE_TENSOR || b == GEMM_SCALE_LINE)
    x = ops_mul(g->b, x, plain_scale(g, "scale_b", b, false));
  return x;
}

/* Scales of groups along k, as views of which a tile belongs to one step of the loop. */
typedef struct group_scales {
  ops_tiles a, b; /* without a view: none */
} group_scales;

/* Columns of b that have scales of their own in a tile. */
static int64_t scale_columns(const gemm_kernel *g) {
  return MAX(g->tile_n / gemm_get(g->p, GEMM_group_n), 1);
}

static group_scales group_views(gemm_kernel *g) {
  group_scales s = {0};
  tsr_elem elem = ops_type_elem(gemm_get(g->p, GEMM_type_scale));
  tsr_value groups = ops_ceil_div(g->b, g->k, gemm_get(g->p, GEMM_group));
  tsr_value columns = ops_ceil_div(g->b, g->n, gemm_get(g->p, GEMM_group_n));
  tsr_value base_a = ops_arg(g->b, "scale_a");
  if (base_a && g->start) base_a = ops_advance(g->b, base_a, g->start, groups);
  if (gemm_get(g->p, GEMM_scale_a) == GEMM_SCALE_GROUP)
    s.a = ops_view(g->b, &(ops_view_spec){.base = base_a,
                                          .elem = elem,
                                          .rank = 2,
                                          .sizes = {g->m, groups},
                                          .strides = {groups},
                                          .tile = {g->tile_m, 1},
                                          .padding = TSR_PADDING_ZERO});
  if (gemm_get(g->p, GEMM_scale_b) == GEMM_SCALE_GROUP)
    s.b = ops_view(g->b, &(ops_view_spec){.base = ops_arg(g->b, "scale_b"),
                                          .elem = elem,
                                          .rank = 2,
                                          .sizes = {groups, columns},
                                          .strides = {columns},
                                          .tile = {1, scale_columns(g)},
                                          .padding = TSR_PADDING_ZERO});
  return s;
}

/* Columns c to c + count - 1 of a row, each repeated until they fill a tile's width. */
static tsr_value repeat_columns(gemm_kernel *g, tsr_value s, int64_t count) {
  int64_t each = g->tile_n / count;
  if (count == 1 || each == 1) return s;
  s = ops_reshape(g->b, s, TSR_INTS(count, 1));
  s = ops_broadcast(g->b, s, TSR_INTS(count, each));
  return ops_reshape(g->b, s, TSR_INTS(1, g->tile_n));
}

static tsr_value apply_group_scales(gemm_kernel *g, group_scales s, tsr_value x, tsr_value step) {
  int64_t steps = gemm_get(g->p, GEMM_group) / g->tile_k, count = scale_columns(g);
  tsr_value group = tsr_build_divi(g->b->b, step, ops_i32(g->b, steps), TSR_SIGNED);
  int64_t tiles = MAX(gemm_get(g->p, GEMM_group_n) / g->tile_n, 1);
  tsr_value column = tsr_build_divi(g->b->b, g->j, ops_i32(g->b, tiles), TSR_SIGNED);
  if (s.a.view)
    x = ops_mul(g->b, x, spread_scale(g, ops_load(g->b, &s.a, TSR_VALUES(g->i, group))));
  if (!s.b.view) return x;
  tsr_value line = repeat_columns(g, ops_load(g->b, &s.b, TSR_VALUES(group, column)), count);
  return ops_mul(g->b, x, spread_scale(g, line));
}

/* ---- the loop over k ------------------------------------------------------------------------- */

/* From which to which step a tile block goes. */
static void step_range(gemm_kernel *g, tsr_value steps, tsr_value *first, tsr_value *end) {
  *first = ops_i32(g->b, 0);
  *end = steps;
  if (!g->part) return;
  tsr_value each = ops_ceil_div(g->b, steps, gemm_get(g->p, GEMM_split_k));
  tsr_value begin = tsr_build_muli(g->b->b, g->part, each);
  *first = tsr_build_mini(g->b->b, begin, steps, TSR_SIGNED);
  *end = tsr_build_mini(g->b->b, tsr_build_addi(g->b->b, begin, each), steps, TSR_SIGNED);
}

static ops_tiles b_view(gemm_kernel *g, tsr_value skip) {
  g->skip = skip;
  ops_tiles b = matrix(g, "b", gemm_get(g->p, GEMM_type_b), g->k, g->n, g->tile_k, g->tile_n,
                       TSR_PADDING_ZERO);
  g->skip = NULL;
  return b;
}

/* The sums of a tile; of scaled groups already in the type of the rest. With a gate, those of both
 * halves of b. */
static void sum_products(gemm_kernel *g, tsr_value out[2]) {
  const ops_problem *p = g->p;
  ops_type sum_type = gemm_get(p, GEMM_accumulate), late = gemm_late_type(p);
  bool groups = gemm_has_groups(p);
  tsr_ints shape = TSR_INTS(g->tile_m, g->tile_n);
  ops_tiles a =
      matrix(g, "a", gemm_get(p, GEMM_type_a), g->m, g->k, g->tile_m, g->tile_k, TSR_PADDING_ZERO);
  ops_tiles b = b_view(g, NULL), other = {0};
  unsigned count = gemm_gate(p) ? 2 : 1;
  if (count == 2) other = b_view(g, g->n);
  group_scales scales = groups ? group_views(g) : (group_scales){0};
  tsr_value first, end;
  step_range(g, tsr_op_result(tsr_build_get_index_space_shape(g->b->b, a.view), 1), &first, &end);
  tsr_value zero = ops_full(g->b, ops_type_elem(sum_type), shape, 0);
  tsr_value init = groups ? ops_full(g->b, ops_type_elem(late), shape, 0) : zero;
  tsr_value next[2], start[] = {init, init};
  tsr_op *loop = ops_loop(g->b, first, end, (tsr_values){start, count});
  tsr_value step = tsr_build_arg(g->b->b, 0), sum = tsr_build_arg(g->b->b, 1);
  tsr_value tile_a = ops_load(g->b, &a, TSR_VALUES(g->i, step));
  tsr_value tile_b = ops_load(g->b, &b, TSR_VALUES(step, g->j));
  next[0] = multiply(g, tile_a, tile_b, groups ? zero : sum);
  if (groups) {
    next[0] = ops_convert(g->b, next[0], sum_type, late);
    next[0] = ops_add(g->b, sum, apply_group_scales(g, scales, next[0], step));
  }
  if (count == 2)
    next[1] = multiply(g, tile_a, ops_load(g->b, &other, TSR_VALUES(step, g->j)),
                       tsr_build_arg(g->b->b, 2));
  ops_loop_end(g->b, (tsr_values){next, count});
  for (unsigned i = 0; i < count; i++) out[i] = tsr_op_result(loop, i);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* A product with its scales, in the type of what follows. */
static tsr_value late_sum(gemm_kernel *g, tsr_value x, ops_type from) {
  return apply_plain_scales(g, ops_convert(g->b, x, from, gemm_late_type(g->p)));
}

static tsr_value gated(gemm_kernel *g, tsr_value x, tsr_value by) {
  const ops_function *f = gemm_gate(g->p);
  tsr_value args[OPS_FUNCTION_ARGS] = {x};
  for (unsigned i = 1; i < f->args; i++) args[i] = ops_full_like(g->b, x, f->numbers[i]);
  return ops_mul(g->b, f->emit(g->b, args), by);
}

/* All elements of c's tile, as they are stored. */
static tsr_value finish(gemm_kernel *g, tsr_value x, const ops_tiles *c) {
  const ops_problem *p = g->p;
  ops_type late = gemm_late_type(p), type_c = gemm_get(p, GEMM_type_c);
  tsr_ints shape = TSR_INTS(g->tile_m, g->tile_n);
  ops_place at = {.rows = g->m,
                  .columns = g->n,
                  .i = g->i,
                  .j = g->j,
                  .batch = g->start ? NULL : g->batch,
                  .start = g->start,
                  .tile_rows = g->tile_m,
                  .tile_columns = g->tile_n,
                  .column_major = gemm_get(p, GEMM_c) == 1};
  if (gemm_get(p, GEMM_scaled))
    x = ops_mul(g->b, x, ops_spread(g->b, ops_arg(g->b, "alpha"), shape));
  if (gemm_get(p, GEMM_added)) {
    tsr_value old = ops_convert(g->b, ops_load(g->b, c, TSR_VALUES(g->i, g->j)), type_c, late);
    x = ops_add(g->b, x, ops_mul(g->b, old, ops_spread(g->b, ops_arg(g->b, "beta"), shape)));
  }
  if (!gemm_is_whole(p)) x = ops_epilogue_emit(g->b, gemm_epilogue(p), x, &at);
  return ops_convert(g->b, x, late, type_c);
}

static void store_result(gemm_kernel *g, tsr_value x) {
  ops_tiles c = matrix(g, "c", gemm_get(g->p, GEMM_type_c), g->m, g->n, g->tile_m, g->tile_n,
                       TSR_PADDING_NONE);
  ops_store(g->b, finish(g, x, &c), &c, TSR_VALUES(g->i, g->j));
}

/* ---- sums of parts of k ---------------------------------------------------------------------- */

/* The sums of one part: piece `z` of the workspace, row by row. */
static ops_tiles partial_view(gemm_kernel *g, tsr_value z) {
  tsr_value size = tsr_build_muli(g->b->b, ops_to_i64(g->b, g->most), ops_to_i64(g->b, g->n));
  ops_view_spec spec = {.base = ops_advance(g->b, ops_arg(g->b, "partial"), z, size),
                        .elem = ops_type_elem(gemm_partial_type(g->p)),
                        .rank = 2,
                        .sizes = {g->m, g->n},
                        .strides = {g->n},
                        .tile = {g->tile_m, g->tile_n},
                        .padding = TSR_PADDING_ZERO};
  return ops_view(g->b, &spec);
}

static void build_combine(gemm_kernel *g) {
  int64_t split = gemm_get(g->p, GEMM_split_k);
  ops_type type = gemm_partial_type(g->p);
  tsr_value zero = ops_full(g->b, ops_type_elem(type), TSR_INTS(g->tile_m, g->tile_n), 0);
  tsr_value first = tsr_build_muli(g->b->b, g->b->block[2], ops_i32(g->b, split));
  tsr_value end = tsr_build_addi(g->b->b, first, ops_i32(g->b, split));
  tsr_op *loop = ops_loop(g->b, first, end, TSR_VALUES(zero));
  tsr_value z = tsr_build_arg(g->b->b, 0), sum = tsr_build_arg(g->b->b, 1);
  ops_tiles partial = partial_view(g, z);
  tsr_value more = ops_load(g->b, &partial, TSR_VALUES(g->i, g->j));
  ops_loop_end(g->b, TSR_VALUES(ops_add(g->b, sum, more)));
  store_result(g, late_sum(g, tsr_op_result(loop, 0), type));
}

void gemm_build(ops_build *b) {
  gemm_kernel g = begin(b);
  if (b->step_index == 1) {
    build_combine(&g);
    return;
  }
  ops_type type = gemm_partial_type(b->p);
  tsr_value sums[2];
  sum_products(&g, sums);
  if (!g.part) {
    tsr_value x = late_sum(&g, sums[0], type);
    store_result(&g, gemm_gate(b->p) ? gated(&g, x, late_sum(&g, sums[1], type)) : x);
    return;
  }
  ops_tiles partial = partial_view(&g, b->block[2]);
  ops_store(b, sums[0], &partial, TSR_VALUES(g.i, g.j));
}
