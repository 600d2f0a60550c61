/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/zero_rows.h: slices of a left operand in which rows have nothing but zeros, and are
 * left out.
 */
#ifndef TSR_CPU_GEMM_ZERO_ROWS_H
#define TSR_CPU_GEMM_ZERO_ROWS_H

#include "cpu/gemm/rows.h"

/* Can so many rows lack slices, which are left out? */
bool zero_rows_fit(const lower *l, int64_t m);
/* How many of a chunk's first `filled` slices each row has nothing in: the table has the address of
 * zeros for it. */
void zero_rows_count(lower *l, buffer *table, int64_t slices, llv filled, buffer *zero_slices);
/* How many rows lack how many, in a word. */
llv zero_rows_sizes(lower *l, const row_order *order, const buffer *zero_slices);
/* An i1: does any that counts lack some? */
llv zero_rows_any(lower *l, const row_order *order, llv sizes);
/* Then their order with those that lack as much one after the other, and those that don't count
 * after all. */
void zero_rows_sort(lower *l, const row_order *order, const buffer *zero_slices, llv sizes,
                    const buffer *sorted);

#endif
