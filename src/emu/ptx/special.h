/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The special registers of a warp.
 */
#ifndef TSR_EMU_PTX_SPECIAL_H
#define TSR_EMU_PTX_SPECIAL_H

#include "emu/ptx/rows.h"

/* Fills them when a block begins; and the clocks, any time that an operand is one. */
void specials_begin(emu_warp *w);
void specials_refresh(emu_warp *w, const ptx_operand *o);

#endif
