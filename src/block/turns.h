/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Teams whose groups wait for each other, in one thread: they take turns. Each group, and what is
 * around the teams, is a process. Its program is cut into states where it waits, and where a loop
 * or a branch with a wait in it begins and ends; one loop goes through all processes and executes
 * the state that each has come to when its wait is over. Values that live from one state to another
 * lie in memory. When no process can go on, an assert fails where the first of them waits.
 *
 * A kernel without teams waits for nobody: its waits are asserts.
 */
#ifndef TSR_BLOCK_TURNS_H
#define TSR_BLOCK_TURNS_H

#include "block/barriers.h"

/* Behind barriers_lower and teams_settle; leaves no group, no barrier and no mbarrier. */
void turns_lower(const block_lowering *x, const barriers *b);

#endif
