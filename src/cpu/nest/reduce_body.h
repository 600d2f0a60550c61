/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/reduce_body.h: the bodies of reduce and scan.
 */
#ifndef TSR_CPU_NEST_REDUCE_BODY_H
#define TSR_CPU_NEST_REDUCE_BODY_H

#include "cpu/core/core.h"

/* What bodies may consist of; false when anything else has been reported. */
bool body_check(lower *l, ir_op *op);
/* The body on lanes: args are (current, previous) per operand. */
void body_emit(lower *l, ir_op *op, llv *args, llv *results);

/* The bits of the reduced dimension in the iteration; of a product: of k in its right operand. */
void reduce_bits(const ir_op *op, unsigned *first, unsigned *n);
llv reduce_identity(lower *l, const ir_op *op, unsigned k); /* a scalar */
/* May all accumulators start from the identities? If not, they start from the first elements. */
bool reduce_is_neutral(const ir_op *op);
/* Does it make a difference how often the body takes an element? */
bool reduce_counts(const ir_op *op);
/* Does the body do nothing with its arguments for operand k but arithmetic, which doesn't tell NaNs
 * apart? Then accumulators may hold any NaN, and the canonical one is put in at the end. */
bool reduce_takes_any_nan(const ir_op *op, unsigned k);
/* The body on accumulators, which are args[2 * k + 1]. One that started from an identity holds what
 * arithmetic gave, and is handed over as that (see lanes_any_nan). */
void reduce_accumulate(lower *l, ir_op *op, llv *args, llv *acc);

#endif
