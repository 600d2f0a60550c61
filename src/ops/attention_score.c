/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "ops/attention.h"

static bool is(const attention_kernel *a, unsigned param) {
  return attention_get(a->p, param) == 1;
}

/* ---- integers -------------------------------------------------------------------------------- */

static tsr_value word(attention_kernel *a, const char *name) {
  return ops_arg(a->b, name);
}

static tsr_value add(attention_kernel *a, tsr_value x, tsr_value y) {
  return tsr_build_addi(a->b->b, x, y);
}

static tsr_value sub(attention_kernel *a, tsr_value x, tsr_value y) {
  return tsr_build_subi(a->b->b, x, y);
}

static tsr_value times(attention_kernel *a, tsr_value x, int64_t y) {
  return tsr_build_muli(a->b->b, x, ops_i32(a->b, y));
}

static tsr_value least(attention_kernel *a, tsr_value x, tsr_value y) {
  return tsr_build_mini(a->b->b, x, y, TSR_SIGNED);
}

static tsr_value most(attention_kernel *a, tsr_value x, tsr_value y) {
  return tsr_build_maxi(a->b->b, x, y, TSR_SIGNED);
}

tsr_value attention_count(attention_kernel *a, int64_t size, unsigned dim) {
  tsr_value v = tsr_build_iota(a->b->b, ops_tile(a->b, TSR_I32, TSR_INTS(size)));
  return ops_reshape(a->b, v, dim ? TSR_INTS(1, size) : TSR_INTS(size, 1));
}

static tsr_value column_of_rows(attention_kernel *a, tsr_value scalar) {
  return ops_spread(a->b, scalar, TSR_INTS(a->rows, 1));
}

static tsr_value whole(attention_kernel *a, tsr_value v) {
  return ops_broadcast(a->b, v, TSR_INTS(a->rows, a->columns));
}

/* A scalar for each element of a tile. */
static tsr_value everywhere(attention_kernel *a, tsr_value scalar) {
  return ops_spread(a->b, scalar, TSR_INTS(a->rows, a->columns));
}

/* ---- places ---------------------------------------------------------------------------------- */

/* From the number of a query to its place among the keys. */
static tsr_value shift(attention_kernel *a) {
  if (is(a, ATTENTION_corner)) return ops_i32(a->b, 0);
  return sub(a, a->keys, a->queries ? a->queries : a->seq);
}

/* Places of all rows. */
static tsr_value places(attention_kernel *a) {
  tsr_value first = times(a, a->i, a->rows), row = attention_count(a, a->rows, 0);
  tsr_value query = add(a, column_of_rows(a, first), row);
  if (a->queries) query = tsr_build_remi(a->b->b, query, column_of_rows(a, a->queries), TSR_SIGNED);
  return add(a, query, column_of_rows(a, shift(a)));
}

static tsr_value first_place(attention_kernel *a) {
  return a->queries ? shift(a) : add(a, times(a, a->i, a->rows), shift(a));
}

/* One after the last. */
static tsr_value end_place(attention_kernel *a) {
  return add(a, first_place(a), a->queries ? a->queries : ops_i32(a->b, a->rows));
}

/* The tile that holds a key, or the number of tiles that hold as many. */
static tsr_value tile_of(attention_kernel *a, tsr_value key) {
  return tsr_build_divi(a->b->b, key, ops_i32(a->b, a->columns), TSR_SIGNED);
}

static tsr_value end_tile(attention_kernel *a) {
  tsr_value zero = ops_i32(a->b, 0), end = a->keys;
  if (is(a, ATTENTION_has_right)) {
    tsr_value seen = add(a, end_place(a), word(a, "right"));
    end = least(a, end, seen);
  }
  tsr_value tiles = tile_of(a, add(a, most(a, end, zero), ops_i32(a->b, a->columns - 1)));
  /* A tile of queries beyond the end of the sequence has nothing to do. */
  tsr_value rest = sub(a, a->seq, times(a, a->i, a->rows));
  tsr_value some = tsr_build_cmpi(a->b->b, rest, zero, TSR_CMP_GREATER_THAN, TSR_SIGNED);
  return a->start_q ? tsr_build_select(a->b->b, some, tiles, zero) : tiles;
}

