/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/elements.h: tiles whose elements are made one by one where they are taken, so that a chain of
 * conversions does not hold registers for the whole tile.
 */
#ifndef TSR_GPU_ELEMENTS_H
#define TSR_GPU_ELEMENTS_H

#include "gpu/gen.h"

/* The tile where it lies, or would like to, or at `d`; without registers where elements are better
 * made one by one. What that needs is made now. */
tile gpu_elements(gen *g, ir_value *v);
/* Whether making it may take scratch memory: an expression, or a load that happens where it is
 * used and whose addresses, positions or masks are tiles. */
bool gpu_takes_scratch(gen *g, const ir_value *v);
tile gpu_elements_at(gen *g, ir_value *v, const simt_dist *d);
/* The same tile with its registers in another order. */
tile gpu_reordered(gen *g, const tile *t, const simt_dist *d);
/* The element of a slot. Where the tile has no registers that is code for each call. */
llv gpu_element(gen *g, const tile *t, uint32_t slot);
/* The word of elements of 8 or 16 bits from `slot` on, the first in its lowest bits. */
llv gpu_element_word(gen *g, tsr_elem elem, const tile *t, uint32_t slot);
/* The same as a product's operand: products don't tell NaNs apart. */
llv gpu_operand_word(gen *g, tsr_elem elem, const tile *t, uint32_t slot);
/* `each` elements next to each other in a word, the first in its lowest bits. */
llv gpu_pack_word(gen *g, tsr_elem elem, const llv *x, unsigned each);
/* Of bytes that were loaded as words of neighbours in another direction than the tile's lowest four
 * registers: these become words, registers of a tile without them. False: it is no such tile. */
bool gpu_turn_bytes(gen *g, tile *t);
/* Gives the tile registers. */
void gpu_make_elements(gen *g, tile *t);
/* `count` elements from `slot` on as they lie in memory: a vector of their bytes, or a scalar. */
llv gpu_memory_run(gen *g, tsr_elem elem, const tile *t, uint32_t slot, unsigned count);
/* Whether what is loaded may stay in words of 32 bits, as in memory; gives it to `v` so, in the
 * lowest bits of each word as many elements. */
bool gpu_may_pack(const gen *g, const ir_value *v);
void gpu_set_words(gen *g, ir_value *v, const simt_dist *d, llv *words, unsigned each);

#endif
