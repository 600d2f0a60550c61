/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scalars of the tile block in memory, and operations that compute with scalars.
 */
#ifndef TSR_BLOCK_CELLS_H
#define TSR_BLOCK_CELLS_H

#include "ir/ir.h"

/* Where operations are made. */
typedef struct cell_maker {
  ir_module *m;
  ir_op *at; /* before it */
} cell_maker;

/* So many i32 at the beginning of the kernel, without values. */
ir_value *cells_alloca(ir_module *m, ir_op *entry, ir_loc loc, int64_t count);

/* `number` elements behind a pointer, and so many more as `index` says (NULL: none). */
ir_value *cell_pointer(const cell_maker *k, ir_value *base, int64_t number, ir_value *index);
ir_value *cell_load(const cell_maker *k, ir_value *pointer);
void cell_store(const cell_maker *k, ir_value *pointer, ir_value *v);

ir_value *cell_number(const cell_maker *k, int64_t n); /* of i32 */
ir_value *cell_binary(const cell_maker *k, op_code opcode, ir_value *a, ir_value *b);
/* Signed, of two integers: an i1. */
ir_value *cell_compare(const cell_maker *k, int64_t predicate, ir_value *a, ir_value *b);
ir_value *cell_select(const cell_maker *k, ir_value *condition, ir_value *a, ir_value *b);
/* An i1 as 0 or 1 of i32. */
ir_value *cell_of_bit(const cell_maker *k, ir_value *bit);
void cell_assert(const cell_maker *k, ir_value *condition, str message);

/* An `if` without an else, with an empty body that ends in a yield. */
ir_block *cell_branch(const cell_maker *k, ir_value *condition);

#endif
