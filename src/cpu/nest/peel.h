/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/peel.h: loop peeling: where the exact version makes the iterations of one loop for
 * which everything exists, and the guarded one goes on from there.
 */
#ifndef TSR_CPU_NEST_PEEL_H
#define TSR_CPU_NEST_PEEL_H

#include "cpu/nest/analysis.h"

typedef struct peeled_loop {
  llv from, whole; /* i64: the exact version makes the iterations in [from, whole), or, if they are
                    * equal, none; NULL: from the first on */
  int64_t all;     /* that there are */
  unsigned top;    /* as in nest_part, in both versions */
  unsigned first;  /* the lowest bit that the exact version's loop counts */
  unsigned finer;  /* log2 of the iterations of the guarded version's loop for each of these */
  bool chooses;    /* in these all selects are their first operand */
  llv until; /* i64: behind how many of its iterations the guarded version has nothing to do, or
              * repeats the last one; NULL: it makes all of them */
  bool repeats;
} peeled_loop;
/* Bits of the iteration that are lanes or copies: in the exact version, the guarded one, and that
 * which repeats its last iteration. */
typedef struct bits_by_version {
  uint32_t exact, guarded, repeating;
} bits_by_version;
/* False when there is no such loop, or nothing that could be outside. */
bool find_peeled(lower *l, const group *g, const nest_analysis *s, const bits_by_version *taken,
                 peeled_loop *out);

#endif
