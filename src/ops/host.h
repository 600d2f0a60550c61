/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensors on the host, as numbers: what references work on, and the checks that compare with them.
 */
#ifndef TSR_OPS_HOST_H
#define TSR_OPS_HOST_H

#include "ops/ops.h"

typedef struct ops_tensor {
  const ops_operand *operand;
  void *data;
  double *numbers; /* every element of its span, by its distance from the first */
} ops_tensor;

struct ops_host {
  const ops_problem *p;
  arena *arena;
  ops_tensor tensors[OPS_MAX_OPERANDS];
  unsigned count;
};

/* Reads tensors that are read; `data` in the order of the operands. */
void ops_host_init(ops_host *h, const ops_problem *p, arena *a, const ops_operands *operands,
                   void *const *data);
/* NULL: the problem has none of this name. */
ops_tensor *ops_host_tensor(const ops_host *h, const char *name);
/* The tensor is this one from now on, which is read. */
void ops_host_replace(ops_host *h, const char *name, const ops_operand *o, void *data);
/* Where an element lies, by its index in the first dimensions; those left out are 0. */
int64_t ops_at(const ops_tensor *t, int64_t i, int64_t j, int64_t k);
/* A number as the nearest one of the type, saturated for integers and small floats. */
double ops_round_to(ops_type type, double x);
/* Gives back what was written, element by element, so that what lies between them stays. */
void ops_host_finish(ops_host *h);

/* Random numbers in an operand's span, the same for the same seed. */
void ops_fill(const ops_operand *o, void *data, uint64_t seed);

/* The worst difference of two tensors. */
typedef struct ops_difference {
  int64_t at[TSR_OP_MAX_RANK];
  double found, expected;
  double error;   /* of the worst element */
  double allowed; /* of this one */
  bool wrong;     /* more than allowed, or NaN for a number */
} ops_difference;
/* `tolerance` as a part of the largest expected number; the rounding of the type comes on top. */
ops_difference ops_compare(const ops_operand *o, const void *found, const void *expected,
                           double tolerance, arena *a);

#endif
