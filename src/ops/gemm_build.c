/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/gemm.h"

gemm_kernel gemm_begin(ops_build *b) {
  const ops_problem *p = b->p;
  int64_t split = gemm_get(p, GEMM_split_k);
  gemm_kernel g = {.b = b,
                   .p = p,
                   .m = ops_arg(b, "m"),
                   .n = ops_arg(b, "n"),
                   .k = ops_arg(b, "k"),
                   .most = ops_arg(b, "m"),
                   .most_n = ops_arg(b, "n"),
                   .i = b->block[0],
                   .j = b->block[1],
                   .row_a = b->block[0],
                   .row_c = b->block[0],
                   .tile_m = gemm_get(p, GEMM_tile_m),
                   .tile_n = gemm_get(p, GEMM_tile_n),
                   .tile_k = gemm_get(p, GEMM_tile_k)};
  bool divided = split > 1 && strcmp(b->step->kernel, "main") == 0;
  tsr_value z = b->block[2], parts = ops_i32(b, split);
  if (divided) g.part = tsr_build_remi(b->b, z, parts, TSR_SIGNED);
  if (gemm_get(p, GEMM_batched)) g.batch = divided ? tsr_build_divi(b->b, z, parts, TSR_SIGNED) : z;
  if (gemm_is_grouped(p) || gemm_has_pointers(p)) gemm_find_group(&g);
  if (gemm_is_sorted(p)) gemm_find_sorted(&g);
  return g;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Where a matrix begins; strides that are NULL are 1. */
typedef struct matrix_place {
  tsr_value base, row, column;
} matrix_place;

static matrix_place place_by_name(gemm_kernel *g, const char *name) {
  char row[] = "?_0", column[] = "?_1", batch[] = "batch_?";
  row[0] = column[0] = batch[sizeof batch - 2] = name[0];
  matrix_place at = {ops_arg(g->b, name), ops_arg(g->b, row), ops_arg(g->b, column)};
  if (g->start && name[0] != 'b')
    at.base = ops_advance(g->b, at.base, g->start, at.row ? at.row : ops_index(g->b, 1));
  else if (g->batch && ops_has_arg(g->b, batch))
    at.base = ops_advance(g->b, at.base, g->batch, ops_arg(g->b, batch));
  return at;
}

static matrix_place place_by_pointer(gemm_kernel *g, const char *name, ops_type type) {
  static const unsigned layouts[] = {GEMM_a, GEMM_b, GEMM_c};
  unsigned which = (unsigned)(name[0] - 'a');
  bool by_column = gemm_get(g->p, layouts[which]) == 1;
  tsr_value ld = gemm_group_number(g, GEMM_AT_LDA + which);
  return (matrix_place){gemm_group_pointer(g, GEMM_AT_A + which, type), by_column ? NULL : ld,
                        by_column ? ld : NULL};
}

/* Columns of b behind the first n; elements of 4 bits lie two to a byte along rows. */
static tsr_value second_half(gemm_kernel *g, const matrix_place *at, ops_type type) {
  tsr_value one = ops_index(g->b, 1);
  if (at->column) return ops_advance(g->b, at->base, g->n, at->column);
  return ops_advance(g->b, at->base, ops_ceil_div(g->b, g->n, ops_stride_unit(type)), one);
}

/* Whether a matrix's rows lie where sorted rows say, and how many it has then. */
static tsr_value gathered_rows(gemm_kernel *g, const char *name) {
  if (name[0] == 'a' && gemm_gathers(g->p)) return ops_arg(g->b, "rows_a");
  return name[0] == 'c' && gemm_scatters(g->p) ? ops_arg(g->b, "m") : NULL;
}

ops_tiles gemm_matrix(gemm_kernel *g, const char *name, ops_type type, tsr_value rows,
                      tsr_value columns, int64_t tile_rows, int64_t tile_columns,
                      tsr_padding padding) {
  matrix_place at = g->group ? place_by_pointer(g, name, type) : place_by_name(g, name);
  tsr_value elsewhere = gathered_rows(g, name);
  if (g->is_second && name[0] == 'b') at.base = second_half(g, &at, type);
  ops_view_spec spec = {.base = at.base,
                        .elem = ops_type_elem(type),
                        .rank = 2,
                        .sizes = {elsewhere ? elsewhere : rows, columns},
                        .strides = {at.row, at.column},
                        .tile = {tile_rows, tile_columns},
                        .padding = padding,
                        .is_gathered = elsewhere != NULL};
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

/* The type of an operand's tile: that of an expression and of scaled elements is the product's. */
static ops_type tile_type(const ops_problem *p, unsigned side) {
  bool is_scaled =
      gemm_scales_elements(p) &&
      gemm_get(p, side == GEMM_SIDE_A ? GEMM_scale_a : GEMM_scale_b) == GEMM_SCALE_GROUP;
  if (gemm_side_of(p, side)->expression || is_scaled) return gemm_get(p, GEMM_compute);
  return gemm_get(p, side == GEMM_SIDE_A ? GEMM_type_a : GEMM_type_b);
}

tsr_value gemm_multiply(gemm_kernel *g, tsr_value a, tsr_value b, tsr_value sum) {
  ops_type type_a = tile_type(g->p, GEMM_SIDE_A), type_b = tile_type(g->p, GEMM_SIDE_B);
  a = ops_convert(g->b, a, type_a, product_type(g->p, type_a));
  b = ops_convert(g->b, b, type_b, product_type(g->p, type_b));
  if (ops_type_is_int(gemm_get(g->p, GEMM_compute)))
    return tsr_build_mmai(g->b->b, a, b, sum, sign_of(type_a), sign_of(type_b));
  return tsr_build_mmaf(g->b->b, a, b, sum);
}

/* ---- scales of groups ------------------------------------------------------------------------ */

/* To the type that the rest is computed in, over a whole tile of c. */
static tsr_value spread_scale(gemm_kernel *g, tsr_value s) {
  s = ops_convert(g->b, s, gemm_get(g->p, GEMM_type_scale), gemm_late_type(g->p));
  return ops_broadcast(g->b, s, TSR_INTS(g->tile_m, g->tile_n));
}

/* Scales of groups along k, as views of which a tile belongs to one step of the loop. */
typedef struct group_scales {
  ops_tiles a, b; /* without a view: none */
  gemm_shuffled shuffled_a, shuffled_b;
} group_scales;

/* Columns of b that have scales of their own in a tile. */
static int64_t scale_columns(const gemm_kernel *g) {
  return MAX(g->tile_n / gemm_get(g->p, GEMM_group_n), 1);
}

/* How many groups along k, which tiles without an expert have as well. */
static tsr_value group_count(gemm_kernel *g) {
  return ops_ceil_div(g->b, ops_arg(g->b, "k"), gemm_get(g->p, GEMM_group));
}

/* Scales of lines in the order of matrix instructions: tiles of a step's groups. */
static gemm_shuffled shuffled_scales(gemm_kernel *g, const char *name, tsr_value lines,
                                     int64_t tile) {
  gemm_order order = gemm_order_of_scales();
  return gemm_shuffled_view(g->b, &order, gemm_get(g->p, GEMM_type_scale), ops_arg(g->b, name),
                            lines, group_count(g), tile, gemm_step_groups(g->p));
}

static ops_tiles group_view_a(gemm_kernel *g) {
  tsr_value groups = group_count(g), elsewhere = gathered_rows(g, "a");
  tsr_value base = ops_arg(g->b, "scale_a");
  if (g->start) base = ops_advance(g->b, base, g->start, groups);
  return ops_view(g->b, &(ops_view_spec){.base = base,
                                         .elem = ops_type_elem(gemm_get(g->p, GEMM_type_scale)),
                                         .rank = 2,
                                         .sizes = {elsewhere ? elsewhere : g->m, groups},
                                         .strides = {groups},
                                         .tile = {g->tile_m, gemm_step_groups(g->p)},
                                         .padding = TSR_PADDING_ZERO,
                                         .is_gathered = elsewhere != NULL});
}

/* Of a gate's second product: behind the columns of the first. */
static ops_tiles group_view_b(gemm_kernel *g) {
  tsr_value groups = group_count(g), base = ops_arg(g->b, "scale_b");
  tsr_value columns = ops_ceil_div(g->b, g->n, gemm_get(g->p, GEMM_group_n)), ld = columns;
  if (gemm_gate(g->p)) ld = ops_add(g->b, columns, columns);
  if (gemm_is_sorted(g->p))
    base = ops_advance(g->b, base, g->batch,
                       tsr_build_muli(g->b->b, ops_to_i64(g->b, groups), ops_to_i64(g->b, ld)));
  if (g->is_second) base = ops_advance(g->b, base, columns, ops_index(g->b, 1));
  return ops_view(g->b, &(ops_view_spec){.base = base,
                                         .elem = ops_type_elem(gemm_get(g->p, GEMM_type_scale)),
                                         .rank = 2,
                                         .sizes = {groups, columns},
                                         .strides = {ld},
                                         .tile = {gemm_step_groups(g->p), scale_columns(g)},
                                         .padding = TSR_PADDING_ZERO});
}

static group_scales group_views(gemm_kernel *g) {
  group_scales s = {0};
  bool a = gemm_get(g->p, GEMM_scale_a) == GEMM_SCALE_GROUP;
  bool b = gemm_get(g->p, GEMM_scale_b) == GEMM_SCALE_GROUP;
  if (gemm_has_shuffled_scales(g->p)) {
    if (a) s.shuffled_a = shuffled_scales(g, "scale_a", g->m, g->tile_m);
    if (b) s.shuffled_b = shuffled_scales(g, "scale_b", g->n, g->tile_n);
    return s;
  }
  if (a) s.a = group_view_a(g);
  if (b) s.b = group_view_b(g);
  return s;
}

static tsr_value apply_shuffled_scales(gemm_kernel *g, const group_scales *s, tsr_value x,
                                       tsr_value group) {
  if (s->shuffled_a.lines)
    x = ops_mul(g->b, x,
                spread_scale(g, gemm_shuffled_load(g->b, &s->shuffled_a, g->i, group, false)));
  if (s->shuffled_b.lines)
    x = ops_mul(g->b, x,
                spread_scale(g, gemm_shuffled_load(g->b, &s->shuffled_b, g->j, group, true)));
  return x;
}

/* Columns c to c + count - 1 of a row, each repeated until they fill a tile's width. */
static tsr_value repeat_columns(gemm_kernel *g, tsr_value s, int64_t count) {
  int64_t each = g->tile_n / count;
  if (count == 1 || each == 1) return s;
  s = ops_reshape(g->b, s, TSR_INTS(count, 1));
  s = ops_broadcast(g->b, s, TSR_INTS(count, each));
  return ops_reshape(g->b, s, TSR_INTS(1, g->tile_n));
}

/* Which groups belong to a step, as a tile of them, and which columns of scales to a tile of b. */
static tsr_value groups_of_step(gemm_kernel *g, tsr_value step) {
  int64_t steps = MAX(gemm_get(g->p, GEMM_group) / g->tile_k, 1);
  return tsr_build_divi(g->b->b, step, ops_i32(g->b, steps), TSR_SIGNED);
}

static tsr_value column_of_scales(gemm_kernel *g) {
  int64_t tiles = MAX(gemm_get(g->p, GEMM_group_n) / g->tile_n, 1);
  return tsr_build_divi(g->b->b, g->j, ops_i32(g->b, tiles), TSR_SIGNED);
}

static tsr_value apply_group_scales(gemm_kernel *g, group_scales s, tsr_value x, tsr_value step) {
  tsr_value group = groups_of_step(g, step), column = column_of_scales(g);
  if (gemm_has_shuffled_scales(g->p)) return apply_shuffled_scales(g, &s, x, group);
  if (s.a.view)
    x = ops_mul(g->b, x, spread_scale(g, ops_load(g->b, &s.a, TSR_VALUES(g->row_a, group))));
  if (!s.b.view) return x;
  tsr_value line =
      repeat_columns(g, ops_load(g->b, &s.b, TSR_VALUES(group, column)), scale_columns(g));
  return ops_mul(g->b, x, spread_scale(g, line));
}

/* ---- scales of elements ---------------------------------------------------------------------- */

/* The scales of a step: lines x groups of a, groups x columns of b; NULL: the side has none. */
static tsr_value load_scales(gemm_kernel *g, const group_scales *s, unsigned side, tsr_value step) {
  tsr_value group = groups_of_step(g, step);
  const gemm_shuffled *shuffled = side == GEMM_SIDE_A ? &s->shuffled_a : &s->shuffled_b;
  if (shuffled->lines)
    return gemm_shuffled_load(g->b, shuffled, side == GEMM_SIDE_A ? g->i : g->j, group,
                              side == GEMM_SIDE_B);
  if (side == GEMM_SIDE_A)
    return s->a.view ? ops_load(g->b, &s->a, TSR_VALUES(g->row_a, group)) : NULL;
  return s->b.view ? ops_load(g->b, &s->b, TSR_VALUES(group, column_of_scales(g))) : NULL;
}

/* Over the whole tile of an operand. */
static tsr_value spread_over_step(gemm_kernel *g, tsr_value s, unsigned side) {
  int64_t groups = gemm_step_groups(g->p), each = g->tile_k / groups;
  if (side == GEMM_SIDE_A) {
    s = ops_reshape(g->b, s, TSR_INTS(g->tile_m, groups, 1));
    s = ops_broadcast(g->b, s, TSR_INTS(g->tile_m, groups, each));
    return ops_reshape(g->b, s, TSR_INTS(g->tile_m, g->tile_k));
  }
  int64_t columns = gemm_has_shuffled_scales(g->p) ? g->tile_n : scale_columns(g);
  s = ops_reshape(g->b, s, TSR_INTS(groups, 1, columns, 1));
  s = ops_broadcast(g->b, s, TSR_INTS(groups, each, columns, g->tile_n / columns));
  return ops_reshape(g->b, s, TSR_INTS(g->tile_k, g->tile_n));
}

/* An operand's tile with the scales of its groups, as the product takes it. */
static tsr_value scaled(gemm_kernel *g, const group_scales *scales, unsigned side, tsr_value x,
                        tsr_value step) {
  ops_type late = gemm_late_type(g->p), type = gemm_get(g->p, GEMM_type_b);
  tsr_value s = gemm_scales_elements(g->p) ? load_scales(g, scales, side, step) : NULL;
  if (!s) return x;
  if (side == GEMM_SIDE_A) type = gemm_get(g->p, GEMM_type_a);
  if (gemm_side_of(g->p, side)->expression) type = gemm_get(g->p, GEMM_compute);
  s = ops_convert(g->b, s, gemm_get(g->p, GEMM_type_scale), late);
  x = ops_mul(g->b, ops_convert(g->b, x, type, late), spread_over_step(g, s, side));
  return ops_convert(g->b, x, late, gemm_get(g->p, GEMM_compute));
}

/* ---- the loop over k ------------------------------------------------------------------------- */

/* From which to which step a tile block goes. */
static void step_range(gemm_kernel *g, tsr_value steps, tsr_value *first, tsr_value *end) {
  *first = ops_i32(g->b, 0);
  *end = steps;
  if (g->first) *first = g->first, *end = g->end;
  if (!g->part) return;
  tsr_value each = ops_ceil_div(g->b, steps, gemm_get(g->p, GEMM_split_k));
  tsr_value begin = tsr_build_muli(g->b->b, g->part, each);
  *first = tsr_build_mini(g->b->b, begin, steps, TSR_SIGNED);
  *end = tsr_build_mini(g->b->b, tsr_build_addi(g->b->b, begin, each), steps, TSR_SIGNED);
}

/* b as tiles, in whatever order. */
typedef struct b_tiles {
  ops_tiles plain;
  gemm_shuffled shuffled;
} b_tiles;

static gemm_shuffled shuffled_view(gemm_kernel *g) {
  ops_type type = gemm_get(g->p, GEMM_type_b);
  gemm_order order = gemm_order_of_b(g->p);
  matrix_place at = g->group ? place_by_pointer(g, "b", type) : place_by_name(g, "b");
  return gemm_shuffled_view(g->b, &order, type, at.base, g->n, g->k, g->tile_n, g->tile_k);
}

ops_tiles gemm_b_view(gemm_kernel *g) {
  return gemm_matrix(g, "b", gemm_get(g->p, GEMM_type_b), g->k, g->n, g->tile_k, g->tile_n,
                     TSR_PADDING_ZERO);
}

static b_tiles b_tiles_of(gemm_kernel *g) {
  b_tiles b = {0};
  if (gemm_is_shuffled(g->p))
    b.shuffled = shuffled_view(g);
  else
    b.plain = gemm_b_view(g);
  return b;
}

static tsr_value load_b(gemm_kernel *g, const b_tiles *b, tsr_value step) {
  if (gemm_is_shuffled(g->p)) return gemm_shuffled_load(g->b, &b->shuffled, g->j, step, true);
  return ops_load(g->b, &b->plain, TSR_VALUES(step, g->j));
}

/* An operand's tile as the expression of several, in the product's type. */
static tsr_value combined(gemm_kernel *g, unsigned side, tsr_value x, tsr_value i, tsr_value j) {
  ops_type type = gemm_get(g->p, side == GEMM_SIDE_A ? GEMM_type_a : GEMM_type_b);
  if (!gemm_side_of(g->p, side)->expression) return x;
  tsr_value late = ops_convert(g->b, x, type, gemm_late_type(g->p));
  late = gemm_combine_tile(g, side, late, gemm_late_type(g->p), i, j);
  return ops_convert(g->b, late, gemm_late_type(g->p), gemm_get(g->p, GEMM_compute));
}

/* What a step along k adds to a sum: with the scales of its groups, if it has some. */
static tsr_value add_step(gemm_kernel *g, group_scales scales, tsr_value a, tsr_value b,
                          tsr_value sum, tsr_value step) {
  ops_type sum_type = gemm_get(g->p, GEMM_accumulate);
  tsr_ints shape = TSR_INTS(g->tile_m, g->tile_n);
  if (!gemm_has_groups(g->p)) return gemm_multiply(g, a, b, sum);
  tsr_value x = gemm_multiply(g, a, b, ops_full(g->b, ops_type_elem(sum_type), shape, 0));
  x = ops_convert(g->b, x, sum_type, gemm_late_type(g->p));
  return ops_add(g->b, sum, apply_group_scales(g, scales, x, step));
}

/* How many steps k has. Indices of gathering views count no tiles. */
static tsr_value step_count(gemm_kernel *g, const ops_tiles *a) {
  if (a->is_gathered) return ops_from_index(g->b, ops_ceil_div(g->b, g->k, g->tile_k));
  return tsr_op_result(tsr_build_get_index_space_shape(g->b->b, a->view), 1);
}

/* The sums of a tile; of scaled groups already in the type of the rest. With a gate, those of both
 * halves of b. */
static void sum_products(gemm_kernel *g, tsr_value out[2]) {
  const ops_problem *p = g->p;
  unsigned count = gemm_gate(p) ? 2 : 1;
  b_tiles b[2];
  ops_tiles a = gemm_matrix(g, "a", gemm_get(p, GEMM_type_a), g->m, g->k, g->tile_m, g->tile_k,
                            TSR_PADDING_ZERO);
  group_scales scales[2];
  for (unsigned i = 0; i < count; i++) {
    g->is_second = i == 1;
    b[i] = b_tiles_of(g);
    scales[i] = group_views(g);
  }
  g->is_second = false;
  tsr_value first, end;
  step_range(g, step_count(g, &a), &first, &end);
  tsr_value init =
      ops_full(g->b, ops_type_elem(gemm_partial_type(p)), TSR_INTS(g->tile_m, g->tile_n), 0);
  tsr_value next[2], start[] = {init, init};
  tsr_op *loop = ops_loop(g->b, first, end, (tsr_values){start, count});
  tsr_value step = tsr_build_arg(g->b->b, 0);
  tsr_value tile_a = ops_load(g->b, &a, TSR_VALUES(g->row_a, step));
  tile_a = combined(g, GEMM_SIDE_A, tile_a, g->i, step);
  tile_a = scaled(g, &scales[0], GEMM_SIDE_A, tile_a, step);
  for (unsigned i = 0; i < count; i++) {
    tsr_value tile_b = load_b(g, &b[i], step);
    tile_b = combined(g, GEMM_SIDE_B, tile_b, step, g->j);
    tile_b = scaled(g, &scales[i], GEMM_SIDE_B, tile_b, step);
    next[i] = add_step(g, scales[i], tile_a, tile_b, tsr_build_arg(g->b->b, i + 1), step);
  }
  ops_loop_end(g->b, (tsr_values){next, count});
  for (unsigned i = 0; i < count; i++) out[i] = tsr_op_result(loop, i);
}

bool gemm_is_dot(const ops_problem *p) {
  bool plain = !gemm_has_group_scales(p) && !gemm_gate(p) &&
               !gemm_side_of(p, GEMM_SIDE_A)->expression &&
               !gemm_side_of(p, GEMM_SIDE_B)->expression;
  return gemm_get(p, GEMM_tile_m) * gemm_get(p, GEMM_tile_n) <= GEMM_MAX_DOTS &&
         gemm_get(p, GEMM_a) == 0 && gemm_get(p, GEMM_b) == 1 && plain &&
         ops_stride_unit(gemm_get(p, GEMM_type_a)) == 1 &&
         ops_stride_unit(gemm_get(p, GEMM_type_b)) == 1 &&
         ops_type_is_float(gemm_get(p, GEMM_compute));
}

/* As the product takes it, in the type of sums. */
static tsr_value to_sum(gemm_kernel *g, tsr_value x, ops_type from) {
  ops_type compute = gemm_get(g->p, GEMM_compute);
  return ops_convert(g->b, ops_convert(g->b, x, from, compute), compute,
                     gemm_get(g->p, GEMM_accumulate));
}

/* m x n x (k / sums) x sums: the products of a step, which are added up along the third. */
static tsr_value add_dots(gemm_kernel *g, tsr_value x, tsr_value y, tsr_value so_far) {
  ops_build *b = g->b;
  tsr_ints all = TSR_INTS(g->tile_m, g->tile_n, g->tile_k);
  x = ops_broadcast(b, ops_reshape(b, x, TSR_INTS(g->tile_m, 1, g->tile_k)), all);
  y = ops_broadcast(b, ops_reshape(b, y, TSR_INTS(1, g->tile_n, g->tile_k)), all);
  if (g->tile_k <= GEMM_DOT_SUMS) return tsr_build_fma(b->b, x, y, so_far);
  tsr_value products =
      ops_reshape(b, ops_mul(b, x, y),
                  TSR_INTS(g->tile_m, g->tile_n, g->tile_k / GEMM_DOT_SUMS, GEMM_DOT_SUMS));
  return ops_add(b, so_far, ops_reduce(b, products, 2, OPS_FOLD_SUM));
}

/* The sums of few rows, from tiles of a and b with a line for each row and each column. */
static tsr_value sum_dots(gemm_kernel *g) {
  const ops_problem *p = g->p;
  ops_type type_a = gemm_get(p, GEMM_type_a), type_b = gemm_get(p, GEMM_type_b);
  tsr_ints sums = TSR_INTS(g->tile_m, g->tile_n, MIN(g->tile_k, GEMM_DOT_SUMS));
  ops_tiles a = gemm_matrix(g, "a", type_a, g->m, g->k, g->tile_m, g->tile_k, TSR_PADDING_ZERO);
  ops_tiles b = gemm_b_view(g);
  tsr_value first, end;
  step_range(g, step_count(g, &a), &first, &end);
  tsr_value zero = ops_full(g->b, ops_type_elem(gemm_get(p, GEMM_accumulate)), sums, 0);
  tsr_op *loop = ops_loop(g->b, first, end, TSR_VALUES(zero));
  tsr_value step = tsr_build_arg(g->b->b, 0), so_far = tsr_build_arg(g->b->b, 1);
  tsr_value x = to_sum(g, ops_load(g->b, &a, TSR_VALUES(g->row_a, step)), type_a);
  tsr_value y = ops_permute(g->b, ops_load(g->b, &b, TSR_VALUES(step, g->j)), TSR_INTS(1, 0));
  ops_loop_end(g->b, TSR_VALUES(add_dots(g, x, to_sum(g, y, type_b), so_far)));
  return ops_reduce(g->b, tsr_op_result(loop, 0), 2, OPS_FOLD_SUM);
}

void gemm_sum_tile(gemm_kernel *g, tsr_value sums[2]) {
  if (gemm_is_dot(g->p))
    sums[0] = sum_dots(g);
  else
    sum_products(g, sums);
}

static void build_tile(ops_build *b) {
  gemm_kernel g = gemm_begin(b);
  tsr_value sums[2];
  gemm_sum_tile(&g, sums);
  gemm_end(&g, sums);
}

static void build_main(ops_build *b) {
  if (gemm_is_stream(b->p))
    gemm_build_stream(b, gemm_begin, gemm_sum_tile);
  else if (gemm_blocks(b->p))
    gemm_build_tiles(b, build_tile);
  else
    build_tile(b);
}

static void build_combine(ops_build *b) {
  gemm_kernel g;
  if (gemm_is_stream(b->p)) {
    gemm_build_stream_end(b, gemm_begin);
    return;
  }
  g = gemm_begin(b);
  gemm_build_combine(&g);
}

static void build_clear(ops_build *b) {
  gemm_kernel g = {.b = b,
                   .p = b->p,
                   .tile_m = gemm_get(b->p, GEMM_tile_m),
                   .tile_n = gemm_get(b->p, GEMM_tile_n)};
  gemm_build_clear(&g);
}

static void build_quantise(ops_build *b) {
  gemm_kernel g = gemm_begin(b);
  gemm_build_quantise(&g);
}

void gemm_build(ops_build *b) {
  static const struct {
    const char *kernel;
    void (*build)(ops_build *b);
  } kernels[] = {{"main", build_main},
                 {"combine", build_combine},
                 {"clear", build_clear},
                 {"quantise", build_quantise}};
  for (size_t i = 0; i < ARRAY_LEN(kernels); i++)
    if (strcmp(b->step->kernel, kernels[i].kernel) == 0) kernels[i].build(b);
}
