/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/memory/prepare.h: the access of an operation, with what is known of other accesses.
 */
#ifndef TSR_CPU_MEMORY_PREPARE_H
#define TSR_CPU_MEMORY_PREPARE_H

#include "cpu/plan/access.h"

/* Of any load or store. */
bool access_prepare(lower *l, const ir_op *op, access **out);

#endif
