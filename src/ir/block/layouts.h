/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The layouts in types of the block level: which thread holds which element of a tile (a
 * distribution), and where the elements of shared memory lie (a memory layout). A module holds one
 * of each map: equal maps, however they were written, are the same pointer, so that types can be
 * compared as pointers.
 */
#ifndef TSR_IR_BLOCK_LAYOUTS_H
#define TSR_IR_BLOCK_LAYOUTS_H

#include <tessera/layout.h>

#include "ir/ir.h"

/* The module's layout with the same map. The argument is valid; it is copied. */
const tsr_layout *ir_layout(ir_module *m, const tsr_layout *layout);
const tsr_memory_layout *ir_memory_layout(ir_module *m, const tsr_memory_layout *memory);

/* In the notation that the parser reads: spatial(4, 8).local(1, 2), (8,64):(64,1). */
void ir_layout_print(sbuf *b, const tsr_layout *layout);
void ir_memory_layout_print(sbuf *b, const tsr_memory_layout *memory);

/* Dense, the last dimension fastest, without a swizzle: what is left out of the text. */
bool ir_is_row_major(const tsr_memory_layout *memory);

/* Where an index lies before the swizzle, which acts on the sum of this and of where the storage
 * begins: storage of a part keeps the swizzle of the whole. In elements. */
int64_t ir_memory_offset(const tsr_memory_layout *memory, const int64_t *index);
/* The swizzle. */
int64_t ir_memory_swizzle(const tsr_memory_layout *memory, int64_t offset);
/* The modes of the last `rank` dimensions, those of dimension d cut to shape[d]: the same strides
 * in a smaller shape. False where a mode would have to be cut in the middle of a digit. */
bool ir_memory_part(const tsr_memory_layout *whole, unsigned rank, const int64_t *shape,
                    tsr_memory_layout *out);
/* How many elements an allocation has, its swizzle included; its alignment is the same number of
 * elements where it is swizzled. */
int64_t ir_memory_extent(const tsr_memory_layout *memory);
/* The elements that a swizzle permutes among each other: its allocation is aligned to them. 1
 * without one. */
int64_t ir_memory_period(const tsr_memory_layout *memory);

#endif
