/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * amd: what AMD's cards, emulated (device_emu_amd.c) and real (device_hip.c), share when they are
 * given Tile IR: the module's code object, made once for all of its kernels.
 */
#ifndef TSR_RT_AMD_H
#define TSR_RT_AMD_H

#include "gpu/amdgcn/amdgcn.h"
#include "rt/rt.h"

typedef struct amd_program {
  uint32_t users; /* kernels that were got */
  arena arena;
  amdgcn_result made; /* `text` is the code object */
  str key;            /* in the cache on disk; empty: not to be kept there */
  bool cached;        /* it came from the cache */
  double compile_ms;
  void *image; /* the device's; NULL until it has loaded the code */
} amd_program;

/* Takes part in the program's code for a target, which is made or, with `keep`, taken from the
 * device's cache on the first call, and finds the kernel in it: k->amd. Reports and returns false.
 */
bool amd_acquire(tsr_kernel *k, const gpu_target *target, bool keep);
/* The last one gets `unload`, for what was loaded. */
void amd_release(tsr_kernel *k, void (*unload)(amd_program *code));

/* amd_cached.c: fills in the code from the device's cache; puts it there. */
bool amd_cached_load(const tsr_program *p, amd_program *code);
void amd_cached_store(const tsr_program *p, amd_program *code);
/* The same as bytes, which hold for the same program in any context; false where they can't be. */
bool amd_cached_write(sbuf *out, const ir_module *m, const amdgcn_result *made);
bool amd_cached_read(const tsr_program *p, amd_program *code, str bytes);

#endif
