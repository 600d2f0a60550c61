/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Libraries and plans, as they lie in memory.
 */
#ifndef TSR_OPS_LIBRARY_H
#define TSR_OPS_LIBRARY_H

#include <stdarg.h>

#include "ops/ops.h"

/* The kernels of an instance. */
typedef struct ops_code {
  tsr_module *module;
  tsr_program *program;
  unsigned steps; /* that it has kernels of */
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

/* The fastest choices of a problem that was tuned, for libraries without a store. */
typedef struct ops_tuned {
  const char *program, *sizes, *parameters; /* as in a record */
} ops_tuned;

struct tsr_op_library {
  tsr_context *ctx;
  tsr_device *device;
  tsr_tuning_store *store; /* NULL: none */
  ops_target target;
  arena arena;
  strmap plans; /* by the text of the problem as it was given */
  strmap codes; /* by the name of the instance */
  VEC(ops_tuned) tuned;
  ops_code *first;
};

/* tune.c: sets the choices of the fastest record of a settled problem, where there is one that can
 * be used. */
void ops_recall(tsr_op_library *library, ops_problem *p, arena *a);

/* query.c: the instances of a problem, those with the lowest estimates first, refused ones last. */
typedef struct ops_candidate {
  ops_problem problem;
  const char *name;
  const char *refused; /* NULL: it can be used */
  double ms;
} ops_candidate;
typedef struct ops_candidate_list {
  ops_candidate *data;
  size_t count;
} ops_candidate_list;
bool ops_list_candidates(const tsr_op_library *library, arena *a, const tsr_op_problem *given,
                         ops_candidate_list *out, ops_why *why);

/* library.c: a tensor of a list as callers see it; TSR_ERROR_USAGE past the last. */
tsr_status ops_operand_describe(const ops_operands *list, size_t index, tsr_op_operand *out);

/* library.c: the plan of a problem is made anew when it is asked for again. */
void ops_forget_plan(tsr_op_library *library, arena *a, const tsr_op_problem *given);

/* What all that belongs to a device's context is locked by; recursive. */
void ops_lock(tsr_op_library *library);
void ops_unlock(tsr_op_library *library);
/* Reports an error under that lock. */
void ops_report(tsr_op_library *library, const char *fmt, va_list args);

#endif
