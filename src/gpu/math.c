/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element-wise operations on one element. Nearly all are those that the CPU backend emits
 * (llvm/emit.h), in the same formulas with the same bounds; what that leaves to its runtime is made
 * here, since a GPU has none.
 */
#include "gpu/math.h"
#include "llvm/conv.h"
#include "llvm/elementwise.h"
#include "llvm/nans.h"

#include "gpu/code.h"

/* ---- remainders ----------------------------------------------------------------------------- */

/* What fmod needs of a format. */
typedef struct remainder_format {
  LLVMTypeRef real, bits;
  unsigned width, mantissa, step; /* step: exponents that one division takes */
} remainder_format;

/* Mantissa with its leading one, and the exponent field, at least 1, of a positive number. */
static void take_apart(emit *e, const remainder_format *r, llv magnitude, llv *mantissa,
                       llv *exponent) {
  uint64_t ones = (UINT64_C(1) << r->mantissa) - 1;
  llv field = i_lshrk(e, magnitude, r->mantissa);
  llv is_normal = i_cmpk(e, LLVMIntNE, field, 0);
  llv low = i_andk(e, magnitude, ones);
  *mantissa = l_select(e, is_normal, i_ork(e, low, ones + 1), low);
  *exponent = l_select(e, is_normal, field, lanes_int(e, field, 1));
}

/* Long division: r = (r << s) mod my, as often as x has exponents more than y. */
static llv divide_long(emit *e, const remainder_format *r, llv f, llv rest, llv divisor,
                       llv difference) {
  LLVMBuilderRef b = e->b;
  llblock before = LLVMGetInsertBlock(b);
  llblock head = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  llblock body = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  llblock done = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  LLVMBuildBr(b, head);
  LLVMPositionBuilderAtEnd(b, head);
  llv left = LLVMBuildPhi(b, LLVMTypeOf(difference), ""),
      now = LLVMBuildPhi(b, LLVMTypeOf(rest), "");
  LLVMBuildCondBr(b, i_cmpk(e, LLVMIntSGT, left, 0), body, done);
  LLVMPositionBuilderAtEnd(b, body);
  llv by = l_call2(e, "llvm.umin", left, lanes_int(e, left, r->step));
  llv wide = LLVMBuildIntCast2(b, by, e->i64, 0, "");
  llv next = LLVMBuildURem(b, i_shl(e, now, wide), divisor, "");
  llv fewer = i_sub(e, left, by);
  LLVMAddIncoming(left, (llv[]){difference, fewer}, (llblock[]){before, body}, 2);
  LLVMAddIncoming(now, (llv[]){rest, next}, (llblock[]){before, body}, 2);
  LLVMBuildBr(b, head);
  LLVMPositionBuilderAtEnd(b, done);
  return now;
}

/* mantissa * 2^(exponent - 1) in units of the smallest number, as a number again. */
static llv put_together(emit *e, const remainder_format *r, llv mantissa, llv exponent) {
  llv real = LLVMBuildUIToFP(e->b, mantissa, r->real, ""); /* exact: it has so many bits */
  /* In two steps, neither of which leaves the exponents there are; subnormal results are exact. */
  bool wide = r->width == 64;
  int64_t smallest = wide ? 1074 + 1 : 149 + 1; /* real * 2^(exponent - smallest) */
  llv k = i_subk(e, exponent, (uint64_t)smallest);
  llv half = i_ashrk(e, k, 1), rest = i_sub(e, k, half);
  uint64_t bias = wide ? 1023 : 127;
  llv first = l_bitcast(e, i_shlk(e, i_addk(e, half, bias), r->mantissa), r->real);
  llv second = l_bitcast(e, i_shlk(e, i_addk(e, rest, bias), r->mantissa), r->real);
  return f_mul(e, f_mul(e, real, first), second);
}

