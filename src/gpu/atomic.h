/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/atomic.h: atomics, and loads and stores with a memory order. Each element is accessed by one
 * thread; threads with copies get what that one has seen.
 */
#ifndef TSR_GPU_ATOMIC_H
#define TSR_GPU_ATOMIC_H

#include "gpu/gen.h"

void gpu_atomic(gen *g, ir_op *op);
void gpu_ordered_load(gen *g, ir_op *op);
void gpu_ordered_store(gen *g, ir_op *op);

#endif
