/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which matrix instruction the layouts of a product ask for.
 */
#ifndef TSR_IR_BLOCK_PRODUCT_H
#define TSR_IR_BLOCK_PRODUCT_H

#include "ir/ir.h"

/* Of an mmaf or mmai of rank 2 whose tiles have layouts: the name of the fragments that they are
 * grids of ("mma.m16n8k16", as tsr_fragment knows them), "fma" where each thread has the row and
 * the column of its elements and multiplies them by itself, NULL where neither is so. */
const char *ir_product_instruction(const ir_op *op);

#endif
