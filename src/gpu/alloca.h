/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/alloca.h: memory that a tile block asks for, in shared memory.
 */
#ifndef TSR_GPU_ALLOCA_H
#define TSR_GPU_ALLOCA_H

#include "gpu/gen.h"

/* Makes the result of an `alloca` an address of shared memory, which all threads clear each time.
 */
void gpu_alloca(gen *g, ir_op *op);

#endif
