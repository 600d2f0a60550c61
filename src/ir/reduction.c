/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ir/reduction.h"

#include "num/num.h"

/* The only operation of a body that gives what it makes of the two arguments, in any order. */
static const ir_op *only_operation(const ir_op *op) {
  const ir_block *b = ir_region(op, 0);
  const ir_op *only = b->first;
  if (op->n_operands != 1 || only->n_operands != 2 || only->next != b->last) return NULL;
  if (b->last->n_operands != 1 || ir_operand(b->last, 0) != ir_result(only, 0)) return NULL;
  const ir_value *x = ir_operand(only, 0), *y = ir_operand(only, 1);
  bool both = (x == &b->args[0] && y == &b->args[1]) || (x == &b->args[1] && y == &b->args[0]);
  return both ? only : NULL;
}

static bool skips_nans(const ir_op *only, const num_format *f, uint64_t identity) {
  if (!only || !f || !f->has_inf) return false;
  if (only->opcode != OP_minf && only->opcode != OP_maxf) return false;
  if (ir_int_attr(only, ATTR_propagate_nan)) return false;
  return identity == num_inf(f, only->opcode == OP_maxf);
}

uint64_t ir_reduction_start(const ir_op *op, unsigned k) {
  const ir_scalars *s = ir_get_attr(op, ATTR_identities)->scalars;
  tsr_elem elem = (tsr_elem)ir_operand(op, k)->type->elem, given = (tsr_elem)s->data[k].elem;
  const num_format *f = num_format_of(elem);
  uint64_t bits = s->data[k].bits;
  if (given != elem && f && num_format_of(given)) /* f16 given for bf16 */
    bits = num_convert(f, num_format_of(given), bits, NUM_NEAREST_EVEN);
  return skips_nans(only_operation(op), f, bits) ? num_nan(f) : bits;
}
