/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A cluster of blocks (often of one), executed by one host thread.
 */
#ifndef TSR_EMU_CLUSTER_H
#define TSR_EMU_CLUSTER_H

#include "emu/machine.h"

/* A cluster's memory, all blocks and warps of it; NULL: no memory. */
emu_cluster *cluster_create(emu_grid *g);
void cluster_destroy(emu_cluster *c);
/* Makes it cluster number `linear` of the grid. False after a fault. */
bool cluster_begin(emu_cluster *c, uint64_t linear);
/* Executes about `slice` instructions; true when all its threads have ended. */
bool cluster_run(emu_cluster *c, uint64_t slice);
void cluster_end(emu_cluster *c);

#endif
