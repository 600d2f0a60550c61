/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rt/object_cache.h: objects that kernels of the device "cpu" share, so that they are compiled
 * once: the micro-kernels of matrix products. They are in memory for as long as the device is open,
 * some dozen of some kilobytes at most, and in the device's cache on disk, if it has one, beside
 * the kernels: under a key like theirs (rt/cached.h), with the micro-kernel's name and no module.
 * The name says all that the code depends on (see `outline` in llvm/emit.h).
 */
#ifndef TSR_RT_OBJECT_CACHE_H
#define TSR_RT_OBJECT_CACHE_H

#include "rt/rt.h"

/* Sets dev->cpu.object_cache. Call it after rt_open_cache, when dev->cpu is complete. */
void object_cache_open(tsr_device *dev);
void object_cache_close(tsr_device *dev);

#endif
