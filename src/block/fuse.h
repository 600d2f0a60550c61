/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Teams whose groups keep step, as one program: what precedes their loops, one group
 * after the other, then one loop for the loops of all, whose bodies are put together in the same
 * way. A producer and its consumers become a loop that produces and consumes a step at a time.
 * Whether waits are then over when they begin is asked afterwards (phases.h).
 */
#ifndef TSR_BLOCK_FUSE_H
#define TSR_BLOCK_FUSE_H

#include "block/lower.h"

/* Behind teams_settle. `backwards`: of each team the last group first. False where loops of a team
 * do not belong together; the kernel is then of no use. */
bool fuse_teams(const block_lowering *x, bool backwards);

#endif
