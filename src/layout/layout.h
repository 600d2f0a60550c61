/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * layout: what the files of this folder share. The contract is in <tessera/layout.h>.
 *
 * Operations on distributions are built from three steps on a plain value: split a mode in two,
 * renumber after modes were removed, merge neighbours (canonicalize). Each operation first makes
 * the modes line up by splitting, then moves whole modes.
 */
#ifndef TSR_LAYOUT_LAYOUT_H
#define TSR_LAYOUT_LAYOUT_H

#include <tessera/layout.h>

#include "base/base.h"

#define MAX_RANK  TSR_LAYOUT_MAX_RANK
#define MAX_MODES TSR_LAYOUT_MAX_MODES

/* Fills `error` (may be NULL) and returns `status`. */
tsr_status layout_fail(tsr_layout_error *error, tsr_status status, int dim, int mode,
                       const char *fmt, ...) PRINTF_LIKE(5, 6);

/* tsr_layout_parse of a piece of a larger text, which starts `offset` bytes behind the beginning of
 * `src`: messages point there. */
tsr_status layout_parse_in(tsr_context *ctx, const source *src, size_t offset, size_t length,
                           tsr_layout_value *out);

/* The same of a call with a pointer that may not be NULL. */
tsr_status layout_null(tsr_layout_error *error);

/* What a function that writes text does then: nothing is written but the end of it. */
static inline size_t layout_no_text(char *out, size_t size) {
  if (out && size) *out = 0;
  return 0;
}

/* "[2, 3]" of the numbers, cut with "..." when long. */
typedef struct list_text {
  char text[96];
} list_text;
list_text layout_list(uint32_t count, const int32_t *values);
#define SHAPE_TEXT(l) layout_list((l)->rank, (l)->shape).text

/* Splits mode m of size hi * low into two neighbours, in its dimension and in its list. False when
 * there is no room for one more mode. `low` divides the size. */
bool layout_split(tsr_layout *l, uint32_t m, int32_t low);

/* Removes the modes marked in `gone` from their dimensions and lists and renumbers the rest. */
void layout_drop(tsr_layout *l, const bool *gone);

/* Greatest common divisor of two positive numbers. */
int32_t layout_gcd(int32_t a, int32_t b);

/* What a mode adds to the worker's and to the slot's number per unit of its digit, and how its
 * digit is found in the index of its dimension: (index / divide) % size. */
typedef struct mode_plan {
  int32_t dim, divide, size, worker, slot;
} mode_plan;
void layout_plan(const tsr_layout *l, mode_plan *plan);

#endif
