/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles whose sizes are no powers of two, as several whose sizes are (cuts.h). Each operation on
 * such a tile becomes operations on its pieces: element-wise ones on each, loads and stores at the
 * places of each, loops hand on all of them. Where pieces of one tile are no pieces of the other,
 * elements go through memory: with threads, those of other threads through shared memory, and a
 * thread's own from register to register.
 */
#ifndef TSR_BLOCK_SPLIT_H
#define TSR_BLOCK_SPLIT_H

#include "block/cuts.h"

/* What pieces of a layout need to say beyond what operations can, for the backend that lowers them.
 */
typedef struct split_notes {
  /* Of a reinterpret with several operands or results: split_move. All other ones are between whole
   * tiles. */
  map moves;
  /* Of load_global, store_global and cp_async: by bit of the tile's index, how far it moves along
   * its dimension, int32_t for each; without it as far as in the tile. */
  map steps;
} split_notes;

/* The registers of all operands, one operand behind the other, in the order in which their bits lie
 * behind each other; and so those of the results. */
typedef struct split_move {
  uint32_t n_from, n_to;
  const uint32_t *from, *to;
} split_move;

/* Changes a kernel of the block level, with layouts, or without them once they are erased; `notes`
 * is for those with layouts, else NULL. Reports and returns false where there is no way yet. */
bool split_tiles(ir_module *m, ir_op *entry, arena *a, cutting how, split_notes *notes);

#endif
