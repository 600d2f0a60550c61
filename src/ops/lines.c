/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/lines.h"

#include <math.h>
#include <stdio.h>

/* ---- choices --------------------------------------------------------------------------------- */

enum { TILE_MAX = 65536, WHOLE_MAX = 16384 };

static bool check_whole(const ops_space *s, int64_t columns, ops_why *why) {
  if (s->rank - s->kept == 1 && space_gone_count(s) <= columns) return true;
  return ops_refuse(why,
                    "whole=1: lines have %lld elements in %u dimensions, but a tile has %lld "
                    "columns; give whole=0",
                    (long long)space_gone_count(s), s->rank - s->kept, (long long)columns);
}

bool lines_supported(const ops_problem *p, const ops_space *s, const lines_params *at,
                     const ops_target *t, ops_why *why) {
  (void)t;
  int64_t rows = p->values[at->tile_rows].i, columns = p->values[at->tile_columns].i;
  if (!ops_check_power(p, at->tile_rows, why) || !ops_check_power(p, at->tile_columns, why))
    return false;
  if (rows * columns > TILE_MAX)
    return ops_refuse(why, "tiles of %lld x %lld are too large: at most 65536 elements",
                      (long long)rows, (long long)columns);
  if (ops_tiles_of(space_rows(s), rows) > INT32_MAX || space_outer(s) > INT32_MAX ||
      space_gone_count(s) / columns > INT32_MAX)
    return ops_refuse(why,
                      "shape=%s makes more than 2^31 - 1 tiles along an axis; give larger ones",
                      p->values[at->space.shape].text);
  return !p->values[at->whole].i || check_whole(s, columns, why);
}

void lines_candidates(const ops_target *t, ops_candidates *out) {
  (void)t;
  static const int16_t loops[][2] = {{1, 1024}, {1, 4096}, {4, 1024}, {16, 256}, {64, 64}, {64, 32},
                                     {16, 64},  {256, 16}, {1, 256},  {1, 64},   {8, 16}};
  int64_t length = space_gone_count(out->problem->parts), columns = ops_next_power(length);
  for (int64_t rows = 1; length <= WHOLE_MAX && rows * columns <= WHOLE_MAX && rows <= 64;
       rows *= 2)
    ops_candidates_add(out, (int64_t[]){rows, columns, 1});
  for (size_t i = 0; i < ARRAY_LEN(loops); i++)
    ops_candidates_add(out, (int64_t[]){loops[i][0], loops[i][1], 0});
}

static double waste(const ops_space *s, const space_tensor *t, int64_t rows, int64_t columns) {
  int64_t run = t->unit == (int)s->rank - 1 ? columns : t->unit == (int)s->kept - 1 ? rows : 1;
  return 1 + 4 / (double)run;
}

/* Bytes of an element that are moved, where whole lines are those of tiles: a tensor of a line's
 * elements is read again for each tile, from a cache. */
static double bytes_moved(const ops_space *s, int64_t rows, int64_t columns) {
  enum { CACHED = 8 }; /* times as fast as memory */
  double bytes = 0;
  for (unsigned i = 0; i < s->count; i++) {
    double own = ops_type_bytes(s->tensors[i].type) * waste(s, &s->tensors[i], rows, columns);
    if (s->tensors[i].part == SPACE_ALL) bytes += own;
    if (s->tensors[i].part == SPACE_GONE) bytes += own / (double)rows / CACHED;
  }
  return bytes;
}

/* Of all tensors that have a line's elements. */
static double tile_bytes(const ops_space *s, int64_t elements) {
  double bytes = 0;
  for (unsigned i = 0; i < s->count; i++)
    if (s->tensors[i].part == SPACE_ALL)
      bytes += (double)elements * ops_type_bytes(s->tensors[i].type);
  return bytes;
}

/* How often a tile is gone through, as if each time were from memory: one that holds whole lines is
 * read once, and then from a core's first cache, the less the more of that it fills. One line is
 * gone through with less ado than several. */
