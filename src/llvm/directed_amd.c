/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arithmetic in directed roundings on AMD's GPUs. Sums, products and multiply-adds are instructions
 * that round as a wave's mode says. Divisions and roots take several instructions: of f32 they are
 * rounded from those of f64, to the same side, since quotients and roots of numbers of 24 bits are
 * 2^-49 of themselves away from such numbers, or hit them. Of f64 what rounding to nearest has left
 * is computed exactly, and its sign says in which direction the exact result lies.
 */
#include "llvm/arith.h"
#include "llvm/lanes.h"
#include "num/num.h"

/* FP_ROUND has two bits for f32 and two for f64 and f16. CDNA wants two wait states between writes
 * of the mode, which LLVM does not see in here. */
lanes amd_in_mode(emit *e, const char *instruction, num_rounding rounding, lanes *x, unsigned n,
                  LLVMTypeRef result) {
  static const unsigned modes[] = {
      [NUM_ZERO] = 15, [NUM_NEGATIVE_INF] = 10, [NUM_POSITIVE_INF] = 5};
  static const char *const constraints[] = {[1] = "=v,v", [2] = "=v,v,v", [3] = "=v,v,v,v"};
  static const char *const operands[] = {[1] = "$1", [2] = "$1, $2", [3] = "$1, $2, $3"};
  static const char set[] = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), ";
  char *text = arena_printf(e->arena, "s_nop 1\n\t%s%u\n\t%s $0, %s\n\ts_nop 0\n\t%s0", set,
                            modes[rounding], instruction, operands[n], set);
  LLVMTypeRef types[3];
  for (unsigned i = 0; i < n; i++) types[i] = LLVMTypeOf(x[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, n, 0);
  LLVMValueRef code =
      LLVMGetInlineAsm(type, text, strlen(text), constraints[n], strlen(constraints[n]), false,
                       false, LLVMInlineAsmDialectATT, false);
  return LLVMBuildCall2(e->b, type, code, x, n, "");
}

/* ---- quotients and roots of f64 ------------------------------------------------------------- */

static lanes mantissa_of(emit *e, lanes x) {
  return emit_intrinsic(e, "llvm.amdgcn.frexp.mant", &e->f64, 1, &x, 1);
}

static lanes exponent_of(emit *e, lanes x) {
  LLVMTypeRef types[] = {e->i32, e->f64};
  return emit_intrinsic(e, "llvm.amdgcn.frexp.exp", types, 2, &x, 1);
}

static lanes scale(emit *e, lanes x, lanes exponent) {
  LLVMTypeRef types[] = {e->f64, e->i32};
  return emit_intrinsic(e, "llvm.ldexp", types, 2, (lanes[]){x, exponent}, 2);
}

/* x, or its neighbour, where the exact value is x and a rest of this sign. */
static lanes step(emit *e, lanes x, lanes rest, num_rounding rounding) {
  lanes tiny = f_copysign(e, lanes_real(e, x, 0x1p-200), rest); /* far less than half an ulp */
  lanes args[] = {x, l_select(e, f_cmpk(e, LLVMRealOEQ, rest, 0), lanes_real(e, x, 0), tiny)};
  lanes sum = amd_in_mode(e, "v_add_f64", rounding, args, 2, e->f64);
  return l_select(e, f_cmpk(e, LLVMRealOEQ, rest, 0), x, sum);
}

/* The same rounded to odd, which survives a rounding to fewer bits. */
static lanes step_to_odd(emit *e, lanes x, lanes rest) {
  lanes bits = l_bitcast(e, x, e->i64);
  lanes is_even = i_cmpk(e, LLVMIntEQ, i_andk(e, bits, 1), 0);
  lanes moves = i_and(e, is_even, f_cmpk(e, LLVMRealONE, rest, 0));
  lanes outwards =
      i_cmp(e, LLVMIntEQ, f_cmpk(e, LLVMRealOLT, rest, 0), f_cmpk(e, LLVMRealOLT, x, 0));
  lanes by = l_select(e, outwards, lanes_int(e, bits, 1), lanes_int(e, bits, UINT64_MAX));
  return l_bitcast(e, l_select(e, moves, i_add(e, bits, by), bits), e->f64);
}

