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

/* More than the bytes of an instruction. */
enum { WINDOW = 32 };

/* CDNA's vector instructions of two words have no literals. LLVM 22 refuses them, and of some reads
 * a message that is no longer there. */
static bool has_no_meaning(const char *processor, const uint8_t *code) {
  enum { VOP3 = 0x34, LITERAL = 0xff, SOURCE_BITS = 9, SOURCES = 3 };
  uint32_t words[2];
  memcpy(words, code, sizeof words);
  if (strncmp(processor, "gfx9", 4) != 0 || words[0] >> 26 != VOP3) return false;
  bool literal = false;
  for (unsigned k = 0; k < SOURCES; k++)
    literal |= (words[1] >> SOURCE_BITS * k & ((1u << SOURCE_BITS) - 1)) == LITERAL;
  return literal;
}

/* Behind the end are zeroes: LLVM does the same when an instruction's literal is missing. */
static bool walk(LLVMDisasmContextRef d, const code_bytes *c, disassemble_line line, void *user) {
  char text[512];
  for (uint64_t at = c->from, n; at < c->to; at += n) {
    uint64_t left = c->to - at;
    uint8_t window[WINDOW] = {0};
    memcpy(window, c->code + at, MIN(left, (uint64_t)WINDOW));
    n = has_no_meaning(c->processor, window)
            ? 0
            : LLVMDisasmInstruction(d, window, WINDOW, at, text, sizeof text);
    bool known = n && n <= left;
    if (!known) n = MIN(c->smallest, left);
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
