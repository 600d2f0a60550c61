/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/invariant.h: arithmetic that gives the same in every iteration goes in front of the loop,
 * where its maker says that it is worth a register there. Loops are opened and closed by
 * those who make them.
 */
#ifndef TSR_GPU_INVARIANT_H
#define TSR_GPU_INVARIANT_H

#include "gpu/gen.h"

/* Around what is made of a loop; `before` has its jump to the header already, and whatever the loop
 * consists of, header first, is in blocks that are made from now on. */
void gpu_loop_open(gen *g, llblock before, llblock header);
void gpu_loop_close(gen *g);
/* The innermost loop doesn't change it. */
bool gpu_is_invariant(gen *g, llv x);
/* The end of the code so far. */
typedef struct gpu_place {
  llblock block;
  llv last; /* NULL: the block is empty */
} gpu_place;
gpu_place gpu_here(gen *g);
/* Arithmetic made since then, if that is in one block, goes in front of the loops that don't change
 * it: each of its results takes a register while they run. */
void gpu_move_invariants(gen *g, gpu_place since);

#endif
