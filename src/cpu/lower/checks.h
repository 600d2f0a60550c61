/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/lower/checks.h: bounds and assumptions, when cpu_options.checks asks for them: each function
 * comes in front of an operation, check_access between access_prepare and the first use of the
 * access.
 */
#ifndef TSR_CPU_LOWER_CHECKS_H
#define TSR_CPU_LOWER_CHECKS_H

#include "cpu/plan/access.h"

void check_access(lower *l, ir_op *op, access *a);
void check_slice(lower *l, ir_op *op); /* of extract, insert */
void check_assume(lower *l, ir_op *op);

/* What an alloca was given. */
typedef struct alloca_memory {
  buffer *buffer;
  uint64_t bytes, align;
} alloca_memory;
/* An alloca's address, anywhere after it. */
llv alloca_address(lower *l, const alloca_memory *m);

#endif
