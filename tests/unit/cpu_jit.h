/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the tests of the CPU backend's leaf emitters share: a module for one feature level, loops
 * over arrays around emitted code, and running them.
 *
 *   jit j;
 *   jit_open(&j, CPU_AVX2);
 *   jit_add(&j, "f", 8, out_elem, in_elems, n_in, body, user);   // as many as wanted
 *   jit_compile(&j);                                             // fails on undefined symbols
 *   ((jit_fn)jit_lookup(&j, "f"))(out, in0, in1, in2, n);
 *   jit_close(&j);
 *
 * All functions are static: this header is the whole helper.
 */
#ifndef TSR_TESTS_CPU_JIT_H
#define TSR_TESTS_CPU_JIT_H

#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Object.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "test_num_ref.h"

#include "llvm/conv.h"
#include "llvm/emit.h"
#include "cpu_extensions.h"

typedef struct jit {
  tsr_context *ctx;
  arena arena;
  emit e;
  LLVMTargetMachineRef machine;
  LLVMOrcLLJITRef lljit;
} jit;

/* What an emitted function is. Arrays hold storage elements, 4-bit ones a byte each; `n` is a
 * multiple of the lanes. */
typedef void (*jit_fn)(void *out, const void *in0, const void *in1, const void *in2, int64_t n);

/* Emits the computation of the lanes: decoded inputs to a result, or NULL for what it can't do. */
typedef LLVMValueRef (*jit_body)(emit *e, void *user, LLVMValueRef *in);

__attribute__((unused)) static const char *jit_level_name(cpu_level level) {
  static const char *const names[] = {"baseline", "avx2", "avx512"};
  return names[level];
}

__attribute__((unused)) static void jit_check(LLVMErrorRef error) {
  if (error) fail_msg("%s", LLVMGetErrorMessage(error));
}

__attribute__((unused)) static LLVMTargetMachineRef jit_machine(cpu_level level) {
#if defined(__x86_64__)
  static const char *const cpus[] = {"x86-64", "x86-64-v3", "x86-64-v4"};
#else
  static const char *const cpus[] = {"generic", "generic", "generic"};
#endif
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
  LLVMTargetRef target;
  if (LLVMGetTargetFromTriple(triple, &target, &message)) fail_msg("%s", message);
  char features[64];
  snprintf(features, sizeof features, "%s%s%s", cpu_has_bf16(level) ? "+avx512bf16," : "",
           cpu_has_vbmi(level) ? "+avx512vbmi," : "",
           !cpu_has_vnni(level)  ? ""
           : level == CPU_AVX512 ? "+avx512vnni"
                                 : "+avxvnni");
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachine(target, triple, cpus[level], features, LLVMCodeGenLevelAggressive,
                              LLVMRelocPIC, LLVMCodeModelDefault);
  LLVMDisposeMessage(triple);
  assert_non_null(machine);
  return machine;
}

__attribute__((unused)) static void jit_open(jit *j, cpu_level level) {
  static const unsigned bits[] = {128, 256, 512};
  memset(j, 0, sizeof *j);
  j->ctx = tsr_context_create(NULL);
  assert_non_null(j->ctx);
  arena_init(&j->arena, j->ctx);
  j->machine = jit_machine(level);
  emit *e = &j->e;
  e->ctx = j->ctx;
  e->arena = &j->arena;
  e->llvm = LLVMContextCreate();
  e->module = LLVMModuleCreateWithNameInContext("test", e->llvm);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(j->machine);
  LLVMSetModuleDataLayout(e->module, layout);
  LLVMDisposeTargetData(layout);
  e->b = LLVMCreateBuilderInContext(e->llvm);
  e->isa.level = level;
  e->isa.bf16 = cpu_has_bf16(level);
  e->isa.vnni = cpu_has_vnni(level);
  e->isa.vbmi = cpu_has_vbmi(level);
  e->vector_bits = bits[level];
  emit_types(e);
}

/* Starts a function of the type given and leaves the builder in it. */
__attribute__((unused)) static LLVMValueRef jit_function(jit *j, const char *name,
                                                         LLVMTypeRef type) {
  LLVMValueRef function = LLVMAddFunction(j->e.module, name, type);
  LLVMPositionBuilderAtEnd(j->e.b, LLVMAppendBasicBlockInContext(j->e.llvm, function, ""));
  return function;
}

static LLVMTypeRef jit_vector(LLVMTypeRef type, unsigned count) {
  return count == 1 ? type : LLVMVectorType(type, count);
}

static LLVMValueRef jit_at(jit *j, LLVMValueRef base, LLVMTypeRef type, LLVMValueRef index) {
  return LLVMBuildGEP2(j->e.b, type, base, &index, 1, "");
}

/* A jit_fn that applies `body` to `lane_count` elements at a time. False, with nothing left
 * behind, when the body gave NULL. */
