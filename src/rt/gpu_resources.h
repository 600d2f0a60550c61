/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu_resources: what a kernel needs of a multiprocessor, as ptxas reports it.
 */
#ifndef TSR_RT_GPU_RESOURCES_H
#define TSR_RT_GPU_RESOURCES_H

#include "gpu/nvptx/nvptx.h"

typedef struct gpu_resources {
  unsigned registers;                        /* of a thread */
  unsigned spill_stores, spill_loads, stack; /* bytes of a thread */
  bool serialised; /* wgmma, because ptxas could not keep its registers in place */
} gpu_resources;

/* Of the entry of that name, by what `ptxas -v` wrote; zeros where that says nothing of it. */
gpu_resources gpu_resources_of(arena *a, str log, const char *symbol);

/* Warps that fit a multiprocessor at the same time; 0: not one block does. Registers that are 0 are
 * not counted. */
unsigned gpu_warps_resident(const gpu_target *t, const nvptx_entry *e, const gpu_resources *r);

#endif
