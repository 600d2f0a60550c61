/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/elementwise.h: element-wise operations on lanes.
 */
#ifndef TSR_CPU_NEST_ELEMENTWISE_H
#define TSR_CPU_NEST_ELEMENTWISE_H

#include "cpu/core/core.h"
#include "exec/scalar.h"

/* Inline, or through the runtime where the emitters do not have the operation. */
llv gen_elementwise(lower *l, const exec_elementwise *what, llv *operands);

#endif
