/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels that go through lines of tensors several times: norms, softmax, reductions. A line is all
 * that goes for one index of what is kept. Either a tile holds whole lines, which are read once, or
 * a loop goes through them in tiles, once for each result that is needed.
 */
#ifndef TSR_OPS_LINES_H
#define TSR_OPS_LINES_H

#include "ops/space.h"

#define LINES_PARAMS(P)                                                                            \
  SPACE_PARAMS(P)                                                                                  \
  P(dims, TEXT, FORM, 0, 0, NULL, "last", "dimensions that a line runs along: 0+2, last, all")     \
  P(tile_rows, INTEGER, CHOICE, 1, 4096, "auto", "auto", "lines of a tile, a power of two")        \
  P(tile_columns, INTEGER, CHOICE, 1, 65536, "auto", "auto",                                       \
    "elements of a line in a tile, a power of two")                                                \
  P(whole, INTEGER, CHOICE, 0, 1, "auto", "auto", "1: a tile holds whole lines")                   \
  SPACE_DERIVED_PARAMS(P)

/* Where the parameters of a family stand. */
typedef struct lines_params {
  space_params space;
  unsigned tile_rows, tile_columns, whole;
} lines_params;
#define LINES_AT(F)                                                                                \
  {                                                                                                \
    {F##_shape, F##_strides, F##_kept, F##_gone, F##_units, F##_dims}, F##_tile_rows,              \
        F##_tile_columns, F##_whole                                                                \
  }

bool lines_supported(const ops_problem *p, const ops_space *s, const lines_params *at,
                     const ops_target *t, ops_why *why);
/* ops_family.candidates of families whose parts are or begin with an ops_space. */
void lines_candidates(const ops_target *t, ops_candidates *out);
/* When a line is read and written `passes` times, unless a tile holds it. */
double lines_cost(const ops_problem *p, const ops_space *s, const lines_params *at, double passes,
                  const ops_target *t);
/* For families whose parts are an ops_space: operations, `each` of an element; the tolerance of
 * sums over a line in a type; and the reference, which is `line` for each of them. */
double lines_flops(const ops_problem *p, double each);
double lines_tolerance(const ops_problem *p, ops_type late);
void lines_reference(ops_host *h, void (*line)(ops_host *h, const ops_space *s, int64_t line));
/* A step over all lines, or NULL when there are none; its scalars are the caller's to add. */
ops_step *lines_step(const ops_problem *p, const ops_space *s, const lines_params *at,
                     ops_steps *out);

typedef struct lines {
  space_kernel k;
  ops_type late; /* what is computed in */
  bool whole;
  tsr_value turns, zero;
} lines;

lines lines_begin(ops_build *b, const ops_space *s, const lines_params *at, ops_type late);

/* A tile at a turn. */
typedef tsr_value (*lines_value)(lines *l, tsr_value turn, void *user);
/* What the values of a line give together, rows x 1. `clean` says that values outside of the line
 * do not change the result. */
tsr_value lines_fold(lines *l, ops_fold fold, bool clean, lines_value value, void *user);
/* Calls `each` where a tile of every turn is to be written. */
void lines_each(lines *l, void (*each)(lines *l, tsr_value turn, void *user), void *user);

/* Which elements of a line a tile has, as numbers from 0 on, rows x columns of i32. */
tsr_value lines_index(lines *l, tsr_value turn);
/* Elements of a line, as a number of the late type, rows x 1. */
tsr_value lines_length(lines *l);
/* rows x 1, full of a number. */
tsr_value lines_number(lines *l, double value);

#endif
