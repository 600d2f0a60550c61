/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu: what devices that execute PTX share when they are given Tile IR: the module's code, made
 * once for all of its kernels.
 */
#ifndef TSR_RT_GPU_H
#define TSR_RT_GPU_H

#include "nvptx/nvptx.h"
#include "rt/rt.h"

typedef struct gpu_program {
  uint32_t users; /* kernels that were got */
  arena arena;
  str ptx;
  nvptx_entry *entries;
  uint32_t n_entries;
  double compile_ms;
  void *image; /* the device's; NULL until it has loaded the code */
} gpu_program;

typedef struct gpu_kernel gpu_kernel;

/* Takes part in the program's code for a target, which is made on the first call, and finds the
 * kernel in it: k->gpu. Reports and returns false. */
bool gpu_acquire(tsr_kernel *k, const char *target);
/* The last one gets `unload`, for the image. */
void gpu_release(tsr_kernel *k, void (*unload)(gpu_program *code));

#endif
