/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How many waves of a kernel a compute unit (of RDNA a work-group processor) holds at once.
 */
#ifndef TSR_EMU_AMDGCN_OCCUPANCY_H
#define TSR_EMU_AMDGCN_OCCUPANCY_H

#include "emu/amdgcn/object.h"

typedef struct hsa_occupancy {
  uint32_t waves, most; /* in whole workgroups: of this kernel, of any */
  const char *limit;    /* what keeps it from more: "registers", "LDS", "workgroups"; or NULL */
} hsa_occupancy;

/* Of workgroups with so many work-items, and so many bytes of dynamic LDS. */
hsa_occupancy hsa_occupancy_of(const gpu_target *gpu, const hsa_kernel *k, uint32_t threads,
                               uint32_t dynamic_lds);

#endif
