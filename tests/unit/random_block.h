/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels of the block level, for the same engines and the same memory as those of
 * random_program.h: tiles with random layouts, shared memory with random arrangements, slots and
 * barriers, asynchronous copies in loops, reductions, conversions, matrix products. They are free
 * of hazards, so the sanitizer must find nothing in them, and all that they compute is exact.
 */
#ifndef TSR_TESTS_RANDOM_BLOCK_H
#define TSR_TESTS_RANDOM_BLOCK_H

#include "random_program.h"

/* As random_make. A tile has at most 2^bits elements. */
random_program random_block_make(arena *a, uint64_t seed, unsigned kernels,
                                 const random_limits *limits);

#endif
