/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Quotients by one number for all lanes: see divide.h.
 */
#include "llvm/divide.h"

#include "num/num.h"
#include "llvm/lanes.h"
#include "llvm/nans.h"

enum { DIVISOR_RANGE = 28, DIVIDEND_RANGE = 96 }; /* exponents, either sign */

bool emit_divides_by_one(const emit *e, const exec_elementwise *w) {
  return w->opcode == OP_divf && w->result == TSR_F32 &&
         num_rounds_to_nearest((num_rounding)w->rounding) && !w->flush_to_zero &&
         emit_has_avx512(e) && !e->core.fast_division;
}

/* Where the bits of |x| lie, counted from those of 2^-range. */
static lanes above(emit *e, lanes x, unsigned range) {
  lanes bits = i_andk(e, l_bitcast(e, x, e->i32), 0x7fffffff);
  return i_subk(e, bits, (uint64_t)(127 - range) << 23);
}

emit_divisor emit_divisor_of(emit *e, LLVMValueRef s) {
  enum { NAN_BITS = 0x7fc00000 };
  emit_divisor d = {.s = lanes_any_nan(s)};
  LLVMValueRef one = lanes_real(e, d.s, 1);
  d.minus = f_neg(e, d.s);
  LLVMValueRef near = i_cmpk(e, LLVMIntULT, above(e, d.s, DIVISOR_RANGE), 2 * DIVISOR_RANGE << 23);
  LLVMValueRef none = LLVMConstNull(e->i32), nan = LLVMConstInt(e->i32, NAN_BITS, 0);
  d.inverse = f_div(e, one, d.s);
  d.rest = f_mul(e, l_call3(e, "llvm.fma", d.minus, d.inverse, one), d.inverse);
  d.span = l_select(e, near, LLVMConstInt(e->i32, 2 * DIVIDEND_RANGE << 23, 0), none);
  LLVMValueRef positive = i_cmpk(e, LLVMIntSGT, l_bitcast(e, d.s, e->i32), 0);
  d.zero = l_select(e, i_and(e, near, positive), none, nan);
  return d;
}

LLVMValueRef emit_divide_near(emit *e, const emit_divisor *d, LLVMValueRef x,
                              LLVMValueRef *all_near) {
  unsigned count = emit_lanes(x);
  lanes minus = emit_splat(e, d->minus, count), inverse = emit_splat(e, d->inverse, count);
  lanes bits = l_bitcast(e, x, e->i32);
  lanes zero = i_cmp(e, LLVMIntEQ, bits, emit_splat(e, d->zero, count));
  lanes span = emit_splat(e, d->span, count);
  lanes near = i_or(e, i_cmp(e, LLVMIntULT, above(e, x, DIVIDEND_RANGE), span), zero);
  LLVMTypeRef flags = LLVMTypeOf(near);
  *all_near = emit_intrinsic(e, "llvm.vector.reduce.and", &flags, 1, &near, 1);
  lanes q = l_call3(e, "llvm.fma", x, inverse, f_mul(e, x, emit_splat(e, d->rest, count)));
  lanes left = l_call3(e, "llvm.fma", q, minus, x);
  return l_call3(e, "llvm.fma", left, inverse, q);
}
