/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/kernel.h: an entry as a function of LLVM's module, and the walk over its operations in
 * program order. What surrounds the program (the function's declaration, further roles of threads,
 * the way through several tile blocks) is the vendor's.
 */
#ifndef TSR_GPU_KERNEL_H
#define TSR_GPU_KERNEL_H

#include "gpu/gen.h"

/* Bytes of shared memory that a kernel takes. */
typedef struct gpu_shared_use {
  uint32_t fixed;   /* declared in the module */
  uint32_t dynamic; /* that a launch must ask for */
  uint32_t align;   /* of what is dynamic; 1: there is none */
} gpu_shared_use;

/* Lowers gen.entry to a function with this name. False after a message. */
bool gpu_kernel(gen *g, const char *symbol, gpu_shared_use *out);
void gpu_block(gen *g, ir_block *b);
void gpu_body_op(gen *g, ir_op *op); /* an operation of a reduction's body */

#endif
