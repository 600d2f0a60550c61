/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Waits for accesses to memory that others may see from now on.
 *
 * LLVM puts waits where a fence releases memory, and takes those back that nothing under way asks
 * for. In version 22 it looks at a loop's first block before the loop's last, and takes back waits
 * for what the turn before has left under way (SIInsertWaitcnts; llvm-project pull request 220356
 * has the case). Waits that are asked for by name it keeps.
 */
#ifndef TSR_GPU_AMDGCN_WAITS_H
#define TSR_GPU_AMDGCN_WAITS_H

#include "gpu/gen.h"

/* Of the LDS, and of all else that waves of a workgroup have in common. */
void amdgcn_wait_workgroup(gen *g);
/* Of all memory. */
void amdgcn_wait_memory(gen *g);

#endif
