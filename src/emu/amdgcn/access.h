/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What all accesses have in common: from lanes' addresses to registers.
 */
#ifndef TSR_EMU_AMDGCN_ACCESS_H
#define TSR_EMU_AMDGCN_ACCESS_H

#include "emu/amdgcn/memory.h"
#include "emu/amdgcn/wave.h"
#include "emu/memory.h"

/* emu_access_begin of the lanes of *a at a->address, told in the wave's order. */
bool gcn_begin(emu_warp *w, const gcn_insn *i, emu_space space, uint32_t bytes,
               emu_access_kind kind, emu_access *a);
/* Caches are invalidated: what follows knows what atomic loads before it were handed. */
void gcn_acquire(emu_warp *w, const gcn_insn *i);
/* `lanes` get what lies at the addresses in registers from `result` on; those that are not in *a
 * get zeroes. */
void gcn_fill(emu_warp *w, const gcn_insn *i, const gcn_operand *result, const emu_access *a,
              emu_lanes lanes);
void gcn_spill(emu_warp *w, const gcn_insn *i, const gcn_operand *value, const emu_access *a);
/* Atomics: `result` NULL: it gives nothing. `compared` follows the value in its registers. */
void gcn_update_lanes(emu_warp *w, const gcn_insn *i, const gcn_operand *value,
                      const gcn_operand *compared, const gcn_operand *result, const emu_access *a,
                      emu_lanes lanes);

#endif
