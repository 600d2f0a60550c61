/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/block/groups.h: groups of threads with programs of their own.
 */
#ifndef TSR_GPU_BLOCK_GROUPS_H
#define TSR_GPU_BLOCK_GROUPS_H

#include "gpu/gen.h"

/* The bits of the numbers of so many threads, rounded up. */
simt_threads gpu_thread_numbers(const gen *g, uint32_t n);

/* Before code is made: which named barriers are taken, and how many registers a thread begins with.
 * False after a message. */
bool gpu_plan_groups(gen *g);

/* group, role, elect */
void gpu_group(gen *g, ir_op *op);
void gpu_roles(gen *g, ir_op *op);
/* At the end of a role that has registers of its own: it has those of the block again. */
void gpu_end_role(gen *g, const ir_op *role);
/* barrier_arrive and barrier_wait */
void gpu_named_barrier(gen *g, const ir_op *op);

#endif
