/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix instructions, executed from the layouts of their operands ("mfma.32x32x8.f16.A").
 */
#ifndef TSR_EMU_AMDGCN_MATRIX_H
#define TSR_EMU_AMDGCN_MATRIX_H

#include "emu/amdgcn/insn.h"

/* Recognises a mnemonic, "v_mfma_f32_32x32x8_f16", and fills i->row and i->matrix; false when it is
 * no matrix instruction that is known. */
bool gcn_read_matrix(arena *a, str name, gcn_insn *i);
/* When the whole line has been read: i->matrix of one whose modifiers state what its operands hold;
 * false when they state nothing that is known. */
bool gcn_read_formats(arena *a, str name, gcn_insn *i);
emu_step gcn_run_matrix(emu_warp *w, const gcn_insn *i);
/* Registers of a lane that hold A, B or C: 0, 1, 2. */
unsigned gcn_matrix_registers(const gcn_insn *i, unsigned which);
/* Whether A and B are of f32, which have a pipeline of their own; whether they are of formats that
 * take twice the time of others of their shape. */
bool gcn_matrix_of_words(const gcn_insn *i);
bool gcn_matrix_is_slow(const gcn_insn *i);
/* Floating-point operations, or those of integers, of a wave. */
uint64_t gcn_matrix_work(const gcn_insn *i);

#endif
