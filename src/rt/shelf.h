/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * shelf: what kernels of the device "cpu" share, so that it is compiled once: the micro-kernels of
 * matrix products. It lies in memory for as long as the device is open, some dozen of some
 * kilobytes at most, and in the device's cache on disk, if it has one, beside the kernels: under a
 * key like theirs (rt/cached.h), with the micro-kernel's name and no module. That says all that the
 * code depends on (see `aside` in llvm/emit.h).
 */
#ifndef TSR_RT_SHELF_H
#define TSR_RT_SHELF_H

#include "rt/rt.h"

/* Sets dev->cpu.shelf; behind rt_open_cache, when dev->cpu is what it will be. */
void shelf_open(tsr_device *dev);
void shelf_close(tsr_device *dev);

#endif