static void remainder_body(emit *e, LLVMValueRef f, const remainder_format *r) {
  LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->llvm, f, ""));
  llv x = LLVMGetParam(f, 0), y = LLVMGetParam(f, 1);
  llv x_bits = l_bitcast(e, x, r->bits), y_bits = l_bitcast(e, y, r->bits);
  uint64_t sign = UINT64_C(1) << (r->width - 1);
  llv x_mag = i_andk(e, x_bits, sign - 1), y_mag = i_andk(e, y_bits, sign - 1);
  uint64_t inf = ((UINT64_C(1) << (r->width - 1 - r->mantissa)) - 1) << r->mantissa;
  llv bad = i_or(e, i_cmpk(e, LLVMIntUGE, x_mag, inf), i_cmpk(e, LLVMIntUGT, y_mag, inf));
  bad = i_or(e, bad, i_cmpk(e, LLVMIntEQ, y_mag, 0));
  llv whole = i_or(e, i_cmp(e, LLVMIntULT, x_mag, y_mag), i_cmpk(e, LLVMIntEQ, y_mag, inf));
  llv none = i_or(e, bad, whole); /* nothing to divide: both are taken for 1 */
  llv one = lanes_int(e, x_mag, UINT64_C(1) << r->mantissa);
  llv mx, ex, my, ey;
  take_apart(e, r, l_select(e, none, one, x_mag), &mx, &ex);
  take_apart(e, r, l_select(e, none, one, y_mag), &my, &ey);
  mx = LLVMBuildIntCast2(e->b, mx, e->i64, 0, "");
  my = LLVMBuildIntCast2(e->b, my, e->i64, 0, "");
  llv rest = divide_long(e, r, f, LLVMBuildURem(e->b, mx, my, ""), my, i_sub(e, ex, ey));
  llv number = put_together(e, r, rest, ey);
  number = l_bitcast(e, i_or(e, l_bitcast(e, number, r->bits), i_andk(e, x_bits, sign)), r->real);
  number = l_select(e, whole, x, number);
  uint64_t nan = inf | UINT64_C(1) << (r->mantissa - 1);
  llv result = l_select(e, bad, lanes_int(e, x_bits, nan), l_bitcast(e, number, r->bits));
  LLVMBuildRet(e->b, l_bitcast(e, result, r->real));
}

static void remainder32(emit *e, LLVMValueRef f) {
  remainder_body(e, f, &(remainder_format){e->f32, e->i32, 32, 23, 40});
}
static void remainder64(emit *e, LLVMValueRef f) {
  remainder_body(e, f, &(remainder_format){e->f64, e->i64, 64, 52, 11});
}

/* Remainders of narrow types are values of the type: they have no more bits than the operands. */
static llv remainder_of(gen *g, const exec_elementwise *w, llv *x) {
  bool wide = w->result == TSR_F64;
  llv args[] = {lanes_any_nan(x[0]), lanes_any_nan(x[1])};
  return gpu_call_function(g, wide ? "tessera_fmod64" : "tessera_fmod32",
                           wide ? g->e.f64 : g->e.f32, 2, args, wide ? remainder64 : remainder32);
}

/* ---- integer powers ------------------------------------------------------------------------- */

/* x ** n by squaring: relative error below |n| 2^-103, so exact when rounded to double, but for
 * results below the normal numbers. Parameters are the bits of x, and n. */
