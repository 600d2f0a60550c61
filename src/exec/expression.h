/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * exec/expression.h: scalars that are expressions of a kernel's arguments and of constants, so that
 * a launcher can compute them, too: the bases, sizes and strides of tensor views, from
 * which tensor maps are made.
 */
#ifndef TSR_EXEC_EXPRESSION_H
#define TSR_EXEC_EXPRESSION_H

#include "ir/ir.h"

/* A scalar made from arguments of the entry and constants by element-wise operations, of which
 * there are few enough that computing it anew for each launch costs nothing. */
bool exec_is_expression(const ir_value *v);

/* Its pattern; v must be one. `words`: of the entry's arguments, as a launch hands them over. */
uint64_t exec_expression(const ir_value *v, const uint64_t *words);

#endif
