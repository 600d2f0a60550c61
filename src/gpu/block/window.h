/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/block/window.h: a tile at any offset of a tensor view: where each element lies, and whether
 * it is inside of the view.
 */
#ifndef TSR_GPU_BLOCK_WINDOW_H
#define TSR_GPU_BLOCK_WINDOW_H

#include "gpu/memory.h"

typedef struct window_dim {
  unsigned first, n;       /* its bits of the tile's index */
  int32_t step[SIMT_BITS]; /* how far each of them goes */
  llv unit;                /* i64: from a coordinate to the next, in bytes or nibbles */
  llv own, low, high; /* i32: the thread's first coordinate; of the tile's those from `low` on and
                         below `high` exist, NULL: from the first on, up to the last */
  llv begin, width;   /* i32: coordinate c exists where begin + c < width, unsigned; or, without
                         `begin`, where c < width, signed. NULL width: always */
  uint8_t bits[SIMT_BITS]; /* of registers, in the dimension */
  unsigned n_bits;
  llv *part, *exists; /* by these: what a coordinate adds to an address; NULL exists: not made */
} window_dim;

typedef struct window {
  access a;
  const ir_type *type;  /* of the tile: its shape */
  const int32_t *steps; /* by bit of its index, how far it goes; NULL: as in a tile without gaps */
  unsigned rank;
  int64_t unit; /* bytes of an element, 1 for nibbles */
  llv base;     /* i64: of the thread's first element */
  window_dim *dims;
  unsigned packed; /* the dimension along which elements lie in a row; rank: none */
  llv *mask;       /* i1 by register; NULL: all */
} window;

/* Opens a window for elements that lie as `d`, up to the order of their registers: window.a.d. Runs
 * have at most 2^most_run elements. `partial`: a run may cross the end of the view. */
void gpu_open_window(gen *g, window *w, ir_op *op, ir_value *subject, ir_use *offsets,
                     const ir_type *shape, const simt_dist *d, unsigned most_run, bool partial);
/* By bit of the index of an access' tile: how far it goes along its dimension; NULL: as in a tile
 * without gaps. */
const int32_t *gpu_window_steps(gen *g, const ir_op *op);
/* The lowest bits of dimension d that registers have, up to 2^most elements that follow each other:
 * how many, and which. */
unsigned gpu_window_row(const ir_type *shape, unsigned d, const simt_dist *dist,
                        const int32_t *steps, unsigned most, int8_t *bits);
/* Of the run that begins at a slot, how many bytes exist, i32; NULL: all. */
llv gpu_window_bytes(gen *g, const window *w, uint32_t slot, uint32_t bytes);

void gpu_load_global(gen *g, ir_op *op);
void gpu_store_global(gen *g, ir_op *op);
void gpu_cp_async(gen *g, ir_op *op);

#endif
