/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/plan/grid.h: which tile block should come after which, and what depends on a tile block's
 * place.
 */
#ifndef TSR_CPU_PLAN_GRID_H
#define TSR_CPU_PLAN_GRID_H

#include "cpu/core/core.h"

/* Does the value depend on the tile block's place along x (0), y or z? A guess where control flow
 * is involved: it decides what is faster, nothing else. */
bool grid_follows(const ir_value *v, unsigned dim);
/* The same of another value. */
bool value_follows(const ir_value *v, const ir_value *on);
/* The launch's extent along a dimension of the grid, as i64. */
llv grid_extent(lower *l, unsigned dim);
/* The same, of the tile block's place. */
llv grid_place(lower *l, unsigned dim);
/* The order in which the kernel's tile blocks are best executed. */
grid_order grid_order_of(lower *l);

#endif
