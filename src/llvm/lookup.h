/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/lookup.h: functions of four bits by table lookup.
 */
#ifndef TSR_LLVM_LOOKUP_H
#define TSR_LLVM_LOOKUP_H

#include "llvm/emit.h"

/* Does a lookup take an instruction, or few, for so many lanes? */
bool emit_has_lookup(const emit *e, unsigned lane_count);
/* Float lanes from a table of 16, by the low four bits of i32 lanes. */
LLVMValueRef emit_lookup(emit *e, const uint32_t bits[16], LLVMValueRef index);
/* The lookup that decodes a 4-bit type. */
LLVMValueRef emit_lookup_elem(emit *e, tsr_elem elem, LLVMValueRef index);
/* The elements of a 4-bit float in the low (0) or high halves of <N x i8>, as registers hold them.
 */
LLVMValueRef emit_decode_half(emit *e, tsr_elem elem, LLVMValueRef bytes, int half);

#endif
