/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The access of a load or store, with what is known of its neighbours in time: what will be loaded
 * later (prefetch.c), and whether it goes to a row in scratch memory (row_forward.c).
 */
#include "cpu/memory/prepare.h"

#include "cpu/plan/access.h"
#include "cpu/nest/scalar.h"
#include "cpu/memory/prefetch.h"
#include "cpu/memory/row_forward.h"

bool access_prepare(lower *l, const ir_op *op, access **out) {
  uint32_t n;
  ir_use *index;
  switch (op->opcode) {
  case OP_load_ptr_tko:
    *out =
        access_of_pointers(l, op, ir_operand_in(op, 0), ir_operand_in(op, 1), ir_operand_in(op, 2));
    prefetch_find(l, op, *out);
    return true;
  case OP_store_ptr_tko:
    *out = access_of_pointers(l, op, ir_operand_in(op, 0), ir_operand_in(op, 2), NULL);
    prefetch_find_across(l, op, *out);
    return true;
  case OP_load_view_tko:
    index = access_indices(op, &n);
    *out = access_of_view(l, op, ir_operand_in(op, 0), index, n, scalar_of);
    prefetch_find(l, op, *out);
    row_forward_access(l, op, *out);
    return true;
  case OP_store_view_tko:
    index = access_indices(op, &n);
    *out = access_of_view(l, op, ir_operand_in(op, 1), index, n, scalar_of);
    row_forward_access(l, op, *out);
    return true;
  case OP_atomic_red_view_tko:
    index = access_indices(op, &n);
    *out = access_of_view(l, op, ir_operand_in(op, 0), index, n, scalar_of);
    return true;
  case OP_atomic_cas_tko:
    *out = access_of_pointers(l, op, ir_operand_in(op, 0), ir_operand_in(op, 3), NULL);
    return true;
  case OP_atomic_rmw_tko:
    *out = access_of_pointers(l, op, ir_operand_in(op, 0), ir_operand_in(op, 2), NULL);
    return true;
  default: return false;
  }
}
