/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Spans of bit vectors, in echelon form: what the linear parts of this folder compute with.
 */
#ifndef TSR_LAYOUT_LINEAR_H
#define TSR_LAYOUT_LINEAR_H

#include "layout/layout.h"

/* Vectors by their highest bit. from[h] says which of the added vectors (by their order, as bits)
 * make row[h]. */
typedef struct span {
  uint64_t row[64], from[64];
  uint32_t rank, added;
} span;

/* What is left of v after taking away the rows it contains; *from collects which vectors those are
 * made of (may be NULL). 0 when v lies in the span. */
uint64_t span_reduce(const span *s, uint64_t v, uint64_t *from);
/* Adds a vector; false when it was in the span already. At most 64 may be added. */
bool span_add(span *s, uint64_t v);
static inline bool span_has(const span *s, uint64_t v) {
  return span_reduce(s, v, NULL) == 0;
}

/* log2, or -1 when n is no power of two. */
int layout_log2(int64_t n);

#endif
