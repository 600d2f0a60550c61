/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/prefetch_regions.h: what a micro-kernel fetches while it multiplies:
 * mma_region[MMA_REGIONS] in memory.
 */
#ifndef TSR_CPU_GEMM_PREFETCH_REGIONS_H
#define TSR_CPU_GEMM_PREFETCH_REGIONS_H

#include "cpu/core/core.h"

/* They fetch nothing at first. */
llv regions_new(lower *l);
/* `rows` rows of `bytes` bytes, `row` apart, from `base` on. No rows: nothing. */
void region_set(lower *l, llv regions, unsigned which, llv base, llv row, llv rows, int64_t bytes);
void region_clear(lower *l, llv regions, unsigned which);

#endif
