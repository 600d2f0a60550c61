/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * crash: which kernel and tile block a thread executes, so that something can be said when an
 * access to memory that isn't there ends the process (tsr_tell_crashes).
 */
#ifndef TSR_RT_CRASH_H
#define TSR_RT_CRASH_H

#include "rt/rt.h"

/* The thread executes this tile block, whose `id` may change, of a kernel; NULL: none any more. */
void crash_running(const char *kernel, const rt_block *block);

#endif
