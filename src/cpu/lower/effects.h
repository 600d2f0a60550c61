/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/lower/effects.h: atomics, print, assert, ordered loads and stores.
 */
#ifndef TSR_CPU_LOWER_EFFECTS_H
#define TSR_CPU_LOWER_EFFECTS_H

#include "cpu/plan/access.h"

void lower_print(lower *l, ir_op *op);
void lower_assert(lower *l, ir_op *op);
void lower_atomic(lower *l, ir_op *op);
void lower_ordered_load(lower *l, ir_op *op, access *a);
void lower_ordered_store(lower *l, ir_op *op, access *a);

#endif
