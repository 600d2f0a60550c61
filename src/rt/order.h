/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * order: which tile block comes first. An order maps positions 0, 1, … one to one to tile blocks.
 *
 *   forward    x fastest, then y, then z: the order of the grid
 *   reverse    the same from the end
 *   shuffled   pseudo-random by a seed, without a table: any grid costs nothing
 *   grouped    for two-dimensional grids: bands of `group` rows, y fastest within a band, so that
 *              few neighbouring rows and columns of operands are in use at a time; or bands of
 *              `group` columns, x fastest within a band
 */
#ifndef TSR_RT_ORDER_H
#define TSR_RT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <tessera/runtime.h>

typedef enum rt_order_kind {
  RT_ORDER_FORWARD,
  RT_ORDER_REVERSE,
  RT_ORDER_SHUFFLED,
  RT_ORDER_GROUPED
} rt_order_kind;

typedef struct rt_order {
  rt_order_kind kind;
  uint64_t seed;  /* shuffled */
  uint32_t group; /* grouped: rows of a band, at least 1 */
  bool columns;   /* grouped: columns, not rows */
} rt_order;

/* How many tile blocks; false when the grid is empty, too long in a direction or too large. */
bool order_total(tsr_grid grid, uint64_t *total);

/* The tile block at `position` < total. */
void order_block(const rt_order *order, tsr_grid grid, uint64_t total, uint64_t position,
                 int32_t id[3]);

/* The tile block after `id` in the order of the grid. */
static inline void order_next(tsr_grid grid, int32_t id[3]) {
  if ((uint32_t)++id[0] < grid.x) return;
  id[0] = 0;
  if ((uint32_t)++id[1] < grid.y) return;
  id[1] = 0;
  id[2]++;
}

/* The same in a grouped order of a grid that has one tile block along z. */
static inline void order_next_grouped(const rt_order *order, tsr_grid grid, int32_t id[3]) {
  const unsigned along = !order->columns;
  const uint32_t extent[2] = {grid.x, grid.y}, group = order->group;
  uint32_t at = (uint32_t)id[along], first = group < extent[along] ? at - at % group : 0;
  if (++at < extent[along] && at - first < group) {
    id[along] = (int32_t)at;
    return;
  }
  id[along] = (int32_t)first;
  if ((uint32_t)++id[1 - along] < extent[1 - along]) return;
  id[1 - along] = 0;
  id[along] = (int32_t)at;
}

/* A tile block's position in the order of the grid. */
static inline uint64_t order_position(tsr_grid grid, const int32_t id[3]) {
  return ((uint64_t)id[2] * grid.y + (uint64_t)id[1]) * grid.x + (uint64_t)id[0];
}

#endif
