/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/operand.h: operands of products as matrices.
 */
#ifndef TSR_CPU_GEMM_OPERAND_H
#define TSR_CPU_GEMM_OPERAND_H

#include "cpu/plan/scratch.h"

/* A matrix in memory: strides count bytes. */
typedef struct matrix {
  llv ptr, batch, row, col;
  llv step; /* bytes from here to what will be read next, 0 where that is near; NULL: unknown */
  buffer *buffer; /* NULL: not in scratch memory */
  bool in_place;  /* where the program has it, unless that turns out not to do */
} matrix;

/* A row-major tile. */
matrix operand_in_buffer(lower *l, buffer *b, int64_t rows, int64_t cols);
/* The lazy load that a value is, but for reshapes, which leave the bits of the index where they
 * are; NULL: it is none. */
ir_value *operand_loaded(lower *l, ir_value *v);
/* A plain load of rows of neighbours, as it lies in memory, and the i1 that says whether all of it
 * is there and is what it is taken for (NULL: it is). False when it is no such load. */
bool operand_in_place(lower *l, ir_value *v, tsr_elem elem, matrix *out, llv *holds);

#endif
