/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handles that loops and branches hand on: of shared memory, mbarriers and tensor maps. They become
 * the numbers that say which part of an allocation, which barrier or which view is meant.
 */
#ifndef TSR_BLOCK_HANDLES_H
#define TSR_BLOCK_HANDLES_H

#include "block/lower.h"

/* False after a message: a handle is not known to be a part of one of some allocations, or a map of
 * one of some views of a type. */
bool handles_resolve(block_lowering *x);

#endif
