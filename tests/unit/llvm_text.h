/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests of what a backend does to LLVM's code: a unit (llvm/unit.h) for sm_80 whose module is
 * read from LLVM's text, or empty.
 */
#ifndef TSR_TESTS_LLVM_TEXT_H
#define TSR_TESTS_LLVM_TEXT_H

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>

#include "llvm/unit.h"

typedef struct llvm_test {
  const char *text; /* NULL: an empty module */
  void (*test)(unit *u, void *user);
  void *user;
} llvm_test;

static void llvm_read(unit *u, const char *text) {
  char *message = NULL;
  LLVMModuleRef m;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "t");
  if (LLVMParseIRInContext(u->e.llvm, buffer, &m, &message)) fail_msg("%s\n%s", message, text);
  LLVMSetTarget(m, LLVMGetTarget(u->e.module));
  LLVMSetDataLayout(m, LLVMGetDataLayoutStr(u->e.module));
  LLVMDisposeModule(u->e.module);
  u->e.module = m;
}

static void llvm_verify(unit *u) {
  char *message = NULL;
  if (LLVMVerifyModule(u->e.module, LLVMReturnStatusAction, &message))
    fail_msg("%s\n%s", message, LLVMPrintModuleToString(u->e.module));
  LLVMDisposeMessage(message);
}

static bool llvm_in_unit(unit *u, void *user) {
  const llvm_test *t = user;
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  const unit_target target = {.triple = "nvptx64-nvidia-cuda",
                              .cpu = "sm_80",
                              .features = "+ptx80",
                              .level = LLVMCodeGenLevelDefault,
                              .relocation = LLVMRelocDefault};
  assert_true(unit_open(u, &target));
  if (t->text) llvm_read(u, t->text);
  t->test(u, t->user);
  llvm_verify(u);
  return true;
}

static void llvm_run(const char *text, void (*test)(unit *u, void *user), void *user) {
  tsr_context *ctx = tsr_context_create(NULL);
  assert_true(unit_run(ctx, llvm_in_unit, &(llvm_test){text, test, user}));
  tsr_context_destroy(ctx);
}

#endif
