/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/overlap.h: products by wgmma that run beside something else.
 *
 * Begun an iteration early. In a loop with a producer (simt/bulk.h), a product whose operands are
 * loads and values from outside of the loop needs nothing of its iteration: that of the next one
 * runs on the tensor cores while threads do what this iteration makes of its own, as attention's
 * softmax.
 *
 *   tensor cores   S0 │ S1 │    O += P0 V0 │ S2 │    O += P1 V1 │ …
 *   threads           │ P0 = f(S0)         │ P1 = f(S1)         │ …
 *
 * The accumulator exists twice, so it is done only where registers suffice. The last iteration has
 * no next one, and multiplies its own operands once more, for nothing: a jump around the
 * instructions would let the assembler run all of them one after the other.
 *
 * Waited for an iteration late. Where a loop does nothing but add products to a sum, the tensor
 * cores need not stop between two of them: an iteration waits for the product of the one before,
 * and then gives that one's stage back.
 *
 * Plain data without LLVM.
 */
#ifndef TSR_SIMT_OVERLAP_H
#define TSR_SIMT_OVERLAP_H

#include "simt/bulk.h"

/* Of a loop's products the one to be begun early; NULL: none can be, or it gains nothing.
 * `registers`: that a thread has. */
const ir_op *simt_early_product(const simt_plan *p, const simt_bulk_loop *l, unsigned registers);

/* The product that is waited for an iteration late; NULL: none can be. */
const ir_op *simt_late_product(const simt_plan *p, const simt_bulk_loop *l);

#endif
