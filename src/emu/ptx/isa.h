/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * PTX as an instruction set of the machine (emu/isa.h), and the functions of its table that have
 * files of their own.
 */
#ifndef TSR_EMU_PTX_ISA_H
#define TSR_EMU_PTX_ISA_H

#include "emu/isa.h"
#include "emu/ptx/ptx.h"

extern const emu_isa ptx_isa;

/* step.c */
bool ptx_run_split(emu_warp *w, emu_slice *p);
/* exec_barrier.c */
void ptx_released(emu_warp *w, emu_split *s, emu_insn i, const emu_barrier *bar);
/* traits.c */
unsigned ptx_traits(emu_insn insn);
emu_work ptx_work(emu_insn insn);
bool ptx_writes(const ptx_insn *i, unsigned k); /* operand k is a destination */
void ptx_describe(const emu_warp *w, emu_insn insn, int lane, emu_described *out);
void ptx_stored(const emu_warp *w, emu_insn insn, unsigned lane, uint8_t out[EMU_MAX_STORED]);
/* words.c */
extern const emu_words ptx_words;

#endif
