/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shared memory as memory of the tile block: an alloca of the kernel for each alloc_shared, with a
 * tensor view over it, the last dimension fastest. Parts are offsets in that view. Integers of 4
 * bits lie in bytes.
 */
#ifndef TSR_BLOCK_SCRATCH_H
#define TSR_BLOCK_SCRATCH_H

#include "block/lower.h"

typedef struct scratch {
  const block_lowering *x;
  map views; /* alloc_shared -> the tensor view */
} scratch;

/* Of what part_check has accepted. */
ir_value *scratch_load(scratch *s, ir_op *at, const ir_value *storage, const ir_type *tile);
bool scratch_store(scratch *s, ir_op *at, ir_value *value, const ir_value *storage);

#endif
