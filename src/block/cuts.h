/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How a tile whose sizes are no powers of two is cut into pieces whose sizes are.
 *
 * Without threads, along each dimension into the powers of two that its size is the sum of, the
 * largest first: 96 into 64 and 32. With threads, by its layout: what a thread has several of, an
 * odd number of times, the pieces have once, so that each thread has the same share of every piece
 * and no element moves. local(6).spatial(32) is cut into three pieces of local(2).spatial(32).
 */
#ifndef TSR_BLOCK_CUTS_H
#define TSR_BLOCK_CUTS_H

#include <tessera/layout.h>

#include "ir/ir.h"

typedef enum cutting { CUT_BY_SIZE, CUT_BY_LAYOUT } cutting;

/* A dimension. Of a layout's modes, each `odd * even` long, a piece has the even parts. */
typedef struct cut_dim {
  int64_t size;
  unsigned n; /* pieces */
  unsigned modes;
  struct cut_mode {
    int32_t odd, even;
    int64_t stride;
  } mode[TSR_LAYOUT_MAX_MODES]; /* none when it is cut by its size */
} cut_dim;

typedef struct cut_tile {
  const ir_type *type;
  unsigned rank;
  uint32_t n; /* pieces, counted with the last dimension's fastest */
  cut_dim *dim;
  const ir_type **pieces; /* the types of the pieces */
} cut_tile;

/* Whether a size of the tile is no power of two. Other types never are so. */
bool cut_is_needed(const ir_type *t);
/* NULL: a layout hands an odd number of parts to different threads. */
const cut_tile *cut_make(ir_module *m, arena *a, const ir_type *t, cutting how);

/* Along a dimension: how long a piece is, which index of the tile an index of the piece is, and the
 * reverse. */
int64_t cut_size(const cut_dim *d, unsigned piece);
int64_t cut_coordinate(const cut_dim *d, unsigned piece, int64_t inner);
unsigned cut_locate(const cut_dim *d, int64_t index, int64_t *inner);
/* Whether an index of a piece is that of the tile, but for where the piece begins. */
bool cut_is_run(const cut_dim *d);
/* Whether two dimensions are cut alike. */
bool cut_same(const cut_dim *a, const cut_dim *b);

/* The number along each dimension of a piece, and back. */
void cut_place(const cut_tile *c, uint32_t piece, unsigned *at);
uint32_t cut_number(const cut_tile *c, const unsigned *at);

#endif
