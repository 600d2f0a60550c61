/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that compiled CUDA C declares .extern and the driver has: vprintf, malloc, free,
 * __assertfail.
 */
#ifndef TSR_EMU_PTX_BUILTINS_H
#define TSR_EMU_PTX_BUILTINS_H

#include "emu/ptx/handlers.h"

/* Executes a call of it; `i` is the call. */
typedef emu_step (*ptx_builtin)(emu_warp *w, const ptx_insn *i, uint32_t lanes);
ptx_builtin builtin_find(const char *name); /* NULL: there is none of that name */

#endif
