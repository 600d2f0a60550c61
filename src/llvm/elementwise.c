/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element-wise operations: finds the part that emits one, and emits conversions, select and
 * offset itself.
 */
#include "llvm/elementwise.h"

#include <math.h>

#include "num/num.h"
#include "ir/version.h"
#include "exec/scalar.h"
#include "llvm/arith.h"
#include "llvm/conv.h"
#include "llvm/lanes.h"
#include "llvm/nans.h"

static bool is_signed(const exec_elementwise *w) {
  return w->signedness == SIGN_SIGNED;
}

/* ---- integers to integers ------------------------------------------------------------------- */

/* Bits of an integer that lies in an i8 lane and is shorter; else 0. */
static unsigned short_bits(tsr_elem elem) {
  unsigned bits = tsr_elem_bits(elem);
  return bits > 1 && bits < 8 ? bits : 0;
}

/* Cuts off what such an integer hasn't. */
static lanes to_width(emit *e, lanes x, tsr_elem elem) {
  unsigned bits = short_bits(elem);
  return bits ? i_andk(e, x, num_mask(bits)) : x;
}

static lanes extend(emit *e, lanes x, tsr_elem from, tsr_elem to, bool sign) {
  unsigned bits = short_bits(from);
  if (sign && bits) x = i_ashrk(e, i_shlk(e, x, 8 - bits), 8 - bits);
  LLVMTypeRef type = emit_elem_type(e, to);
  if (lanes_elem(x) != type) x = sign ? l_sext(e, x, type) : l_zext(e, x, type);
  return to_width(e, x, to);
}

static lanes truncate(emit *e, lanes x, tsr_elem to) {
  LLVMTypeRef type = emit_elem_type(e, to);
  if (lanes_elem(x) != type) x = l_trunc(e, x, type);
  return to_width(e, x, to);
}

/* ---- floats to floats ----------------------------------------------------------------------- */

/* Can the type, which is f32 in registers, represent all integers of 8 bits? */
static bool holds_bytes(tsr_elem to) {
  return to == TSR_F16 || to == TSR_BF16 || to == TSR_TF32;
}

/* Whether a conversion between types that are f32 in registers has nothing to round. */
static bool is_exact(tsr_elem from, tsr_elem to) {
  return tsr_elem_bits(from) <= 8 && from != TSR_F8E8M0FNU && holds_bytes(to) &&
         ir_ftof_is_widening(from, to);
}

static lanes ftof(emit *e, const exec_elementwise *w, lanes x) {
  x = lanes_any_nan(x);
  tsr_elem from = (tsr_elem)w->operands[0], to = (tsr_elem)w->result;
  num_rounding rounding = (num_rounding)w->rounding;
  bool has_nan = num_format_of(from)->nan != NUM_NAN_NONE;
  if (is_exact(from, to)) return has_nan ? lanes_canonical(e, x) : x;
  if (to == TSR_F8E8M0FNU) return conv_to_e8m0(e, x, rounding);
  if (to == TSR_F64) return lanes_canonical(e, lanes_elem(x) == e->f64 ? x : l_fpext(e, x, e->f64));
  lanes r = conv_round(e, to, x, rounding);
  /* Rounding bits makes NaNs canonical by itself, instructions don't. */
  bool by_bits = to != TSR_F16 && to != TSR_F32 && !(to == TSR_BF16 && e->gpu);
  return by_bits ? r : lanes_canonical(e, r);
}

/* ---- floats and integers -------------------------------------------------------------------- */

/* To as many bits, of 32 and 64, or clamped for fewer. Each lane by itself is how LLVM saturates on
 * x86-64: here the number is brought into range before, and what can't be told from `end`, which is
 * beyond the range, by the largest float below that, is put in afterwards. */
