/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ir/multimem.h"

op_code ir_on_one_device(op_code opcode) {
  switch (opcode) {
  case OP_multimem_load_reduce_view_tko: return OP_load_view_tko;
  case OP_multimem_reduce_view_tko: return OP_atomic_red_view_tko;
  case OP_multimem_store_view_tko: return OP_store_view_tko;
  default: return opcode;
  }
}

unsigned ir_view_group(op_code opcode) {
  return opcode == OP_store_view_tko ? 1 : 0;
}

unsigned ir_index_group(op_code opcode) {
  switch (opcode) {
  case OP_store_view_tko:
  case OP_multimem_reduce_view_tko:
  case OP_multimem_store_view_tko: return 2;
  default: return 1;
  }
}

unsigned ir_stored_group(op_code opcode) {
  switch (opcode) {
  case OP_store_view_tko: return 0;
  case OP_atomic_red_view_tko: return 2;
  default: return 1;
  }
}

ir_rmw ir_update_mode(const ir_op *op, tsr_elem elem) {
  static const ir_rmw modes[] = {
      [MULTIMEM_ADD] = RMW_ADD,   [MULTIMEM_MIN] = RMW_MIN,  [MULTIMEM_MAX] = RMW_MAX,
      [MULTIMEM_AND] = RMW_AND,   [MULTIMEM_OR] = RMW_OR,    [MULTIMEM_XOR] = RMW_XOR,
      [MULTIMEM_UMIN] = RMW_UMIN, [MULTIMEM_UMAX] = RMW_UMAX};
  if (op->opcode != OP_multimem_reduce_view_tko) return (ir_rmw)ir_int_attr(op, ATTR_mode);
  int64_t reduction = ir_int_attr(op, ATTR_reduction);
  bool adds_floats = reduction == MULTIMEM_ADD && tsr_elem_is_float(elem);
  return adds_floats ? RMW_ADDF : modes[reduction];
}
