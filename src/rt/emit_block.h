/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rt/emit_block.h: the GPU backend's decisions as a module of the block level.
 */
#ifndef TSR_RT_EMIT_BLOCK_H
#define TSR_RT_EMIT_BLOCK_H

#include "ir/ir.h"
#include "target/gpu.h"

/* Appends the text of a verified module in which each kernel of the tile level is one of the block
 * level, as the GPU backend plans it for the target; `warps` of a block, 0: as the plan has it. A
 * kernel that the backend has in the form (simt_nvidia_form) is printed in that one, others in the
 * next one below that they have.
 * Kernels of the block level stay as they are. Reports and returns false where one has no such
 * form. The caller's module stays as it is. */
bool rt_emit_block(ir_module *m, const gpu_target *target, unsigned warps, unsigned form,
                   sbuf *out);

#endif