static lanes saturate(emit *e, lanes x, unsigned bits, bool sign) {
  const unsigned digits = bits - sign, precision = lanes_elem(x) == e->f64 ? 53 : 24;
  const double end = ldexp(1, (int)digits), low = sign ? -end : 0;
  const double high = digits <= precision ? end - 1 : end - ldexp(1, (int)(digits - precision));
  LLVMTypeRef to = bits == 64 ? e->i64 : e->i32;
  lanes least = lanes_real(e, x, low), most = lanes_real(e, x, high);
  lanes y = l_select(e, f_cmp(e, LLVMRealOGT, x, least), x, least);
  y = l_select(e, f_cmp(e, LLVMRealOLT, y, most), y, most);
  lanes r = sign || bits < 32 ? l_fptosi(e, y, to) : l_fptoui(e, y, to);
  uint64_t largest = num_mask(digits);
  if (high + 1 < end) r = l_select(e, f_cmpk(e, LLVMRealOGE, x, end), lanes_int(e, r, largest), r);
  return l_select(e, f_cmp(e, LLVMRealORD, x, x), r, lanes_int(e, r, 0));
}

/* Saturating; NaN gives 0; to i1 whether it is not zero, which NaN is not. Narrow results go
 * through 32 bits, for which there are instructions. */
static lanes ftoi(emit *e, const exec_elementwise *w, lanes x) {
  if (exec_is_truth(w)) return f_cmpk(e, LLVMRealUNE, x, 0);
  unsigned bits = tsr_elem_bits((tsr_elem)w->result);
  if (!e->gpu && !e->arm) {
    lanes r = saturate(e, x, bits, is_signed(w));
    return bits < 32 ? l_trunc(e, r, emit_elem_type(e, (tsr_elem)w->result)) : r;
  }
  bool sign = is_signed(w) || bits < 32;
  const char *name = sign ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
  LLVMTypeRef types[] = {lanes_type(x, bits == 64 ? e->i64 : e->i32), LLVMTypeOf(x)};
  lanes r = emit_intrinsic(e, name, types, 2, &x, 1);
  if (bits >= 32) return r;
  int64_t low = is_signed(w) ? num_int_min(bits) : 0;
  int64_t high = is_signed(w) ? num_int_max(bits) : (int64_t)num_mask(bits);
  r = l_call2(e, "llvm.smax", r, lanes_int(e, r, (uint64_t)low));
  r = l_call2(e, "llvm.smin", r, lanes_int(e, r, (uint64_t)high));
  return l_trunc(e, r, emit_elem_type(e, (tsr_elem)w->result));
}

/* Makes 64-bit integers exact as double where that has too few bits, by rounding them to odd in
 * units of 2^11: enough for any format whose mantissa is shorter than 50 bits. */
static lanes to_odd53(emit *e, lanes x, bool sign) {
  lanes low = i_andk(e, x, 0x7ff);
  lanes sticky = i_andk(e, i_or(e, x, i_addk(e, low, 0x7ff)), ~UINT64_C(0x7ff));
  /* |x| < 2^53 is exact anyway, and must not lose its low bits. */
  lanes top = sign ? i_addk(e, i_ashrk(e, x, 53), 1) : i_lshrk(e, x, 53);
  return l_select(e, i_cmpk(e, LLVMIntULT, top, sign ? 2 : 1), x, sticky);
}

/* Both halves are exact; their sum is rounded once. */
static lanes itof64_amd(emit *e, lanes x, bool sign, num_rounding rounding) {
  lanes high = l_trunc(e, i_lshrk(e, x, 32), e->i32), low = l_trunc(e, x, e->i32);
  high = sign ? LLVMBuildSIToFP(e->b, high, e->f64, "") : LLVMBuildUIToFP(e->b, high, e->f64, "");
  low = LLVMBuildUIToFP(e->b, low, e->f64, "");
  lanes parts[] = {f_mulk(e, high, 0x1p32), low};
  return amd_in_mode(e, "v_add_f64", rounding, parts, 2, e->f64);
}

