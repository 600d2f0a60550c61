/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counted loops of the micro-kernel.
 */
#include "cpu/gemm/ukernel/mma.h"

loop mma_loop_begin(mma *g, int64_t most, LLVMValueRef ends_at) {
  emit *e = g->e;
  loop l = {.once = most == 1, .ends_at = ends_at, .before = LLVMGetInsertBlock(e->b)};
  if (l.once) return l;
  l.body = new_block(g);
  LLVMBuildBr(e->b, l.body);
  LLVMPositionBuilderAtEnd(e->b, l.body);
  l.index = LLVMBuildPhi(e->b, e->i64, "");
  return l;
}

LLVMValueRef mma_loop_carry(mma *g, loop *l, LLVMValueRef start) {
  if (l->once) return start;
  LLVMValueRef phi = LLVMBuildPhi(g->e->b, LLVMTypeOf(start), "");
  LLVMAddIncoming(phi, &start, &l->before, 1);
  return phi;
}

void mma_loop_next(mma *g, loop *l, LLVMValueRef phi, LLVMValueRef value) {
  if (l->once) return;
  LLVMBasicBlockRef from = LLVMGetInsertBlock(g->e->b);
  LLVMAddIncoming(phi, &value, &from, 1);
}

void mma_loop_end(mma *g, loop *l) {
  if (l->once) return;
  emit *e = g->e;
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b);
  LLVMBasicBlockRef after = new_block(g);
  LLVMValueRef next = LLVMBuildNUWAdd(e->b, l->index, i64_of(g, 1), "");
  LLVMValueRef start = i64_of(g, 0);
  LLVMAddIncoming(l->index, &start, &l->before, 1);
  LLVMAddIncoming(l->index, &next, &from, 1);
  LLVMValueRef more = LLVMBuildICmp(e->b, LLVMIntNE, next, l->ends_at, "");
  LLVMBuildCondBr(e->b, more, l->body, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}
