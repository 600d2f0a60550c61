/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/disassemble.h: machine code as text, by LLVM's disassembler: a part of the plugin
 * (backends/plugin.h). Nothing of LLVM shows here.
 */
#ifndef TSR_GPU_AMDGCN_DISASSEMBLE_H
#define TSR_GPU_AMDGCN_DISASSEMBLE_H

#include "base/base.h"

/* An instruction: where its bytes lie in the code, and its text as assemblers take it, NULL where
 * there is none. False ends the walk. */
typedef bool (*disassemble_line)(void *user, uint64_t at, uint32_t bytes, const char *text);

typedef struct code_bytes {
  const char *triple, *processor; /* "amdgcn-amd-amdhsa", "gfx942" */
  const uint8_t *code;
  uint64_t from, to;
  uint32_t smallest;
} code_bytes;

/* Tells of all instructions in code[from .. to), in order; of what is none, in units of
 * `smallest` bytes. False, with a message, when LLVM does not know the processor, and when `line`
 * has returned false. Any thread. */
typedef bool (*disassemble_fn)(tsr_context *ctx, const code_bytes *c, disassemble_line line,
                               void *user);
bool disassemble(tsr_context *ctx, const code_bytes *c, disassemble_line line, void *user);

#endif
