/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lanes of a warp as bits of a word. How many a warp has is known when a grid is launched.
 */
#ifndef TSR_EMU_LANES_H
#define TSR_EMU_LANES_H

#include <stdbool.h>
#include <stdint.h>

enum { EMU_MAX_LANES = 64 };

typedef uint64_t emu_lanes;

/* The lowest `n` lanes. */
static inline emu_lanes emu_lanes_below(unsigned n) {
  return n >= EMU_MAX_LANES ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}
static inline emu_lanes emu_lane_bit(unsigned lane) {
  return UINT64_C(1) << lane;
}
/* Of lanes that are not none. */
static inline unsigned emu_first_lane(emu_lanes lanes) {
  return (unsigned)__builtin_ctzll(lanes);
}
static inline unsigned emu_count_lanes(emu_lanes lanes) {
  return (unsigned)__builtin_popcountll(lanes);
}

/* The lanes `l` of a set, from the lowest on. */
#define EMU_FOR_LANES(l, lanes)                                                                    \
  for (uint64_t rest_##l = (lanes), l = 0; rest_##l && (l = emu_first_lane(rest_##l), true);       \
       rest_##l &= rest_##l - 1)

#endif
