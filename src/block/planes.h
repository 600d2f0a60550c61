/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which bits reinterpret puts where, as a pattern that repeats. As many elements of the operand as
 * make whole elements of the result, or some such sets, are a *period*: one byte for two elements
 * of 4 bits, three for eight of 3 bits. Of all periods the first elements of the operand make a
 * plane, the second ones another, and so on. Where the place of a period's elements in memory is a
 * sum of one number for each bit of the period's number, a plane is a tensor view, and each element
 * of the result takes the same bits of the same planes in all periods.
 *
 * Elements of a thread that are neighbours in memory, too, may be taken together, as words.
 */
#ifndef TSR_BLOCK_PLANES_H
#define TSR_BLOCK_PLANES_H

#include <tessera/layout.h>

#include "ir/ir.h"

/* Where the bits of an element of the result begin. */
typedef struct bit_place {
  int32_t thread, slot;
} bit_place;

enum { PLANES_MOST = 64 /* bits of an element */, PLANES_BITS = 24 /* log2(IR_MAX_TILE) */ };

typedef struct planes {
  const ir_type *from, *to; /* with layouts */
  unsigned from_bits, to_bits;
  const bit_place *places; /* of each element of the result */
  unsigned together;       /* elements of the operand in a word */
  unsigned n;              /* planes: words in a period */
  unsigned period;         /* log2 of the result's elements in one */
  int64_t base[PLANES_MOST];
  int64_t step[PLANES_BITS]; /* by the bits of the result's index that number periods; else 0 */
  uint8_t at[PLANES_BITS];   /* the bits of the index that number the elements in a period */
  unsigned rank;             /* of the planes as views */
  int64_t shape[TSR_LAYOUT_MAX_RANK], strides[TSR_LAYOUT_MAX_RANK];
} planes;

/* Of an element of a tile, by its row-major number. */
int64_t planes_number(const ir_type *t, const int32_t *index);
/* Finds them for the first five members; false where there are none. */
bool planes_find(planes *p);
/* Is the operand one plane, of which no element lies between others? */
bool planes_are_one(const planes *p);
/* The result's elements as integers of a type, whose bits above their width are any, made before
 * `at`; `base` points to the operand's, as integers, row-major. */
ir_value *planes_load(ir_module *m, ir_op *at, const planes *p, ir_value *base, tsr_elem as);
/* The same of these integers themselves, where they are one plane. */
ir_value *planes_take(ir_module *m, ir_op *at, const planes *p, ir_value *v, tsr_elem as);

#endif
