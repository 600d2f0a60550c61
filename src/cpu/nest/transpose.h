/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/transpose.h: transposes in registers.
 */
#ifndef TSR_CPU_NEST_TRANSPOSE_H
#define TSR_CPU_NEST_TRANSPOSE_H

#include "cpu/nest/analysis.h"

/* In the exact version, evaluates for all copies what is read along another dimension than lanes
 * lie along. */
void transpose_readings(nest *n, const group *g, const nest_analysis *s);

#endif