static double times_read(bool whole, double passes, const ops_space *s, int64_t rows,
                         int64_t columns, const ops_target *t) {
  enum { FIRST_CACHE = 32 << 10, IN_REGISTERS = 512 };
  /* Sums of a loop's tile go through memory where registers don't hold them. */
  double sums = t->kind != OPS_ON_CPU ? 1 : rows > 1 ? 1.3 : columns > IN_REGISTERS ? 1.1 : 1;
  if (!whole) return passes * sums;
  if (t->kind != OPS_ON_CPU) return 1.5;
  double filled = fmin(tile_bytes(s, rows * columns) / FIRST_CACHE, 1);
  return 1.5 + 0.4 * filled + (rows > 1 ? 0.1 : 0);
}

double lines_cost(const ops_problem *p, const ops_space *s, const lines_params *at, double passes,
                  const ops_target *t) {
  int64_t rows = p->values[at->tile_rows].i, columns = p->values[at->tile_columns].i;
  double blocks = (double)ops_tiles_of(space_rows(s), rows) * (double)space_outer(s);
  double turns = (double)space_gone_count(s) / (double)space_columns(s) *
                 (double)ops_tiles_of(space_columns(s), columns);
  if (!(turns >= 0)) turns = 0;
  double each = t->kind == OPS_ON_CPU ? 0.00001 : 0.0005; /* to begin a tile block */
  double elements = ceil(blocks / t->cores) * turns * (double)(rows * columns);
  double ms = elements * bytes_moved(s, rows, columns) / (t->gbytes * 1e6) *
              times_read(p->values[at->whole].i != 0, passes, s, rows, columns, t);
  return ms + each * ceil(blocks / t->cores) + 0.004;
}

double lines_flops(const ops_problem *p, double each) {
  return each * (double)space_kept_count(p->parts) * (double)space_gone_count(p->parts);
}

double lines_tolerance(const ops_problem *p, ops_type late) {
  return (16 + 2 * sqrt((double)space_gone_count(p->parts))) * ops_type_roundoff(late);
}

void lines_reference(ops_host *h, void (*line)(ops_host *h, const ops_space *s, int64_t line)) {
  const ops_space *s = h->p->parts;
  for (int64_t i = 0; i < space_kept_count(s); i++) line(h, s, i);
}

ops_step *lines_step(const ops_problem *p, const ops_space *s, const lines_params *at,
                     ops_steps *out) {
  int64_t rows = p->values[at->tile_rows].i;
  if (space_kept_count(s) == 0) return NULL;
  ops_step *step = ops_step_add(out, "main", ops_tiles_of(space_rows(s), rows), 1, space_outer(s));
  space_pass(s, out, step);
  return step;
}

/* ---- kernels --------------------------------------------------------------------------------- */

lines lines_begin(ops_build *b, const ops_space *s, const lines_params *at, ops_type late) {
  const ops_problem *p = b->p;
  lines l = {.k = space_begin(b, s, p->values[at->tile_rows].i, p->values[at->tile_columns].i),
             .late = late,
             .whole = p->values[at->whole].i != 0,
             .zero = ops_i32(b, 0)};
  l.turns = l.whole ? NULL : space_turns(&l.k);
  return l;
}

static tsr_ints tile_shape(const lines *l, int64_t out[2]) {
  out[0] = l->k.tile_rows;
  out[1] = l->k.tile_columns;
  return (tsr_ints){out, 2};
}

static tsr_value masked(lines *l, tsr_value v, tsr_value turn, bool clean, double outside) {
  return clean ? v : space_mask(&l->k, v, turn, outside);
}

static tsr_value combine(ops_build *b, ops_fold fold, tsr_value x, tsr_value y) {
  switch (fold) {
  case OPS_FOLD_SUM: return ops_add(b, x, y);
  case OPS_FOLD_PRODUCT: return ops_mul(b, x, y);
  case OPS_FOLD_MAX: return ops_max(b, x, y);
  default: return ops_min(b, x, y);
  }
}

