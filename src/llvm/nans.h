/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/nans.h: NaNs in lanes.
 */
#ifndef TSR_LLVM_NANS_H
#define TSR_LLVM_NANS_H

#include "llvm/emit.h"

/* NaNs. Operations give the canonical NaN; the processor gives others. Fixing that after every
 * operation would slow chains of arithmetic down for nothing, because arithmetic doesn't tell NaNs
 * apart. So every float operation ends in lanes_canonical and begins with lanes_any_nan, which
 * takes an operand from behind a lanes_canonical, or without what emit_decode does for the bits of
 * its NaNs; what isn't used any more vanishes, and the fix stays only where a value is stored,
 * selected or cast. */
LLVMValueRef lanes_canonical(emit *e, LLVMValueRef x);
LLVMValueRef lanes_any_nan(LLVMValueRef x);
/* What lanes_canonical made x from; NULL: it didn't make it. */
LLVMValueRef lanes_before_canonical(LLVMValueRef x);
/* A value that has just been decoded from f16 or f8E5M2, by the processor's conversion alone: a NaN
 * in it is some NaN. All others as they are. And its bits as f16; NULL: it is another. */
LLVMValueRef emit_plain_half(LLVMValueRef x);
LLVMValueRef emit_loaded_half(LLVMValueRef x);
/* An i1: none of the vectors has a NaN in it. */
LLVMValueRef lanes_no_nan(emit *e, const LLVMValueRef *x, unsigned count);
LLVMValueRef lanes_differ(emit *e, LLVMValueRef x, LLVMValueRef y); /* in any bit */

/* Does the processor have minima and maxima as operations have them: the number beside a
 * NaN, and -0 less than +0? */
bool emit_has_extremes(const emit *e);
/* Else, for reductions, maxima of lanes of f32 or f64 whose only NaN has all bits set. Either order
 * of the operands of a processor's own instruction, which gives the second where one is a NaN or
 * both are zeros, makes the same but then; the bits that both have are the number beside the NaN,
 * and +0. (For minima it would be the bits that one has, beside a NaN without any.) */
LLVMValueRef emit_max_with_ones(emit *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_nans_to_ones(emit *e, LLVMValueRef x);

#endif
