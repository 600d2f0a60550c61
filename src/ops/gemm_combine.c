/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include "ops/gemm.h"

/* ---- reading --------------------------------------------------------------------------------- */

static const unsigned side_params[GEMM_SIDES] = {GEMM_combine_a, GEMM_combine_b, GEMM_combine};
static const unsigned type_params[GEMM_SIDES] = {GEMM_type_a, GEMM_type_b, GEMM_type_c};
static const unsigned layout_params[GEMM_SIDES] = {GEMM_a, GEMM_b, GEMM_c};
static const unsigned ld_params[GEMM_SIDES] = {GEMM_lda, GEMM_ldb, GEMM_ldd};
static const unsigned batch_params[GEMM_SIDES] = {GEMM_batch_a, GEMM_batch_b, GEMM_batch_d};
static const char *const names[GEMM_SIDES][GEMM_MAX_MORE] = {
    {"a2", "a3", "a4"}, {"b2", "b3", "b4"}, {"d", "d2", "d3"}};

static gemm_side *side_at(const ops_problem *p, unsigned side) {
  return &((gemm_parts *)p->parts)->sides[side];
}

/* The type of the next tensor, where types are given. */
static bool next_type(const ops_problem *p, str *rest, ops_type *out, ops_why *why) {
  if (!rest->data) return true;
  const char *plus = memchr(rest->data, '+', rest->len);
  str word = {rest->data, plus ? (size_t)(plus - rest->data) : rest->len};
  *rest = plus ? (str){plus + 1, rest->len - word.len - 1} : (str){"", 0};
  *out = ops_type_parse(word);
  if (*out >= 0) return true;
  return ops_refuse(why, "types=%s: give an element type for each of a2, b2, d and others",
                    p->values[GEMM_types].text);
}

static bool check_type(const gemm_tensor *t, ops_why *why) {
  if (ops_type_bits(t->type) >= 8) return true;
  return ops_refuse(why, "%s holds %s: what is combined has elements of 8 bits and more", t->name,
                    ops_type_name(t->type));
}

/* It lies as the side's first tensor does. */
static void lie_alike(const ops_problem *p, unsigned side, gemm_tensor *t) {
  bool by_column = gemm_get(p, layout_params[side]) == 1;
  int64_t ld = gemm_get(p, ld_params[side]);
  t->strides[0] = gemm_get(p, batch_params[side]);
  t->strides[1] = by_column ? 1 : ld;
  t->strides[2] = by_column ? ld : 1;
}

static bool read_side(ops_problem *p, unsigned side, str *types, ops_why *why) {
  const char *text = p->values[side_params[side]].text;
  gemm_side *s = side_at(p, side);
  unsigned used = 0;
  if (strcmp(text, "none") == 0) return true;
  s->expression = expression_parse(p->arena, str_of(text), &used, why);
  if (!s->expression) return false;
  if (used >> (GEMM_MAX_MORE + 1))
    return ops_refuse(why, "%s=%s: give an expression of the tensors a to d",
                      p->family->params[side_params[side]].name, text);
  for (unsigned i = 0; i < GEMM_MAX_MORE; i++) {
    if (!(used >> (i + 1))) continue;
    gemm_tensor *t = &s->more[s->count];
    t->name = names[side][s->count++];
    t->type = gemm_get(p, type_params[side]);
    lie_alike(p, side, t);
    if (!next_type(p, types, &t->type, why) || !check_type(t, why)) return false;
  }
  return true;
}

static gemm_tensor *find_tensor(const ops_problem *p, str name) {
  for (unsigned side = 0; side < GEMM_SIDES; side++)
    for (unsigned i = 0; i < side_at(p, side)->count; i++)
      if (str_is(name, side_at(p, side)->more[i].name)) return &side_at(p, side)->more[i];
  return NULL;
}

static bool read_strides(const ops_problem *p, ops_why *why) {
  unsigned rank = gemm_get(p, GEMM_batched) ? 3 : 2;
  ops_strides given;
  for (str rest = ops_strides_begin(p->values[GEMM_strides].text);
       ops_strides_next(&rest, &given);) {
    gemm_tensor *t = find_tensor(p, given.name);
    if (!t)
      return ops_refuse(why, "strides=" STR_FMT ": name a tensor that is combined, as in a2:0x1",
                        (int)MIN(given.text.len, (size_t)64), given.text.data);
    if (!ops_check_strides(&given, t->name, rank, why)) return false;
    memcpy(t->strides + 3 - rank, given.values, rank * sizeof *t->strides);
  }
  return true;
}

