/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the steps from the block level to the tile level share: the kernel at hand.
 */
#ifndef TSR_BLOCK_LOWER_H
#define TSR_BLOCK_LOWER_H

#include "opt/facts.h"

typedef struct block_lowering {
  ir_module *m;
  ir_op *entry;
  const facts *known; /* of the kernel as it was at first: nothing of values made since */
  arena *arena;
  map *numbers; /* of sums.h: a for -> the value that stands for its iteration's number */
} block_lowering;

#endif
