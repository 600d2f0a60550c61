/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * exec_matrix: what the handlers of matrix instructions share, and what counters ask about them.
 */
#ifndef TSR_EMU_PTX_EXEC_MATRIX_H
#define TSR_EMU_PTX_EXEC_MATRIX_H

#include "emu/ptx/handlers.h"
#include "emu/ptx/matrix.h"

/* The matrix type of a ptx_type; MMA_NONE when it is none. */
mma_type matrix_type(unsigned type);

/* The form of mma and wmma.mma instructions. */
bool matrix_form_of(const ptx_insn *i, mma_form *f);

/* All lanes' values of a vector operand. False after a fault: the number of registers is wrong. */
bool matrix_get(emu_warp *w, const ptx_insn *i, const ptx_operand *o, unsigned count,
                mma_register *out);
void matrix_set(emu_warp *w, const ptx_operand *o, uint32_t lanes, unsigned count,
                const mma_register *in);

/* The lanes that execute a .sync.aligned instruction now; 0: return emu_none_left(w). */
uint32_t matrix_lanes(emu_warp *w, const ptx_insn *i, uint32_t lanes);

#endif
