/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/reduce.h: reduce and scan: within a thread, between lanes by shuffles, between warps through
 * shared memory, always in the order that the program defines.
 */
#ifndef TSR_GPU_REDUCE_H
#define TSR_GPU_REDUCE_H

#include "gpu/gen.h"

void gpu_reduce(gen *g, ir_op *op);
void gpu_scan(gen *g, ir_op *op);

#endif
