/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions behind the handlers' numbers.
 */
#include "emu/machine.h"

const emu_handler emu_handlers[EMU_HANDLER_COUNT] = {
    NULL,
#define H(name) emu_op_##name,
#include "emu/ptx/emu_handlers.def"
#undef H
};
