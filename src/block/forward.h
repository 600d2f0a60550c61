/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shared memory that only hands values on. Where every load of an allocation is of what one store
 * or one copy has left in exactly that place, the memory is not needed: the load becomes the value
 * that was stored, or a load from where the copy took it.
 *
 * That goes through loops, too. In a pipeline iteration i copies what iteration i + d reads, into
 * slots that are used in turn; the first d tiles are copied in front of the loop:
 *
 *   copy 0, slot 0                                for i:
 *   for i:                                          a = load global, at(i)
 *     copy at(i + 1), slot (i + 1) mod 2    ─►      …
 *     a = load slot i mod 2
 *
 * d is the smallest distance at which the slot of the copy is that of the load. The copies in front
 * must be what the loop's own would be in iterations -d to -1, nothing may write to the memory
 * between copy and load, and nothing to global memory.
 */
#ifndef TSR_BLOCK_FORWARD_H
#define TSR_BLOCK_FORWARD_H

#include "block/lower.h"

/* Of a kernel of the block level, which it stays. */
void forward_shared(const block_lowering *x);

#endif
