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
typedef struct digit_table {
  uint8_t u[16];  /* the number of the lookup is (u[i] - bias) * step */
  int bias, most; /* most: of |u - bias| */
  int flips;      /* u[i] = i ^ flips; -1: it isn't */
  double step;    /* a power of two */
} digit_table;
typedef struct digit_root {
  const root *r;
  ir_value *from;
  unsigned halves; /* 2: each byte of `from` is two columns, the low half first */
  bool high;       /* with one: the column is in the high half */
  bool canonical;  /* so is every NaN that the product is added to, or may be as it is */
  digit_table table;
} digit_root;
typedef struct digits {
  lower *l;
  const group *g;
  unsigned n_roots, halves;
  digit_root roots[2];
  int64_t m, n, k; /* of the product */
  unsigned line;   /* bytes of a vector, and of b's rows that are multiplied at a time */
  unsigned team;   /* rows that are: 1 where there are 16 registers, else 2 */
  unsigned bits;   /* of the left operand's elements */
  buffer *to;      /* the left operand in digits */
  llv is_long;     /* with one row, an i1: it takes all digits, and not two */
  /* With more: the numbers of the rows (i64), those with two digits first, those of zeros last;
   * teams of rows that are not all zeros; those with two digits. */
  llv order, teams, short_teams;
} digits;
/* The largest u: two products with digits must fit into what adds them up, which without VNNI are
 * 16 bits. */
unsigned digits_most_u(const lower *l);
bool digits_fit(lower *l, const group *g, digits *d);
/* Would the product, or the two, fit as a group? */
bool digits_fit_alone(lower *l, ir_op *op);
bool digits_share(lower *l, const root *a, const root *b);
/* Writes down the left operand; gives an i1 that says whether that is exact. */
llv digits_write(digits *d);
/* What is kept of a row: its digits, all lowest ones first; the unit, an f32, and the sum of its
 * elements in units, an i32. */
static inline int64_t digits_unit_at(const digits *d) {
  return DIGITS_MOST * d->k;
}
static inline int64_t digits_sum_at(const digits *d) {
  return digits_unit_at(d) + 4;
}
static inline int64_t digits_row_bytes(const digits *d) {
  return (digits_unit_at(d) + 8 + 15) / 16 * 16;
}

#endif
