/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/aligned.h: a version of a kernel for tensors that are aligned. Where it turns out in the run
 * only whether rows are, each access would choose between 16 bytes at once and single elements,
 * and have code for both. So all views are asked once, when the kernel begins, and what follows is
 * made twice: for rows that are all aligned, and for others, where each access chooses.
 */
#ifndef TSR_GPU_ALIGNED_H
#define TSR_GPU_ALIGNED_H

#include "gpu/gen.h"

/* In front of an operation of the entry's block: makes it and all behind it in two versions, if it
 * is the first that needs them. False, having done nothing: it isn't. */
bool gpu_aligned_versions(gen *g, ir_op *op, void (*rest)(gen *g, ir_op *from));
/* Whether rows of views of this make_tensor_view are known to be aligned in what is made now. */
bool gpu_is_aligned(const gen *g, const ir_op *made);

#endif
