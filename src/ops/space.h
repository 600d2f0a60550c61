/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensors of one shape with strides of their own, of which some dimensions are kept and some go
 * (reductions): what element-wise operators, norms and reductions are computed over.
 *
 *   shape=4x128x64   strides=x:8192x64x1+y:1x4x512   dims=2
 *
 * Dimensions of size 1 are dropped, and those merged that follow each other in every tensor, so
 * that a packed tensor has one dimension left. Then those that are kept stand before those that go:
 *
 *   kept: outer dimensions ... rows | gone: outer dimensions ... columns
 *
 * A kernel computes a tile of rows x columns; each tile block has one index of the outer kept
 * dimensions, and goes through those that are gone. Without any that go, the last one is the
 * columns.
 */
#ifndef TSR_OPS_SPACE_H
#define TSR_OPS_SPACE_H

#include "ops/emit.h"
#include "ops/host.h"

enum { SPACE_MAX_TENSORS = 24 };

/* The part that a tensor has of the space. */
typedef enum space_part { SPACE_ALL, SPACE_KEPT, SPACE_GONE } space_part;

typedef struct space_tensor {
  const char *name;
  ops_type type;
  uint8_t use;                      /* tsr_op_use */
  uint8_t part;                     /* space_part */
  int64_t given[TSR_OP_MAX_RANK];   /* strides of the dimensions as they were given */
  int64_t strides[TSR_OP_MAX_RANK]; /* after merging; 0 for those that it does not have */
  int8_t unit;                      /* the dimension whose stride is known to be 1; -1: none */
} space_tensor;

typedef struct ops_space {
  unsigned given_rank;
  int64_t given[TSR_OP_MAX_RANK];
  bool goes[TSR_OP_MAX_RANK];
  unsigned rank, kept; /* after merging */
  int64_t sizes[TSR_OP_MAX_RANK];
  space_tensor tensors[SPACE_MAX_TENSORS];
  unsigned count;
} ops_space;

/* Parameters that families with a space have, and where they stand. */
#define SPACE_PARAMS(P)                                                                            \
  P(shape, TEXT, SIZE, 0, 0, NULL, "auto",                                                         \
    "sizes of the dimensions: 4x128x64; auto: 1, in as many as dims names")                        \
  P(strides, TEXT, SIZE, 0, 0, NULL, "packed",                                                     \
    "of tensors that do not lie packed: x:8192x64x1+y:1x4x512; 0 repeats")
#define SPACE_DERIVED_PARAMS(P)                                                                    \
  P(kept, INTEGER, DERIVED, 0, TSR_OP_MAX_RANK, NULL, "0", "dimensions that are kept, merged")     \
  P(gone, INTEGER, DERIVED, 0, TSR_OP_MAX_RANK, NULL, "0", "dimensions that go, merged")           \
  P(units, TEXT, DERIVED, 0, 0, NULL, "auto", "which dimension of each tensor has the stride 1")

typedef struct space_params {
  unsigned shape, strides, kept, gone, units;
  unsigned dims; /* OPS_MAX_PARAMS: the family has none, and all dimensions are kept */
} space_params;

/* Reads the shape and the dimensions that go. */
bool space_parse(ops_space *s, const ops_problem *p, const space_params *at, ops_why *why);
/* Adds a tensor; its strides are packed until space_settle. */
space_tensor *space_add(ops_space *s, const char *name, ops_type type, tsr_op_use use,
                        space_part part);
/* Reads strides, merges dimensions, and writes the derived parameters. */
bool space_settle(ops_space *s, ops_problem *p, const space_params *at, ops_why *why);
/* The same of a second space, of which tensors that the first one has lie as they do there. */
bool space_settle_like(ops_space *s, const ops_space *first, ops_problem *p, const space_params *at,
                       ops_why *why);
/* ops_family.operands of families whose parts (ops_problem.parts) are or begin with an ops_space.
 */
void space_operands(const ops_problem *p, ops_operands *out);

int64_t space_kept_count(const ops_space *s); /* as a product */
int64_t space_gone_count(const ops_space *s);
/* Rows and columns: sizes of the tile's dimensions, 1 where there is none. */
int64_t space_rows(const ops_space *s);
int64_t space_columns(const ops_space *s);
/* The outer dimensions of those that are kept, as a product. */
int64_t space_outer(const ops_space *s);

/* Passes tensors, sizes and strides to a step. */
void space_pass(const ops_space *s, ops_steps *steps, ops_step *step);

/* ---- on tiles (space_emit.c) ----------------------------------------------------------------- */

/* A kernel over a space: the tile block has `tile_rows` rows, at `row`, and one index of the outer
 * kept dimensions. */
typedef struct space_kernel {
  ops_build *b;
  const ops_space *s;
  int64_t tile_rows, tile_columns;
  tsr_value outer[TSR_OP_MAX_RANK]; /* indices of the outer kept dimensions */
  tsr_value row;                    /* which tile of rows */
  tsr_value column;                 /* which tile of columns, where none go */
  ops_tiles views[SPACE_MAX_TENSORS];
} space_kernel;

/* Tensors that are not passed have no view. Rows are the grid's x where dimensions go; else columns
 * are x and rows y. Outer ones are z. */
space_kernel space_begin(ops_build *b, const ops_space *s, int64_t tile_rows, int64_t tile_columns);
/* How many turns it takes to go through what goes, in tiles; turn t is the next functions' `t`,
 * NULL where nothing goes. */
tsr_value space_turns(space_kernel *k);
/* A tile of rows x columns of a tensor that has all dimensions, 1 x columns of one that has those
 * that go, rows x 1 of one that has those that are kept, in `type`. What lies outside is
 * `outside`. */
tsr_value space_load(space_kernel *k, const char *name, tsr_value t, ops_type type, double outside);
void space_store(space_kernel *k, const char *name, tsr_value t, tsr_value tile, ops_type type);
/* What lies outside of the columns at turn `t` is `outside`. */
tsr_value space_mask(space_kernel *k, tsr_value v, tsr_value t, double outside);
/* The same numbers for every row or column of a tile. */
tsr_value space_spread(space_kernel *k, tsr_value v);

/* ---- on the host (space_host.c) -------------------------------------------------------------- */

/* Where the element with these numbers of a kept and of a gone index lies in a tensor. */
int64_t space_at(const ops_space *s, const char *name, int64_t kept, int64_t gone);
/* The element itself. */
double *space_element(const ops_host *h, const ops_space *s, const char *name, int64_t kept,
                      int64_t gone);
bool space_has(const ops_space *s, const char *name);

#endif
