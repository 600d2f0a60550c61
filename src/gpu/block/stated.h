/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/block/stated.h: kernels of the block level, whose types state where each tile lives and whose
 * operations who moves it and who waits. Layouts and instructions are used as given. What one
 * vendor has is behind gpu/vendor.h.
 */
#ifndef TSR_GPU_BLOCK_STATED_H
#define TSR_GPU_BLOCK_STATED_H

#include "gpu/placement.h"

/* Whether the entry is of the block level. */
bool gpu_is_stated(const ir_op *entry);
/* Lowers gen.entry so. False after a message: it has threads or sizes that there is no code for, or
 * more shared memory than the target. */
bool gpu_follow_types(gen *g);

/* gen.elements_copied, made where it isn't yet. */
llv gpu_elements_copied(gen *g);

/* The distribution of a layout of the entry. */
simt_dist gpu_layout_dist(gen *g, const tsr_layout *layout);
simt_dist gpu_type_dist(gen *g, const ir_type *t);

#endif
