/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ready: a kernel's code that was made in another context and by another thread, so that several
 * kernels compile at the same time: machine code for "cpu", PTX or
 * an AMD GPU's code object for devices that execute those.
 */
#ifndef TSR_RT_READY_H
#define TSR_RT_READY_H

#include "rt/gpu.h"
#include "rt/gpu_resources.h"

typedef struct rt_ready {
  str object; /* for exec_code_load, aligned; for GPUs as gpu_cached_write gives it */
  cpu_sizes sizes;
} rt_ready;

/* A device "cpu" of a context, with one thread, that makes the same code as `like`. NULL after a
 * message. `like` may be in use by another thread. */
tsr_device *ready_device(tsr_context *ctx, const tsr_device *like);

/* Compiles the kernel, or takes it from the cache, as code in the arena. The program is of a device
 * made by ready_device. Reports, or jumps to the guard. */
bool ready_make(tsr_program *p, const char *kernel, arena *a, rt_ready *out);

/* What is known of a kernel on a GPU before it is launched. A kernel may have several forms
 * (gpu/nvptx/nvptx.h): of each number that of the form for which it is best. */
typedef struct ready_resources {
  unsigned registers; /* of a thread */
  unsigned spilled;   /* bytes that a thread stores and loads again for want of registers */
  unsigned shared;    /* bytes of a block */
  unsigned warps;     /* at the same time on a multiprocessor; 0: a block does not fit */
  bool estimated;     /* registers and spills, for want of ptxas (rt/gpu_resources.h) */
} ready_resources;

/* Compiles a module's kernels for a GPU, as code in the arena; `kernel` (NULL: the first) is the
 * one that `use` is about. `hash` is that of the code without its lines. Reports, or jumps to the
 * guard. */
bool ready_make_gpu(tsr_context *ctx, ir_module *m, const char *kernel,
                    const gpu_compile_options *o, arena *a, rt_ready *out, uint64_t *hash,
                    ready_resources *use);

/* The next kernel that is got from the program is that; the code is not needed afterwards. */
void ready_use(tsr_program *p, const rt_ready *code);

/* What obtaining a kernel of a program with such code comes to. */
bool ready_load(tsr_kernel *k);

#endif
