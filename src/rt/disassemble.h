/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rt/disassemble.h: the compiler plugin's disassembler as the emulator of AMD's instructions takes
 * it.
 */
#ifndef TSR_RT_DISASSEMBLE_H
#define TSR_RT_DISASSEMBLE_H

#include "emu/amdgcn/image.h"

/* As gcn_disassemble; false after a message where there is no plugin, too. */
bool rt_disassemble(tsr_context *ctx, const char *processor, const uint8_t *code, uint64_t from,
                    uint64_t to, gcn_line line, void *user);

#endif
