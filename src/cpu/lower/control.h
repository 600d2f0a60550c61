/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/lower/control.h: if, for, loop and their jumps.
 */
#ifndef TSR_CPU_LOWER_CONTROL_H
#define TSR_CPU_LOWER_CONTROL_H

#include "cpu/core/core.h"

void lower_if(lower *l, ir_op *op);
void lower_for(lower *l, ir_op *op);
void lower_loop(lower *l, ir_op *op);
void lower_jump(lower *l, ir_op *op);

#endif
