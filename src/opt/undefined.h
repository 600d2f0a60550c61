/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the language leaves undefined. A fold never evaluates it, so that a check that looks for
 * such mistakes still finds them where they were made; and nothing that could be undefined is
 * executed where it was not executed before.
 */
#ifndef TSR_OPT_UNDEFINED_H
#define TSR_OPT_UNDEFINED_H

#include "exec/scalar.h"

/* Whether one element of an element-wise operation is defined for these operands. */
bool is_defined(const exec_elementwise *w, const uint64_t *x);

/* Whether a pure operation may be executed where it was not: it is defined for all operands, or
 * its result is all that is undefined and nothing but its users would see that (a sum that wraps
 * in spite of its promise, an address out of bounds). */
bool is_speculatable(const ir_op *op);

#endif
