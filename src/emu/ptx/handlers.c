/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions behind the handlers' numbers.
 */
#include "emu/ptx/handlers.h"

const ptx_handler ptx_handlers[PTX_HANDLER_COUNT] = {
    NULL,
#define H(name) ptx_op_##name,
#include "emu/ptx/ptx_handlers.def"
#undef H
};
