/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order of the program as tokens. At the block level accesses of a tile block happen in the
 * order of the program; at the tile level tokens alone order them. Loads come behind the stores in
 * front of them, stores behind both, each allocation for itself and all of global memory together,
 * since the host may hand over one buffer twice. What only reads gets no tokens.
 */
#ifndef TSR_BLOCK_ORDER_H
#define TSR_BLOCK_ORDER_H

#include "block/lower.h"

void order_accesses(const block_lowering *x);

#endif
