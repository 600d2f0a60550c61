/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/math.h: element-wise operations: those of llvm/emit.h, and what these leave to the runtime,
 * which a GPU does not have: remainders, integer powers, functions of doubles.
 */
#ifndef TSR_GPU_MATH_H
#define TSR_GPU_MATH_H

#include "gpu/gen.h"

/* A number as the sum of two doubles, of which the second is at most half a last place of the
 * first: 106 bits. */
typedef struct twofold {
  llv high, low;
} twofold;
/* Dekker's product, with the fused multiply-add for its error; where that is not finite (the
 * product is infinite, an operand NaN) the product stands alone. */
twofold gpu_multiply_twofold(emit *e, twofold a, twofold b);

/* sin, cos, tan and pow of f64; NULL: another operation. */
llv gpu_math64(gen *g, op_code opcode, llv *x);

/* One element-wise operation on scalars; never fails. */
llv gpu_elementwise(gen *g, const exec_elementwise *w, llv *operands);

#endif
