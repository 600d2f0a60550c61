/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What every engine should know alike of reduce and scan.
 */
#ifndef TSR_IR_REDUCTION_H
#define TSR_IR_REDUCTION_H

#include "ir/ir.h"

/* The value that combining may start from, and be combined with as often as an engine likes: the
 * identity of operand k, as a pattern of the operand's element type.
 *
 * But where the body is one minf or maxf that takes the number beside a NaN, it is NaN instead of
 * an infinity: it is what changes nothing there, so that of NaNs only comes NaN, as on GPUs, where
 * the infinity would come otherwise. The language lets an engine do without the identity. */
uint64_t ir_reduction_start(const ir_op *op, unsigned k);

#endif
