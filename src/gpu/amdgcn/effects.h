/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/effects.h: prints and asserts, as gpu_hooks has them.
 */
#ifndef TSR_GPU_AMDGCN_EFFECTS_H
#define TSR_GPU_AMDGCN_EFFECTS_H

#include "gpu/gen.h"

enum { AMDGCN_PRINT_ARGUMENTS = 32 };
void amdgcn_print_line(gen *g, const char *format, const llv *args, unsigned n);
void amdgcn_check(gen *g, ir_op *op);
/* In front of an operation: refuses what these GPUs have no code for. */
void amdgcn_before_op(gen *g, const ir_op *op);

#endif
