/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/runs.h: which elements that tiles of pointers name lie next to each other in memory, from
 * how the pointers are computed and from what is known of the numbers in them (opt/facts.h).
 *
 * For a run of 2^r elements, told by r bits of the index, a value is a *line* if it is D + step * j
 * for the j-th element of every run. iota is one; sums, products with constants and offsets of
 * pointers make lines of lines, and what index operations move stays one. `assume div_by<d, every e
 * along a>` says that something is.
 */
#ifndef TSR_SIMT_RUNS_H
#define TSR_SIMT_RUNS_H

#include "simt/plan.h"

typedef struct simt_run {
  uint8_t bits;        /* log2 of how many elements; 0: none is known */
  bool test_alignment; /* that the first lies at a multiple of the run's bytes is not known */
  bool test_mask;      /* that all exist or none is not known */
} simt_run;

/* The longest run along bits of the index of a tile of pointers, in their order (the first is j's
 * lowest), at most `most`: elements that differ in those alone lie next to each other in memory.
 * One of which all is known is preferred to a longer one. `mask` says which exist; NULL: all do.
 * None for pointees of less than a byte. Takes bounded time whatever the program is. */
simt_run simt_pointer_run(const facts *known, const ir_value *pointers, const ir_value *mask,
                          const int8_t *bits, unsigned most);

/* The order of a tile of pointers in memory as far as it is known: as simt_memory_order. */
unsigned simt_pointer_order(const facts *known, const ir_value *pointers, uint8_t order[SIMT_BITS]);

#endif
