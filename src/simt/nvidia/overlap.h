/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/overlap.h: products by wgmma that run beside something else.
 *
 * Begun an iteration early. In a loop with a producer (simt/nvidia/bulk.h), a product whose
 * operands are loads and values from outside of the loop needs nothing of its iteration: that of
 * the next one runs on the tensor cores while threads do what this iteration makes of its own, as
 * attention's softmax.
 *
 *   tensor cores   S0 │ S1 │    O += P0 V0 │ S2 │    O += P1 V1 │ …
 *   threads           │ P0 = f(S0)         │ P1 = f(S1)         │ …
 *
 * The accumulator exists twice, so it is done only where registers suffice. The last iteration has
 * no next one, and multiplies its own operands once more, for nothing: a jump around the
 * instructions would let the assembler run all of them one after the other.
 *
 * Waited for an iteration late. What a product hands to the next iteration and to nobody else is
 * waited for where that one looks at it first, as attention's O is when its softmax is done; then
 * the stage that the product has read is given back:
 *
 *   tensor cores   O += P0 V0 │ S2 │       O += P1 V1 │ S3 │       …
 *   threads        P1 = f(S1)      │ O *= … P2 = f(S2)     │ O *= … …
 *
 * Where a loop does nothing but add products to a sum, nobody looks: the next product is begun
 * before the last one is complete, and waited for after that.
 *
 * Plain data without LLVM.
 */
#ifndef TSR_SIMT_NVIDIA_OVERLAP_H
#define TSR_SIMT_NVIDIA_OVERLAP_H

#include "simt/nvidia/bulk.h"

/* Of a loop's products the one to be begun early; NULL: none can be, or it gains nothing.
 * `registers`: that a thread has. */
const ir_op *simt_early_product(const simt_plan *p, const simt_bulk_loop *l, unsigned registers);

/* The product that is waited for an iteration late; NULL: none can be. *use: the operation of the
 * next iteration in front of which that is done; NULL: after the next one's product. */
const ir_op *simt_late_product(const simt_plan *p, const simt_bulk_loop *l, unsigned registers,
                               const ir_op **use);

/* The argument of the loop's body as which the next iteration has the product's result, whose only
 * use that is; NULL: it isn't. */
const ir_value *simt_carried_result(const ir_op *product);

#endif
