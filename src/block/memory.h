/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory of the tile block that a lowering makes: an alloca at the beginning of the kernel, and
 * tensor views over it, the last dimension fastest.
 */
#ifndef TSR_BLOCK_MEMORY_H
#define TSR_BLOCK_MEMORY_H

#include "ir/ir.h"

/* A pointer to so many elements, aligned to a line of the cache, and to `alignment` bytes. */
ir_value *memory_alloca(ir_module *m, ir_op *entry, ir_loc loc, tsr_elem elem, int64_t count,
                        int64_t alignment);
/* A view of these elements, made before `at`. */
ir_value *memory_view(ir_module *m, ir_op *at, ir_loc loc, ir_value *base, unsigned rank,
                      const int64_t *shape);
/* The same with strides of their own, in elements. */
ir_value *memory_strided_view(ir_module *m, ir_op *at, ir_loc loc, ir_value *base, unsigned rank,
                              const int64_t *shape, const int64_t *strides);
/* All of a view as a tile without a layout, before `at`; and the other way round. */
ir_value *memory_load(ir_module *m, ir_op *at, ir_value *view);
void memory_store(ir_module *m, ir_op *at, ir_value *v, ir_value *view);

#endif
