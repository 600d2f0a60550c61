/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Groups of threads become one program, without barriers: put together where they keep step and
 * each wait is known to be over (fuse.h, phases.h), else in turns (turns.h).
 */
#ifndef TSR_BLOCK_UNITE_H
#define TSR_BLOCK_UNITE_H

#include "block/lower.h"

/* Behind engines_lower. */
void unite_groups(const block_lowering *x);

#endif
