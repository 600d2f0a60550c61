/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/memory/prefetch.h: what will be loaded later.
 */
#ifndef TSR_CPU_MEMORY_PREFETCH_H
#define TSR_CPU_MEMORY_PREFETCH_H

#include "cpu/plan/access.h"

/* Sets the load's step, stays, next, again and late. */
void prefetch_find(lower *l, const ir_op *op, access *a);
/* Sets `across` of a store through pointers, as far as it is known. */
void prefetch_find_across(lower *l, const ir_op *op, access *a);

#endif
