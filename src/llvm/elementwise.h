/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/elementwise.h: one element-wise operation on lanes.
 */
#ifndef TSR_LLVM_ELEMENTWISE_H
#define TSR_LLVM_ELEMENTWISE_H

#include "exec/scalar.h"
#include "llvm/emit.h"

/* Can this operation, with these modifiers, be emitted inline? If not, the caller goes through
 * rt_hooks.elementwise. */
bool emit_elementwise_supported(emit *e, const exec_elementwise *what);
/* Emits one element-wise operation on lane values of equal lane counts. Bit for bit what
 * exec_scalar gives, except where docs/numerics.md states a bound (exp, log, …). */
LLVMValueRef emit_elementwise(emit *e, const exec_elementwise *what, LLVMValueRef *operands);
/* One or the other value of the type, lane by lane. */
LLVMValueRef emit_choose(emit *e, tsr_elem elem, LLVMValueRef condition, LLVMValueRef x,
                         LLVMValueRef y);

/* A function that emit_elementwise puts out of line, as it is for usual operands:
 * *all_usual, an i1, says whether all are. NULL where there is no shorter way for these, as there
 * never is if not has_usual. */
bool emit_has_usual(const emit *e, unsigned opcode);
LLVMValueRef emit_usual(emit *e, const exec_elementwise *w, LLVMValueRef x,
                        LLVMValueRef *all_usual);

#endif
