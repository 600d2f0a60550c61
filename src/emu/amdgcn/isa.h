/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * AMD's instructions as an instruction set of the machine. emu_program.module is a gcn_image,
 * emu_entry.code an hsa_kernel.
 */
#ifndef TSR_EMU_AMDGCN_ISA_H
#define TSR_EMU_AMDGCN_ISA_H

#include "emu/isa.h"

extern const emu_isa gcn_isa;
extern const emu_words gcn_words;

#endif
