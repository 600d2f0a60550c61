/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/lower/lower.h: the walk over a kernel's operations in program order.
 */
#ifndef TSR_CPU_LOWER_LOWER_H
#define TSR_CPU_LOWER_LOWER_H

#include "cpu/core/core.h"

/* One kernel, from its operations to a function of l->e.module. False when it has been reported
 * what cannot be compiled. */
bool lower_kernel(lower *l);
/* The operations of a region. */
void lower_block(lower *l, ir_block *b);

#endif
