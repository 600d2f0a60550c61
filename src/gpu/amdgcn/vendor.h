/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/vendor.h: gpu_hooks as AMD's GPUs have it.
 */
#ifndef TSR_GPU_AMDGCN_VENDOR_H
#define TSR_GPU_AMDGCN_VENDOR_H

#include "gpu/vendor.h"

extern const gpu_hooks amdgcn_vendor;

#endif
