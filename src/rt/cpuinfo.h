/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpuinfo: what the processor and the operating system allow compiled code to use.
 */
#ifndef TSR_RT_CPUINFO_H
#define TSR_RT_CPUINFO_H

#include "base/base.h"
#include "cpu/plugin.h"

/* The best this machine has. A level counts only when the operating system saves its registers. */
cpu_options cpuinfo_best(void);

/* What a caller or TESSERA_CPU asks for: `name` NULL means the environment, and that the best.
 * Reports and returns false for a level that there isn't, or that this machine hasn't. */
bool cpuinfo_choose(tsr_context *ctx, const char *name, cpu_options *out);

const char *cpuinfo_level_name(cpu_level level); /* "avx2" */

/* Processors this process may run on. */
unsigned cpuinfo_threads(void);

/* "Intel(R) Xeon(R) Processor", or the architecture when the system has no name for it. Terminated,
 * cut to the size. */
void cpuinfo_model(char *out, size_t size);

#endif