/* Tiles are combined element by element, and the columns at the end. */
static tsr_value fold_turns(lines *l, ops_fold fold, bool clean, lines_value value, void *user) {
  ops_build *b = l->k.b;
  int64_t dims[2];
  tsr_elem elem = ops_type_elem(l->late);
  double first = ops_fold_identity(fold, elem);
  tsr_value init = ops_full(b, elem, tile_shape(l, dims), first);
  tsr_op *loop = ops_loop(b, l->zero, l->turns, TSR_VALUES(init));
  tsr_value turn = tsr_build_arg(b->b, 0), so_far = tsr_build_arg(b->b, 1);
  tsr_value v = masked(l, value(l, turn, user), turn, clean, first);
  ops_loop_end(b, TSR_VALUES(combine(b, fold, so_far, v)));
  return tsr_op_result(loop, 0);
}

tsr_value lines_fold(lines *l, ops_fold fold, bool clean, lines_value value, void *user) {
  double first = ops_fold_identity(fold, ops_type_elem(l->late));
  tsr_value v = l->whole ? masked(l, value(l, l->zero, user), l->zero, clean, first)
                         : fold_turns(l, fold, clean, value, user);
  v = ops_reduce(l->k.b, v, 1, fold);
  return ops_reshape(l->k.b, v, TSR_INTS(l->k.tile_rows, 1));
}

void lines_each(lines *l, void (*each)(lines *l, tsr_value turn, void *user), void *user) {
  if (l->whole) {
    each(l, l->zero, user);
    return;
  }
  ops_loop(l->k.b, l->zero, l->turns, (tsr_values){0});
  each(l, tsr_build_arg(l->k.b->b, 0), user);
  tsr_build_end(l->k.b->b);
}

tsr_value lines_number(lines *l, double value) {
  return ops_full(l->k.b, ops_type_elem(l->late), TSR_INTS(l->k.tile_rows, 1), value);
}

/* The first element of a turn: the innermost dimension is divided into tiles. */
static tsr_value first_of_turn(lines *l, tsr_value turn) {
  ops_build *b = l->k.b;
  tsr_value width = ops_i32(b, l->k.tile_columns);
  if (l->whole || l->k.s->rank - l->k.s->kept == 1) return tsr_build_muli(b->b, turn, width);
  char name[24];
  snprintf(name, sizeof name, "size_%u", l->k.s->rank - 1);
  tsr_value size = ops_from_index(b, ops_arg(b, name));
  tsr_value tiles = ops_ceil_div(b, size, l->k.tile_columns);
  tsr_value outer = tsr_build_divi(b->b, turn, tiles, TSR_SIGNED);
  tsr_value inner = tsr_build_remi(b->b, turn, tiles, TSR_SIGNED);
  return ops_add(b, tsr_build_muli(b->b, outer, size), tsr_build_muli(b->b, inner, width));
}

tsr_value lines_index(lines *l, tsr_value turn) {
  ops_build *b = l->k.b;
  int64_t columns = l->k.tile_columns;
  tsr_value v = tsr_build_iota(b->b, ops_tile(b, TSR_I32, TSR_INTS(columns)));
  v = ops_add(b, v, ops_spread(b, first_of_turn(l, turn), TSR_INTS(columns)));
  return space_spread(&l->k, ops_reshape(b, v, TSR_INTS(1, columns)));
}

tsr_value lines_length(lines *l) {
  ops_build *b = l->k.b;
  tsr_value length = ops_index(b, 1);
  char name[24];
  for (unsigned d = l->k.s->kept; d < l->k.s->rank; d++) {
    snprintf(name, sizeof name, "size_%u", d);
    length = tsr_build_muli(b->b, length, ops_arg(b, name));
  }
  tsr_value number = ops_convert(b, length, (ops_type)ops_index_elem(b), l->late);
  return ops_spread(b, number, TSR_INTS(l->k.tile_rows, 1));
}
