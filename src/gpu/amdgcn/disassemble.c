/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gpu/amdgcn/disassemble.h"

#include <pthread.h>

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

static void initialise(void) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
}

static bool walk(LLVMDisasmContextRef d, const code_bytes *c, disassemble_line line, void *user) {
  char text[512];
  for (uint64_t at = c->from, n; at < c->to; at += n) {
    /* LLVM's interface takes bytes that it does not change as ones that it could. */
    n = LLVMDisasmInstruction(d, (uint8_t *)(uintptr_t)(c->code + at), c->to - at, at, text,
                              sizeof text);
    bool known = n && n <= c->to - at;
    if (!known) n = MIN(c->smallest, c->to - at);
    if (!line(user, at, (uint32_t)n, known ? text : NULL)) return false;
  }
  return true;
}

bool disassemble(tsr_context *ctx, const code_bytes *c, disassemble_line line, void *user) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialise);
  LLVMDisasmContextRef d = LLVMCreateDisasmCPU(c->triple, c->processor, NULL, 0, NULL, NULL);
  if (!d) {
    diag_error(ctx, NOWHERE, "LLVM has no disassembler for %s; install one that has AMD's targets",
               c->processor);
    return false;
  }
  bool good = walk(d, c, line, user);
  LLVMDisasmDispose(d);
  return good;
}
