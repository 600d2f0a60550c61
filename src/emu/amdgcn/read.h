/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a disassembler's lines to instructions.
 */
#ifndef TSR_EMU_AMDGCN_READ_H
#define TSR_EMU_AMDGCN_READ_H

#include "emu/amdgcn/insn.h"

/* Reads one line ("\tv_add_f32_e32 v0, v1, v2"). What is not understood, a mnemonic or an operand,
 * leaves a row of NULL: executing it is a fault. `text` outlives the instruction. */
void gcn_read_line(arena *a, gcn_generation generation, const char *text, gcn_insn *out);

/* Whether it has the operands that its row's function counts on (operands.c). */
bool gcn_operands_fit(const gcn_insn *i);

#endif
