/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scalars as sums: a number plus values times factors, all modulo some number. Modulo 2^width it is
 * exactly the value; modulo the number of slots of a buffer that is used in turn it says which slot
 * a value names, whether it was written as `i & 3`, `i % 3`, or handed on by the loop.
 */
#ifndef TSR_BLOCK_SUMS_H
#define TSR_BLOCK_SUMS_H

#include "block/lower.h"
#include "num/num.h"

enum { SUM_MAX_TERMS = 8, SUM_SMALL = 1 << 16 };

typedef struct sum {
  uint64_t modulus; /* 0: 2^64 */
  uint64_t number;
  unsigned n;
  struct sum_term {
    ir_value *v;     /* a scalar integer, read as a signed number */
    uint64_t factor; /* never 0 */
  } terms[SUM_MAX_TERMS];
  bool failed; /* there are more terms */
} sum;

int64_t sum_common_multiple(int64_t a, int64_t b); /* the least one of positive numbers */
/* 2^width of the value's type. */
uint64_t sum_modulus_of(const ir_type *t);
sum sum_number(uint64_t modulus, int64_t number);
/* A value that stands for itself. */
sum sum_value(uint64_t modulus, ir_value *v);
/* A value that a loop's iterations change by a number is written with the loop's counter; modulo a
 * small number (SUM_SMALL), it and the counter are written with the number of the iteration, the
 * first being 0. */
sum sum_of(const block_lowering *x, ir_value *v, uint64_t modulus);
/* The value that stands for that number. Only sums have it. */
ir_value *sum_iteration(const block_lowering *x, ir_op *loop);
/* Adds b times a factor to a. */
void sum_add(sum *a, const sum *b, int64_t factor);
/* Puts another sum in the place of a value. */
void sum_replace(sum *s, const ir_value *v, const sum *by);
/* What `v` adds to it: its factor, 0 where it is not in it. */
uint64_t sum_factor(const sum *s, const ir_value *v);
/* Whether a - b is a number, from 0 to the modulus - 1. */
bool sum_difference(const sum *a, const sum *b, uint64_t *out);
/* Whether its values are all defined outside of a loop's body; if `counted`, but for its counter
 * and the number of its iteration. */
bool sum_is_outside(const sum *s, const ir_op *loop, bool counted);

/* The range of a sum modulo 2^width, factors and the number taken as signed numbers. */
void sum_range(const facts *known, const sum *s, num_i128 *low, num_i128 *high);
/* Whether each factor and the number are multiples of a power of two; and the sum divided by it. */
bool sum_is_multiple(const sum *s, uint64_t of);
/* The same with what is known of the values. */
bool sum_is_known_multiple(const facts *known, const sum *s, uint64_t of);
sum sum_divided(const sum *s, uint64_t by);

/* Operations before `at` that compute it, in a scalar of this type. */
ir_value *sum_make(ir_module *m, ir_op *at, const sum *s, const ir_type *t);

#endif
