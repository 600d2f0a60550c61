/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/memory/write_prefetch.h: lines that will be written to, fetched before.
 */
#ifndef TSR_CPU_MEMORY_WRITE_PREFETCH_H
#define TSR_CPU_MEMORY_WRITE_PREFETCH_H

#include "cpu/nest/nest.h"
#include "cpu/nest/roots.h"

/* The store to a view after `from`, of which all that says where it goes stands before that; NULL:
 * there is none. */
ir_op *next_store(lower *l, ir_op *from);
/* Before lowering: moves what says where stores through pointers go, in the block and those in it,
 * in front of the reductions before them where it does not depend on these. Triton's programs
 * compute addresses next to the access, too late for the nests that could fetch these lines. */
void raise_store_addresses(ir_block *b);
/* Where the store after the group will put as many elements. */
upcoming_store upcoming_store_of(lower *l, const group *g);

#endif
