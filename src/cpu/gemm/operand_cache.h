/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/operand_cache.h: right operands of products in a loop that every tile block computes
 * again.
 */
#ifndef TSR_CPU_GEMM_OPERAND_CACHE_H
#define TSR_CPU_GEMM_OPERAND_CACHE_H

#include "cpu/plan/scratch.h"

/* Before the loop: room for them. */
void operand_cache_begin(lower *l, ir_op *loop);
/* The operand of this iteration, NULL where there is none. Of pairs it tells what is lowest (see
 * emit_pairs_lowest). `step`: as that of a matrix. */
buffer *operand_cache_find(lower *l, ir_op *op, llv *lowest, llv *step);

#endif