static void power_body(emit *e, LLVMValueRef f) {
  LLVMBuilderRef b = e->b;
  llblock start = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  llblock head = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  llblock body = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  llblock done = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  LLVMPositionBuilderAtEnd(b, start);
  llv x = l_bitcast(e, LLVMGetParam(f, 0), e->f64), n = LLVMGetParam(f, 1);
  llv is_negative = i_cmpk(e, LLVMIntSLT, n, 0);
  llv inverse = f_div(e, lanes_real(e, x, 1), x);
  llv rest = l_call3(e, "llvm.fma", f_neg(e, inverse), x, lanes_real(e, x, 1));
  rest = f_mul(e, rest, inverse);
  rest = l_select(e, f_is_nan(e, rest), lanes_real(e, x, 0), rest);
  llv base = l_select(e, is_negative, inverse, x);
  llv base_low = l_select(e, is_negative, rest, lanes_real(e, x, 0));
  llv count = l_select(e, is_negative, LLVMBuildNeg(b, n, ""), n);
  LLVMBuildBr(b, head);
  LLVMPositionBuilderAtEnd(b, head);
  llv left = LLVMBuildPhi(b, e->i64, "");
  twofold power = {LLVMBuildPhi(b, e->f64, ""), LLVMBuildPhi(b, e->f64, "")};
  twofold result = {LLVMBuildPhi(b, e->f64, ""), LLVMBuildPhi(b, e->f64, "")};
  LLVMBuildCondBr(b, i_cmpk(e, LLVMIntNE, left, 0), body, done);
  LLVMPositionBuilderAtEnd(b, body);
  llv is_odd = i_cmpk(e, LLVMIntNE, i_andk(e, left, 1), 0);
  twofold times = gpu_multiply_twofold(e, result, power),
          square = gpu_multiply_twofold(e, power, power);
  llv high = l_select(e, is_odd, times.high, result.high);
  llv low = l_select(e, is_odd, times.low, result.low), fewer = i_lshrk(e, left, 1);
  LLVMBuildBr(b, head);
  llblock from[] = {start, body};
  LLVMAddIncoming(left, (llv[]){count, fewer}, from, 2);
  LLVMAddIncoming(power.high, (llv[]){base, square.high}, from, 2);
  LLVMAddIncoming(power.low, (llv[]){base_low, square.low}, from, 2);
  LLVMAddIncoming(result.high, (llv[]){lanes_real(e, x, 1), high}, from, 2);
  LLVMAddIncoming(result.low, (llv[]){lanes_real(e, x, 0), low}, from, 2);
  LLVMPositionBuilderAtEnd(b, done);
  /* Zeros lose their sign when the low parts are added: an odd power has that of x. */
  llv sign = i_and(e, LLVMGetParam(f, 0), i_shlk(e, n, 63));
  llv magnitude = i_andk(e, l_bitcast(e, result.high, e->i64), INT64_MAX);
  LLVMBuildRet(b, i_or(e, magnitude, sign));
}

static llv power_of(gen *g, const exec_elementwise *w, llv *x) {
  emit *e = &g->e;
  llv base = lanes_any_nan(x[0]);
  if (LLVMTypeOf(base) != e->f64) base = l_fpext(e, base, e->f64);
  llv args[] = {l_bitcast(e, base, e->i64), LLVMBuildIntCast2(e->b, x[1], e->i64, 1, "")};
  llv r = gpu_call_function(g, "tessera_powi", e->i64, 2, args, power_body);
  return lanes_canonical(e, emit_round(e, (tsr_elem)w->result, l_bitcast(e, r, e->f64)));
}

llv gpu_elementwise(gen *g, const exec_elementwise *w, llv *operands) {
  if (emit_elementwise_supported(&g->e, w)) return emit_elementwise(&g->e, w, operands);
  if (w->opcode == OP_remf) return remainder_of(g, w, operands);
  if (w->opcode == OP_fpowi) return power_of(g, w, operands);
  llv r = w->result == TSR_F64 ? gpu_math64(g, (op_code)w->opcode, operands) : NULL;
  if (r) return lanes_canonical(&g->e, r);
  if (!g->failed)
    diag_error(g->ctx, ir_place(g->m, g->entry->loc), "'%s' of %s cannot be compiled for %s",
               op_table[w->opcode].name, tsr_elem_name((tsr_elem)w->result), g->target->name);
  g->failed = true;
  return LLVMGetPoison(emit_elem_type(&g->e, (tsr_elem)w->result));
}
