/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels for tests that compare two ways of executing one. They consist of what every
 * engine does bit for bit: integers, exact float operations, moving of elements, loads and stores
 * with masks and views that reach over the edge, loops and branches that carry tiles.
 *
 * A kernel is @k(%p, %zero, %one, %three, %odd): an address of RANDOM_MEMORY bytes, then numbers,
 * whose patterns random_arguments gives. It writes to slots behind the first two.
 */
#ifndef TSR_TESTS_RANDOM_PROGRAM_H
#define TSR_TESTS_RANDOM_PROGRAM_H

#include "base/base.h"

enum { RANDOM_MEMORY = 1 << 16, RANDOM_SLOT = 1 << 13, RANDOM_SLOTS = 6 };

typedef struct random_program {
  const char *text;
  unsigned stores;              /* slots written */
  uint8_t stored[RANDOM_SLOTS]; /* with what; private */
} random_program;

/* The same seed gives the same program. A rich one has what optimisers look at in addition:
 * numbers that are constants, not parameters; zeros and ones; branches and loops that are known;
 * operations that undo each other. `a` holds the text. */
random_program random_make(arena *a, uint64_t seed, bool rich);

/* The memory that a program starts with. */
void random_fill(uint8_t *memory, uint64_t seed);
/* Five words; the address is the memory's. */
void random_arguments(uint64_t *args, uint8_t *memory, uint64_t seed);

/* Whether all slots hold the same, but for the bits of NaNs. */
bool random_same(const random_program *p, const uint8_t *a, const uint8_t *b);

#endif
