/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ready: a kernel's machine code for "cpu" that was made on another device of the same kind, in
 * another context and by another thread, so that several kernels compile at the same time.
 */
#ifndef TSR_RT_READY_H
#define TSR_RT_READY_H

#include "rt/rt.h"

typedef struct rt_ready {
  str object; /* for exec_code_load, aligned */
  cpu_sizes sizes;
} rt_ready;

/* A device "cpu" of a context, with one thread, that makes the same code as `like`. NULL after a
 * message. `like` may be in use by another thread. */
tsr_device *ready_device(tsr_context *ctx, const tsr_device *like);

/* Compiles the kernel, or takes it from the cache, as code in the arena. The program is of a device
 * made by ready_device. Reports, or jumps to the guard. */
bool ready_make(tsr_program *p, const char *kernel, arena *a, rt_ready *out);

/* The next kernel that is got from the program is that; the code is not needed afterwards. */
void ready_use(tsr_program *p, const rt_ready *code);

/* What obtaining a kernel of a program with such code comes to. */
bool ready_load(tsr_kernel *k);

#endif
