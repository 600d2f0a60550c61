/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Inside the maker of random kernels:
 *
 *   random_program.c   modules, kernels, memory, comparison
 *   random_control.c   if, for, loop, jumps
 *   random_values.c    element by element, moving elements, reductions, matrix products
 *   random_memory.c    pointers, views, atomics, globals, alloca, tokens
 *
 * A kernel is made operation by operation: a make_… picks operands among the values that are
 * visible, writes lines, and adds results. Nothing it makes is undefined behaviour, but for what
 * `wild` permits.
 */
#ifndef TSR_TESTS_RANDOM_MAKE_H
#define TSR_TESTS_RANDOM_MAKE_H

#include "random_program.h"

enum { MAX_VALUES = 48, MAX_RANK = 3, MAX_DEPTH = 2, MAX_LOADS = 6 };

typedef struct shape {
  unsigned rank;
  int64_t size[MAX_RANK];
} shape;

typedef struct made {
  int id;
  tsr_elem elem;
  shape shape;
} made;

typedef struct maker {
  sbuf text;    /* the kernel's body */
  sbuf globals; /* what stands in front of the kernel */
  random_limits limits;
  random_kernel *kernel;
  unsigned number; /* the kernel's */
  uint64_t state;
  int next; /* the next free value number */
  made values[MAX_VALUES];
  unsigned n;
  unsigned depth;           /* of regions */
  int in_loop;              /* 0: none; a loop or a for is around */
  int token;                /* what the next store to WORK is ordered after */
  int loads[MAX_LOADS + 1]; /* tokens of loads from WORK since then */
  unsigned n_loads;
  unsigned globals_made;
  bool weak; /* so are all accesses */
} maker;

#define SAY(...) sbuf_printf(&g->text, __VA_ARGS__)

/* Below `below`, which must not be 0. */
uint64_t draw(maker *g, uint64_t below);
static inline bool chance(maker *g, unsigned one_in) {
  return draw(g, one_in) == 0;
}
#define PICK(list) ((list)[draw(g, ARRAY_LEN(list))])

int64_t shape_count(const shape *s);
bool shape_same(const shape *a, const shape *b);
shape shape_flat(int64_t count);
/* As many dimensions, all of size 1. */
shape shape_ones(const shape *s);
shape random_shape(maker *g);

/* "tile<4x8xf32>"; good until the 16th call after it. */
const char *tile_text(const shape *s, const char *elem);
const char *tile_of(const shape *s, tsr_elem elem);
#define TYPE(m) tile_of(&(m).shape, (m).elem)

bool is_base_float(tsr_elem e); /* arithmetic exists for it */
bool is_low_float(tsr_elem e);  /* only conversions and matrix products */

/* The result of an operation: its number is to be written at the left. */
made fresh(maker *g, tsr_elem elem, const shape *s);
/* Lets later operations use it. */
void add_value(maker *g, made m);
made result(maker *g, tsr_elem elem, const shape *s); /* both */
made pick(maker *g);
/* A visible value of this type; made when there is none. */
made partner(maker *g, tsr_elem elem, const shape *s);
/* One for which `fits` holds; id -1: none was found in a few tries. */
made pick_that(maker *g, bool (*fits)(tsr_elem));
made constant(maker *g, tsr_elem elem, const shape *s);
/* All elements are this whole number; not for use by later operations. */
made whole_constant(maker *g, tsr_elem elem, const shape *s, int64_t v);
/* op a, b of integers, of a's type. */
made int_op(maker *g, const char *op, made a, made b);
/* Whole numbers from 0 to `mask`, a power of two minus 1, that nothing at compile time knows. */
made small_ints(maker *g, tsr_elem elem, const shape *s, int64_t mask);
/* Floats that are small whole numbers: sums and products of them are exact in any order. */
made small_floats(maker *g, tsr_elem elem, const shape *s);
/* 0, 1, 2, … in row-major order. */
made iota_of(maker *g, tsr_elem elem, const shape *s);
made reshaped(maker *g, made a, const shape *s);

/* A place of its own for a value; nothing when all are taken. */
void store_out(maker *g, made v, bool rough);

void make_elementwise(maker *g);
void make_conversion(maker *g);
void make_function(maker *g);
void make_movement(maker *g);
void make_select(maker *g);
void make_aggregate(maker *g);
void make_numbers(maker *g);
void make_product(maker *g);
void make_assume(maker *g);

void make_load_view(maker *g);
void make_load_pointers(maker *g);
void make_store_view(maker *g);
void make_store_pointers(maker *g);
void make_store_rows(maker *g);
void make_gather(maker *g);
void make_move(maker *g);
void make_atomic(maker *g);
void make_atomic_view(maker *g);
void make_alloca(maker *g);
void make_global(maker *g);
void make_pointer_loop(maker *g);
void make_address(maker *g);
void make_shape_query(maker *g);
/* One token after everything so far: what a region starts and ends with. */
int join_all(maker *g);
/* A tile of this type from memory. */
made load_input(maker *g, tsr_elem elem, const shape *s);

void make_print(maker *g);
void make_assert(maker *g);
void make_ops(maker *g, unsigned count);
void make_if(maker *g);
void make_for(maker *g);
void make_loop(maker *g);

#endif
