/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/code.h: what LLVM's builder is asked for most: constants, arithmetic with the obvious
 * simplifications (llvm/fold.h) under short names, blocks, inline assembly, constants and functions
 * of the module, elements as memory has them. Nothing here knows tiles.
 */
#ifndef TSR_GPU_CODE_H
#define TSR_GPU_CODE_H

#include "gpu/gen.h"
#include "llvm/fold.h"

static inline llv k32(gen *g, uint32_t v) {
  return LLVMConstInt(g->e.i32, v, 0);
}
static inline llv k64(gen *g, int64_t v) {
  return LLVMConstInt(g->e.i64, (uint64_t)v, 1);
}
static inline bool is_const(llv v, int64_t *out) {
  return emit_is_const(v, out);
}
static inline llv add_of(gen *g, llv a, llv b) {
  return LLVMBuildAdd(g->e.b, a, b, "");
}
static inline llv add_const(gen *g, llv a, int64_t x) {
  return x ? add_of(g, a, LLVMConstInt(LLVMTypeOf(a), (uint64_t)x, 1)) : a;
}
static inline llv fold_add(gen *g, llv a, llv b) {
  return emit_fold_add(&g->e, a, b);
}
static inline llv fold_mul(gen *g, llv a, llv b) {
  return emit_fold_mul(&g->e, a, b);
}
/* Of i1; NULL stands for true. */
static inline llv fold_and(gen *g, llv a, llv b) {
  return emit_fold_and(&g->e, a, b);
}
/* NULL stands for 0. */
static inline llv fold_or(gen *g, llv a, llv b) {
  return emit_fold_or(&g->e, a, b);
}
/* Of i64: the smaller one as unsigned numbers. */
static inline llv umin64(gen *g, llv a, llv b) {
  return emit_fold_umin(&g->e, a, b);
}
/* Zero-extended; once in a block, as a rule. */
static inline llv to_i64(gen *g, llv v) {
  enum { FEW = 8 };
  if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64) return v;
  LLVMUseRef use = LLVMIsConstant(v) ? NULL : LLVMGetFirstUse(v);
  for (unsigned i = 0; use && i < FEW; use = LLVMGetNextUse(use), i++) {
    llv user = LLVMGetUser(use);
    if (LLVMIsAZExtInst(user) && LLVMTypeOf(user) == g->e.i64 &&
        LLVMGetInstructionParent(user) == LLVMGetInsertBlock(g->e.b))
      return user;
  }
  return LLVMBuildZExt(g->e.b, v, g->e.i64, "");
}
static inline llv as_ptr(gen *g, llv address, unsigned space) {
  return LLVMBuildIntToPtr(g->e.b, address, LLVMPointerTypeInContext(g->e.llvm, space), "");
}

/* Reports that an operation cannot be compiled, where, why, and what to do. */
void gpu_unsupported(gen *g, const ir_op *op, const char *why);

/* A kernel's name as code has it: letters, digits, '_', '$'; all else as "$2e" of its byte, and
 * what would mean something else (`is_taken`: to the target) after "$k". In `a`. */
char *gpu_symbol(arena *a, str name, bool is_taken);

llblock gpu_new_block(gen *g, const char *name);
uint32_t gpu_block_number(const gen *g, llblock block); /* from 1 on; 0: of no block made so */
void gpu_go(gen *g, llblock to);                        /* br, and continue there */
/* A constant in memory of the module, as a generic address (i64). */
llv gpu_text(gen *g, const char *data, size_t size);
/* Inline assembly. Operands are numbered results first; constraints as LLVM's. `effect`: it stays
 * where it is among operations on memory. */
llv gpu_asm(gen *g, LLVMTypeRef result, const char *text, const char *constraints, llv *args,
            unsigned n, bool effect);

typedef void (*gpu_function_body)(emit *e, LLVMValueRef f);
/* Calls a function of the module, made once, of n arguments and a result of one type. */
llv gpu_call_function(gen *g, const char *name, LLVMTypeRef type, unsigned n, llv *args,
                      gpu_function_body body);

/* As stored in memory: iN. */
LLVMTypeRef gpu_memory_type(gen *g, tsr_elem elem);
llv gpu_to_memory(gen *g, tsr_elem elem, llv v);
llv gpu_from_memory(gen *g, tsr_elem elem, llv v);

#endif
