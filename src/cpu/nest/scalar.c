/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scalars: expressions of one element as SSA values.
 */
#include "cpu/nest/scalar.h"

#include "cpu/core/fold.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/group.h"
#include "cpu/nest/nest.h"

llv scalar_of(lower *l, ir_value *v) {
  value *x = value_of(l, v);
  if (x->pending) group_flush(l);
  if (x->kind == VALUE_SCALAR) return x->scalar;
  ir_op *op = ir_defining_op(v);
  if (op && op->opcode == OP_constant)
    return emit_pattern(&l->e, v->type->elem, ir_dense_get(ir_get_attr(op, ATTR_value)->dense, 0));
  return scalar_gen(l, v);
}

llv scalar_gen(lower *l, ir_value *v) {
  nest n;
  group_flush(l);
  nest_begin(&n, l, 0, false);
  index_map none = {0};
  lane_value r = gen(&n, v, &none);
  nest_end(&n);
  return r.v;
}

llv for_rounds(lower *l, const ir_op *loop) {
  LLVMBuilderRef b = l->e.b;
  llv from = scalar_of(l, ir_operand(loop, 0)), to = scalar_of(l, ir_operand(loop, 1)),
      step = scalar_of(l, ir_operand(loop, 2));
  llv rounds = LLVMBuildSub(b, to, from, "");
  int64_t by = 0;
  if (!is_const(step, &by)) { /* 0 would be a fault of the processor's */
    llv none = LLVMBuildIsNull(b, step, "");
    rounds = LLVMBuildUDiv(b, rounds, LLVMBuildSelect(b, none, rounds, step, ""), "");
  } else if (by > 1) {
    rounds = LLVMBuildUDiv(b, rounds, step, "");
  }
  return LLVMBuildZExtOrBitCast(b, rounds, l->e.i64, "");
}
