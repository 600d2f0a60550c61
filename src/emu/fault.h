/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Faults: what ends a launch, how it is said.
 */
#ifndef TSR_EMU_FAULT_H
#define TSR_EMU_FAULT_H

#include "emu/machine.h"

/* Ends the launch because of what lane `lane` (-1: all) did; false, so that instructions can return
 * it. True when the watcher took note of it and wants to go on. */
bool emu_fail(emu_warp *w, emu_insn i, int lane, emu_fault_kind kind, const char *fmt, ...)
    PRINTF_LIKE(5, 6);
bool emu_fail_address(emu_warp *w, emu_insn i, int lane, emu_fault_kind kind, uint64_t address,
                      const char *fmt, ...) PRINTF_LIKE(6, 7);
bool emu_grid_fail(emu_grid *g, emu_warp *w, const emu_fault *f); /* likewise; `w` may be NULL */

/* Says it through the program's context. */
void emu_report_fault(const emu_program *p, const char *entry, const emu_fault *f);

#endif
