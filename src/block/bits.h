/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * reinterpret without threads. Which bits of which elements make up an element of the result is
 * known: the operand goes to memory, and the result is put together of what loads at constant
 * places give.
 */
#ifndef TSR_BLOCK_BITS_H
#define TSR_BLOCK_BITS_H

#include "block/lower.h"

/* While types still have their layouts. */
void bits_lower(const block_lowering *x, ir_op *reinterpret);

#endif
