/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/lower/strides.h: strides that are arguments, as those of arrays of pixels.
 */
#ifndef TSR_CPU_LOWER_STRIDES_H
#define TSR_CPU_LOWER_STRIDES_H

#include "cpu/nest/group.h"

/* A version of a group in which elements lie as far apart as is likely. */
typedef struct stride_version {
  llv stride;      /* in elements, from lane to lane */
  unsigned likely; /* what it is taken to be */
  llv holds;       /* i1: it is */
  VEC(saved_value) was;
} stride_version;

/* False where no stride from element to element is an argument. Else what the version needs; the
 * code of `holds` is made where the builder is. */
bool strides_find(lower *l, const group *g, stride_version *x);
/* Gives the group's accesses the likely stride, until strides_give_back. The stores of `g` keep
 * theirs, so it is a copy. */
void strides_take(lower *l, stride_version *x, group *g);
void strides_give_back(lower *l, const stride_version *x);

#endif
