/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/plan/plan_check.h: whether a plan agrees with the kernel that it is for.
 */
#ifndef TSR_CPU_PLAN_PLAN_CHECK_H
#define TSR_CPU_PLAN_PLAN_CHECK_H

#include "cpu/core/core.h"

/* What is wrong with what plan_kernel has decided; NULL: nothing. */
const char *plan_problem(lower *l);

#endif
