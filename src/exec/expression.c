/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exec/expression.h"

#include "exec/scalar.h"

enum { MOST_OPERATIONS = 64 /* counted as often as they are used */ };

static bool is_argument(const ir_value *v) {
  return v->is_arg && v->owner.block->parent && v->owner.block->parent->opcode == OP_entry;
}

/* Its operand is its value: a scalar stays what it is. */
static bool hands_on(const ir_op *op) {
  return op->opcode == OP_assume || op->opcode == OP_reshape || op->opcode == OP_broadcast;
}

static bool counts(const ir_value *v, unsigned *left) {
  if (v->type->kind != IR_TILE || v->type->count != 1 || *left == 0) return false;
  --*left;
  if (v->is_arg) return is_argument(v);
  const ir_op *op = ir_defining_op(v);
  if (op->opcode == OP_constant) return true;
  if (hands_on(op)) return counts(ir_operand(op, 0), left);
  if (!(ir_row(op)->traits & TRAIT_ELEMENTWISE)) return false;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!counts(ir_operand(op, i), left)) return false;
  return true;
}

bool exec_is_expression(const ir_value *v) {
  unsigned left = MOST_OPERATIONS;
  return counts(v, &left);
}

uint64_t exec_expression(const ir_value *v, const uint64_t *words) {
  if (v->is_arg) return words[v->index];
  const ir_op *op = ir_defining_op(v);
  if (op->opcode == OP_constant) return ir_dense_get(ir_get_attr(op, ATTR_value)->dense, 0);
  if (hands_on(op)) return exec_expression(ir_operand(op, 0), words);
  exec_elementwise what = exec_elementwise_of(op);
  uint64_t operands[3] = {0};
  for (unsigned i = 0; i < what.n_operands; i++)
    operands[i] = exec_expression(ir_operand(op, i), words);
  return exec_scalar(&what, operands);
}
