/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Groups of threads become one program, without barriers: put together where they keep step and
 * each wait is known to be over (fuse.h, phases.h), else in turns (turns.h).
 */
#ifndef TSR_BLOCK_UNITE_H
#define TSR_BLOCK_UNITE_H

#include "block/lower.h"

/* Both are behind engines_lower. */

/* False: they do not keep step, and the kernel is as it was. */
bool unite_in_step(const block_lowering *x);
void unite_in_turns(const block_lowering *x);

#endif
