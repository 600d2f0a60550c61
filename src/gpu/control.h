/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/control.h: if, for, loop and their jumps. What control flow carries is a phi for each
 * register of the tile.
 */
#ifndef TSR_GPU_CONTROL_H
#define TSR_GPU_CONTROL_H

#include "gpu/gen.h"

/* i1: after the iteration with this index, which is below `upper`, a `for` has another one. */
llv gpu_has_next(gen *g, llv index, llv upper, llv step, llv forward);
void gpu_if(gen *g, ir_op *op);
void gpu_for(gen *g, ir_op *op);
void gpu_loop(gen *g, ir_op *op);
/* A region that the threads execute of which `inside` (i1; NULL: all) is true, with what `begin`
 * makes in front; its results are theirs. */
void gpu_part(gen *g, ir_op *op, llv inside, void (*begin)(gen *g, const ir_op *op));
void gpu_jump(gen *g, ir_op *op);

#endif