/* x * 2^exponent, rounded once: the first of two factors leaves x a normal number. */
static lanes scale_directed(emit *e, lanes x, lanes exponent, num_rounding rounding) {
  lanes half = i_ashrk(e, exponent, 1), rest = i_sub(e, exponent, half);
  lanes args[] = {scale(e, x, half), scale(e, lanes_real(e, x, 1), rest)};
  return amd_in_mode(e, "v_mul_f64", rounding, args, 2, e->f64);
}

static lanes is_number(emit *e, lanes x) {
  lanes mag = f_abs(e, x);
  return i_and(e, f_cmpk(e, LLVMRealOGT, mag, 0), f_cmpk(e, LLVMRealOLT, mag, (double)INFINITY));
}

/* Of mantissas, then scaled. Quotients below the normal numbers have fewer bits. */
static lanes divide_f64(emit *e, lanes x, lanes y, num_rounding rounding) {
  enum { LEAST_NORMAL = -1020, MOST = 1200 };
  lanes a = mantissa_of(e, x), b = mantissa_of(e, y);
  lanes exponent = i_sub(e, exponent_of(e, x), exponent_of(e, y));
  exponent = l_call2(e, "llvm.smin", exponent, lanes_int(e, exponent, MOST));
  exponent = l_call2(e, "llvm.smax", exponent, lanes_int(e, exponent, (uint64_t) - (int64_t)MOST));
  lanes q = f_div(e, a, b), rest = l_call3(e, "llvm.fma", f_neg(e, q), b, a);
  rest = f_mul(e, rest, f_copysign(e, lanes_real(e, b, 1), b));
  lanes few =
      i_cmp(e, LLVMIntSLT, exponent, lanes_int(e, exponent, (uint64_t)(int64_t)LEAST_NORMAL));
  lanes r = l_select(e, few, step_to_odd(e, q, rest), step(e, q, rest, rounding));
  r = scale_directed(e, r, exponent, rounding);
  lanes plain = i_and(e, is_number(e, x), is_number(e, y));
  return l_select(e, plain, r, f_div(e, x, y));
}

/* Of a mantissa and an even exponent. */
static lanes root_f64(emit *e, lanes x, num_rounding rounding) {
  lanes has_root = i_and(e, is_number(e, x), f_cmpk(e, LLVMRealOGT, x, 0));
  lanes some = l_select(e, has_root, x, lanes_real(e, x, 1));
  lanes exponent = exponent_of(e, some), odd = i_andk(e, exponent, 1);
  lanes m = scale(e, mantissa_of(e, some), odd), root = l_call1(e, "llvm.sqrt", m);
  lanes rest = l_call3(e, "llvm.fma", f_neg(e, root), root, m);
  lanes r = step(e, root, rest, rounding);
  r = scale(e, r, i_ashrk(e, i_sub(e, exponent, odd), 1));
  lanes none = f_cmpk(e, LLVMRealULT, x, 0);
  lanes special = l_select(e, none, lanes_real(e, x, (double)NAN), x); /* zeros, the infinity */
  return l_select(e, has_root, r, special);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static lanes steps(emit *e, const exec_elementwise *w, lanes *x) {
  num_rounding rounding = (num_rounding)w->rounding;
  bool is_root = w->opcode == OP_sqrt;
  if (w->result == TSR_F64)
    return is_root ? root_f64(e, x[0], rounding) : divide_f64(e, x[0], x[1], rounding);
  lanes a = l_fpext(e, x[0], e->f64);
  if (!is_root) return conv_round(e, TSR_F32, f_div(e, a, l_fpext(e, x[1], e->f64)), rounding);
  lanes none = f_cmpk(e, LLVMRealULT, a, 0);
  a = l_call1(e, "llvm.sqrt", l_select(e, none, lanes_real(e, a, (double)NAN), a));
  return conv_round(e, TSR_F32, a, rounding);
}

lanes amd_directed(emit *e, const exec_elementwise *w, lanes *x) {
  if (w->opcode == OP_divf || w->opcode == OP_sqrt) return steps(e, w, x);
  lanes args[3] = {x[0], x[1], x[2]};
  if (w->opcode == OP_subf) args[1] = f_neg(e, x[1]);
  const char *op = w->opcode == OP_mulf ? "mul" : w->opcode == OP_fma ? "fma" : "add";
  const char *name = arena_printf(e->arena, "v_%s_f%s", op, w->result == TSR_F64 ? "64" : "32");
  return amd_in_mode(e, name, (num_rounding)w->rounding, args, w->n_operands, LLVMTypeOf(x[0]));
}
