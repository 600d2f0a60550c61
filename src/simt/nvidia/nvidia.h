/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/nvidia.h: what NVIDIA's GPUs add to plans (simt/vendor.h).
 */
#ifndef TSR_SIMT_NVIDIA_NVIDIA_H
#define TSR_SIMT_NVIDIA_NVIDIA_H

#include "simt/vendor.h"

/* Forms of a kernel: simt_target.form. */
typedef enum simt_nvidia_form {
  SIMT_PLAIN,
  SIMT_BULK,      /* loads by bulk tensor copies, where that can be (simt/nvidia/bulk.h) */
  SIMT_CLUSTERED, /* these for tile blocks together (simt/nvidia/cluster.h) */
} simt_nvidia_form;

extern const simt_vendor simt_nvidia;

#endif
