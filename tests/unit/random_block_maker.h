/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files share that make random kernels of the block level: a kernel's text so far, and its
 * tiles.
 */
#ifndef TSR_TESTS_RANDOM_BLOCK_MAKER_H
#define TSR_TESTS_RANDOM_BLOCK_MAKER_H

#include "random_block.h"

enum { MOST_VALUES = 24, TEXT = 640 };

/* A layout as text, of tiles of rank 2. */
typedef struct form {
  char text[TEXT];
  unsigned calls; /* how deep functions are nested in it */
} form;

typedef struct tile {
  int id;
  tsr_elem elem;
  int rows, columns;
  form form;
} tile;

typedef struct maker {
  sbuf text;
  arena *arena;
  random_limits limits;
  random_kernel *kernel;
  unsigned number, threads;
  uint64_t state, omitted;
  int next;
  tile tiles[MOST_VALUES];
  unsigned n;
  unsigned depth;   /* of loops */
  const char *step; /* the iteration's number in the innermost; NULL: none */
} maker;

#define SAY(...)   sbuf_printf(&g->text, __VA_ARGS__)
#define PICK(list) ((list)[draw_next(g, ARRAY_LEN(list))])
#define ELEM(e)    tsr_elem_name(e)

/* The next number that follows from the seed. */
uint64_t draw_next(maker *g, uint64_t below);
bool take_chance(maker *g, unsigned one_in);
unsigned log2_of(unsigned n);
/* A layout of a tile of this size for all threads of the group at hand. */
form random_form(maker *g, int rows, int columns);
/* A tile's type, with its layout; and as it is written, perhaps without it. */
const char *full_type_of(maker *g, const tile *t);
const char *type_of(maker *g, const tile *t);
/* Another tile for what follows to use. */
tile add_tile(maker *g, tsr_elem elem, int rows, int columns, const form *f);
/* Numbers of values that these say. */
int constant_i32(maker *g, int64_t v);
int binary(maker *g, const char *op, int a, int b);
void random_size_below(maker *g, unsigned most, int *rows, int *columns);
void random_size(maker *g, int *rows, int *columns);
/* A view of what the kernel starts with, and its type. */
int input_view(maker *g, tsr_elem elem, int rows, int columns, char *type, size_t size);

/* Groups of threads that wait for each other. */
void make_team(maker *g);
void make_meeting(maker *g);
void make_three(maker *g);

#endif