/* In one direction, on a GPU: to double, which is exact but for 64 bits, then on the same way. */
static lanes itof_directed(emit *e, const exec_elementwise *w, lanes x) {
  static const char *const modes[] = {
      [ROUND_ZERO] = "rz", [ROUND_NEGATIVE_INF] = "rm", [ROUND_POSITIVE_INF] = "rp"};
  bool sign = is_signed(w);
  if (lanes_bits(e, x) == 64 && e->amd) {
    x = itof64_amd(e, x, sign, (num_rounding)w->rounding);
  } else if (lanes_bits(e, x) == 64) {
    char *name =
        arena_printf(e->arena, "llvm.nvvm.%s2d.%s", sign ? "ll" : "ull", modes[w->rounding]);
    x = emit_intrinsic(e, name, NULL, 0, &x, 1);
  } else {
    x = sign ? LLVMBuildSIToFP(e->b, x, e->f64, "") : LLVMBuildUIToFP(e->b, x, e->f64, "");
  }
  return conv_round(e, (tsr_elem)w->result, x, (num_rounding)w->rounding);
}

static lanes itof(emit *e, const exec_elementwise *w, lanes x) {
  if (!num_rounds_to_nearest((num_rounding)w->rounding) && e->gpu) return itof_directed(e, w, x);
  unsigned bits = tsr_elem_bits((tsr_elem)w->operands[0]);
  tsr_elem to = (tsr_elem)w->result;
  bool sign = is_signed(w), is_wide = to == TSR_F32 || to == TSR_F64;
  if (bits < 32) { /* as signed 32 bits, which have the best instructions */
    x = sign ? l_sext(e, x, e->i32) : l_zext(e, x, e->i32);
    sign = true;
  }
  /* One rounding only: on the way to a narrow type it must be exact. */
  LLVMTypeRef type = to == TSR_F64 || (!is_wide && bits >= 32) ? e->f64 : e->f32;
  if (bits == 64 && !is_wide) x = to_odd53(e, x, sign);
  type = lanes_type(x, type);
  x = sign ? LLVMBuildSIToFP(e->b, x, type, "") : LLVMBuildUIToFP(e->b, x, type, "");
  return bits <= 8 && holds_bytes(to) ? x : emit_round(e, to, x);
}

static bool itof_supported(emit *e, const exec_elementwise *w) {
  unsigned bits = tsr_elem_bits((tsr_elem)w->operands[0]);
  if (e->gpu || num_rounds_to_nearest((num_rounding)w->rounding)) return true;
  /* Exact in any mode. */
  return (w->result == TSR_F32 && bits <= 16) || (w->result == TSR_F64 && bits <= 32);
}

/* ---- bits and pointers ---------------------------------------------------------------------- */

/* The same bits: through the storage format, in which they are what they are. */
static lanes bitcast(emit *e, const exec_elementwise *w, lanes x) {
  lanes stored = emit_encode(e, (tsr_elem)w->operands[0], x);
  LLVMTypeRef type = emit_storage_type(e, (tsr_elem)w->result);
  if (lanes_elem(stored) != type) stored = l_bitcast(e, stored, type);
  return emit_decode(e, (tsr_elem)w->result, stored);
}

/* By bits, where the pointers say at which an element begins: see exec_bit_pointer. */
static lanes offset_by_bits(emit *e, lanes pointer, lanes by) {
  lanes three = lanes_int(e, pointer, 3), at = l_call3(e, "llvm.fshl", pointer, pointer, three);
  at = i_add(e, at, by);
  return l_call3(e, "llvm.fshr", at, at, three);
}

/* Offsets count elements and are signed. Those of 4-bit elements count nibbles: an address is that
 * of the byte. */
static lanes offset(emit *e, const exec_elementwise *w, lanes pointer, lanes by) {
  if (lanes_elem(by) != e->i64) by = l_sext(e, by, e->i64);
  unsigned bits = tsr_elem_bits((tsr_elem)w->pointee);
  if (num_shares_bytes(bits))
    return offset_by_bits(e, pointer, i_mul(e, by, lanes_int(e, by, bits)));
  if (bits == 4)
    by = i_ashrk(e, by, 1);
  else
    by = i_mul(e, by, lanes_int(e, by, tsr_elem_storage((tsr_elem)w->pointee, 1)));
  return i_add(e, pointer, by);
}

/* A constant without a NaN? */
static bool is_number(lanes x) {
  LLVMBool loses;
  for (unsigned i = 0; LLVMIsConstant(x) && i < emit_lanes(x); i++) {
    LLVMValueRef one = emit_lanes(x) > 1 ? LLVMGetAggregateElement(x, i) : x;
    if (!one || !LLVMIsAConstantFP(one) || isnan(LLVMConstRealGetDouble(one, &loses))) return false;
  }
  return LLVMIsConstant(x);
}

