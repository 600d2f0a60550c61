/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations of the block level that are made of others: atomic updates of views become updates
 * through pointers, random numbers integer arithmetic. Layouts stay.
 */
#ifndef TSR_BLOCK_EXPAND_H
#define TSR_BLOCK_EXPAND_H

#include "ir/ir.h"

/* `alone`: the kernel is about to lose its threads, so that nobody comes between a load and a store
 * of shared memory, and its atomic updates become these. */
void block_expand(ir_module *m, ir_op *entry, bool alone);

#endif
