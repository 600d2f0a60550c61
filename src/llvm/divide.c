/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Quotients by one number for all lanes: see divide.h.
 */
#include "llvm/divide.h"

#include "num/num.h"
#include "llvm/lanes.h"
#include "llvm/nans.h"

enum { DIVISOR_RANGE = 28 }; /* exponents, either sign */

bool emit_is_plain_division(const exec_elementwise *w) {
  return w->opcode == OP_divf && w->result == TSR_F32 &&
         num_rounds_to_nearest((num_rounding)w->rounding) && !w->flush_to_zero;
}

bool emit_divides_by_one(const emit *e, const exec_elementwise *w) {
  return emit_is_plain_division(w) && emit_has_avx512(e) && !e->core.fast_division;
}

/* Where the bits of |x| lie, counted from those of 2^-range. */
static lanes above(emit *e, lanes x, unsigned range) {
  lanes bits = i_andk(e, l_bitcast(e, x, e->i32), 0x7fffffff);
  return i_subk(e, bits, (uint64_t)(127 - range) << 23);
}

emit_divisor emit_divisor_of(emit *e, LLVMValueRef s) {
  emit_divisor d = {.s = lanes_any_nan(s)};
  LLVMValueRef one = lanes_real(e, d.s, 1);
  d.minus = f_neg(e, d.s);
  d.near = i_cmpk(e, LLVMIntULT, above(e, d.s, DIVISOR_RANGE), 2 * DIVISOR_RANGE << 23);
  d.inverse = f_div(e, one, d.s);
  d.rest = f_mul(e, l_call3(e, "llvm.fma", d.minus, d.inverse, one), d.inverse);
  d.positive = i_and(e, d.near, i_cmpk(e, LLVMIntSGT, l_bitcast(e, d.s, e->i32), 0));
  return d;
}

LLVMValueRef emit_quotient_near(emit *e, const emit_divisor *d, LLVMValueRef x) {
  unsigned count = emit_lanes(x);
  lanes minus = emit_splat(e, d->minus, count), inverse = emit_splat(e, d->inverse, count);
  lanes q = l_call3(e, "llvm.fma", x, inverse, f_mul(e, x, emit_splat(e, d->rest, count)));
  lanes left = l_call3(e, "llvm.fma", q, minus, x);
  return l_call3(e, "llvm.fma", left, inverse, q);
}

LLVMValueRef emit_divide_near(emit *e, const emit_divisor *d, LLVMValueRef x,
                              LLVMValueRef *all_near) {
  enum { NAN_BITS = 0x7fc00000, SPAN = 2 * EMIT_DIVIDEND_RANGE << 23 };
  unsigned count = emit_lanes(x);
  LLVMValueRef none = LLVMConstNull(e->i32), nan = LLVMConstInt(e->i32, NAN_BITS, 0);
  lanes bits = l_bitcast(e, x, e->i32);
  LLVMValueRef as_zero = l_select(e, d->positive, none, nan); /* what counts as 0 */
  lanes zero = i_cmp(e, LLVMIntEQ, bits, emit_splat(e, as_zero, count));
  LLVMValueRef in_range = l_select(e, d->near, LLVMConstInt(e->i32, SPAN, 0), none);
  lanes span = emit_splat(e, in_range, count);
  lanes near = i_or(e, i_cmp(e, LLVMIntULT, above(e, x, EMIT_DIVIDEND_RANGE), span), zero);
  LLVMTypeRef flags = LLVMTypeOf(near);
  *all_near = emit_intrinsic(e, "llvm.vector.reduce.and", &flags, 1, &near, 1);
  return emit_quotient_near(e, d, x);
}
