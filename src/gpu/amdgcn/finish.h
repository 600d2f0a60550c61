/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/finish.h: what LLVM's register allocation needs to be told of accumulators, when its
 * passes have been over a kernel.
 */
#ifndef TSR_GPU_AMDGCN_FINISH_H
#define TSR_GPU_AMDGCN_FINISH_H

#include "llvm/unit.h"
#include "target/gpu.h"

/* Vectors that loops carry from matrix instruction to matrix instruction are kept together, in
 * accumulation registers where the target has these apart and nothing else in the loop needs them.
 */
void amdgcn_finish(unit *u, LLVMValueRef f, const gpu_target *t);

#endif
