/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gpu/lines.h"

#include <llvm-c/DebugInfo.h>

/* Of LLVM's kinds of debug information: lines as directives in the assembly, and nothing else. */
enum { DIRECTIVES_ONLY = 3 };

static void add_version(gen *g) {
  static const char key[] = "Debug Info Version";
  if (LLVMGetModuleFlag(g->e.module, key, sizeof key - 1)) return;
  LLVMMetadataRef version =
      LLVMValueAsMetadata(LLVMConstInt(g->e.i32, LLVMDebugMetadataVersion(), 0));
  LLVMAddModuleFlag(g->e.module, LLVMModuleFlagBehaviorWarning, key, sizeof key - 1, version);
}

void gpu_lines_begin(gen *g, const char *symbol) {
  if (!g->lines) return;
  size_t n = strlen(symbol);
  add_version(g);
  g->debug = LLVMCreateDIBuilder(g->e.module);
  LLVMMetadataRef file = LLVMDIBuilderCreateFile(g->debug, symbol, n, "", 0);
  LLVMDIBuilderCreateCompileUnit(g->debug, LLVMDWARFSourceLanguageC, file, "", 0, 1, "", 0, 0, "",
                                 0, (LLVMDWARFEmissionKind)DIRECTIVES_ONLY, 0, 0, 0, "", 0, "", 0);
  LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(g->debug, file, NULL, 0, LLVMDIFlagZero);
  g->scope = LLVMDIBuilderCreateFunction(g->debug, file, symbol, n, symbol, n, file, 1, type, 0, 1,
                                         1, LLVMDIFlagZero, 1);
  LLVMSetSubprogram(g->function, g->scope);
}

void gpu_lines_end(gen *g) {
  if (!g->debug) return;
  LLVMSetCurrentDebugLocation2(g->e.b, NULL);
  LLVMDIBuilderFinalize(g->debug);
  LLVMDisposeDIBuilder(g->debug);
  g->debug = NULL;
}

LLVMMetadataRef gpu_line(gen *g, const ir_op *op) {
  if (!g->debug) return NULL;
  LLVMMetadataRef before = LLVMGetCurrentDebugLocation2(g->e.b);
  if (!op->loc) return before;
  LLVMSetCurrentDebugLocation2(
      g->e.b, LLVMDIBuilderCreateDebugLocation(g->e.llvm, op->loc, 1, g->scope, NULL));
  return before;
}

void gpu_line_back(gen *g, LLVMMetadataRef before) {
  if (g->debug) LLVMSetCurrentDebugLocation2(g->e.b, before);
}
