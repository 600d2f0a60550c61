/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the parts of the command op share: op.c reads the call, op_tensors.c makes a device and
 * tensors and compares results, op_tune.c measures all instances.
 */
#ifndef TSR_CLI_OP_H
#define TSR_CLI_OP_H

#include <tessera/op.h>

#include "cli/cli.h"
#include "ops/host.h"
#include "ops/library.h"

/* A tensor of a problem, or one that a table of addresses points to. */
typedef struct op_tensor {
  const ops_operand *operand;
  uint64_t seed;
  void *expected; /* what it holds, and once the reference has been asked what it should */
  tsr_buffer *buffer;
} op_tensor;

typedef struct op_call {
  cli *c;
  const char *family;
  const char *problem; /* its text */
  const char *target;
  const char *svg; /* of tune: where a picture goes; NULL: nowhere */
  tsr_device_options device_options;
  uint64_t seed;
  double seconds;    /* of tune */
  bool beside_first; /* of tune: results are compared with those of the first instance */
  bool json;
  tsr_device *device;
  tsr_tuning_store *store;
  tsr_op_library *library;
  /* Of run, check and tune: */
  tsr_op_plan *plan;
  unsigned count;         /* operands; */
  VEC(op_tensor) tensors; /* behind them stand those that tables of addresses point to */
  tsr_op_argument args[OPS_MAX_OPERANDS + 1];
  tsr_buffer *workspace;
} op_call;

tsr_op_problem op_problem_of(const op_call *o);
void op_put_field(const op_call *o, const char *name, const char *text); /* of a JSON object */
double op_rate(double amount, double ms);                                /* 10^9 a second */

/* ---- op_tensors.c ---------------------------------------------------------------------------- */

/* Opens the device, gets the plan and makes its tensors; `even`: groups by pointers are all as
 * large as may be, so that rates are right. False after a message. */
bool op_prepare(op_call *o, bool even);
/* What the reference makes of the tensors, instead of what they held. */
bool op_ask_reference(op_call *o);
/* Puts back what updated tensors held, as the reference was asked for one launch. */
bool op_restore_tensors(op_call *o);
/* The worst element of all results, and of which tensor it is. */
ops_difference op_compare_results(op_call *o, const char **tensor);
/* Takes the results as what is right from now on. */
void op_take_results(op_call *o);
void op_close(op_call *o);

/* ---- op_tune.c ------------------------------------------------------------------------------- */

int op_tune(op_call *o);

#endif