__attribute__((unused)) static bool jit_add(jit *j, const char *name, unsigned lane_count,
                                            tsr_elem out, const tsr_elem *in, unsigned n_in,
                                            jit_body body, void *user) {
  emit *e = &j->e;
  LLVMTypeRef types[] = {e->ptr, e->ptr, e->ptr, e->ptr, e->i64};
  LLVMValueRef f = jit_function(j, name, LLVMFunctionType(e->void_, types, 5, 0));
  LLVMBasicBlockRef entry = LLVMGetInsertBlock(e->b);
  LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  LLVMBuildBr(e->b, loop);
  LLVMPositionBuilderAtEnd(e->b, loop);
  LLVMValueRef index = LLVMBuildPhi(e->b, e->i64, "");
  LLVMValueRef values[3];
  for (unsigned i = 0; i < n_in; i++) {
    LLVMTypeRef type = emit_storage_type(e, in[i]);
    LLVMValueRef at = jit_at(j, LLVMGetParam(f, 1 + i), type, index);
    LLVMValueRef stored = LLVMBuildLoad2(e->b, jit_vector(type, lane_count), at, "");
    LLVMSetAlignment(stored, 1);
    values[i] = emit_decode(e, in[i], stored);
  }
  LLVMValueRef result = body(e, user, values);
  if (result == NULL) {
    LLVMDeleteFunction(f);
    return false;
  }
  LLVMValueRef at = jit_at(j, LLVMGetParam(f, 0), emit_storage_type(e, out), index);
  LLVMSetAlignment(LLVMBuildStore(e->b, emit_encode(e, out, result), at), 1);
  LLVMValueRef step = LLVMConstInt(e->i64, lane_count, 0), zero = LLVMConstInt(e->i64, 0, 0);
  LLVMValueRef next = LLVMBuildAdd(e->b, index, step, "");
  LLVMAddIncoming(index, &zero, &entry, 1);
  LLVMBasicBlockRef last = LLVMGetInsertBlock(e->b);
  LLVMAddIncoming(index, &next, &last, 1);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, next, LLVMGetParam(f, 4), ""), loop, end);
  LLVMPositionBuilderAtEnd(e->b, end);
  LLVMBuildRetVoid(e->b);
  return true;
}

/* Compiled code is linked against nothing: a symbol that is used but not defined is a call that
 * LLVM made up. */
static void jit_check_symbols(LLVMMemoryBufferRef object) {
  char *message = NULL;
  LLVMBinaryRef binary = LLVMCreateBinary(object, NULL, &message);
  if (binary == NULL) fail_msg("%s", message);
  LLVMSymbolIteratorRef symbol = LLVMObjectFileCopySymbolIterator(binary);
  LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(binary);
  for (; !LLVMObjectFileIsSymbolIteratorAtEnd(binary, symbol); LLVMMoveToNextSymbol(symbol)) {
    const char *name = LLVMGetSymbolName(symbol);
    if (name == NULL || *name == 0) continue;
    LLVMMoveToContainingSection(section, symbol);
    bool undefined = LLVMObjectFileIsSectionIteratorAtEnd(binary, section) &&
                     LLVMGetSymbolAddress(symbol) == 0 && strcmp(name, "test") != 0;
    if (undefined) fail_msg("compiled code calls %s, which nothing defines", name);
  }
  LLVMDisposeSectionIterator(section);
  LLVMDisposeSymbolIterator(symbol);
  LLVMDisposeBinary(binary);
}

/* `passes` NULL: none. */
__attribute__((unused)) static void jit_compile(jit *j, const char *passes) {
  char *message = NULL;
  if (LLVMVerifyModule(j->e.module, LLVMReturnStatusAction, &message)) fail_msg("%s", message);
  LLVMDisposeMessage(message);
  if (getenv("TESSERA_DUMP_LLVM")) LLVMDumpModule(j->e.module);
  if (passes != NULL) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    jit_check(LLVMRunPasses(j->e.module, passes, j->machine, options));
    LLVMDisposePassBuilderOptions(options);
  }
  if (getenv("TESSERA_DUMP_ASM")) {
    LLVMMemoryBufferRef text;
    if (LLVMTargetMachineEmitToMemoryBuffer(j->machine, j->e.module, LLVMAssemblyFile, &message,
                                            &text))
      fail_msg("%s", message);
    fwrite(LLVMGetBufferStart(text), 1, LLVMGetBufferSize(text), stderr);
    LLVMDisposeMemoryBuffer(text);
  }
  LLVMMemoryBufferRef object;
  if (LLVMTargetMachineEmitToMemoryBuffer(j->machine, j->e.module, LLVMObjectFile, &message,
                                          &object))
    fail_msg("%s", message);
  jit_check_symbols(object);
  jit_check(LLVMOrcCreateLLJIT(&j->lljit, NULL));
  jit_check(LLVMOrcLLJITAddObjectFile(j->lljit, LLVMOrcLLJITGetMainJITDylib(j->lljit), object));
}

__attribute__((unused)) static void *jit_lookup(jit *j, const char *name) {
  LLVMOrcExecutorAddress address = 0;
  jit_check(LLVMOrcLLJITLookup(j->lljit, &address, name));
  return (void *)(uintptr_t)address;
}

__attribute__((unused)) static void jit_close(jit *j) {
  if (j->lljit) jit_check(LLVMOrcDisposeLLJIT(j->lljit));
  LLVMDisposeBuilder(j->e.b);
  LLVMDisposeModule(j->e.module);
  LLVMContextDispose(j->e.llvm);
  LLVMDisposeTargetMachine(j->machine);
  arena_free(&j->arena);
  tsr_context_destroy(j->ctx);
}

/* The passes that the light pipeline runs; emitted code must survive them. */
#define JIT_LIGHT_PASSES                                                                           \
  "function(sroa,early-cse,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg)"

#endif
