/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers: every form of ptx_forms.def names the function that executes it (ptx_handlers.def). It
 * gets the warp, the instruction and the lanes that execute it (never none), does all its effects
 * and says how to go on (emu_step). All memory goes through ptx_access_begin, everything that lanes
 * wait for is told (emu_tell_sync), so that whoever looks (emu_watcher) sees everything.
 */
#ifndef TSR_EMU_PTX_HANDLERS_H
#define TSR_EMU_PTX_HANDLERS_H

#include "emu/fault.h"
#include "emu/memory.h"
#include "emu/ptx/handler_ids.h"
#include "emu/ptx/rows.h"
#include "emu/schedule.h"

typedef emu_step (*ptx_handler)(emu_warp *w, const ptx_insn *i, uint32_t lanes);
#define H(name) emu_step ptx_op_##name(emu_warp *w, const ptx_insn *i, uint32_t lanes);
#include "emu/ptx/ptx_handlers.def"
#undef H
extern const ptx_handler ptx_handlers[PTX_HANDLER_COUNT];

/* access.c: emu_access_begin for the lanes' addresses given by an ADDRESS operand in `space`
 * (possibly PTX_GENERIC), with the instruction's order and scope. The operand `o` may be NULL when
 * a->address is filled already (generic or of `space`). */
bool ptx_access_begin(emu_warp *w, const ptx_insn *i, uint32_t lanes, const ptx_operand *o,
                      ptx_space space, uint32_t bytes, uint32_t align, emu_access_kind kind,
                      emu_access *a);

/* sync.c: for .sync instructions: brings together the lanes of each mask (`mask` is an operand with
 * each lane's; NULL: `value` for all). Returns the lanes that may execute now: those whose mask's
 * lanes are all here (or have ended). They may be more than `lanes`, because lanes that waited here
 * have joined the split; those that are still missed by others wait in a split of their own. When
 * it returns 0 the handler returns emu_none_left(w). A lane that is not in its own mask is a fault.
 * Lanes of a mask that stand at different instructions of the same words execute theirs together
 * (meet.c); they are none of those returned. */
uint32_t ptx_sync_lanes(emu_warp *w, const ptx_insn *i, uint32_t lanes, const ptx_operand *mask,
                        uint32_t value);
/* meet.c: lanes `here` of the split that executes have arrived at an instruction with operand
 * `mask_operand` = mask. If all others of the mask wait at others like it, all execute theirs, and
 * `here` is returned: those lanes are in a split of their own, behind it. Else 0. */
uint32_t ptx_meet(emu_warp *w, const ptx_insn *i, uint32_t here, unsigned mask_operand,
                  uint32_t mask);

#endif
