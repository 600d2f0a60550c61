/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What builders of kernels share: arguments by name, tensors as views, conversions, loops.
 *
 * Every function adds operations at the end of the innermost open region. As with the builder, NULL
 * for a value is an error that was reported, and needs no check.
 */
#ifndef TSR_OPS_EMIT_H
#define TSR_OPS_EMIT_H

#include <tessera/build.h>

#include "ops/ops.h"

struct op_build {
  tsr_builder *b;
  const op_problem *p; /* the instance: sizes are their defaults */
  const op_step *step;
  unsigned step_index;
  tsr_value args[OP_MAX_PASSES];
  tsr_value block[3]; /* of the grid: x, y, z, as i32 */
};

/* The parameter of a pass. */
tsr_value op_arg(op_build *b, const char *name);
bool op_has_arg(const op_build *b, const char *name);

/* The elements of tiles that index tensors. */
tsr_elem op_index_elem(const op_build *b);
tsr_value op_index(op_build *b, int64_t value); /* a scalar of that type */
tsr_value op_i32(op_build *b, int64_t value);
/* From i32 to the index type. */
tsr_value op_to_index(op_build *b, tsr_value i);

/* ---- tensors -------------------------------------------------------------------------------- */

/* A tensor as tiles. Strides that are NULL are 1, and known to be. */
typedef struct op_view_spec {
  tsr_value base;
  tsr_elem elem;
  unsigned rank;
  tsr_value sizes[TSR_OP_MAX_RANK], strides[TSR_OP_MAX_RANK];
  int64_t tile[TSR_OP_MAX_RANK]; /* powers of two */
  tsr_padding padding;           /* of what is read outside */
} op_view_spec;

/* A partition view; when a dimension but the last has the stride 1, the dimensions are exchanged in
 * memory and back in the tile. */
tsr_value op_view(op_build *b, const op_view_spec *spec);
tsr_value op_load(op_build *b, tsr_value view, tsr_values index);
void op_store(op_build *b, tsr_value tile, tsr_value view, tsr_values index);
/* A pointer `count` elements further; `count` in the index type. */
tsr_value op_offset(op_build *b, tsr_value base, tsr_value count);

/* ---- tiles ---------------------------------------------------------------------------------- */

tsr_type op_tile(op_build *b, tsr_elem elem, tsr_ints shape);
tsr_value op_full(op_build *b, tsr_elem elem, tsr_ints shape, double value);
/* A tile like another one, full of a number. */
tsr_value op_full_like(op_build *b, tsr_value like, double value);
tsr_value op_reshape(op_build *b, tsr_value v, tsr_ints shape);
/* Of the same rank. */
tsr_value op_broadcast(op_build *b, tsr_value v, tsr_ints shape);
/* A scalar as a tile. */
tsr_value op_spread(op_build *b, tsr_value scalar, tsr_ints shape);
/* To another type. Floats become integers rounded to nearest even and saturated; so do integers
 * that are too large. */
tsr_value op_convert(op_build *b, tsr_value v, op_type from, op_type to);
/* The type that arithmetic on such elements is done in: f64, f32, i32, i64. */
op_type op_arithmetic_type(op_type t);

/* ---- arithmetic on floats or integers, by the tile's elements -------------------------------- */

tsr_value op_add(op_build *b, tsr_value x, tsr_value y);
tsr_value op_sub(op_build *b, tsr_value x, tsr_value y);
tsr_value op_mul(op_build *b, tsr_value x, tsr_value y);
tsr_value op_max(op_build *b, tsr_value x, tsr_value y); /* NaN where one is */
tsr_value op_min(op_build *b, tsr_value x, tsr_value y);

typedef enum op_fold { OP_FOLD_SUM, OP_FOLD_PRODUCT, OP_FOLD_MAX, OP_FOLD_MIN } op_fold;
/* Of a tile along a dimension, which is gone then. */
tsr_value op_reduce(op_build *b, tsr_value v, unsigned dim, op_fold fold);
/* What it begins with. */
double op_fold_identity(op_fold fold, tsr_elem elem);

/* ---- loops ---------------------------------------------------------------------------------- */

/* for (i = first; i < end; i++), of i32: what is built from here on is its body, in which
 * tsr_build_arg gives i, then the values that begin as `init`. op_loop_end ends it with their next
 * values; after that tsr_op_result gives the last ones. */
tsr_op *op_loop(op_build *b, tsr_value first, tsr_value end, tsr_values init);
void op_loop_end(op_build *b, tsr_values next);

#endif
