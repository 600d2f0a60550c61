/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scalars as they are in another iteration of a loop: sums of the loop's counter and of values from
 * outside of it, and what operations without effects compute from such sums (quotients, minima).
 */
#ifndef TSR_BLOCK_ITERATIONS_H
#define TSR_BLOCK_ITERATIONS_H

#include "block/sums.h"

/* Which iteration of a loop something was executed in. */
typedef struct iteration {
  ir_op *loop;     /* NULL: the one that the text stands for */
  bool from_start; /* so many steps behind the loop's first one, else behind the current one */
  int64_t steps;
} iteration;

/* The counter and the number of the iteration are put in; other values of the loop's body stay what
 * they are in the text. */
sum iteration_sum(const block_lowering *x, sum s, iteration it);

/* Whether a scalar can be computed for the iteration. */
bool iteration_has(const block_lowering *x, ir_value *v, iteration it);
/* Whether one scalar in one iteration is another in another one. */
bool iteration_same(const block_lowering *x, ir_value *a, iteration of_a, ir_value *b,
                    iteration of_b);
/* Operations before `at` that compute it. Only of what iteration_has. */
ir_value *iteration_value(const block_lowering *x, ir_op *at, ir_value *v, iteration it);

#endif
