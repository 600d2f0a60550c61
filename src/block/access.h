/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles at any offset of a tensor view, with the tile level's means: as a tile of a partition_view
 * along dimensions where the offset is a multiple of the tile's size, else of a strided_view whose
 * tiles begin at every element. Its indices are unsigned, so where an offset may be negative, or
 * there is a mask, each element has a pointer.
 */
#ifndef TSR_BLOCK_ACCESS_H
#define TSR_BLOCK_ACCESS_H

#include "block/lower.h"
#include "block/sums.h"

/* A tile at offsets of a view, a sum modulo 2^width of their type for each dimension. */
typedef struct window {
  ir_value *view;
  const ir_type *type; /* the tile's, without a layout */
  const ir_type *offset_type;
  const sum *offsets;
  ir_value *mask; /* NULL: none */
  int padding;    /* of loads: an ir_padding */
} window;

/* NULL after a message. Made before `at`, without tokens. */
ir_value *window_load(const block_lowering *x, ir_op *at, const window *w);
bool window_store(const block_lowering *x, ir_op *at, const window *w, ir_value *value);
/* Combines each element in one atomic step, as an ir_rmw says. */
void window_update(const block_lowering *x, ir_op *at, const window *w, ir_rmw mode,
                   ir_value *value);

#endif
