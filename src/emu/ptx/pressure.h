/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * pressure: how many registers of a thread a function has in use at once. PTX has as many registers
 * as it likes; an assembler gives the same one to values that are not needed at the same time.
 */
#ifndef TSR_EMU_PTX_PRESSURE_H
#define TSR_EMU_PTX_PRESSURE_H

#include "emu/ptx/ptx.h"

/* Registers of 32 bits at the place where the most are in use, in the order that the text has;
 * predicates are not counted. Jumps to the guard when memory runs out. */
unsigned ptx_pressure(const ptx_function *f, arena *temp);

/* The most that setmaxnreg gives a thread of the function; 0: it has none. */
unsigned ptx_most_asked(const ptx_module *m, const ptx_function *f);

#endif
