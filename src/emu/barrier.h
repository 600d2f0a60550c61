/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Barriers of a block and of a cluster. They count threads.
 */
#ifndef TSR_EMU_BARRIER_H
#define TSR_EMU_BARRIER_H

#include "emu/schedule.h"

/* Lanes arrive at barrier `id` for `count` threads (0: all of the block); false after a fault.
 * `yes` are the lanes whose predicate is true. */
bool emu_barrier_arrive(emu_warp *w, emu_insn i, emu_lanes lanes, uint32_t id, uint32_t count,
                        emu_lanes yes);
/* Lanes that have arrived wait there, the others of the split go on. */
emu_step emu_barrier_wait(emu_warp *w, emu_lanes lanes, uint32_t id);
/* Lets those that wait through when all have arrived. */
void emu_barrier_check(emu_block *b, uint32_t id);

/* The same of the cluster's barrier. */
emu_step emu_cluster_arrive(emu_warp *w, emu_insn i, emu_lanes lanes, bool relaxed);
emu_step emu_cluster_wait(emu_warp *w, emu_insn i, emu_lanes lanes);

/* Threads have ended: barriers that waited for them may be complete. */
void emu_barriers_ended(emu_block *b);

#endif
