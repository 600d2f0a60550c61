/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/order.h"

#include "base/base.h"

/* More would be a mistake: beginning 2^40 tile blocks alone takes hours. */
static const uint64_t max_blocks = UINT64_C(1) << 40;

bool order_total(tsr_grid grid, uint64_t *total) {
  if (grid.x < 1 || grid.y < 1 || grid.z < 1) return false;
  if (grid.x > INT32_MAX || grid.y > INT32_MAX || grid.z > INT32_MAX) return false;
  uint64_t plane = (uint64_t)grid.x * grid.y; /* below 2^62 */
  if (plane > max_blocks / grid.z) return false;
  *total = plane * grid.z;
  return true;
}

/* A permutation of [0, total): a Feistel network over the next power of four, walked until it
 * lands inside. On average it takes at most four steps. */
static uint64_t shuffle(uint64_t total, uint64_t seed, uint64_t position) {
  unsigned half = 1;
  while (half < 32 && UINT64_C(1) << (2 * half) < total) half++;
  uint64_t mask = (UINT64_C(1) << half) - 1;
  do {
    uint64_t left = position >> half, right = position & mask;
    for (uint64_t round = 0; round < 4; round++) {
      uint64_t mixed = hash_mix(hash_mix(seed, round), right) & mask;
      uint64_t next = left ^ mixed;
      left = right;
      right = next;
    }
    position = left << half | right;
  } while (position >= total);
  return position;
}

static void forward(tsr_grid grid, uint64_t position, int32_t id[3]) {
  id[0] = (int32_t)(position % grid.x);
  position /= grid.x;
  id[1] = (int32_t)(position % grid.y);
  id[2] = (int32_t)(position / grid.y);
}

/* Bands of `group` along dimension d, in which that dimension runs fastest. */
static void grouped(tsr_grid grid, uint32_t group, unsigned d, uint64_t position, int32_t id[3]) {
  const uint64_t extent[2] = {grid.x, grid.y}, across = extent[1 - d];
  uint64_t plane = extent[0] * extent[1];
  id[2] = (int32_t)(position / plane);
  position %= plane;
  uint64_t band = position / (group * across);
  uint64_t rest = position - band * group * across;
  uint64_t width = MIN((uint64_t)group, extent[d] - band * group); /* the last may be narrow */
  id[1 - d] = (int32_t)(rest / width);
  id[d] = (int32_t)(band * group + rest % width);
}

void order_block(const rt_order *order, tsr_grid grid, uint64_t total, uint64_t position,
                 int32_t id[3]) {
  switch (order->kind) {
  case RT_ORDER_FORWARD: forward(grid, position, id); return;
  case RT_ORDER_REVERSE: forward(grid, total - 1 - position, id); return;
  case RT_ORDER_SHUFFLED: forward(grid, shuffle(total, order->seed, position), id); return;
  case RT_ORDER_GROUPED: grouped(grid, order->group, !order->columns, position, id); return;
  }
}
