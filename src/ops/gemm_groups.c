/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/gemm.h"

static tsr_value clamp_rows(ops_build *b, tsr_value x, tsr_value high) {
  x = tsr_build_maxi(b->b, x, ops_i32(b, 0), TSR_SIGNED);
  return tsr_build_mini(b->b, x, high, TSR_SIGNED);
}

/* The rows of a group, whatever its offsets say: inside of the tensors, and no more than the
 * largest group has. */
static void find_rows(gemm_kernel *g) {
  ops_build *b = g->b;
  tsr_value base = ops_arg(b, "offsets"), all = ops_arg(b, "total_m");
  tsr_value next = tsr_build_addi(b->b, g->batch, ops_i32(b, 1));
  g->start = clamp_rows(b, ops_load_element(b, base, g->batch), all);
  tsr_value end = clamp_rows(b, ops_load_element(b, base, next), all);
  tsr_value rows = tsr_build_subi(b->b, end, g->start);
  rows = clamp_rows(b, rows, ops_from_index(b, g->most));
  g->m = ops_to_index(b, rows);
}

/* ---- sorted rows ----------------------------------------------------------------------------- */

/* A tile's expert; tiles behind the last row have none, so that they sum up nothing and store
 * nothing. */
static void find_expert(gemm_kernel *g, tsr_value all) {
  ops_build *b = g->b;
  int64_t tiles = gemm_get(g->p, GEMM_unit) / g->tile_m;
  tsr_value unit = tsr_build_divi(b->b, g->i, ops_i32(b, tiles), TSR_SIGNED);
  tsr_value expert = ops_load_element(b, ops_arg(b, "experts"), unit);
  /* As an unsigned number, -1 is the largest. */
  tsr_value is =
      tsr_build_cmpi(b->b, expert, ops_arg(b, "experts_count"), TSR_CMP_LESS_THAN, TSR_UNSIGNED);
  g->batch = tsr_build_select(b->b, is, expert, ops_i32(b, 0));
  g->m = tsr_build_select(b->b, is, all, ops_index(b, 0));
  g->k = tsr_build_select(b->b, is, g->k, ops_index(b, 0));
}

static tsr_value load_ids(gemm_kernel *g, tsr_value all) {
  ops_tiles ids = ops_view(g->b, &(ops_view_spec){.base = ops_arg(g->b, "ids"),
                                                  .elem = TSR_I32,
                                                  .rank = 1,
                                                  .sizes = {all},
                                                  .tile = {g->tile_m},
                                                  .padding = TSR_PADDING_ZERO});
  return ops_load(g->b, &ids, TSR_VALUES(g->i));
}

void gemm_find_sorted(gemm_kernel *g) {
  ops_build *b = g->b;
  tsr_value all = ops_to_index(b, ops_arg(b, "total_m"));
  g->most = all;
  find_expert(g, all);
  if (!gemm_gathers(g->p) && !gemm_scatters(g->p)) return;
  tsr_value ids = load_ids(g, all), none = ops_full_like(b, ids, -1);
  /* Nothing of tiles without an expert is stored where others belong. */
  tsr_value has = tsr_build_cmpi(b->b, g->m, ops_index(b, 0), TSR_CMP_GREATER_THAN, TSR_SIGNED);
  has = ops_spread(b, has, TSR_INTS(g->tile_m));
  ids = tsr_build_select(b->b, has, ids, none);
  if (gemm_scatters(g->p)) g->row_c = ids;
  if (!gemm_gathers(g->p)) return;
  tsr_value top = ops_spread(b, ops_arg(b, "top"), TSR_INTS(g->tile_m));
  /* Padding stays outside: as unsigned numbers, -1 and what is no pair are beyond all rows. */
  g->row_a = tsr_build_divi(b->b, ids, top, TSR_SIGNED, .rounding = TSR_ROUND_NEGATIVE_INF);
}

/* ---- groups by pointers ---------------------------------------------------------------------- */

int64_t gemm_table_columns(const ops_problem *p) {
  const ops_epilogue *e = gemm_epilogue(p);
  int64_t n = GEMM_COLUMNS;
  for (unsigned i = 0; i < e->count; i++) n += e->stages[i].operand != NULL;
  return n;
}

int64_t gemm_group_column(const ops_problem *p, const char *name) {
  const ops_epilogue *e = gemm_epilogue(p);
  int64_t column = GEMM_COLUMNS;
  if (!name[1]) return GEMM_AT_A + (name[0] - 'a');
  for (unsigned i = 0; i < e->count; i++) {
    if (!e->stages[i].operand) continue;
    if (strcmp(e->stages[i].operand, name) == 0) break;
    column++;
  }
  return column;
}

