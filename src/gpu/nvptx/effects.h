/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/effects.h: print and assert, by the functions that CUDA's driver provides.
 */
#ifndef TSR_GPU_NVPTX_EFFECTS_H
#define TSR_GPU_NVPTX_EFFECTS_H

#include "gpu/gen.h"

/* The driver's vprintf takes so many arguments at most. */
enum { NVPTX_PRINT_ARGUMENTS = 32 };

void nvptx_print_line(gen *g, const char *format, const llv *args, unsigned n);
void nvptx_assert(gen *g, ir_op *op);

#endif
