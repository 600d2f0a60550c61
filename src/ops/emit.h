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

struct ops_build {
  tsr_builder *b;
  const ops_problem *p; /* the instance: sizes are their defaults */
  const ops_step *step;
  unsigned step_index;
  tsr_value args[OPS_MAX_PASSES];
  tsr_value block[3]; /* of the grid: x, y, z, as i32 */
};

/* The parameter of a pass. */
tsr_value ops_arg(ops_build *b, const char *name);
bool ops_has_arg(const ops_build *b, const char *name);

/* The elements of tiles that index tensors. */
tsr_elem ops_index_elem(const ops_build *b);
tsr_value ops_index(ops_build *b, int64_t value); /* a scalar of that type */
tsr_value ops_i32(ops_build *b, int64_t value);
/* From i32 to the index type. */
tsr_value ops_to_index(ops_build *b, tsr_value i);

/* ---- tensors -------------------------------------------------------------------------------- */

/* A tensor as tiles. Strides that are NULL are 1, and known to be; sizes that are NULL are `known`,
 * or 1 where that is 0. */
typedef struct ops_view_spec {
  tsr_value base;
  tsr_elem elem;
  unsigned rank;
  tsr_value sizes[TSR_OP_MAX_RANK], strides[TSR_OP_MAX_RANK];
  int64_t known[TSR_OP_MAX_RANK];
  int64_t tile[TSR_OP_MAX_RANK]; /* powers of two */
  tsr_padding padding;           /* of what is read outside */
  bool is_gathered;
  unsigned gathered; /* dimension along which each line of a tile has a position of its own */
} ops_view_spec;

/* The view of a tensor, and what its tiles are. */
typedef struct ops_tiles {
  tsr_value view;
  tsr_elem elem;
  unsigned rank, unit; /* dimension whose stride is known to be 1; rank: none */
  int64_t tile[TSR_OP_MAX_RANK];
  bool is_gathered;
  unsigned gathered;
} ops_tiles;

/* A partition view; when a dimension but the last has the stride 1, the dimensions are exchanged in
 * memory and back in the tile. There are no pointers to i4: such tensors are bytes, of which
 * ops_load makes elements. Their strides and distances are passed in bytes (ops_stride_unit), one
 * dimension has the stride 1, and its last byte may hold an element beyond the size, which is not
 * padded. The index along a gathered dimension is a tile of i32 with a position for each line;
 * lines whose position is not below the size (as an unsigned number) are padded and not stored. */
ops_tiles ops_view(ops_build *b, const ops_view_spec *spec);
tsr_value ops_load(ops_build *b, const ops_tiles *t, tsr_values index);
/* Not of i4. */
void ops_store(ops_build *b, tsr_value tile, const ops_tiles *t, tsr_values index);
/* What a kernel's pointer to such elements points to, and how many elements that holds. */
tsr_elem ops_pointee(ops_type type);
int64_t ops_stride_unit(ops_type type);
/* A pointer count * stride elements further, calculated in i64. */
tsr_value ops_advance(ops_build *b, tsr_value base, tsr_value count, tsr_value stride);
/* Element `index` of a packed tensor, a scalar. */
tsr_value ops_load_element(ops_build *b, tsr_value base, tsr_value index);
tsr_value ops_from_index(ops_build *b, tsr_value x); /* of the index type, to i32 */
/* Integers of any type as i64, and their quotient rounded up. */
tsr_value ops_to_i64(ops_build *b, tsr_value x);
tsr_value ops_ceil_div(ops_build *b, tsr_value x, int64_t y);

/* A number as indices of dimensions of these sizes, the last of which changes fastest; the first
 * index takes all that is left. All are of the index type. */
void ops_take_apart(ops_build *b, tsr_value number, const tsr_value *sizes, unsigned count,
                    tsr_value *out);

/* ---- tiles ---------------------------------------------------------------------------------- */

tsr_type ops_tile(ops_build *b, tsr_elem elem, tsr_ints shape);
tsr_value ops_full(ops_build *b, tsr_elem elem, tsr_ints shape, double value);
/* A tile like another one, full of a number. */
tsr_value ops_full_like(ops_build *b, tsr_value like, double value);
tsr_value ops_reshape(ops_build *b, tsr_value v, tsr_ints shape);
/* Of the same rank. */
tsr_value ops_broadcast(ops_build *b, tsr_value v, tsr_ints shape);
/* A scalar as a tile. */
tsr_value ops_spread(ops_build *b, tsr_value scalar, tsr_ints shape);
tsr_value ops_permute(ops_build *b, tsr_value v, tsr_ints order);
/* To another type. Floats become integers rounded to nearest even and saturated; so do integers
 * that are too large. */
tsr_value ops_convert(ops_build *b, tsr_value v, ops_type from, ops_type to);
/* The type that arithmetic on such elements is done in: f64, f32, i32, i64. */
ops_type ops_arithmetic_type(ops_type t);

/* ---- arithmetic on floats or integers, by the tile's elements -------------------------------- */

tsr_value ops_add(ops_build *b, tsr_value x, tsr_value y);
tsr_value ops_sub(ops_build *b, tsr_value x, tsr_value y);
tsr_value ops_mul(ops_build *b, tsr_value x, tsr_value y);
tsr_value ops_max(ops_build *b, tsr_value x, tsr_value y); /* NaN where one is */
tsr_value ops_min(ops_build *b, tsr_value x, tsr_value y);

typedef enum ops_fold { OPS_FOLD_SUM, OPS_FOLD_PRODUCT, OPS_FOLD_MAX, OPS_FOLD_MIN } ops_fold;
/* Of a tile along a dimension, which is gone then. */
tsr_value ops_reduce(ops_build *b, tsr_value v, unsigned dim, ops_fold fold);
/* What it begins with. */
double ops_fold_identity(ops_fold fold, tsr_elem elem);

/* ---- loops ---------------------------------------------------------------------------------- */

/* for (i = first; i < end; i++), of i32: what is built from here on is its body, in which
 * tsr_build_arg gives i, then the values that begin as `init`. ops_loop_end ends it with their next
 * values; after that tsr_op_result gives the last ones. */
tsr_op *ops_loop(ops_build *b, tsr_value first, tsr_value end, tsr_values init);
void ops_loop_end(ops_build *b, tsr_values next);

#endif
