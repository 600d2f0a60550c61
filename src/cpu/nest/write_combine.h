/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/write_combine.h: non-temporal stores of rows that do not begin with a cache line,
 * combined to whole lines.
 */
#ifndef TSR_CPU_NEST_WRITE_COMBINE_H
#define TSR_CPU_NEST_WRITE_COMBINE_H

#include "cpu/nest/analysis.h"

/* May the exact version's stores be combined, when `taken` are its lanes and copies? */
bool stores_may_combine(lower *l, const group *g, const nest_analysis *s, uint32_t taken);
/* A body's stores to neighbours along a row, `count` vectors, each `stride` behind the one before.
 */
void store_combined(nest *n, const late_store *x, unsigned count, unsigned stride);

#endif
