/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/plan_check.h: whether a plan's distributions fit the tiles and the threads that it is for.
 */
#ifndef TSR_SIMT_PLAN_CHECK_H
#define TSR_SIMT_PLAN_CHECK_H

#include "simt/plan.h"

/* What is wrong with what simt_assign has decided for an entry; NULL: nothing. */
const char *simt_plan_problem(const simt_plan *p, ir_op *entry);

#endif
