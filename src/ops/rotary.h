/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rotations of pairs of elements:  y0 = x0 cos - x1 sin   y1 = x1 cos + x0 sin
 *
 * Pairs are elements i and i + size / 2, or 2 i and 2 i + 1 (interleaved), of the first `size`.
 */
#ifndef TSR_OPS_ROTARY_H
#define TSR_OPS_ROTARY_H

#include "ops/emit.h"

/* First and second elements of pairs: `count` of them from `first` on, every `step`-th. */
typedef struct rotary_half {
  int64_t first, step, count;
} rotary_half;

static inline rotary_half rotary_half_of(int64_t size, bool interleaved, bool second) {
  return interleaved ? (rotary_half){second, 2, size / 2}
                     : (rotary_half){second ? size / 2 : 0, 1, size / 2};
}
static inline int64_t rotary_element(rotary_half half, int64_t i) {
  return half.first + i * half.step;
}
/* The size of a tile that holds as many. */
static inline int64_t rotary_power(int64_t count) {
  int64_t power = 1;
  while (power < count) power *= 2;
  return power;
}

/* Turns tiles of first and second elements. */
void rotary_turn(ops_build *b, tsr_value halves[2], tsr_value cosine, tsr_value sine);
void rotary_turn_numbers(double *x, double *y, double cosine, double sine);

#endif
