/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/gemm.h"

/* ---- scales ---------------------------------------------------------------------------------- */

/* To the type that the rest is computed in, over a whole tile of c. */
static tsr_value spread_scale(gemm_kernel *g, tsr_value s) {
  s = ops_convert(g->b, s, gemm_get(g->p, GEMM_type_scale), gemm_late_type(g->p));
  return ops_broadcast(g->b, s, TSR_INTS(g->tile_m, g->tile_n));
}

/* Scales of b are those of the tile's expert, and of a gate's second product behind those of the
 * first. */
static tsr_value scale_of_half(gemm_kernel *g, tsr_value base, int64_t how) {
  ops_build *b = g->b;
  bool is_line = how == GEMM_SCALE_LINE;
  tsr_value each = is_line ? g->n : ops_index(b, 1);
  if (is_line && gemm_gate(g->p)) each = ops_add(b, g->n, g->n);
  if (gemm_is_sorted(g->p)) base = ops_advance(b, base, g->batch, each);
  return is_line && g->is_second ? ops_advance(b, base, g->n, ops_index(b, 1)) : base;
}

/* One number, or one for each row or column. */
static tsr_value plain_scale(gemm_kernel *g, const char *name, int64_t how, bool rows) {
  tsr_value base = ops_arg(g->b, name), one = ops_index(g->b, 1);
  bool gathered = rows && gemm_gathers(g->p);
  tsr_value size = gathered ? ops_arg(g->b, "rows_a") : rows ? g->m : g->n;
  if (!rows) base = scale_of_half(g, base, how);
  if (how == GEMM_SCALE_TENSOR) {
    tsr_value scale = tsr_build_load_ptr_tko(g->b->b, base, TSR_MEMORY_WEAK);
    return spread_scale(g, ops_reshape(g->b, scale, TSR_INTS(1, 1)));
  }
  int64_t tile = rows ? g->tile_m : g->tile_n;
  if (rows && g->start) base = ops_advance(g->b, base, g->start, one);
  ops_view_spec spec = {.base = base,
                        .elem = ops_type_elem(gemm_get(g->p, GEMM_type_scale)),
                        .rank = 1,
                        .sizes = {size},
                        .tile = {tile},
                        .padding = TSR_PADDING_ZERO,
                        .is_gathered = gathered};
  ops_tiles tiles = ops_view(g->b, &spec);
  tsr_value v = ops_load(g->b, &tiles, TSR_VALUES(rows ? g->row_a : g->j));
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

static void fill_by_pointers(gemm_kernel *g, ops_place *at) {
  const ops_epilogue *e = gemm_epilogue(g->p);
  unsigned column = GEMM_COLUMNS;
  at->batch = NULL;
  at->ld = gemm_group_number(g, GEMM_AT_LDD);
  for (unsigned i = 0; i < e->count; i++)
    if (e->stages[i].operand) at->bases[i] = gemm_group_pointer(g, column++, e->stages[i].type);
}

static tsr_value apply_epilogue(gemm_kernel *g, tsr_value x) {
  bool elsewhere = gemm_scatters(g->p), sorted = gemm_is_sorted(g->p);
  ops_place at = {.rows = elsewhere ? ops_arg(g->b, "m") : g->m,
                  .columns = g->n,
                  .i = g->i,
                  .j = g->j,
                  .batch = g->start || sorted ? NULL : g->batch,
                  .start = g->start,
                  .lines = elsewhere ? g->row_c : NULL,
                  .group = sorted ? g->batch : NULL,
                  .tile_rows = g->tile_m,
                  .tile_columns = g->tile_n,
                  .column_major = gemm_get(g->p, GEMM_c) == 1};
  if (g->group) fill_by_pointers(g, &at);
  return ops_epilogue_emit(g->b, gemm_epilogue(g->p), x, &at);
}

/* All elements of c's tile, before they are converted to its type. */
static tsr_value finish(gemm_kernel *g, tsr_value x, const ops_tiles *c) {
  const ops_problem *p = g->p;
  ops_type late = gemm_late_type(p), type_c = gemm_get(p, GEMM_type_c);
  tsr_ints shape = TSR_INTS(g->tile_m, g->tile_n);
  if (gemm_get(p, GEMM_scaled))
    x = ops_mul(g->b, x, ops_spread(g->b, ops_arg(g->b, "alpha"), shape));
  if (gemm_get(p, GEMM_added)) {
    tsr_value old = ops_convert(g->b, ops_load(g->b, c, TSR_VALUES(g->row_c, g->j)), type_c, late);
    x = ops_add(g->b, x, ops_mul(g->b, old, ops_spread(g->b, ops_arg(g->b, "beta"), shape)));
  }
  x = gemm_combine_tile(g, GEMM_SIDE_C, x, late, g->i, g->j);
  return gemm_is_whole(p) ? x : apply_epilogue(g, x);
}

static ops_tiles result_view(gemm_kernel *g) {
  return gemm_matrix(g, "c", gemm_get(g->p, GEMM_type_c), g->m, g->n, g->tile_m, g->tile_n,
                     TSR_PADDING_NONE);
}

/* Elements that wait for those of their row: row by row, as c without gaps. */
static ops_tiles late_view(gemm_kernel *g) {
  tsr_value base = ops_arg(g->b, "late");
  if (g->start)
    base = ops_advance(g->b, base, g->start, g->n);
  else if (g->batch && !gemm_is_sorted(g->p))
    base = ops_advance(g->b, base, g->batch,
                       tsr_build_muli(g->b->b, ops_to_i64(g->b, g->m), ops_to_i64(g->b, g->n)));
  return ops_view(g->b, &(ops_view_spec){.base = base,
                                         .elem = ops_type_elem(gemm_late_type(g->p)),
                                         .rank = 2,
                                         .sizes = {g->m, g->n},
                                         .strides = {g->n},
                                         .tile = {g->tile_m, g->tile_n},
                                         .padding = TSR_PADDING_ZERO});
}

static void store_result(gemm_kernel *g, tsr_value x, ops_tiles c) {
  if (gemm_epilogue(g->p)->by_row)
    c = late_view(g);
  else
    x = ops_convert(g->b, x, gemm_late_type(g->p), gemm_get(g->p, GEMM_type_c));
  ops_store(g->b, x, &c, TSR_VALUES(g->row_c, g->j));
}

/* ---- rows that are quantised ----------------------------------------------------------------- */

typedef struct late_rows {
  gemm_kernel *g;
  ops_tiles late, c;
} late_rows;

static tsr_value load_late(void *user, tsr_value j) {
  late_rows *r = user;
  return ops_load(r->g->b, &r->late, TSR_VALUES(r->g->i, j));
}

static void store_quantised(void *user, tsr_value tile, tsr_value j) {
  late_rows *r = user;
  ops_store(r->g->b, tile, &r->c, TSR_VALUES(r->g->i, j));
}

void gemm_build_quantise(gemm_kernel *g) {
  ops_build *b = g->b;
  late_rows r = {g, late_view(g), result_view(g)};
  tsr_value scales = ops_arg(b, OPS_ROW_SCALE);
  if (g->start)
    scales = ops_advance(b, scales, g->start, ops_index(b, 1));
  else if (g->batch && !gemm_is_sorted(g->p))
    scales = ops_advance(b, scales, g->batch, g->m);
  ops_quantise q = {.type = gemm_get(g->p, GEMM_type_c),
                    .tile_rows = g->tile_m,
                    .tile_columns = g->tile_n,
                    .turns = ops_from_index(b, ops_ceil_div(b, g->n, g->tile_n)),
                    .i = g->i,
                    .rows = g->m,
                    .scales = scales,
                    .load = load_late,
                    .store = store_quantised,
                    .user = &r};
  ops_quantise_emit(b, &q, gemm_late_type(g->p));
}

/* ---- sums of parts of k ---------------------------------------------------------------------- */

/* The sums of one part: piece `z` of the workspace, row by row. */
static ops_tiles partial_view(gemm_kernel *g, tsr_value z) {
  tsr_value size = tsr_build_muli(g->b->b, ops_to_i64(g->b, g->most), ops_to_i64(g->b, g->most_n));
  ops_view_spec spec = {.base = ops_advance(g->b, ops_arg(g->b, "partial"), z, size),
                        .elem = ops_type_elem(gemm_partial_type(g->p)),
                        .rank = 2,
                        .sizes = {g->m, g->n},
                        .strides = {g->most_n},
                        .tile = {g->tile_m, g->tile_n},
                        .padding = TSR_PADDING_ZERO};
  return ops_view(g->b, &spec);
}

void gemm_build_combine(gemm_kernel *g) {
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
  ops_tiles c = result_view(g);
  store_result(g, finish(g, late_sum(g, tsr_op_result(loop, 0), type), &c), c);
}

tsr_value gemm_finish(gemm_kernel *g, const tsr_value *sums, const ops_tiles *c) {
  ops_type type = gemm_partial_type(g->p);
  tsr_value x = late_sum(g, sums[0], type);
  if (gemm_gate(g->p)) {
    g->is_second = true;
    x = gated(g, x, late_sum(g, sums[1], type));
    g->is_second = false;
  }
  return finish(g, x, c);
}

void gemm_end(gemm_kernel *g, const tsr_value *sums) {
  if (g->part) {
    ops_tiles partial = partial_view(g, g->b->block[2]);
    ops_store(g->b, sums[0], &partial, TSR_VALUES(g->i, g->j));
    return;
  }
  ops_tiles c = result_view(g);
  store_result(g, gemm_finish(g, sums, &c), c);
}
