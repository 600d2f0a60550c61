/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/packed.h: elements of 1 to 8 bits without gaps between them, eight at a time. Eight elements
 * of N bits take N bytes; here they come as the low N bytes of a word, a 64-bit lane, whose bits
 * above may be any. A vector of words becomes one of eight times as many elements.
 */
#ifndef TSR_LLVM_PACKED_H
#define TSR_LLVM_PACKED_H

#include "llvm/emit.h"

/* The words of `count` times eight elements in memory, of which the first begins at bit `bit` (an
 * i64 from 0 to 7; NULL: 0) of the byte at `at`. Reads no byte without a bit of one of them. */
LLVMValueRef packed_load(emit *e, LLVMValueRef at, LLVMValueRef bit, unsigned width,
                         unsigned count);

/* The patterns, zero-extended to lanes of i8, i16 or i32. */
LLVMValueRef packed_fields(emit *e, LLVMValueRef words, unsigned width, LLVMTypeRef lane);
/* The same as integers, extended from the sign or from zero. */
LLVMValueRef packed_integers(emit *e, LLVMValueRef words, unsigned width, bool is_signed,
                             LLVMTypeRef lane);
/* Elements of a type as numbers of f32, f16 or bf16, the latter two as their patterns in i16.
 * Integers are read as signed or not. Exact, but for what f16 cannot hold, which is rounded; NaN is
 * some NaN. */
LLVMValueRef packed_floats(emit *e, LLVMValueRef words, tsr_elem elem, bool is_signed, tsr_elem to);

/* Packs patterns of i8 lanes, whose bits above the width are zero, into words: the inverse. */
LLVMValueRef packed_words(emit *e, LLVMValueRef fields, unsigned width);

#endif
