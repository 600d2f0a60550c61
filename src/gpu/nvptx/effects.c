/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * print and assert, by the functions that CUDA's driver provides: vprintf and __assertfail.
 */
#include "gpu/nvptx/effects.h"

#include <string.h>

#include "gpu/code.h"
#include "gpu/index.h"
#include "gpu/shared.h"
#include "gpu/values.h"

void nvptx_print_line(gen *g, const char *format, const llv *args, unsigned n) {
  emit *e = &g->e;
  LLVMTypeRef params[] = {e->ptr, e->ptr}, type = LLVMFunctionType(e->i32, params, 2, 0);
  llv f = LLVMGetNamedFunction(e->module, "vprintf");
  if (!f) f = LLVMAddFunction(e->module, "vprintf", type);
  llv memory = LLVMConstNull(e->ptr);
  if (n) {
    LLVMTypeRef words = LLVMArrayType2(e->i64, n);
    memory = LLVMBuildAlloca(g->start, words, "arguments");
    LLVMSetAlignment(memory, 8);
    for (unsigned i = 0; i < n; i++) {
      llv offset = k64(g, i), at = LLVMBuildGEP2(e->b, e->i64, memory, &offset, 1, "");
      LLVMSetAlignment(LLVMBuildStore(e->b, args[i], at), 8);
    }
  }
  llv text = gpu_text(g, format, strlen(format) + 1);
  LLVMBuildCall2(e->b, type, f, (llv[]){as_ptr(g, text, SPACE_GENERIC), memory}, 2, "");
}

void nvptx_assert(gen *g, ir_op *op) {
  emit *e = &g->e;
  simt_dist d;
  llv *x = gpu_home(g, ir_operand(op, 0), &d), all = x[0];
  for (uint32_t i = 1; i < slots_of(&d); i++) all = LLVMBuildAnd(e->b, all, x[i], "");
  llv bad = fold_and(g, gpu_owner(g, &d), LLVMBuildNot(e->b, all, ""));
  llblock done = gpu_begin_owner(g, bad);
  place at = ir_place(g->m, op->loc);
  const char *file = at.src ? at.src->name : at.file;
  str message = ir_get_attr(op, ATTR_message)->s, name = ir_symbol_name(g->entry);
  if (!file) file = "";
  LLVMTypeRef params[] = {e->ptr, e->ptr, e->i32, e->ptr, e->i64};
  LLVMTypeRef type = LLVMFunctionType(e->void_, params, 5, 0);
  llv f = LLVMGetNamedFunction(e->module, "__assertfail");
  if (!f) f = LLVMAddFunction(e->module, "__assertfail", type);
  llv args[] = {as_ptr(g, gpu_text(g, message.data, message.len + 1), SPACE_GENERIC),
                as_ptr(g, gpu_text(g, file, strlen(file) + 1), SPACE_GENERIC), k32(g, at.line),
                as_ptr(g, gpu_text(g, name.data, name.len + 1), SPACE_GENERIC), k64(g, 1)};
  LLVMBuildCall2(e->b, type, f, args, 5, "");
  gpu_go(g, done);
}