static tsr_value begin_tile(attention_kernel *a) {
  tsr_value first = sub(a, first_place(a), word(a, "left"));
  return tile_of(a, most(a, first, ops_i32(a->b, 0)));
}

/* The part of the turns that this tile block goes through is made of whole turns from `skipped`
 * on. */
attention_range attention_range_of(attention_kernel *a) {
  tsr_value end = end_tile(a);
  attention_range r = {.count = end};
  if (!is(a, ATTENTION_has_left)) return r;
  r.begin = least(a, begin_tile(a), end);
  if (is(a, ATTENTION_has_sink_keys)) {
    tsr_value last = add(a, word(a, "sink_keys"), ops_i32(a->b, a->columns - 1));
    r.leading = least(a, tile_of(a, last), end);
    r.begin = most(a, r.begin, r.leading);
  }
  tsr_value rest = sub(a, end, r.begin);
  r.count = r.leading ? add(a, r.leading, rest) : rest;
  return r;
}

tsr_value attention_tile_at(attention_kernel *a, const attention_range *r, tsr_value turn) {
  if (!r->begin) return turn;
  if (!r->leading) return add(a, turn, r->begin);
  tsr_value is_leading = tsr_build_cmpi(a->b->b, turn, r->leading, TSR_CMP_LESS_THAN, TSR_SIGNED);
  tsr_value later = add(a, sub(a, turn, r->leading), r->begin);
  return tsr_build_select(a->b->b, is_leading, turn, later);
}

/* One behind the last query that sees a key of those from `key` on; the first keys all do. */
static tsr_value end_query(attention_kernel *a, tsr_value key) {
  tsr_value end = a->seq, columns = ops_i32(a->b, a->columns);
  if (!is(a, ATTENTION_has_left)) return end;
  end = least(a, end, sub(a, add(a, add(a, key, columns), word(a, "left")), shift(a)));
  if (!is(a, ATTENTION_has_sink_keys)) return end;
  tsr_value all = tsr_build_cmpi(a->b->b, key, word(a, "sink_keys"), TSR_CMP_LESS_THAN, TSR_SIGNED);
  return tsr_build_select(a->b->b, all, a->seq, end);
}

void attention_queries_of(attention_kernel *a, tsr_value j, tsr_value *first, tsr_value *count) {
  tsr_value zero = ops_i32(a->b, 0), rows = ops_i32(a->b, a->rows);
  tsr_value key = times(a, j, a->columns), from = zero;
  if (is(a, ATTENTION_has_right)) from = sub(a, sub(a, key, word(a, "right")), shift(a));
  *first = tsr_build_divi(a->b->b, most(a, from, zero), rows, TSR_SIGNED);
  tsr_value end = ops_ceil_div(a->b, most(a, end_query(a, key), zero), a->rows);
  *count = most(a, sub(a, end, *first), zero);
}

/* ---- what stays ------------------------------------------------------------------------------ */

static tsr_value last_keys(attention_kernel *a, tsr_value at) {
  tsr_value last = column_of_rows(a, sub(a, a->keys, ops_i32(a->b, 1)));
  if (!is(a, ATTENTION_has_right)) return last;
  return least(a, last, add(a, at, column_of_rows(a, word(a, "right"))));
}

static ops_tiles bias_view(attention_kernel *a) {
  ops_build *b = a->b;
  tsr_value base = ops_arg(b, "bias");
  if (a->start_q)
    base = ops_advance(b, base, a->start_q, ops_arg(b, "bias_t"));
  else if (a->batch)
    base = ops_advance(b, base, a->batch, ops_arg(b, "bias_b"));
  return ops_view(b,
                  &(ops_view_spec){.base = base,
                                   .elem = ops_type_elem(attention_get(a->p, ATTENTION_type_bias)),
                                   .rank = 3,
                                   .sizes = {ops_arg(b, "heads"), ops_to_index(b, a->seq),
                                             ops_to_index(b, a->keys)},
                                   .strides = {ops_arg(b, "bias_h"), ops_arg(b, "bias_t")},
                                   .tile = {1, a->rows, a->columns},
                                   .padding = TSR_PADDING_ZERO});
}

