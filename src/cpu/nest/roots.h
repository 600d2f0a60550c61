/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/roots.h: roots, which make a nest necessary, and groups of them, which share one.
 */
#ifndef TSR_CPU_NEST_ROOTS_H
#define TSR_CPU_NEST_ROOTS_H

#include "cpu/plan/access.h"

typedef enum root_kind { ROOT_MATERIALISE, ROOT_STORE, ROOT_REDUCE, ROOT_PRODUCT } root_kind;

enum { MAX_REDUCED = 16 }; /* operands of one reduce */

typedef struct root {
  uint8_t kind;
  ir_op *op;                    /* STORE, REDUCE, PRODUCT */
  ir_value *value;              /* KEEP, STORE; PRODUCT: the right operand */
  buffer *to;                   /* KEEP; PRODUCT: what it is added to */
  access *access;               /* STORE */
  buffer *results[MAX_REDUCED]; /* REDUCE to more than one element */
  llv scalars[MAX_REDUCED];     /* REDUCE to one */
} root;

enum { MAX_ROOTS = 16 };

/* Roots that will share one nest; the iteration is the index of a tile of this shape. */
typedef struct group {
  const ir_type *shape;
  ir_op *reduce; /* decides the order of loops, a product too; NULL: none */
  unsigned n_roots;
  root roots[MAX_ROOTS];
} group;

/* Does the root do without the first iteration, because it starts from it? */
bool root_skips_first(const root *r);
bool group_has_products(const group *g);
bool group_has_store(const group *g);
unsigned group_count_stores(const group *g);
/* The bit of the iteration whose neighbours go into one word (FORMAT_PAIRS), -1 where there is
 * none. Such a root has a group for itself. */
int group_pair_bit(const group *g);
/* The position of the last root that isn't a tile to keep. */
uint32_t group_end(lower *l, const group *g);

#endif
