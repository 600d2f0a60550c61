/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Quotients of a thread's registers by one number, as those of a softmax by the row's sum. Four
 * multiply-adds make each (llvm/divide.h) where all numbers are in range, which is tested once for
 * all; otherwise all are divided one by one.
 */
#include "gpu/divide.h"

#include "gpu/code.h"
#include "gpu/math.h"
#include "llvm/divide.h"
#include "llvm/nans.h"

/* Below the first, the reciprocal costs more than it saves; above the second, the test holds more
 * registers than it saves instructions. */
enum { FEWEST = 4, AT_ONCE = 8 };

/* The bits with the sign as the lowest, so that magnitudes order them. */
static llv magnitude(gen *g, llv x) {
  llv bits = l_bitcast(&g->e, x, g->e.i32);
  return l_call3(&g->e, "llvm.fshl", bits, bits, k32(g, 1));
}

/* i1: the multiply-adds give the quotients of all of x. Where the divisor is positive, one is
 * subtracted, which puts +0 above all others. */
static llv all_in_range(gen *g, const emit_divisor *d, const llv *x, uint32_t n) {
  enum {
    LEAST = 127 - EMIT_DIVIDEND_RANGE,
    GREATEST = 127 + EMIT_DIVIDEND_RANGE,
    EXPONENT_AT = 24
  };
  emit *e = &g->e;
  llv one = LLVMBuildZExt(e->b, d->positive, e->i32, ""), least = NULL, most = NULL;
  for (uint32_t i = 0; i < n; i++) {
    llv size = magnitude(g, x[i]), low = i_sub(e, size, one);
    least = least ? l_call2(e, "llvm.umin", least, low) : low;
    most = most ? l_call2(e, "llvm.umax", most, size) : size;
  }
  llv in_range = i_and(e, i_cmpk(e, LLVMIntUGE, least, (uint64_t)LEAST << EXPONENT_AT),
                       i_cmpk(e, LLVMIntULT, most, (uint64_t)GREATEST << EXPONENT_AT));
  return i_and(e, in_range, d->near);
}

/* Up to AT_ONCE registers of `result`, `at` says which. */
static void divide_group(gen *g, const exec_elementwise *w, const emit_divisor *d, llv *const x[2],
                         llv *result, const uint32_t *at, uint32_t n) {
  LLVMBuilderRef b = g->e.b;
  llv numbers[AT_ONCE], divided[AT_ONCE];
  for (uint32_t i = 0; i < n; i++) {
    numbers[i] = lanes_any_nan(x[0][at[i]]);
    result[at[i]] = emit_quotient_near(&g->e, d, numbers[i]);
  }
  llv likely = all_in_range(g, d, numbers, n);
  llblock near = LLVMGetInsertBlock(b);
  llblock rare = gpu_new_block(g, "divide"), done = gpu_new_block(g, "divided");
  LLVMBuildCondBr(b, likely, done, rare);
  LLVMPositionBuilderAtEnd(b, rare);
  for (uint32_t i = 0; i < n; i++)
    divided[i] = gpu_elementwise(g, w, (llv[]){x[0][at[i]], x[1][at[i]]});
  rare = LLVMGetInsertBlock(b);
  gpu_go(g, done);
  for (uint32_t i = 0; i < n; i++) {
    llv phi = LLVMBuildPhi(b, LLVMTypeOf(result[at[i]]), "");
    LLVMAddIncoming(phi, (llv[]){result[at[i]], divided[i]}, (llblock[]){near, rare}, 2);
    result[at[i]] = phi;
  }
}

/* The registers from `first` on that divide by what it divides by and are not made yet. */
static uint32_t of_one_divisor(llv *const x[2], const llv *result, uint32_t first, uint32_t n,
                               uint32_t *at) {
  uint32_t count = 0;
  for (uint32_t i = first; i < n; i++)
    if (x[1][i] == x[1][first] && !result[i]) at[count++] = i;
  return count;
}

void gpu_divide_together(gen *g, const exec_elementwise *w, llv *const x[2], llv *result,
                         uint32_t n) {
  if (!emit_is_plain_division(w)) return;
  uint32_t *at = arena_array(g->arena, uint32_t, n);
  for (uint32_t first = 0; first < n; first++) {
    uint32_t count = result[first] ? 0 : of_one_divisor(x, result, first, n, at);
    if (count < FEWEST) continue;
    emit_divisor d = emit_divisor_of(&g->e, x[1][first]);
    for (uint32_t i = 0; i < count; i += AT_ONCE)
      divide_group(g, w, &d, x, result, at + i, MIN(count - i, AT_ONCE));
  }
}
