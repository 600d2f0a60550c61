/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * plugin: finding and opening the compiler, libtessera-llvm.so (its contract: backends/plugin.h).
 *
 * Places, in this order; the first file that is there is taken:
 *   1. the environment variable TESSERA_LLVM_PLUGIN, when it is set: nothing else is tried
 *   2. the file that the context was asked to take (tsr_context_options.compiler): nothing else
 *   3. beside the library or program that this code is in
 *   4. lib/ beside the folder of 3, and where the installation has its libraries, seen from there
 *   5. where Tessera was configured to be installed, for programs that are linked statically
 *   6. wherever the dynamic loader looks
 *
 * The handle of the opened plugin is the one thing that the library keeps per process: it holds
 * code, not state, and opening it takes milliseconds. It is never closed, since compiled kernels
 * and LLVM's own threads may be in use to the end. Failures are not remembered.
 */
#ifndef TSR_RT_PLUGIN_H
#define TSR_RT_PLUGIN_H

#include "base/base.h"
#include "backends/plugin.h"

/* The plugin, opened on the first call; any thread. Reports and returns NULL when there is none
 * that can be used. */
const compiler_plugin *plugin_get(tsr_context *ctx);

/* The file that would be opened, without opening it: "" when only the dynamic loader could know.
 * False, and the path that was asked for, when 1 or 2 names a file that isn't there. */
bool plugin_find(const tsr_context *ctx, char *path, size_t size);

#endif