/* To the base 2. */
static tsr_value slope_of(attention_kernel *a) {
  ops_build *b = a->b;
  tsr_value base = ops_arg(b, "slopes");
  base = ops_advance(b, base, a->batch_or_0, ops_arg(b, "slopes_b"));
  base = ops_advance(b, base, a->head, ops_arg(b, "slopes_h"));
  tsr_value slope = tsr_build_load_ptr_tko(b->b, base, TSR_MEMORY_WEAK);
  return ops_mul(b, slope, ops_full_like(b, slope, -M_LOG2E));
}

attention_scores attention_scores_begin(attention_kernel *a) {
  attention_scores s = {.scale = ops_arg(a->b, "scale")};
  tsr_value scale = attention_scale_scores(a, s.scale);
  bool scaled = scale != s.scale;
  s.scale = scale;
  s.plain = !scaled && attention_get(a->p, ATTENTION_weights) == 0 && !is(a, ATTENTION_capped) &&
            !is(a, ATTENTION_bias) && !is(a, ATTENTION_alibi) && !is(a, ATTENTION_sinks);
  s.place = places(a);
  s.high = last_keys(a, s.place);
  if (is(a, ATTENTION_has_left)) s.low = sub(a, s.place, column_of_rows(a, word(a, "left")));
  if (is(a, ATTENTION_bias)) s.bias = bias_view(a);
  if (is(a, ATTENTION_alibi)) s.slope = slope_of(a);
  return s;
}

/* ---- tiles of scores ------------------------------------------------------------------------- */

static tsr_value scale_and_cap(attention_kernel *a, const attention_scores *s, tsr_value x) {
  ops_build *b = a->b;
  x = ops_mul(b, x, everywhere(a, s->scale));
  if (!is(a, ATTENTION_capped)) return x;
  return ops_mul(b, tsr_build_tanh(b->b, x), everywhere(a, ops_arg(b, "cap")));
}

static tsr_value add_bias(attention_kernel *a, const attention_scores *s, tsr_value x,
                          tsr_value j) {
  ops_build *b = a->b;
  tsr_value bias = ops_load(b, &s->bias, TSR_VALUES(a->head, a->i, j));
  bias = ops_reshape(b, bias, TSR_INTS(a->rows, a->columns));
  bias = ops_convert(b, bias, attention_get(a->p, ATTENTION_type_bias), TSR_F32);
  return tsr_build_fma(b->b, bias, ops_full_like(b, bias, M_LOG2E), x);
}

static tsr_value add_distance(attention_kernel *a, const attention_scores *s, tsr_value x,
                              tsr_value key) {
  ops_build *b = a->b;
  tsr_value distance = tsr_build_absi(b->b, sub(a, key, whole(a, s->place)));
  distance = ops_convert(b, distance, TSR_I32, TSR_F32);
  return tsr_build_fma(b->b, distance, everywhere(a, s->slope), x);
}

static tsr_value mask(attention_kernel *a, const attention_scores *s, tsr_value x, tsr_value key) {
  tsr_builder *b = a->b->b;
  tsr_value seen =
      tsr_build_cmpi(b, key, whole(a, s->high), TSR_CMP_LESS_THAN_OR_EQUAL, TSR_SIGNED);
  if (s->low) {
    tsr_value near =
        tsr_build_cmpi(b, key, whole(a, s->low), TSR_CMP_GREATER_THAN_OR_EQUAL, TSR_SIGNED);
    if (is(a, ATTENTION_has_sink_keys)) {
      tsr_value first = everywhere(a, word(a, "sink_keys"));
      near = tsr_build_ori(b, near, tsr_build_cmpi(b, key, first, TSR_CMP_LESS_THAN, TSR_SIGNED));
    }
    seen = tsr_build_andi(b, seen, near);
  }
  return tsr_build_select(b, seen, x, ops_full_like(a->b, x, -INFINITY));
}

