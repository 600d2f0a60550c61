/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers of the functions that execute instructions, as the forms of instructions name them.
 */
#ifndef TSR_EMU_PTX_HANDLER_IDS_H
#define TSR_EMU_PTX_HANDLER_IDS_H

typedef enum ptx_handler_id {
  PTX_H_NONE,
#define H(name) PTX_H_##name,
#include "emu/ptx/ptx_handlers.def"
#undef H
  PTX_HANDLER_COUNT
} ptx_handler_id;

#endif
