/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/divide.h: quotients of many numbers by one.
 */
#ifndef TSR_LLVM_DIVIDE_H
#define TSR_LLVM_DIVIDE_H

#include "exec/scalar.h"
#include "llvm/emit.h"

/* Quotients by one number for all lanes: multiply-adds where the processor takes several
 * times as long to divide. q = x * (inverse + rest), inverse + rest being 1 / s to 46 bits, is one
 * of the two neighbours of x / s; the remainder x - q * s is exact, and q + remainder * inverse,
 * rounded once, is x / s rounded (Markstein, "Computation of elementary functions on the IBM RISC
 * System/6000 processor", 1990), so long as nothing of this is subnormal or overflows:
 * 2^-28 <= |s| < 2^28, and for each lane 2^-96 <= |x| < 2^96, or x = +0 and s > 0. */
typedef struct emit_divisor {
  LLVMValueRef s, minus, inverse, rest; /* scalars */
  LLVMValueRef near, positive;          /* i1: s is in range; and above 0 */
} emit_divisor;
enum { EMIT_DIVIDEND_RANGE = 96 }; /* the exponents of |x|, either sign */
/* Is this a division that can be done so? And on a CPU, is it better done so? */
bool emit_is_plain_division(const exec_elementwise *w);
bool emit_divides_by_one(const emit *e, const exec_elementwise *w);
emit_divisor emit_divisor_of(emit *e, LLVMValueRef s);
/* The quotients of lanes that are in range; others are undefined numbers. */
LLVMValueRef emit_quotient_near(emit *e, const emit_divisor *d, LLVMValueRef x);
/* For vectors of lanes: the same, right for all if *all_near, an i1, is true. */
LLVMValueRef emit_divide_near(emit *e, const emit_divisor *d, LLVMValueRef x,
                              LLVMValueRef *all_near);

#endif