/* A letter for each tensor, in their order; what was given stays where it holds. */
static void find_units(ops_problem *p) {
  const char *given = p->values[GEMM_units].text;
  char *text = arena_array(p->arena, char, GEMM_SIDES *GEMM_MAX_MORE + 1);
  bool is_given = strcmp(given, "auto") != 0;
  size_t n = 0, length = strlen(given);
  for (unsigned side = 0; side < GEMM_SIDES; side++)
    for (unsigned i = 0; i < side_at(p, side)->count; i++, n++) {
      gemm_tensor *t = &side_at(p, side)->more[i];
      t->unit = (int8_t)(t->strides[2] == 1 ? 1 : t->strides[1] == 1 ? 0 : -1);
      if (is_given && n < length && given[n] == '-') t->unit = -1;
      if (is_given && n < length && given[n] == '0' && t->strides[1] == 1) t->unit = 0;
      text[n] = t->unit < 0 ? '-' : (char)('0' + t->unit);
    }
  text[n] = 0;
  p->values[GEMM_units].text = n ? text : "auto";
}

static bool check_sides(const ops_problem *p, ops_why *why) {
  bool any = false, ab = false;
  for (unsigned side = 0; side < GEMM_SIDES; side++) {
    const gemm_side *s = side_at(p, side);
    any |= s->expression != NULL;
    ab |= s->expression && side != GEMM_SIDE_C;
    if (s->expression && gemm_late_type(p) == TSR_F64 && expression_is_f32_only(s->expression))
      return ops_refuse(why, "%s=%s: erf and gelu are computed to 3e-7, not in f64",
                        p->family->params[side_params[side]].name,
                        p->values[side_params[side]].text);
  }
  if (any && gemm_get(p, GEMM_rows) != 0)
    return ops_refuse(why, "combine_a, combine_b and combine go with rows=one");
  if (ab && (ops_type_is_int(gemm_get(p, GEMM_compute)) ||
             ops_stride_unit(gemm_get(p, GEMM_type_a)) > 1 ||
             ops_stride_unit(gemm_get(p, GEMM_type_b)) > 1))
    return ops_refuse(why, "combine_a and combine_b take products of floats; give compute=f32, and "
                           "elements of 8 bits and more");
  if (!side_at(p, GEMM_SIDE_B)->expression || !gemm_gate(p)) return true;
  return ops_refuse(why, "combine_b=%s does not go with a gate", p->values[GEMM_combine_b].text);
}

bool gemm_combine_settle(ops_problem *p, ops_why *why) {
  const char *text = p->values[GEMM_types].text;
  str types = strcmp(text, "same") == 0 ? (str){0} : str_of(text);
  for (unsigned side = 0; side < GEMM_SIDES; side++)
    if (!read_side(p, side, &types, why)) return false;
  if (types.len)
    return ops_refuse(why, "types=%s has more types than there are tensors a2, b2, d and others",
                      text);
  if (!read_strides(p, why) || !check_sides(p, why)) return false;
  find_units(p);
  return true;
}

/* ---- tensors --------------------------------------------------------------------------------- */

void gemm_combine_operands(const ops_problem *p, ops_operands *out) {
  int64_t m = gemm_get(p, GEMM_m), n = gemm_get(p, GEMM_n), k = gemm_get(p, GEMM_k);
  const int64_t rows[] = {m, k, m}, columns[] = {k, n, n};
  for (unsigned side = 0; side < GEMM_SIDES; side++)
    for (unsigned i = 0; i < side_at(p, side)->count; i++) {
      const gemm_tensor *t = &side_at(p, side)->more[i];
      ops_operand *o = ops_operand_add(out, t->name, t->type, TSR_OP_READ);
      if (gemm_get(p, GEMM_batched)) ops_operand_dim(o, gemm_get(p, GEMM_batch), t->strides[0]);
      ops_operand_dim(o, rows[side], t->strides[1]);
      ops_operand_dim(o, columns[side], t->strides[2]);
    }
}

void gemm_combine_pass(const ops_problem *p, unsigned side, ops_steps *steps, ops_step *s) {
  for (unsigned i = 0; i < side_at(p, side)->count; i++) {
    const gemm_tensor *t = &side_at(p, side)->more[i];
    ops_pass_tensor(steps, s, t->name);
    for (unsigned d = 0; d < 2; d++)
      if (t->unit != (int)d)
        ops_pass_index(steps, s, arena_printf(p->arena, "%s_%u", t->name, d), t->strides[d + 1]);
    if (gemm_get(p, GEMM_batched))
      ops_pass_index(steps, s, arena_printf(p->arena, "batch_%s", t->name), t->strides[0]);
  }
}

