/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu: what devices that execute PTX share when they are given Tile IR: the module's code, made
 * once for all of its kernels.
 */
#ifndef TSR_RT_GPU_H
#define TSR_RT_GPU_H

#include "gpu/nvptx/nvptx.h"
#include "rt/rt.h"
#include "rt/tensor_maps.h"

typedef struct gpu_program {
  const tsr_program *program;
  uint32_t users; /* kernels that were got */
  arena arena;
  str ptx;              /* terminated; empty when it came from the cache */
  str key;              /* in the cache on disk; empty: not to be kept there */
  str binary;           /* what the driver loads: PTX or machine code; empty until it is known */
  bool is_machine_code; /* it is */
  bool cached;          /* it came from the cache */
  nvptx_entry *entries;
  uint32_t n_entries;
  double compile_ms;
  void *image; /* the device's; NULL until it has loaded the code */
} gpu_program;

typedef struct gpu_kernel gpu_kernel;

typedef struct gpu_compile_options {
  const gpu_target *target;
  unsigned threads; /* that compile, at most */
  bool lines;       /* as nvptx_options has it */
} gpu_compile_options;

/* Makes PTX of all kernels, and what is known of its entries, in the code's arena. Reports and
 * returns false. */
bool gpu_compile(tsr_context *ctx, ir_module *m, const gpu_compile_options *o, gpu_program *code);

/* What a device executes code of; NULL: no code for GPUs. */
const gpu_target *gpu_target_of(const tsr_device *dev);

/* Takes part in the program's code for a target, which is made or taken from the device's cache on
 * the first call, and finds the kernel in it: k->gpu. `assembler` says for the cache who makes
 * machine code of it, or is NULL where none is kept. Reports and returns false. */
bool gpu_acquire(tsr_kernel *k, const char *target, const char *assembler);
/* The last one gets `unload`, for what was loaded. */
void gpu_release(tsr_kernel *k, void (*unload)(gpu_program *code));

/* The device's function of one of the kernel's forms (rt/tensor_maps.h). */
static inline const void *gpu_function_of(const gpu_kernel *k, const nvptx_entry *form) {
  if (form == k->entry) return k->function;
  return form == k->entry->bulk ? k->bulk_function : k->clustered_function;
}

/* The form that a launch with these words takes, and its tensors (RT_MOST_TENSORS); NULL after a
 * message where there is no map that it needs. */
const nvptx_entry *gpu_choose_form(rt_launch_state *l, const uint64_t *words, rt_tensor *tensors);

#endif
