/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Mixtures of experts: what moe_sort, which sorts rows, and moe, which computes with them, share.
 */
#ifndef TSR_OPS_MOE_H
#define TSR_OPS_MOE_H

#include "ops/ops.h"

/* The most experts and rows, and elements of a tile of pairs and experts. */
enum { MOE_SORT_MOST = 4096, MOE_MOST_ROWS = 1 << 30, MOE_SORT_TILE = 16384 };

/* How many rows sorted pairs have at most, with those that fill units up. */
int64_t moe_sorted_rows(int64_t pairs, int64_t experts, int64_t unit);

#endif
