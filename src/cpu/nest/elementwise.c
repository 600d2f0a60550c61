/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element-wise operations on lanes: inline, or where nobody has emitted the operation so far by a
 * call of the runtime.
 */
#include "llvm/conv.h"
#include "llvm/elementwise.h"

#include "cpu/nest/elementwise.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"

/* `what` as a constant of the module. */
static llv embed(lower *l, const exec_elementwise *what) {
  return lower_global_bytes(l, what, sizeof *what, 8);
}

static llv to_storage(lower *l, tsr_elem elem, llv v) {
  llv s = emit_encode(&l->e, elem, v);
  return tsr_elem_bits(elem) == 4 && emit_lanes(s) > 1 ? emit_pack4(&l->e, s) : s;
}

/* Through the runtime: operands and result travel on the stack. */
static llv call_runtime(lower *l, const exec_elementwise *what, llv *operands) {
  emit *e = &l->e;
  unsigned lanes = emit_lanes(operands[0]);
  llv table = lower_alloca(l, LLVMArrayType2(e->ptr, 3), 8);
  for (unsigned i = 0; i < what->n_operands; i++) {
    llv s = to_storage(l, what->operands[i], operands[i]);
    llv slot = lower_alloca(l, LLVMTypeOf(s), 64);
    LLVMBuildStore(e->b, s, slot);
    llv at = k64(l, i);
    LLVMBuildStore(e->b, slot, LLVMBuildGEP2(e->b, e->ptr, table, &at, 1, ""));
  }
  bool nibbles = tsr_elem_bits(what->result) == 4 && lanes > 1;
  LLVMTypeRef type = emit_storage_type(e, what->result);
  if (lanes > 1) type = LLVMVectorType(type, nibbles ? lanes / 2 : lanes);
  llv result = lower_alloca(l, type, 64);
  LLVMTypeRef params[] = {e->ptr, e->ptr, e->ptr, e->i64};
  LLVMTypeRef signature = LLVMFunctionType(e->void_, params, 4, 0);
  llv args[] = {embed(l, what), result, table, k64(l, lanes)};
  LLVMBuildCall2(e->b, signature, lower_hook(l, 1), args, 4, "");
  llv v = LLVMBuildLoad2(e->b, type, result, "");
  if (nibbles) v = emit_unpack4(e, v);
  return emit_decode(e, what->result, v);
}

llv gen_elementwise(lower *l, const exec_elementwise *what, llv *operands) {
  if (emit_elementwise_supported(&l->e, what)) return emit_elementwise(&l->e, what, operands);
  return call_runtime(l, what, operands);
}
