/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Messages, blocks, inline assembly, constants in memory, functions of the module, elements as
 * memory has them.
 */
#include "gpu/code.h"

#include "llvm/conv.h"

void gpu_unsupported(gen *g, const ir_op *op, const char *why) {
  if (!g->failed)
    ir_error(g->m, op, "'%s' cannot be compiled for %s: %s", ir_row(op)->name, g->target->name,
             why);
  g->failed = true;
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool begins_with(str name, const char *what) {
  size_t n = strlen(what);
  return name.len >= n && memcmp(name.data, what, n) == 0;
}

char *gpu_symbol(arena *a, str name, bool is_taken) {
  sbuf out = SBUF(a);
  bool clash = is_taken || name.len == 0 || (name.data[0] >= '0' && name.data[0] <= '9') ||
               begins_with(name, "tessera") || begins_with(name, "vmath") ||
               begins_with(name, "llvm");
  if (clash) sbuf_puts(&out, "$k");
  for (size_t i = 0; i < name.len; i++) {
    unsigned char c = (unsigned char)name.data[i];
    bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (plain)
      sbuf_putc(&out, (char)c);
    else
      sbuf_printf(&out, "$%02x", c);
  }
  return out.data;
}

/* ---- blocks --------------------------------------------------------------------------------- */

llblock gpu_new_block(gen *g, const char *name) {
  llblock block = LLVMAppendBasicBlockInContext(g->e.llvm, g->function, name);
  *map_put(g->arena, &g->blocks, (uintptr_t)block) = ++g->n_blocks;
  return block;
}

uint32_t gpu_block_number(const gen *g, llblock block) {
  return (uint32_t)(uintptr_t)map_ptr(&g->blocks, block);
}

void gpu_go(gen *g, llblock to) {
  LLVMBuildBr(g->e.b, to);
  LLVMPositionBuilderAtEnd(g->e.b, to);
}

/* ---- constants, assembly, functions --------------------------------------------------------- */

llv gpu_text(gen *g, const char *data, size_t size) {
  bool added;
  str copy = arena_str(g->arena, (str){data, size});
  uintptr_t *slot = strmap_put(g->arena, g->strings, copy, &added);
  if (added) {
    llv init = LLVMConstStringInContext2(g->e.llvm, data, size, 1);
    const char *name = arena_printf(g->arena, "tessera_data%u", (*g->n_strings)++);
    llv global = LLVMAddGlobalInAddressSpace(g->e.module, LLVMTypeOf(init), name, SPACE_GLOBAL);
    LLVMSetInitializer(global, init);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetAlignment(global, 16);
    *slot = (uintptr_t)global;
  }
  llv generic = LLVMBuildAddrSpaceCast(g->e.b, (llv)*slot, g->e.ptr, "");
  return LLVMBuildPtrToInt(g->e.b, generic, g->e.i64, "");
}

llv gpu_asm(gen *g, LLVMTypeRef result, const char *text, const char *constraints, llv *args,
            unsigned n, bool effect) {
  LLVMTypeRef *types = arena_array(g->arena, LLVMTypeRef, MAX(n, 1));
  for (unsigned i = 0; i < n; i++) types[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, n, 0);
  llv code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), effect, 0,
                              LLVMInlineAsmDialectATT, 0);
  llv call = LLVMBuildCall2(g->e.b, type, code, args, n, "");
  unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
  LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                           LLVMCreateEnumAttribute(g->e.llvm, kind, 0));
  return call;
}

llv gpu_call_function(gen *g, const char *name, LLVMTypeRef type, unsigned n, llv *args,
                      gpu_function_body body) {
  LLVMTypeRef types[] = {type, type, type}, signature = LLVMFunctionType(type, types, n, 0);
  llv f = LLVMGetNamedFunction(g->e.module, name);
  if (!f) {
    f = LLVMAddFunction(g->e.module, name, signature);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    unsigned kind = LLVMGetEnumAttributeKindForName("noinline", 8);
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(g->e.llvm, kind, 0));
    emit inner = g->e; /* with a builder of its own */
    inner.b = LLVMCreateBuilderInContext(g->e.llvm);
    body(&inner, f);
    LLVMDisposeBuilder(inner.b);
  }
  return LLVMBuildCall2(g->e.b, signature, f, args, n, "");
}

/* ---- elements in memory --------------------------------------------------------------------- */

LLVMTypeRef gpu_memory_type(gen *g, tsr_elem elem) {
  return LLVMIntTypeInContext(g->e.llvm, MAX(tsr_elem_bits(elem), 8));
}

llv gpu_to_memory(gen *g, tsr_elem elem, llv v) {
  v = emit_encode(&g->e, elem, v);
  LLVMTypeRef type = gpu_memory_type(g, elem);
  return LLVMTypeOf(v) == type ? v : LLVMBuildBitCast(g->e.b, v, type, "");
}

llv gpu_from_memory(gen *g, tsr_elem elem, llv v) {
  LLVMTypeRef type = emit_storage_type(&g->e, elem);
  if (LLVMTypeOf(v) != type) v = LLVMBuildBitCast(g->e.b, v, type, "");
  return emit_decode(&g->e, elem, v);
}
