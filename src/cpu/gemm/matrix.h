/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/matrix.h: matrix products: mmaf, mmai and mmaf_scaled.
 */
#ifndef TSR_CPU_GEMM_MATRIX_H
#define TSR_CPU_GEMM_MATRIX_H

#include "cpu/core/core.h"

void lower_mma(lower *l, ir_op *op);
void lower_mma_scaled(lower *l, ir_op *op);

#endif
