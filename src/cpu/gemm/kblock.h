/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/kblock.h: products along a loop, several iterations at a time.
 *
 *   for … iter_values(acc) { …; acc' = mma a, b, acc; continue acc' }
 *
 * Nobody sees the accumulator while the loop runs, so the products may be added up later: each
 * iteration only writes its operands, a *slice*, to where the micro-kernel wants them, and once a
 * *chunk* of slices is full (about CHUNK_K along k: kblock.c), or the loop has ended, one call
 * multiplies all of it. So the accumulator goes through the registers once per chunk, not once per
 * iteration.
 */
#ifndef TSR_CPU_GEMM_KBLOCK_H
#define TSR_CPU_GEMM_KBLOCK_H

#include "cpu/plan/product.h"

typedef struct for_range {
  llv index, upper, step; /* of this iteration; the loop's */
} for_range;

/* Before a `for`, and where it has ended. */
void kblock_begin(lower *l, ir_op *loop, const for_range *range);
void kblock_end(lower *l, ir_op *loop);
/* Stands for the product of one iteration, to be added to `acc`; false when it isn't put off. */
bool kblock_add(lower *l, ir_op *op, buffer *acc);
/* Is this product put off? */
bool kblock_defers(const lower *l, const ir_op *op);
/* Need the buffer of the loop's iteration value not hold what it starts from? */
bool kblock_starts_empty(lower *l, ir_op *loop, uint32_t index);
/* An i1 that says whether what the store stores is there already; NULL: it isn't. */
llv kblock_stored(lower *l, const ir_op *store);
/* Sets the product's rows and cols where it is known that the others never reach memory. */
void kblock_extents(lower *l, product *p);

#endif
