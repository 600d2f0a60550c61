/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products as the program has them: sizes, and what is multiplied.
 */
#include "cpu/plan/product.h"

product product_of_op(ir_op *op, tsr_elem elem) {
  const ir_type *a = ir_operand(op, 0)->type, *b = ir_operand(op, 1)->type;
  unsigned r = a->rank;
  return (product){.op = op,
                   .batches = r == 3 ? a->shape[0] : 1,
                   .m = a->shape[r - 2],
                   .n = b->shape[r - 1],
                   .k = a->shape[r - 1],
                   .elem = elem,
                   .in_sum_blocks = op->opcode == OP_mmaf && a->elem == TSR_F16};
}

tsr_elem product_elem(const ir_op *op) {
  if (op->opcode == OP_mmai) return TSR_I32;
  return ir_operand(op, 2)->type->elem == TSR_F64 ? TSR_F64 : TSR_F32;
}

buffer_format product_format(const ir_op *op, unsigned side) {
  if (op->opcode != OP_mmai) return FORMAT_LANES;
  unsigned attr = side == 0 ? ATTR_signedness_lhs : ATTR_signedness_rhs;
  return ir_int_attr(op, attr) == SIGN_SIGNED ? FORMAT_SIGNED : FORMAT_UNSIGNED;
}
