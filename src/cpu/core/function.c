/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The function that a kernel becomes: its blocks, its memory on the stack, the module's data, and
 * what it finds in the rt_block that it is called with.
 */
#include "num/num.h"

#include "cpu/core/function.h"

void lower_unsupported(lower *l, const ir_op *op, const char *why) {
  ir_error(l->m, op, "the cpu target cannot compile '%s': %s", ir_row(op)->name, why);
  l->failed = true;
}

bool refuse_shared_bytes(lower *l, const ir_op *op, const ir_type *t) {
  if (t->elem == TSR_PTR || !num_shares_bytes(tsr_elem_bits(t->elem))) return false;
  lower_unsupported(l, op,
                    arena_printf(l->arena,
                                 "it makes no code for this with elements of %s; the target interp "
                                 "runs it",
                                 tsr_elem_name(t->elem)));
  return true;
}

void lower_find_roots(lower *l) {
  if (!l->roots.of) l->roots = ir_find_roots(l->m, l->entry, l->arena);
}

llblock lower_new_block(lower *l, const char *name) {
  return LLVMAppendBasicBlockInContext(l->e.llvm, l->function, name);
}

void lower_go(lower *l, llblock to) {
  LLVMBuildBr(l->e.b, to);
  LLVMPositionBuilderAtEnd(l->e.b, to);
}

llv lower_alloca(lower *l, LLVMTypeRef type, unsigned align) {
  LLVMPositionBuilderBefore(l->start_builder, LLVMGetBasicBlockTerminator(l->start));
  llv a = LLVMBuildAlloca(l->start_builder, type, "");
  LLVMSetAlignment(a, align);
  return a;
}

llv lower_global_bytes(lower *l, const void *data, size_t size, unsigned align) {
  llv text = LLVMConstStringInContext2(l->e.llvm, data, size, 1);
  llv g = LLVMAddGlobal(l->e.module, LLVMTypeOf(text), "data");
  LLVMSetInitializer(g, text);
  LLVMSetGlobalConstant(g, 1);
  LLVMSetLinkage(g, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
  LLVMSetAlignment(g, align);
  return g;
}

llv lower_field(lower *l, LLVMTypeRef type, llv base, size_t offset, const char *name) {
  return LLVMBuildLoad2(l->e.b, type, emit_offsetk(&l->e, base, (int64_t)offset), name);
}

llv lower_hook(lower *l, unsigned index) {
  l->hooks_used |= 1ull << index;
  return lower_field(l, l->e.ptr, l->hooks, index * sizeof(void *), "hook");
}
