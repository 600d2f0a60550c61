/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/engine.h: operations of the block level on mbarriers, copies of tensors and products of
 * groups of warps.
 */
#ifndef TSR_GPU_NVPTX_ENGINE_H
#define TSR_GPU_NVPTX_ENGINE_H

#include "gpu/gen.h"

/* Before code is made: the tensor maps that a kernel of the block level takes (nvptx_state.maps).
 * False after a message. */
bool nvptx_find_maps(gen *g);

/* False, having done nothing, where the target has none (gpu_hooks.engine). */
bool nvptx_engine(gen *g, ir_op *op);

/* Where a part of shared memory begins, an address (i32), before any swizzle, which engines add. */
llv nvptx_part_start(gen *g, const storage_ref *s);
/* Where a barrier is; of several the one at `index`, NULL: the first. */
llv nvptx_barrier_at(gen *g, ir_value *barrier, ir_value *index);
/* Whether that is known to be a multiple of so many bytes; false after a message. */
bool nvptx_check_start(gen *g, const ir_op *op, const storage_ref *s, uint32_t unit);

#endif
