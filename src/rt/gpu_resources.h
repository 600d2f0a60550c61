/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu_resources: what a kernel needs of a multiprocessor, as ptxas reports it; where there is no
 * ptxas, as the registers let one guess that are in use at once (emu/ptx/pressure.h).
 */
#ifndef TSR_RT_GPU_RESOURCES_H
#define TSR_RT_GPU_RESOURCES_H

#include "gpu/nvptx/nvptx.h"

typedef struct gpu_resources {
  unsigned registers;                        /* of a thread */
  unsigned spill_stores, spill_loads, stack; /* bytes of a thread */
  bool serialised; /* wgmma, because ptxas could not keep its registers in place */
  bool estimated;  /* not by ptxas */
} gpu_resources;

/* What `ptxas -v` wrote about a program; without a ptxas the program itself. */
typedef struct gpu_report {
  arena *arena;
  const gpu_target *target;
  str log;
  struct ptx_module *program; /* NULL: there is a log */
} gpu_report;

/* Runs ptxas, if it is there. Reports and returns false when it does not accept the program. Jumps
 * to the guard when memory runs out, after which gpu_report_close is to be called. */
bool gpu_report_open(gpu_report *r, tsr_context *ctx, arena *a, const gpu_target *t, str ptx);
void gpu_report_close(gpu_report *r);

/* Of the entry of that name; zeros where nothing is said of it. */
gpu_resources gpu_resources_of(const gpu_report *r, const char *symbol);

/* Warps that fit a multiprocessor at the same time; 0: not one block does. Registers that are 0 are
 * not counted. */
unsigned gpu_warps_resident(const gpu_target *t, const nvptx_entry *e, const gpu_resources *r);

#endif
