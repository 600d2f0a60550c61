/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/state.h: what a kernel on its way to a code object has besides what all GPUs' kernels
 * have (gen.own).
 */
#ifndef TSR_GPU_AMDGCN_STATE_H
#define TSR_GPU_AMDGCN_STATE_H

#include "gpu/amdgcn/amdgcn.h"
#include "gpu/gen.h"

typedef struct amdgcn_state {
  amdgcn_result *out; /* whose asserts this kernel's are added to */
  map tested;         /* simt_pipeline * whose test chooses the kernel's version (gpu/aligned.h) */
} amdgcn_state;

static inline amdgcn_state *amdgcn_own(const gen *g) {
  return g->own;
}

#endif
