/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/vmath.h: functions of f32 for which NVIDIA's GPUs have an instruction.
 */
#ifndef TSR_GPU_NVPTX_VMATH_H
#define TSR_GPU_NVPTX_VMATH_H

#include "llvm/emit.h"

/* exp and exp2, as emit.native_function has it. */
bool nvptx_native_function(emit *e, op_code opcode, LLVMValueRef x, bool flush,
                           LLVMValueRef *result);

#endif
