/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Libraries and plans, as they lie in memory.
 */
#ifndef TSR_OPS_LIBRARY_H
#define TSR_OPS_LIBRARY_H

#include "ops/ops.h"

/* The kernels of an instance. */
typedef struct ops_code {
  tsr_module *module;
  tsr_program *program;
  struct ops_code *next;
} ops_code;

struct tsr_op_plan {
  tsr_op_library *library;
  ops_problem problem;
  ops_operands operands;
  ops_steps steps;
  tsr_kernel *kernels[OPS_MAX_STEPS];
  const char *text, *instance;
};

struct tsr_op_library {
  tsr_context *ctx;
  tsr_device *device;
  tsr_tuning_store *store; /* NULL: none */
  ops_target target;
  arena arena;
  strmap plans; /* by the text of the problem as it was given */
  strmap codes; /* by the name of the instance */
  ops_code *first;
};

/* What all that belongs to a device's context is locked by; recursive. */
void ops_lock(tsr_op_library *library);
void ops_unlock(tsr_op_library *library);

#endif
