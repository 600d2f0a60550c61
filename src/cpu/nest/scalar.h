/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/scalar.h: scalars: expressions of one element as SSA values.
 */
#ifndef TSR_CPU_NEST_SCALAR_H
#define TSR_CPU_NEST_SCALAR_H

#include "cpu/core/core.h"

/* One element as an SSA value: of a scalar, or of a constant that is one number everywhere. */
llv scalar_of(lower *l, ir_value *v);
/* Evaluates a one-element expression. */
llv scalar_gen(lower *l, ir_value *v);
/* How often a `for` runs if that is not much, as an i64: to decide what is faster. */
llv for_rounds(lower *l, const ir_op *loop);

#endif
