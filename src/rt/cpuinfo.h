/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpuinfo: what the processor and the operating system allow compiled code to use.
 */
#ifndef TSR_RT_CPUINFO_H
#define TSR_RT_CPUINFO_H

#include "base/base.h"
#include "cpu/cpu.h"

/* The best this machine has. A level counts only when the operating system saves its registers. */
cpu_options cpuinfo_best(void);

/* What a caller or TESSERA_CPU asks for: `name` NULL means the environment, and that the best.
 * Reports and returns false for a level that there isn't, or that this machine hasn't. */
bool cpuinfo_choose(tsr_context *ctx, const char *name, cpu_options *out);

/* The same for code that is made for files, where a name means what it says and nothing else that
 * this machine has: "avx2", "avx2+vnni", "avx512" with any of "+vnni", "+bf16", "+fp16" and
 * "+vbmi". Also "aarch64", "aarch64+bf16", "aarch64+i8mm" and "aarch64+bf16+i8mm", whatever this
 * machine is. i8mm includes the dot products of bytes, which every processor with it has. */
bool cpuinfo_choose_target(tsr_context *ctx, const char *name, cpu_options *out);
/* For kernels that were compiled elsewhere: the index-th of what this machine can run at most
 * `best` of, best first; false when there are no more. */
bool cpuinfo_candidate(const cpu_options *best, unsigned index, cpu_options *out);

const char *cpuinfo_level_name(cpu_level level); /* "avx2" */

/* Fills in what code that is to run here should look like. */
void cpuinfo_tune(cpu_options *out);

/* Processors this process may run on. */
unsigned cpuinfo_threads(void);

/* "Intel(R) Xeon(R) Processor", or the architecture when the system has no name for it. Terminated,
 * cut to the size. */
void cpuinfo_model(char *out, size_t size);

#endif
