/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/memory/row_forward.h: rows that a tile block stores, loads again and stores anew: they stay
 * in scratch memory until then.
 */
#ifndef TSR_CPU_MEMORY_ROW_FORWARD_H
#define TSR_CPU_MEMORY_ROW_FORWARD_H

#include "cpu/plan/access.h"

/* In front of a loop: whether what it stores is forwarded. */
void row_forward_begin(lower *l, const ir_op *loop);
/* Where a load or store goes then. */
void row_forward_access(lower *l, const ir_op *op, access *a);
/* Has the store to do with such a row? Then, when it is non-temporal: an i1; NULL: never. */
bool row_forward_streams(lower *l, const ir_op *store, llv *when);

#endif
