/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gpu/amdgcn/waits.h"

/* Immediate operands of s_waitcnt with a limit of 0 for some counters and none for the others
 * (LLVM, "User Guide for AMDGPU Backend", "waitcnt"). */
enum { CDNA_LDS = 0xc07f, CDNA_ALL = 0x0070, RDNA3_ALL = 0x0007 };

static void wait(gen *g, const char *name, uint64_t operand, LLVMTypeRef type) {
  llv arg = LLVMConstInt(type, operand, 0);
  emit_intrinsic(&g->e, name, NULL, 0, &arg, 1);
}

/* Stores of RDNA3 have a counter that no intrinsic function waits for. */
static void wait_stores(gen *g) {
  static const char text[] = "s_waitcnt_vscnt null, 0x0";
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->e.llvm), NULL, 0, 0);
  llv code = LLVMGetInlineAsm(type, text, sizeof text - 1, "~{memory}", 9, 1, 0,
                              LLVMInlineAsmDialectATT, 0);
  LLVMBuildCall2(g->e.b, type, code, NULL, 0, "");
}

void amdgcn_wait_memory(gen *g) {
  if (gpu_can(g->target, GPU_WMMA_SPLIT)) {
    LLVMTypeRef i16 = LLVMInt16TypeInContext(g->e.llvm);
    wait(g, "llvm.amdgcn.s.wait.loadcnt", 0, i16);
    wait(g, "llvm.amdgcn.s.wait.storecnt", 0, i16);
    wait(g, "llvm.amdgcn.s.wait.dscnt", 0, i16);
  } else if (gpu_can(g->target, GPU_WMMA)) {
    wait(g, "llvm.amdgcn.s.waitcnt", RDNA3_ALL, g->e.i32);
    wait_stores(g);
  } else {
    wait(g, "llvm.amdgcn.s.waitcnt", CDNA_ALL, g->e.i32);
  }
}

/* Waves of an RDNA workgroup are on two compute units, which have caches of their own. */
void amdgcn_wait_workgroup(gen *g) {
  if (gpu_can(g->target, GPU_MFMA))
    wait(g, "llvm.amdgcn.s.waitcnt", CDNA_LDS, g->e.i32);
  else
    amdgcn_wait_memory(g);
}
