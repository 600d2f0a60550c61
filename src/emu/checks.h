/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * checks: a watcher that finds what is wrong with a program while the machine executes it: races
 * and missing waits and fences (races.h), reads of memory that nobody wrote, and every fault.
 *
 * The machine must execute on one host thread while it is watched (emu_watcher.serial), and one
 * launch at a time on a device: what is remembered of device memory hangs on its allocations.
 */
#ifndef TSR_EMU_CHECKS_H
#define TSR_EMU_CHECKS_H

#include "emu/findings.h"
#include "emu/watch.h"

typedef struct checks checks;

/* NULL: no memory. The findings must outlive it. */
checks *checks_create(findings *out);
void checks_destroy(checks *c);
/* Fills a watcher for emu_launch_options. It must outlive the launch, as the checks must. */
void checks_watch(checks *c, emu_watcher *out);

/* Says that bytes of device memory are (not) written, as copies from the host do. Memory counts as
 * written until it is said not to be. */
void checks_set_written(checks *c, emu_allocation *a, uint64_t offset, uint64_t bytes,
                        bool written);

/* Accesses that races could not remember (races.h): when it isn't 0, races may have been missed. */
uint64_t checks_dropped(const checks *c);
bool checks_out_of_memory(const checks *c);

#endif
