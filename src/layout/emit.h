/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the two forms of emitted index arithmetic share: the ranges that make operations needless.
 */
#ifndef TSR_LAYOUT_EMIT_H
#define TSR_LAYOUT_EMIT_H

#include <tessera/descriptor.h>

#include "layout/draw.h"

/* Whether every value of a hidden dimension is below n; unknown lengths are not. */
static inline bool emit_below(const tsr_descriptor *d, uint32_t id, int64_t n) {
  return d->length[id] > 0 && d->length[id] <= n;
}

/* Whether digit i of a merge, whose digits below it count `divide`, needs no remainder. */
static inline bool emit_is_top_digit(const tsr_descriptor *d, const tsr_stage *s, uint32_t i,
                                     int64_t divide) {
  return i == 0 || emit_below(d, s->upper_ids[0], divide * s->transform.length[i]);
}

/* The weights of an unmerge's digits. */
void emit_weights(const tsr_transform *t, int64_t *weight);

#endif
