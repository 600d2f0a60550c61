/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/conv.h: conversions between how elements lie in memory and in registers.
 */
#ifndef TSR_LLVM_CONV_H
#define TSR_LLVM_CONV_H

#include "llvm/emit.h"

/* Packed storage <-> register representation, lane by lane. 4-bit types are handled a nibble per
 * i8 lane: callers unpack bytes first. Encoding does not round: the lanes hold values of the type
 * already. So a NaN comes back as it was loaded, with its sign and mantissa. What that takes beside
 * the processor's conversions vanishes where a value is encoded at once, or goes through
 * lanes_any_nan to something that does not tell NaNs apart. */
LLVMValueRef emit_decode(emit *e, tsr_elem elem, LLVMValueRef storage);
LLVMValueRef emit_encode(emit *e, tsr_elem elem, LLVMValueRef lanes);
/* Bytes <-> nibbles: <N x i8> to <2N x i8> (i8 to <2 x i8>) and back; the low nibble comes first.
 * Nibbles have their high bits zero. */
LLVMValueRef emit_unpack4(emit *e, LLVMValueRef bytes);
LLVMValueRef emit_pack4(emit *e, LLVMValueRef nibbles);
/* Rounds float or double lanes to the nearest value (ties to even) that `elem` can represent,
 * following its overflow rules for arithmetic results; one rounding, also from double. Gives lanes
 * of emit_elem_type(elem). The identity for f64, and for f32 from float. A NaN stays some NaN
 * where the type has one. */
LLVMValueRef emit_round(emit *e, tsr_elem elem, LLVMValueRef lanes);
/* Two vectors of f32 rounded to bf16 at once, as lanes of i32: the first one's in the low halves.
 * Only where the processor has that for so many lanes. It takes subnormal numbers for zero: is
 * there none in `count` vectors? An i1. */
bool emit_has_bf16_pairs(const emit *e, unsigned lane_count);
LLVMValueRef emit_bf16_pairs(emit *e, LLVMValueRef first, LLVMValueRef second);
LLVMValueRef emit_none_subnormal(emit *e, const LLVMValueRef *v, unsigned count);
/* The lower of lanes of i16 and of what pairs have, as 2 * pattern - 1: the sign is gone, and zero
 * is the largest. */
LLVMValueRef emit_lower_pairs(emit *e, LLVMValueRef lowest, LLVMValueRef pairs);

#endif