/* One of two numbers that arithmetic gave, or a constant: NaNs are made canonical after it, where
 * that may turn out not to be needed. */
static lanes choose_number(emit *e, lanes condition, lanes x, lanes y) {
  lanes a = lanes_any_nan(x), b = lanes_any_nan(y);
  bool fits = (a != x || is_number(x)) && (b != y || is_number(y)) && (a != x || b != y);
  if (!fits) return l_select(e, condition, x, y);
  return lanes_canonical(e, l_select(e, condition, a, b));
}

/* Is the value's half at hand, or made by the conversion alone? */
static bool has_half(lanes x) {
  return emit_loaded_half(x) || LLVMIsAFPExtInst(x) || LLVMIsConstant(x) ||
         lanes_before_canonical(x);
}

/* Values that come straight from half-precision bits are chosen as those, which may spare the
 * conversion, and does spare what keeps NaNs as they are. */
static bool goes_by_half(tsr_elem elem, lanes x, lanes y) {
  return (elem == TSR_F16 || elem == TSR_F8E5M2) && (emit_loaded_half(x) || emit_loaded_half(y)) &&
         has_half(x) && has_half(y);
}

LLVMValueRef emit_choose(emit *e, tsr_elem elem, LLVMValueRef condition, LLVMValueRef x,
                         LLVMValueRef y) {
  if (!goes_by_half(elem, x, y)) return l_select(e, condition, x, y);
  lanes a = emit_encode(e, TSR_F16, x), b = emit_encode(e, TSR_F16, y);
  return emit_decode(e, TSR_F16, l_select(e, condition, a, b));
}

static lanes choose(emit *e, const exec_elementwise *w, lanes *x) {
  tsr_elem elem = (tsr_elem)w->result;
  if (goes_by_half(elem, x[1], x[2])) return emit_choose(e, elem, x[0], x[1], x[2]);
  return choose_number(e, x[0], x[1], x[2]);
}

/* ---- all of them ---------------------------------------------------------------------------- */

bool emit_elementwise_supported(emit *e, const exec_elementwise *w) {
  switch (w->opcode) {
  case OP_select:
  case OP_offset:
  case OP_bitcast:
  case OP_exti:
  case OP_trunci:
  case OP_ftoi:
  case OP_int_to_ptr:
  case OP_ptr_to_int:
  case OP_ptr_to_ptr: return true;
  case OP_ftof:
    return e->gpu || w->result == TSR_F8E8M0FNU ||
           num_rounds_to_nearest((num_rounding)w->rounding) ||
           ir_ftof_is_widening((tsr_elem)w->operands[0], (tsr_elem)w->result);
  case OP_itof: return itof_supported(e, w);
  default: break;
  }
  if (op_table[w->opcode].group != GROUP_FLOAT) return true; /* integers */
  return float_supported(e, w) || vmath_supported(e, w);
}

LLVMValueRef emit_elementwise(emit *e, const exec_elementwise *w, LLVMValueRef *x) {
  switch (w->opcode) {
  case OP_select: return choose(e, w, x);
  case OP_offset: return offset(e, w, x[0], x[1]);
  case OP_bitcast: return bitcast(e, w, x[0]);
  case OP_exti: return extend(e, x[0], (tsr_elem)w->operands[0], (tsr_elem)w->result, is_signed(w));
  case OP_trunci: return truncate(e, x[0], (tsr_elem)w->result);
  case OP_ftof: return ftof(e, w, x[0]);
  case OP_ftoi: return ftoi(e, w, x[0]);
  case OP_itof: return itof(e, w, x[0]);
  case OP_int_to_ptr:
  case OP_ptr_to_int:
  case OP_ptr_to_ptr: return x[0];
  default: break;
  }
  if (op_table[w->opcode].group != GROUP_FLOAT) return integer_emit(e, w, x);
  return float_supported(e, w) ? float_emit(e, w, x) : vmath_emit(e, w, x);
}
