/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ir/multimem.h: operations on memory that several devices have a copy of, and the operations on
 * views that they are for one device alone, whose copy is the only one: a combined load is a load,
 * a store to all copies is a store, an update of all is an atomic update.
 */
#ifndef TSR_IR_MULTIMEM_H
#define TSR_IR_MULTIMEM_H

#include "ir/ir.h"

/* load_view_tko, store_view_tko or atomic_red_view_tko; any other operation is itself. */
op_code ir_on_one_device(op_code opcode);

/* Operand groups of an access to a tile of a view: the view, its index, and the tile that is stored
 * or combined. */
unsigned ir_view_group(op_code opcode);
unsigned ir_index_group(op_code opcode);
unsigned ir_stored_group(op_code opcode);

/* How an operation with a mode or a reduction combines elements of this type. */
ir_rmw ir_update_mode(const ir_op *op, tsr_elem elem);

#endif
