/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/plan/product.h: matrix products as the program has them.
 */
#ifndef TSR_CPU_PLAN_PRODUCT_H
#define TSR_CPU_PLAN_PRODUCT_H

#include "cpu/plan/scratch.h"

/* Rows of lhs up to which rhs is not worth copying: it is read where it lies. */
enum { PRODUCT_FEW_ROWS = 16 };

typedef struct product {
  ir_op *op;
  int64_t batches, m, n, k;
  tsr_elem elem;      /* that is multiplied and added */
  bool in_sum_blocks; /* see emit_mma */
  llv rows, cols;     /* how many of m and n count; NULL: all */
} product;

/* Of mmaf or mmai. */
product product_of_op(ir_op *op, tsr_elem elem);
tsr_elem product_elem(const ir_op *op);
/* How lhs (0) or rhs (1) is kept for the micro-kernel. */
buffer_format product_format(const ir_op *op, unsigned side);

#endif
