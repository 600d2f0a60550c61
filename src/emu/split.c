/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lanes of a warp that part.
 */
#include "emu/schedule.h"

/* Room for a split: each of the others has a lane at least, or is empty and may be used again. */
static emu_split *empty_split(emu_warp *w, const emu_split *from) {
  if (w->n_splits < ARRAY_LEN(w->splits)) return &w->splits[w->n_splits++];
  emu_split *s = w->splits;
  while (s->lanes || s == w->split || s == from) s++;
  return s;
}

emu_split *emu_divide_split(emu_warp *w, emu_split *from, emu_lanes lanes, uint32_t pc) {
  emu_split *s = empty_split(w, from);
  *s = *from;
  s->lanes = lanes;
  s->pc = pc;
  from->lanes &= ~lanes;
  return s;
}

emu_split *emu_divide(emu_warp *w, emu_lanes lanes, uint32_t pc) {
  return emu_divide_split(w, w->split, lanes, pc);
}
