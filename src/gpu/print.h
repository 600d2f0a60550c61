/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/print.h: print.
 */
#ifndef TSR_GPU_PRINT_H
#define TSR_GPU_PRINT_H

#include "gpu/gen.h"

void gpu_print(gen *g, ir_op *op);

#endif
