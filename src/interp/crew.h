/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * crew: the threads of a tile block that go separate ways, and the tile blocks of a cluster.
 *
 * Each group, role and elect of the block level is a coroutine. One executes until it waits (for a
 * phase of an mbarrier, at a named barrier, for its own groups) or ends; then the next has its
 * turn. All have the values of the block in one memory, in which no two share a place.
 */
#ifndef TSR_INTERP_CREW_H
#define TSR_INTERP_CREW_H

#include "interp/internal.h"

typedef enum crew_state {
  CREW_DONE,
  CREW_WAITS, /* for what other tile blocks do */
  CREW_STUCK, /* all wait, and nobody is left to wake them: it was reported */
} crew_state;

/* Whether a kernel needs one: it has groups, or waits. */
bool crew_is_needed(ir_op *entry);

/* Begins with all threads of the tile block that has this frame, and of its cluster: the frame is
 * that of rank 0. NULL: out of memory, which was reported. */
crew *crew_create(interp_program *p, const frame *whole);
crew_state crew_run(crew *c);
void crew_destroy(crew *c);

/* Of a cluster: its tile blocks by their rank, the one with rank 0, and whether one has not ended.
 */
struct cluster_member *crew_cluster(const frame *f);
const rt_block *crew_first_block(const frame *f);
bool crew_is_running(const frame *f, uint32_t rank);

#endif
