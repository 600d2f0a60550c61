/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of f32 for which NVIDIA's GPUs have an instruction. Its error is CUDA's for exp2f, 2
 * ulp (CUDA C++ Programming Guide, "Mathematical Functions"): exp2f is this instruction.
 */
#include "gpu/nvptx/vmath.h"

#include "llvm/vmath.h"

static lanes exp2_gpu(emit *e, lanes x, bool flush) {
  LLVMTypeRef type = LLVMTypeOf(x);
  const char *name = flush ? "llvm.nvvm.ex2.approx.ftz" : "llvm.nvvm.ex2.approx";
  return emit_intrinsic(e, name, &type, 1, &x, 1);
}

/* 2^(x log2(e)). Rounding that exponent would cost what it has before the point, so what rounding
 * leaves, at most half its ulp, is a factor of its own: 2^rest = 1 + rest ln(2), off by 2^-36. */
static lanes exp_gpu(emit *e, lanes x) {
  const double log2_e = 0x1.715476p+0, log2_e_low = 0x1.4ae0cp-26, ln2 = 0x1.62e43p-1;
  lanes y = vmath_clamp(e, x, -104, 89);
  lanes high = f_mul(e, y, lanes_real(e, y, log2_e));
  lanes rest = f_mul_add(e, y, lanes_real(e, y, log2_e), f_neg(e, high));
  rest = f_mul_add(e, y, lanes_real(e, y, log2_e_low), rest);
  lanes factor = f_mul_add(e, rest, lanes_real(e, y, ln2), lanes_real(e, y, 1));
  return f_mul(e, exp2_gpu(e, high, false), factor);
}

bool nvptx_native_function(emit *e, op_code opcode, lanes x, bool flush, lanes *result) {
  if (lanes_elem(x) != e->f32) return false;
  if (opcode != OP_exp && opcode != OP_exp2) return false;
  *result = opcode == OP_exp2 ? exp2_gpu(e, x, flush) : exp_gpu(e, x);
  return true;
}
