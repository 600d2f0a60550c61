/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/rows.h: left operands whose rows lie anywhere, and need no copy.
 */
#ifndef TSR_CPU_GEMM_ROWS_H
#define TSR_CPU_GEMM_ROWS_H

#include "cpu/plan/access.h"

/* Is that to be expected of this value? (Where it is a plain load of a matrix, operand_in_place
 * says more.) */
bool rows_expected(const ir_value *v, tsr_elem elem);
/* Do its elements lie next to each other in memory along its rows' numbers, as the program has it?
 */
bool rows_transposed(const ir_value *v);
/* Do those of each row? Is it a load of a view with elements of that type? */
bool columns_adjoin(const ir_value *v, tsr_elem elem);
/* So many bytes that are zero. */
enum { ROW_OF_ZEROS = 4096 };
llv rows_zeros(lower *l);
/* An i1 that says whether the address of each row of `v` says all; NULL when it can't. `length`: an
 * i64, how many elements along k, from the first on, are all that exists of any row (where the
 * address says all: of each that exists). */
llv rows_find(lower *l, ir_value *v, buffer *to, llv *length);
/* How many rows of a right operand of 2^n_bits columns, from the first on, are all that are not
 * zero, as far as its load says it; an i64. */
llv rows_length_of_b(lower *l, ir_value *v, unsigned n_bits);
/* Puts these addresses (i64, of the row's first element) into a buffer and gives the load that they
 * are of; or those of rows row_bytes apart. */
const access *rows_write(lower *l, ir_value *v, buffer *to);
void rows_write_copies(lower *l, llv first, int64_t row_bytes, buffer *to);
/* The same for the rows of 2^n_bits elements that a store of a view writes. Where the condition
 * does not hold, and for rows that don't exist: those of a buffer, row_bytes apart from `others`
 * on. */
llv rows_of_store(lower *l, const access *a, unsigned n_bits);
void rows_write_result(lower *l, const access *a, llv condition, llv others, int64_t row_bytes,
                       buffer *to);
/* All numbers of rows (i64) of a tile of 2^m_bits rows of 2^n_bits elements, the ones that the
 * store `a` keeps first (NULL: it keeps all), and how many these are, at least 1. */
typedef struct row_order {
  llv list, count;
  buffer *buffer; /* where the list may lie; NULL: it is constant */
} row_order;
row_order rows_order(lower *l, const access *a, unsigned n_bits, unsigned m_bits);

#endif
