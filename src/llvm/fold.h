/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/fold.h: integer arithmetic with the obvious simplifications: constants are folded, and
 * adding nothing emits nothing. Addresses and conditions are made of many such terms, most of
 * which are constants.
 */
#ifndef TSR_LLVM_FOLD_H
#define TSR_LLVM_FOLD_H

#include "llvm/emit.h"

/* Is it a constant, and which? An i1 gives 0 or 1. */
bool emit_is_const(LLVMValueRef v, int64_t *out);
LLVMValueRef emit_fold_add(emit *e, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef emit_fold_mul(emit *e, LLVMValueRef a, LLVMValueRef b);
/* NULL stands for 0. */
LLVMValueRef emit_fold_or(emit *e, LLVMValueRef a, LLVMValueRef b);
/* Of i1; NULL stands for true. */
LLVMValueRef emit_fold_and(emit *e, LLVMValueRef a, LLVMValueRef b);
/* Of i64: the smaller one as unsigned numbers; or what one of the intrinsics llvm.smin, llvm.smax,
 * llvm.umin and llvm.umax gives, constants of which are folded where that is right for both kinds.
 */
LLVMValueRef emit_fold_umin(emit *e, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef emit_fold_min_max(emit *e, const char *intrinsic, LLVMValueRef a, LLVMValueRef b);

#endif
