/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What operators are computed on, as far as choices and the cost model ask.
 */
#ifndef TSR_OPS_TARGET_H
#define TSR_OPS_TARGET_H

#include <tessera/runtime.h>

#include "base/base.h"

typedef enum ops_target_kind { OPS_ON_CPU, OPS_ON_INTERP, OPS_ON_GPU } ops_target_kind;

typedef struct ops_target {
  uint8_t kind;          /* ops_target_kind */
  unsigned cores;        /* threads of a CPU, multiprocessors of a GPU */
  unsigned vector_bytes; /* of a CPU's registers */
  bool bf16, vnni;       /* a CPU's matrix products of bf16, of bytes */
  double gflops;         /* of f32 multiply-adds by one core */
  double gbytes;         /* of memory, by all cores, in a second */
} ops_target;

/* `device` NULL: a CPU of this machine. */
ops_target ops_target_of(tsr_device *device);

#endif
