/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether one program never waits: whether at each wait the phase is complete, in every iteration
 * of every loop. The kernel is executed with what is known of its scalars when it is compiled: some
 * are numbers, some known modulo a number, as slots and parities are that come from a loop's
 * counter. The states of barriers and of what loops hand on are few, and repeat; all that can occur
 * are looked at.
 */
#ifndef TSR_BLOCK_PHASES_H
#define TSR_BLOCK_PHASES_H

#include "block/lower.h"

/* Of a kernel without groups. `threads` leads from each operation on barriers to how many execute
 * it. False also where it can't be known. Where they hold, values that a loop hands on and that
 * are always equal become one. */
bool phases_hold(const block_lowering *x, const map *threads);
/* Takes away barriers and all that is done with them. */
void phases_erase(const block_lowering *x);

#endif
