/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Changing a program: what passes share.
 */
#ifndef TSR_OPT_REWRITE_H
#define TSR_OPT_REWRITE_H

#include "ir/ir.h"

/* ---- making operations ---------------------------------------------------------------------- */

/* Like `at`'s, before it. The result of a single-result operation with these operands, every
 * attribute at its default. */
ir_op *rewrite_make(ir_module *m, ir_op *at, op_code opcode, const ir_type *result,
                    uint32_t n_operands, ir_value *const *operands);
/* A constant before `at`. */
ir_value *rewrite_constant(ir_module *m, ir_op *at, const ir_dense *value);
ir_value *rewrite_splat(ir_module *m, ir_op *at, const ir_type *type, uint64_t pattern);
ir_dense *rewrite_splat_dense(ir_module *m, const ir_type *type, uint64_t pattern);
/* Copies the attributes that both rows have. */
void rewrite_copy_attrs(ir_op *to, const ir_op *from);

/* ---- asking --------------------------------------------------------------------------------- */

/* The constant that a value is; NULL when it is none. */
const ir_dense *constant_of(const ir_value *v);
/* Whether it is a constant with one pattern everywhere. */
bool splat_of(const ir_value *v, uint64_t *pattern);
bool is_splat_of(const ir_value *v, uint64_t pattern);
/* The block that a value is defined in. */
ir_block *block_of(const ir_value *v);
/* Whether `op` lies in `block` or in a region below it. */
bool is_inside(const ir_op *op, const ir_block *block);
/* The operation that a jump ends an iteration of, or leaves: past ifs. */
ir_op *jump_target(const ir_op *jump);
/* Every break, continue and return of a block and of the ifs in it: what ends the block early, and
 * its own end. (A jump in a loop below never leaves that loop.) */
typedef VEC(ir_op *) op_list;
void collect_jumps(ir_block *b, arena *a, op_list *out);
/* Whether anything but its own end can leave the block; whether `op` can leave the block it is in.
 */
bool has_early_exit(const ir_block *b);
bool can_leave(const ir_op *op);
/* Whether executing `op` (with all inside it) can be told from not executing it, but for its
 * results: memory, messages, jumps, an endless loop. */
bool has_effect(const ir_op *op);
bool has_uses(const ir_op *op);
/* Whether two operations of the same opcode have the same attributes, but for hints. */
bool has_same_attrs(const ir_op *a, const ir_op *b);

/* ---- replacing ------------------------------------------------------------------------------ */

/* A value takes another's place; it takes its name too when it has none. `v` loses all uses. */
void rewrite_replace_value(ir_value *v, ir_value *by);
/* Replaces all results and erases the operation. */
void rewrite_replace_op(ir_op *op, ir_value *const *by);
/* Moves all operations of a block but the last before `where`. */
void rewrite_splice(ir_block *from, ir_op *where);
/* Erases the operations after `op` in its block. */
void rewrite_erase_behind(ir_op *op);
void rewrite_move_before(ir_op *where, ir_op *op);

/* Drops some members of a list, in place, keeping order. keep[i] tells for member `first` + i of
 * `n`; what follows them moves up. Dropped results and arguments must have no uses. */
void rewrite_keep_operands(ir_op *op, uint32_t first, uint32_t n, const bool *keep, unsigned group);
void rewrite_keep_results(ir_op *op, const bool *keep);
void rewrite_keep_args(ir_block *b, uint32_t first, const bool *keep);

/* ---- cloning -------------------------------------------------------------------------------- */

/* Which value stands for which in a copy. */
typedef struct value_map {
  arena *arena;
  map values;
} value_map;

void value_map_set(value_map *vm, const ir_value *from, ir_value *to);
ir_value *value_map_get(const value_map *vm, ir_value *from); /* itself when it has no other */
/* A copy of an operation with all inside it, in no block yet. Operands go through the map, its
 * results and those inside are added to it. */
ir_op *rewrite_clone(ir_module *m, const ir_op *op, value_map *vm);
/* The same without its regions. */
ir_op *rewrite_clone_shell(ir_module *m, const ir_op *op, value_map *vm);

#endif
