/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * facts: what is known about the integers and pointers of a program without running it, from
 * constants, the grid, loop bounds, arithmetic and `assume`.
 *
 *   facts *known = facts_compute(m->op, &arena);
 *   fact f = facts_of(known, value);
 *   if (f.min >= 0 && f.divisor % 16 == 0) …
 *
 * A fact holds for every element of the value, whenever it is computed. It presumes that the
 * program does nothing undefined: that assumptions are true and no-wrap promises kept.
 *
 * Computing it takes time and memory linear in the program. It describes the program as it was
 * then: values made later are unknown, and facts of erased ones must not be asked for.
 */
#ifndef TSR_OPT_FACTS_H
#define TSR_OPT_FACTS_H

#include "ir/ir.h"

typedef struct fact {
  int64_t min, max; /* integers as signed numbers, both inclusive; pointers: all of int64_t */
  /* A power of two that divides every element, taken as a number (either reading: a power of two
   * up to the type's width divides both). 0: every element is 0. Pointers: of the address. */
  uint64_t divisor;
  bool uniform; /* all elements are equal */
} fact;

typedef struct facts facts;

/* Of all values below `root`. Lives in `a`. */
facts *facts_compute(ir_op *root, arena *a);

/* Of any value; what is no tile of integers or pointers has the fact that says nothing. */
fact facts_of(const facts *f, const ir_value *v);

/* Whether they say that a value is one number, and which (as a signed number). */
static inline bool fact_is_number(fact f, int64_t *out) {
  *out = f.min;
  return f.min == f.max;
}

#endif
