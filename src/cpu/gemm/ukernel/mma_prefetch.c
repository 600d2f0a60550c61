/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory that will be needed soon: see mma_region. The loop along k asks for it.
 */
#include "cpu/gemm/ukernel/mma.h"

static LLVMValueRef region_field(mma *g, LLVMValueRef region, size_t offset) {
  return emit_offset(g->e, region, i64_of(g, (int64_t)offset));
}

#define FIELD(name)                                                                                \
  LLVMBuildLoad2(b, g->e->i64, region_field(g, region, offsetof(mma_region, name)), #name)

/* The region's next lines. */
static LLVMValueRef next_lines(mma *g, LLVMValueRef region, LLVMValueRef next) {
  LLVMBuilderRef b = g->e->b;
  LLVMValueRef bits = FIELD(line_bits), one = i64_of(g, 1);
  LLVMValueRef lines = LLVMBuildShl(b, one, bits, "");
  LLVMValueRef col = LLVMBuildAnd(b, next, LLVMBuildSub(b, lines, one, ""), "");
  LLVMValueRef row = LLVMBuildMul(b, LLVMBuildLShr(b, next, bits, ""), FIELD(row), "");
  LLVMValueRef at = LLVMBuildAdd(b, FIELD(base), row, "");
  at = LLVMBuildAdd(b, at, times(g, col, MMA_LINE), "");
  LLVMValueRef fetched = i64_of(g, LINES_AT_ONCE);
  fetched = emit_intrinsic(g->e, "llvm.umin", &g->e->i64, 1, (LLVMValueRef[]){lines, fetched}, 2);
  next = LLVMBuildAdd(b, next, fetched, "");
  LLVMBuildStore(b, next, region_field(g, region, offsetof(mma_region, next)));
  return LLVMBuildIntToPtr(b, at, g->e->ptr, "");
}

LLVMValueRef mma_next_prefetch(mma *g, LLVMValueRef nothing) {
  emit *e = g->e;
  LLVMBuilderRef b = e->b;
  LLVMBasicBlockRef from[MMA_REGIONS], without[2];
  LLVMBasicBlockRef ask = new_block(g), lines = new_block(g), done = new_block(g);
  LLVMValueRef regions[MMA_REGIONS], nexts[MMA_REGIONS], nothings[] = {nothing, nothing};
  without[0] = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, LLVMBuildIsNotNull(b, g->regions, ""), ask, done);
  for (unsigned i = 0; i < MMA_REGIONS; i++) {
    LLVMPositionBuilderAtEnd(b, ask);
    int64_t offset = (int64_t)(i * sizeof(mma_region));
    LLVMValueRef region = emit_offset(e, g->regions, i64_of(g, offset));
    LLVMValueRef next = FIELD(next);
    regions[i] = region;
    nexts[i] = next;
    from[i] = ask;
    ask = i + 1 < MMA_REGIONS ? new_block(g) : done;
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, FIELD(count), ""), lines, ask);
  }
  without[1] = from[MMA_REGIONS - 1];
  LLVMPositionBuilderAtEnd(b, lines);
  LLVMValueRef region = LLVMBuildPhi(b, e->ptr, ""), next = LLVMBuildPhi(b, e->i64, "");
  LLVMAddIncoming(region, regions, from, MMA_REGIONS);
  LLVMAddIncoming(next, nexts, from, MMA_REGIONS);
  LLVMValueRef found = next_lines(g, region, next);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, done);
  LLVMValueRef at = LLVMBuildPhi(b, e->ptr, "");
  LLVMAddIncoming(at, nothings, without, 2);
  LLVMAddIncoming(at, &found, &lines, 1);
  return at;
}

#undef FIELD
