/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * fuse-fma: x * y + z and x * y - z, where nothing else wants the product and both operations
 * round and flush alike, become one fma. That rounds once where the program rounds twice, so
 * results change; no level runs this pass.
 */
#include "opt/opt.h"
#include "opt/rewrite.h"

/* The product that is operand i, if it can be fused with `op`. */
static ir_op *product(const ir_op *op, uint32_t i) {
  const ir_value *v = ir_operand(op, i);
  ir_op *mul = ir_defining_op(v);
  if (!mul || mul->opcode != OP_mulf || !ir_has_one_use(v)) return NULL;
  bool alike = ir_int_attr(mul, ATTR_rounding_mode) == ir_int_attr(op, ATTR_rounding_mode) &&
               ir_int_attr(mul, ATTR_flush_to_zero) == ir_int_attr(op, ATTR_flush_to_zero);
  return alike ? mul : NULL;
}

static bool is_product(const ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  return op && op->opcode == OP_mulf;
}

static void fuse(opt_run *r, ir_op *op, ir_op *mul, ir_value *z) {
  if (op->opcode == OP_subf) z = ir_result(rewrite_make(r->m, op, OP_negf, z->type, 1, &z), 0);
  ir_value *operands[] = {ir_operand(mul, 0), ir_operand(mul, 1), z};
  ir_op *fma = rewrite_make(r->m, op, OP_fma, z->type, 3, operands);
  rewrite_copy_attrs(fma, op);
  rewrite_replace_op(op, (ir_value *[]){ir_result(fma, 0)});
  ir_op_erase(mul);
  r->changes++;
}

/* Of two products the left one is fused, as the reference does. */
static void visit(opt_run *r, ir_op *op) {
  uint32_t side = op->opcode == OP_addf && !is_product(ir_operand(op, 0));
  ir_op *mul = product(op, side);
  if (mul) fuse(r, op, mul, ir_operand(op, 1 - side));
}

static void walk_block(opt_run *r, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned k = 0; k < op->n_regions; k++)
      if (op->regions[k]) walk_block(r, op->regions[k]);
    if (op->opcode == OP_addf || op->opcode == OP_subf) visit(r, op);
  }
}

void opt_fuse_fma(opt_run *r) {
  walk_block(r, ir_region(r->m->op, 0));
}
