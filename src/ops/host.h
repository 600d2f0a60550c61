/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensors on the host, as numbers: what references work on, and the checks that compare with them.
 */
#ifndef TSR_OPS_HOST_H
#define TSR_OPS_HOST_H

#include "ops/ops.h"

typedef struct op_tensor {
  const op_operand *operand;
  void *data;
  double *numbers; /* every element of its span, by its distance from the first */
} op_tensor;

struct op_host {
  const op_problem *p;
  arena *arena;
  op_tensor tensors[OP_MAX_OPERANDS];
  unsigned count;
};

/* Reads tensors that are read; `data` in the order of the operands. */
void op_host_init(op_host *h, const op_problem *p, arena *a, const op_operands *operands,
                  void *const *data);
/* NULL: the problem has none of this name. */
op_tensor *op_host_tensor(const op_host *h, const char *name);
/* Where an element lies, by its index in the first dimensions; those left out are 0. */
int64_t op_at(const op_tensor *t, int64_t i, int64_t j, int64_t k);
/* A number as the nearest one of the type, saturated for integers and small floats. */
double op_round_to(op_type type, double x);
/* Gives back what was written, element by element, so that what lies between them stays. */
void op_host_finish(op_host *h);

/* Random numbers in an operand's span, the same for the same seed. */
void op_fill(const op_operand *o, void *data, uint64_t seed);

/* The worst difference of two tensors. */
typedef struct op_difference {
  int64_t at[TSR_OP_MAX_RANK];
  double found, expected;
  double error;   /* of the worst element */
  double allowed; /* of this one */
  bool wrong;     /* more than allowed, or NaN for a number */
} op_difference;
/* `tolerance` as a part of the largest expected number; the rounding of the type comes on top. */
op_difference op_compare(const op_operand *o, const void *found, const void *expected,
                         double tolerance, arena *a);

#endif
