/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions such as exp as element-wise operations: by an instruction of the target, or as vmath.h
 * has them for float and double.
 */
#include "llvm/arith.h"
#include "llvm/conv.h"
#include "llvm/elementwise.h"
#include "llvm/lanes.h"
#include "llvm/nans.h"
#include "llvm/vmath.h"

static vmath_fn function_of(const exec_elementwise *w) {
  switch (w->operands[0]) {
  case TSR_F16:
  case TSR_BF16:
  case TSR_F32: return vmath32_function((op_code)w->opcode);
  case TSR_F64: return vmath64_function((op_code)w->opcode);
  default: return NULL;
  }
}

bool vmath_supported(emit *e, const exec_elementwise *w) {
  (void)e;
  bool narrow = w->result != TSR_F32 && w->result != TSR_F64;
  return function_of(w) != NULL && !(narrow && w->flush_to_zero);
}

lanes emit_usual(emit *e, const exec_elementwise *w, lanes x, lanes *all_usual) {
  if (w->n_operands != 1 || function_of(w) == NULL || w->operands[0] == TSR_F64 || e->gpu)
    return NULL;
  x = lanes_any_nan(x);
  if (w->flush_to_zero) x = lanes_flush(e, x);
  lanes is_rare, r = vmath32_usual(e, (op_code)w->opcode, x, &is_rare);
  if (r == NULL) return NULL;
  LLVMTypeRef bits = LLVMIntTypeInContext(e->llvm, emit_lanes(x));
  *all_usual = i_cmpk(e, LLVMIntEQ, LLVMBuildBitCast(e->b, is_rare, bits, ""), 0);
  r = emit_round(e, (tsr_elem)w->result, r);
  return w->flush_to_zero ? lanes_flush(e, r) : r;
}

lanes vmath_emit(emit *e, const exec_elementwise *w, lanes *operands) {
  lanes x[3], by_instruction;
  if (e->native_function && e->native_function(e, (op_code)w->opcode, lanes_any_nan(operands[0]),
                                               w->flush_to_zero, &by_instruction))
    return lanes_canonical(e, emit_round(e, (tsr_elem)w->result, by_instruction));
  for (unsigned i = 0; i < w->n_operands; i++) {
    x[i] = lanes_any_nan(operands[i]);
    if (w->flush_to_zero) x[i] = lanes_flush(e, x[i]);
  }
  lanes r = emit_round(e, (tsr_elem)w->result, function_of(w)(e, x));
  return lanes_canonical(e, w->flush_to_zero ? lanes_flush(e, r) : r);
}