ops_problem gemm_group_problem(const ops_problem *given, const int64_t *row) {
  static const struct {
    unsigned param, column;
  } sizes[] = {{GEMM_m, GEMM_AT_M},     {GEMM_n, GEMM_AT_N},     {GEMM_k, GEMM_AT_K},
               {GEMM_lda, GEMM_AT_LDA}, {GEMM_ldb, GEMM_AT_LDB}, {GEMM_ldc, GEMM_AT_LDC},
               {GEMM_ldd, GEMM_AT_LDD}};
  ops_problem p = *given;
  p.values[GEMM_rows].i = p.values[GEMM_batched].i = 0;
  p.values[GEMM_batch].i = 1;
  for (size_t i = 0; i < ARRAY_LEN(sizes); i++) p.values[sizes[i].param].i = row[sizes[i].column];
  return p;
}

/* A size up to `most`; all of it where groups are to be alike. */
static int64_t some_size(int64_t most, uint64_t seed, uint64_t which) {
  return seed ? (int64_t)(hash_mix(seed, which) % (uint64_t)(most + 1)) : most;
}

static void fill_row(const ops_problem *p, uint64_t seed, uint64_t group, int64_t *row) {
  int64_t m = some_size(gemm_get(p, GEMM_m), seed, 3 * group);
  int64_t n = some_size(gemm_get(p, GEMM_n), seed, 3 * group + 1);
  int64_t k = some_size(gemm_get(p, GEMM_k), seed, 3 * group + 2);
  row[GEMM_AT_M] = m, row[GEMM_AT_N] = n, row[GEMM_AT_K] = k;
  row[GEMM_AT_LDA] = gemm_get(p, GEMM_a) == 1 ? m : k;
  row[GEMM_AT_LDB] = gemm_get(p, GEMM_b) == 1 ? k : gemm_gate(p) ? 2 * n : n;
  row[GEMM_AT_LDC] = row[GEMM_AT_LDD] = gemm_get(p, GEMM_c) == 1 ? m : n;
}

void gemm_pointees(const ops_problem *p, uint64_t seed, int64_t *table, ops_pointed_list *out) {
  ops_operands *operands = arena_new(out->arena, ops_operands);
  int64_t columns = gemm_table_columns(p);
  for (int64_t g = 0; g < gemm_get(p, GEMM_batch); g++) {
    int64_t *row = table + g * columns;
    fill_row(p, seed, (uint64_t)g, row);
    ops_problem one = gemm_group_problem(p, row);
    operands->count = 0;
    one.family->operands(&one, operands);
    for (unsigned i = 0; i < operands->count; i++) {
      const ops_operand *o = &operands->data[i];
      vec_push(out->arena, out->list,
               (ops_pointed){.tensor = *o, .at = g * columns + gemm_group_column(&one, o->name)});
    }
  }
}

static tsr_value entry(gemm_kernel *g, unsigned column) {
  tsr_value at = tsr_build_offset(g->b->b, g->group, ops_i32(g->b, column));
  return tsr_build_load_ptr_tko(g->b->b, at, TSR_MEMORY_WEAK);
}

tsr_value gemm_group_number(gemm_kernel *g, unsigned column) {
  tsr_value v = entry(g, column);
  return ops_is_wide(g->p) ? v : tsr_build_trunci(g->b->b, v, tsr_type_scalar(g->b->b, TSR_I32));
}

tsr_value gemm_group_pointer(gemm_kernel *g, unsigned column, ops_type type) {
  return tsr_build_int_to_ptr(g->b->b, entry(g, column),
                              tsr_type_pointer(g->b->b, ops_pointee(type)));
}

/* From 0 to what the largest group has. */
static tsr_value size_in(gemm_kernel *g, unsigned column, tsr_value most) {
  tsr_value v = gemm_group_number(g, column);
  v = tsr_build_maxi(g->b->b, v, ops_index(g->b, 0), TSR_SIGNED);
  return tsr_build_mini(g->b->b, v, most, TSR_SIGNED);
}

void gemm_find_group(gemm_kernel *g) {
  if (!gemm_has_pointers(g->p)) {
    find_rows(g);
    return;
  }
  tsr_value columns = ops_index(g->b, gemm_table_columns(g->p));
  g->group = ops_advance(g->b, ops_arg(g->b, "groups"), g->batch, columns);
  g->m = size_in(g, GEMM_AT_M, g->most);
  g->n = size_in(g, GEMM_AT_N, g->most_n);
  g->k = size_in(g, GEMM_AT_K, ops_arg(g->b, "k"));
}