/* ---- on tiles -------------------------------------------------------------------------------- */

typedef struct side_tile {
  tsr_value rows, columns;
  int64_t tile_rows, tile_columns;
} side_tile;

static side_tile tile_of(const gemm_kernel *g, unsigned side) {
  if (side == GEMM_SIDE_A) return (side_tile){g->m, g->k, g->tile_m, g->tile_k};
  if (side == GEMM_SIDE_B) return (side_tile){g->k, g->n, g->tile_k, g->tile_n};
  return (side_tile){g->m, g->n, g->tile_m, g->tile_n};
}

static tsr_value load_more(gemm_kernel *g, const gemm_tensor *t, const side_tile *s, tsr_value i,
                           tsr_value j) {
  char row[24], column[24], batch[24];
  snprintf(row, sizeof row, "%s_0", t->name);
  snprintf(column, sizeof column, "%s_1", t->name);
  snprintf(batch, sizeof batch, "batch_%s", t->name);
  tsr_value base = ops_arg(g->b, t->name);
  if (g->batch) base = ops_advance(g->b, base, g->batch, ops_arg(g->b, batch));
  ops_view_spec spec = {.base = base,
                        .elem = ops_type_elem(t->type),
                        .rank = 2,
                        .sizes = {s->rows, s->columns},
                        .strides = {ops_arg(g->b, row), ops_arg(g->b, column)},
                        .tile = {s->tile_rows, s->tile_columns},
                        .padding = TSR_PADDING_ZERO};
  ops_tiles tiles = ops_view(g->b, &spec);
  return ops_load(g->b, &tiles, TSR_VALUES(i, j));
}

/* Elements of a tile that lie beyond the end of k become 0, as those of one tensor are. */
static tsr_value without_rest(gemm_kernel *g, unsigned side, const side_tile *s, tsr_value x,
                              tsr_value step) {
  ops_build *b = g->b;
  double zeros[EXPRESSION_TENSORS] = {0};
  if (side == GEMM_SIDE_C) return x;
  if (expression_value(gemm_side_of(g->p, side)->expression, zeros) == 0) return x;
  bool is_a = side == GEMM_SIDE_A;
  tsr_ints line = TSR_INTS(g->tile_k);
  tsr_value at = tsr_build_iota(b->b, ops_tile(b, TSR_I32, line));
  tsr_value first = tsr_build_muli(b->b, step, ops_i32(b, g->tile_k));
  at = ops_add(b, at, ops_spread(b, first, line));
  tsr_value end = ops_spread(b, ops_from_index(b, g->k), line);
  tsr_value is = tsr_build_cmpi(b->b, at, end, TSR_CMP_LESS_THAN, TSR_SIGNED);
  is = ops_reshape(b, is, is_a ? TSR_INTS(1, g->tile_k) : TSR_INTS(g->tile_k, 1));
  is = ops_broadcast(b, is, TSR_INTS(s->tile_rows, s->tile_columns));
  return tsr_build_select(b->b, is, x, ops_full_like(b, x, 0));
}

tsr_value gemm_combine_tile(gemm_kernel *g, unsigned side, tsr_value x, ops_type type, tsr_value i,
                            tsr_value j) {
  const gemm_side *s = gemm_side_of(g->p, side);
  tsr_value tensors[EXPRESSION_TENSORS] = {x};
  side_tile tile = tile_of(g, side);
  if (!s->expression) return x;
  for (unsigned n = 0; n < s->count; n++) {
    tsr_value v = load_more(g, &s->more[n], &tile, i, j);
    tensors[n + 1] = ops_convert(g->b, v, s->more[n].type, type);
  }
  x = expression_emit(g->b, s->expression, tensors, x);
  return without_rest(g, side, &tile, x, side == GEMM_SIDE_A ? j : i);
}

/* ---- on the host ----------------------------------------------------------------------------- */

double gemm_combine_value(const ops_host *h, unsigned side, double x, int64_t batch, int64_t i,
                          int64_t j) {
  const gemm_side *s = gemm_side_of(h->p, side);
  double tensors[EXPRESSION_TENSORS] = {x};
  if (!s->expression) return x;
  for (unsigned n = 0; n < s->count; n++) {
    const ops_tensor *t = ops_host_tensor(h, s->more[n].name);
    tensors[n + 1] =
        t->numbers[t->operand->rank == 3 ? ops_at(t, batch, i, j) : ops_at(t, i, j, 0)];
  }
  return expression_value(s->expression, tensors);
}
