/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels for tests that compare ways of executing one. They use every operation of the
 * language that engines execute, in combinations that no one would think of, and do nothing
 * undefined: whatever executes them must leave the same memory behind and print the same.
 *
 * Some results may differ in their last bits: those of functions such as exp, for which the
 * language states no exact result. They are stored at once to places that random_same compares
 * within a bound. Sums are of numbers whose sum is exact in any order.
 *
 * Kernel k of a module is @k<k>(%p, scalars…), for a grid of RANDOM_BLOCKS tile blocks. Its memory:
 *
 *   IN     an area for each element type, only read
 *   WORK   the same for each tile block, read and written, in an order that tokens fix
 *   OUT    RANDOM_SLOTS areas for each tile block, each written once at most
 */
#ifndef TSR_TESTS_RANDOM_PROGRAM_H
#define TSR_TESTS_RANDOM_PROGRAM_H

#include <tessera/elem.h>

#include "base/base.h"

enum { RANDOM_SLOTS = 8, RANDOM_BLOCKS = 2, RANDOM_ARGS = 10 };

/* Element types that programs have: those of Tile IR. */
enum { RANDOM_ELEMS = TSR_PTR + 1 };

typedef struct random_limits {
  unsigned ops;  /* operations in a kernel, about */
  unsigned bits; /* a tile has at most 1 << bits elements; 10 at most */
  bool wild;     /* divisions by zero and the like, for which our engines agree on a result */
  bool card;     /* the same program for GPUs, whose additions to memory leave NaNs of their own:
                  * it makes them canonical at once */
  unsigned left_out; /* of the block level: how many of 100 types state no layout */
  bool groups;       /* of the block level: groups of threads that wait for each other */
  bool clusters;     /* of the block level: two tile blocks in a cluster */
} random_limits;

typedef struct random_slot {
  tsr_elem elem;
  bool rough; /* compared within a bound */
  uint32_t count;
} random_slot;

typedef struct random_kernel {
  random_slot slots[RANDOM_SLOTS];
  unsigned n_slots;
  bool rough_text; /* prints what is rough */
} random_kernel;

typedef struct random_program {
  const char *text; /* a module */
  random_kernel *kernels;
  unsigned n_kernels;
  random_limits limits;
} random_program;

/* The same seed, count and limits give the same module; kernel k is the same as the only one of
 * random_make(a, seed + k, 1, limits) but for its name. All of it lives in `a`. */
random_program random_make(arena *a, uint64_t seed, unsigned kernels, const random_limits *limits);

/* Bytes that a kernel wants, aligned to 64. */
size_t random_memory(const random_limits *limits);
/* What a kernel starts with. */
void random_fill(uint8_t *memory, const random_limits *limits, uint64_t seed);
/* RANDOM_ARGS words; the address is the memory's. */
void random_arguments(uint64_t *args, uint8_t *memory, uint64_t seed);

/* Whether the kernel left the same. With `rough_too`, to the last bit. */
bool random_same(const random_program *p, unsigned kernel, const uint8_t *a, const uint8_t *b,
                 bool rough_too);
/* Says in `out` where they differ first. */
void random_difference(const random_program *p, unsigned kernel, const uint8_t *a, const uint8_t *b,
                       bool rough_too, char *out, size_t size);

#endif