tsr_value attention_scores_of(attention_kernel *a, const attention_scores *s, tsr_value x,
                              tsr_value j) {
  tsr_value first = ops_spread(a->b, times(a, j, a->columns), TSR_INTS(1, a->columns));
  tsr_value key = whole(a, add(a, first, attention_count(a, a->columns, 1)));
  if (!s->plain) x = scale_and_cap(a, s, x);
  if (is(a, ATTENTION_bias)) x = add_bias(a, s, x, j);
  if (is(a, ATTENTION_alibi)) x = add_distance(a, s, x, key);
  return mask(a, s, x, key);
}

/* ---- dropout --------------------------------------------------------------------------------- */

/* Four words for each block of four keys, rows x columns / 4 each. */
typedef struct philox {
  attention_kernel *a;
  tsr_value words[4], key[2];
} philox;

static tsr_value constant_like(philox *x, uint32_t value) {
  tsr_type type = tsr_value_type(x->words[0]);
  return tsr_build_int(x->a->b->b, type, (int32_t)value);
}

static void philox_round(philox *x) {
  static const uint32_t by[2] = PHILOX_MULTIPLIERS, steps[2] = PHILOX_STEPS;
  tsr_builder *b = x->a->b->b;
  tsr_value low[2], high[2];
  for (unsigned i = 0; i < 2; i++) {
    tsr_value m = constant_like(x, by[i]);
    low[i] = tsr_build_muli(b, x->words[2 * i], m);
    high[i] = tsr_build_mulhii(b, x->words[2 * i], m);
  }
  for (unsigned i = 0; i < 2; i++) {
    tsr_value mixed = tsr_build_xori(b, high[1 - i], x->words[2 * i + 1]);
    x->words[2 * i] = tsr_build_xori(b, mixed, x->key[i]);
    x->words[2 * i + 1] = low[1 - i];
  }
  for (unsigned i = 0; i < 2; i++)
    x->key[i] = tsr_build_addi(b, x->key[i], constant_like(x, steps[i]));
}

static philox philox_begin(attention_kernel *a, tsr_value j) {
  ops_build *b = a->b;
  int64_t blocks = a->columns / 4;
  tsr_ints shape = TSR_INTS(a->rows, blocks);
  tsr_value first = ops_spread(b, times(a, j, blocks), TSR_INTS(1, blocks));
  tsr_value row = column_of_rows(a, times(a, a->i, a->rows));
  tsr_value heads = ops_from_index(b, ops_arg(b, "heads"));
  tsr_value line = add(a, tsr_build_muli(b->b, a->batch_or_0, heads), a->head);
  philox x = {.a = a};
  x.words[0] = ops_broadcast(b, add(a, first, attention_count(a, blocks, 1)), shape);
  x.words[1] = ops_broadcast(b, add(a, row, attention_count(a, a->rows, 0)), shape);
  x.words[2] = ops_spread(b, add(a, line, word(a, "offset_high")), shape);
  x.words[3] = ops_spread(b, word(a, "offset_low"), shape);
  x.key[0] = ops_spread(b, word(a, "seed_low"), shape);
  x.key[1] = ops_spread(b, word(a, "seed_high"), shape);
  return x;
}

static tsr_value join(attention_kernel *a, tsr_value x, tsr_value y, int64_t each) {
  tsr_type type = ops_tile(a->b, TSR_I32, TSR_INTS(a->rows, a->columns / 4, 2 * each));
  return tsr_build_cat(a->b->b, x, y, 2, type);
}

tsr_value attention_drop(attention_kernel *a, tsr_value p, tsr_value j) {
  philox x = philox_begin(a, j);
  for (unsigned r = 0; r < PHILOX_ROUNDS; r++) philox_round(&x);
  for (unsigned i = 0; i < 4; i++)
    x.words[i] = ops_reshape(a->b, x.words[i], TSR_INTS(a->rows, a->columns / 4, 1));
  tsr_value half = join(a, x.words[0], x.words[1], 1), rest = join(a, x.words[2], x.words[3], 1);
  tsr_value all = ops_reshape(a->b, join(a, half, rest, 2), TSR_INTS(a->rows, a->columns));
  tsr_value kept = tsr_build_cmpi(a->b->b, all, everywhere(a, word(a, "threshold")),
                                  TSR_CMP_GREATER_THAN_OR_EQUAL, TSR_UNSIGNED);
  return tsr_build_select(a->b->b, kept, p, ops_full_like(a->b, p, 0));
}
