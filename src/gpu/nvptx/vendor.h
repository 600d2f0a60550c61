/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/vendor.h: gpu_hooks as NVIDIA's GPUs have it.
 */
#ifndef TSR_GPU_NVPTX_VENDOR_H
#define TSR_GPU_NVPTX_VENDOR_H

#include "gpu/vendor.h"

extern const gpu_hooks nvptx_vendor;

#endif
