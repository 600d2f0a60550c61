/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cached: kernels of the device "cpu" from the cache on disk (rt/cache.h), and what all devices
 * that use it share.
 *
 * The key of a kernel is a text: a few lines about the build of Tessera, the file of the compiler,
 * what the code may use of the processor, and the kernel's name; then the module's text, and where
 * its asserts stand, since that is part of their code. Where there is no compiler, the folder may
 * hold kernels that were compiled for it elsewhere (tsr_module_emit_kernels).
 */
#ifndef TSR_RT_CACHED_H
#define TSR_RT_CACHED_H

#include "rt/rt.h"

/* Opens and closes the device's cache, if there is to be one. */
void rt_open_cache(tsr_device *dev, const tsr_device_options *options);
void rt_close_cache(tsr_device *dev);

/* The key of code for a module, in the arena: `target` says what the code may use, `kernels` what
 * it is of. Empty when the compiler's file is not known, or the module holds more than a megabyte
 * of constants. */
str cached_key_of(arena *a, ir_module *m, const char *target, const char *kernels);

/* The key of a kernel of "cpu", in the arena; empty when the kernel is not to be cached: the device
 * has no cache, the compiler's file is not known, or the kernel holds more than a megabyte of
 * constants. Of the module it says what the kernel's code depends on, and no more. */
str cached_key(arena *a, const tsr_kernel *k);

/* The key of what kernels of "cpu" share under that name (rt/object_cache.h), in the arena; empty
 * when it is not to be cached: the device has no cache, or the compiler's file is not known. */
str cached_key_shared(arena *a, const tsr_device *dev, const char *name);

/* Is there a compiler's file? */
bool cached_compiles_here(const tsr_context *ctx);
/* The key of a kernel that is compiled for a machine without a compiler, which looks for such keys;
 * empty when it holds more than a megabyte of constants. */
str cached_key_elsewhere(arena *a, ir_module *m, const cpu_options *options, ir_op *entry);

/* Takes the kernel from the cache. The arena is for the time of the call. */
bool cached_load(tsr_kernel *k, arena *a, str key);
/* Puts it there after it was compiled. */
void cached_store(const tsr_kernel *k, arena *a, str key);

/* The value of a line of a key ("kernel", "target"); empty when it has no such line. */
str cached_key_line(str key, const char *name);

#endif
