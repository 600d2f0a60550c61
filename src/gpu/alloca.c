/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory that a tile block asks for by `alloca`.
 */
#include "gpu/alloca.h"

#include "gpu/code.h"
#include "gpu/shared.h"
#include "gpu/values.h"

/* Words of 4 bytes at `p` (i64) become 0: for (i = thread; i < words; i += threads). */
static void clear_words(gen *g, llv p, uint32_t words) {
  emit *e = &g->e;
  uint32_t threads = gpu_threads(g);
  llv thread =
      LLVMBuildOr(e->b, LLVMBuildShl(e->b, g->warp, k32(g, g->block.lanes), ""), g->lane, "");
  llblock before = LLVMGetInsertBlock(e->b), loop = gpu_new_block(g, "clear");
  llblock body = gpu_new_block(g, "clear.body"), done = gpu_new_block(g, "clear.end");
  gpu_go(g, loop);
  llv i = LLVMBuildPhi(e->b, e->i32, "");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, i, k32(g, words), ""), body, done);
  LLVMPositionBuilderAtEnd(e->b, body);
  llv at = add_of(g, p, LLVMBuildShl(e->b, to_i64(g, i), k64(g, 2), ""));
  LLVMSetAlignment(LLVMBuildStore(e->b, k32(g, 0), as_ptr(g, at, SPACE_GENERIC)), 4);
  llv next = add_of(g, i, k32(g, threads));
  LLVMAddIncoming(i, (llv[]){thread, next}, (llblock[]){before, body}, 2);
  LLVMBuildBr(e->b, loop);
  LLVMPositionBuilderAtEnd(e->b, done);
}

void gpu_alloca(gen *g, ir_op *op) {
  emit *e = &g->e;
  ir_value *v = ir_result(op, 0);
  uint64_t count = (uint64_t)ir_int_attr(op, ATTR_num_elem);
  uint64_t align = MAX((uint64_t)ir_int_attr(op, ATTR_alignment), SIMT_ACCESS_BYTES);
  uint64_t most = g->target->static_shared, limit = most - MIN(g->alloca_size, most);
  uint64_t bytes =
      count > limit * 2 ? limit + 1 : tsr_elem_storage((tsr_elem)v->type->pointee, (size_t)count);
  uint64_t size = gpu_whole_accesses(bytes) + align;
  if (size > limit || align > limit) {
    gpu_unsupported(g, op,
                    arena_printf(g->arena,
                                 "the memory does not fit the %u KiB of shared memory that a tile "
                                 "block has for it; pass a buffer to the kernel instead",
                                 g->target->static_shared / 1024));
    return;
  }
  LLVMTypeRef type = LLVMArrayType2(e->i8, MAX(size, SIMT_ACCESS_BYTES));
  /* By where it begins: LLVM would make two of one name different by digits after it, and so the
   * name of what another kernel has. */
  const char *what = arena_printf(g->arena, "alloca%u", g->alloca_size);
  const char *name = gpu_shared_name(g, what);
  llv memory = LLVMAddGlobalInAddressSpace(e->module, type, name, SPACE_SHARED);
  LLVMSetInitializer(memory, LLVMGetUndef(type));
  LLVMSetLinkage(memory, LLVMInternalLinkage);
  LLVMSetAlignment(memory, SIMT_ACCESS_BYTES);
  g->alloca_size += (uint32_t)size;
  llv p = LLVMBuildAddrSpaceCast(e->b, memory, e->ptr, "");
  p = LLVMBuildPtrToInt(e->b, p, e->i64, "");
  if (align > SIMT_ACCESS_BYTES) {
    p = add_of(g, p, k64(g, (int64_t)align - 1));
    p = LLVMBuildAnd(e->b, p, k64(g, -(int64_t)align), "");
  }
  gpu_set_scalar(g, v, p);
  gpu_before_store(g);
  clear_words(g, p, (uint32_t)((bytes + 3) / 4));
}
