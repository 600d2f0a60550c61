/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Groups that execute at once: the roles of a `roles`, or groups one behind the other with nothing
 * between them but scalars. A group that is alone, and one that never waits, is executed where it
 * stands: its body takes its place.
 */
#ifndef TSR_BLOCK_TEAMS_H
#define TSR_BLOCK_TEAMS_H

#include "block/lower.h"

/* Whether it is a wait at a barrier of some kind. */
bool team_is_wait(const ir_op *op);
/* Whether it waits for what other threads do: at a barrier, or in a loop that looks at memory. */
bool team_waits(const ir_op *op);
/* Whether it has a loop that looks at memory which others may write. */
bool team_spins(const ir_op *op);
/* A team begins with this operation: a `roles`, or the first of several groups. */
bool team_begins(const ir_op *op);
/* Its first group, which the others follow. */
ir_op *team_first(ir_op *op);
/* The next of it; NULL: there is none. */
ir_op *team_next(ir_op *member);
/* Whether two groups have common threads. */
bool team_share_threads(const ir_op *a, const ir_op *b);

/* Leaves no group that is not in a team. */
void teams_settle(const block_lowering *x);

#endif
