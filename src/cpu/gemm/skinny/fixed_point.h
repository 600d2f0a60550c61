/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/skinny/fixed_point.h: products of few rows as sums of products of bytes: the left
 * operand in fixed-point numbers of up to three digits. All roots of a group are such products, or
 * none.
 */
#ifndef TSR_CPU_GEMM_SKINNY_FIXED_POINT_H
#define TSR_CPU_GEMM_SKINNY_FIXED_POINT_H

#include "cpu/nest/roots.h"

enum { DIGITS_MOST = 3 }; /* of 8 bits, with a sign each */
typedef struct fixed_point_table {
  uint8_t u[16];  /* the number of the lookup is (u[i] - bias) * step */
  int bias, most; /* most: of |u - bias| */
  int flips;      /* u[i] = i ^ flips; -1: it isn't */
  double step;    /* a power of two */
} fixed_point_table;
typedef struct fixed_point_root {
  const root *r;
  ir_value *from;
  unsigned halves; /* 2: each byte of `from` is two columns, the low half first */
  bool high;       /* with one: the column is in the high half */
  bool canonical;  /* so is every NaN that the product is added to, or may be as it is */
  fixed_point_table table;
} fixed_point_root;
typedef struct fixed_point {
  lower *l;
  const group *g;
  unsigned n_roots, halves;
  fixed_point_root roots[2];
  int64_t m, n, k; /* of the product */
  unsigned line;   /* bytes of a vector, and of b's rows that are multiplied at a time */
  unsigned team;   /* rows that are: 1 where there are 16 registers, else 2 */
  unsigned bits;   /* of the left operand's elements */
  buffer *to;      /* the left operand in digits */
  llv is_long;     /* with one row, an i1: it takes all digits, and not two */
  /* With more: the numbers of the rows (i64), those with two digits first, those of zeros last;
   * teams of rows that are not all zeros; those with two digits. */
  llv order, teams, short_teams;
} fixed_point;
/* The largest u: two products with digits must fit into what adds them up, which without VNNI are
 * 16 bits. */
unsigned fixed_point_most_u(const lower *l);
bool fixed_point_fits(lower *l, const group *g, fixed_point *d);
/* Would the product, or the two, fit as a group? */
bool fixed_point_fits_alone(lower *l, ir_op *op);
bool fixed_point_shares(lower *l, const root *a, const root *b);
/* Writes down the left operand; gives an i1 that says whether that is exact. */
llv fixed_point_write(fixed_point *d);
/* What is kept of a row: its digits, all lowest ones first; the unit, an f32, and the sum of its
 * elements in units, an i32. */
static inline int64_t fixed_point_unit_at(const fixed_point *d) {
  return DIGITS_MOST * d->k;
}
static inline int64_t fixed_point_sum_at(const fixed_point *d) {
  return fixed_point_unit_at(d) + 4;
}
static inline int64_t fixed_point_row_bytes(const fixed_point *d) {
  return (fixed_point_unit_at(d) + 8 + 15) / 16 * 16;
}

#endif
