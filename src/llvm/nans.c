/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * NaNs and subnormal numbers in lanes: which of them are canonical, and how they become so.
 */
#include "llvm/nans.h"

#include "llvm/arith.h"
#include "llvm/lanes.h"

/* For AVX-512's instruction that replaces numbers by what they are, four bits for each kind, from
 * quiet and signalling NaNs on: NaNs by the destination, all others by themselves. */
static const uint64_t NAN_BITS_64 = UINT64_C(0x7ff8000000000000), NAN_BITS_32 = 0x7fc00000;
enum { FIX_NANS = 0x11111100 };
static const char fix_nans[] = "llvm.x86.avx512.mask.fixupimm.";

/* A scalar as the first lane of a register: the way from there to where LLVM would choose, and
 * back, takes ten cycles. */
static lanes canonical_scalar(emit *e, lanes x) {
  bool is_double = lanes_elem(x) == e->f64;
  unsigned count = is_double ? 2 : 4;
  LLVMTypeRef type = LLVMVectorType(lanes_elem(x), count);
  LLVMTypeRef bits = LLVMVectorType(is_double ? e->i64 : e->i32, count);
  LLVMValueRef first = LLVMConstNull(e->i32);
  LLVMValueRef nan = emit_const_int(e, bits, is_double ? NAN_BITS_64 : NAN_BITS_32);
  LLVMValueRef args[] = {LLVMConstBitCast(nan, type),
                         LLVMBuildInsertElement(e->b, LLVMGetPoison(type), x, first, ""),
                         emit_const_int(e, bits, FIX_NANS),
                         first,
                         LLVMConstAllOnes(e->i8),
                         LLVMConstInt(e->i32, ROUND_AS_SET, 0)};
  const char *name = arena_printf(e->arena, "%s%s", fix_nans, is_double ? "sd" : "ss");
  LLVMValueRef r = emit_intrinsic(e, name, NULL, 0, args, ARRAY_LEN(args));
  return LLVMBuildExtractElement(e->b, r, first, "");
}

/* One instruction, where comparing and choosing are two, through a mask, which takes four times as
 * long until the result is there. */
static lanes canonical_register(emit *e, lanes x, lanes nan) {
  bool is_double = lanes_elem(x) == e->f64;
  unsigned count = emit_lanes(x), bits = count * (is_double ? 64 : 32);
  LLVMTypeRef mask = LLVMIntTypeInContext(e->llvm, MAX(count, 8));
  LLVMValueRef args[] = {l_bitcast(e, nan, lanes_elem(x)), x,
                         lanes_int(e, nan, FIX_NANS),      LLVMConstNull(e->i32),
                         LLVMConstAllOnes(mask),           LLVMConstInt(e->i32, ROUND_AS_SET, 0)};
  const char *name = arena_printf(e->arena, "%s%s.%u", fix_nans, is_double ? "pd" : "ps", bits);
  return emit_intrinsic(e, name, NULL, 0, args, bits == 512 ? 6 : 5);
}

/* Selects bits: among floats LLVM takes all NaNs for equal and would drop the selection. */
lanes lanes_canonical(emit *e, lanes x) {
  bool is_double = lanes_elem(x) == e->f64;
  lanes bits = l_bitcast(e, x, is_double ? e->i64 : e->i32);
  lanes nan = lanes_int(e, bits, is_double ? NAN_BITS_64 : NAN_BITS_32);
  bool has_fix = emit_has_avx512(e) && !LLVMIsConstant(x);
  if (has_fix && emit_fills_register(e, x)) return canonical_register(e, x, nan);
  if (has_fix && emit_lanes(x) == 1) return canonical_scalar(e, x);
  return l_bitcast(e, l_select(e, f_is_nan(e, x), nan, bits), lanes_elem(x));
}

lanes lanes_no_nan(emit *e, const lanes *x, unsigned count) {
  lanes some = NULL;
  for (unsigned i = 0; i < count; i++) {
    bool pair = i + 1 < count && LLVMTypeOf(x[i]) == LLVMTypeOf(x[i + 1]);
    lanes found = f_cmp(e, LLVMRealUNO, x[i], x[i + pair]);
    some = some ? i_or(e, some, found) : found;
    i += pair;
  }
  LLVMTypeRef mask = LLVMIntTypeInContext(e->llvm, emit_lanes(some));
  return i_cmpk(e, LLVMIntEQ, LLVMBuildBitCast(e->b, some, mask, ""), 0);
}

static lanes raw_bits(emit *e, lanes x) {
  LLVMTypeRef elem = lanes_elem(x);
  if (LLVMGetTypeKind(elem) == LLVMIntegerTypeKind) return x;
  return l_bitcast(e, x, LLVMGetTypeKind(elem) == LLVMDoubleTypeKind ? e->i64 : e->i32);
}

lanes lanes_differ(emit *e, lanes x, lanes y) {
  return i_cmp(e, LLVMIntNE, raw_bits(e, x), raw_bits(e, y));
}

/* What canonical_register or canonical_scalar made x from, else NULL. */
static LLVMValueRef behind_fix(lanes x) {
  size_t length;
  LLVMValueRef whole = lanes_operand(x, LLVMExtractElement, 0), fix = whole ? whole : x;
  if (!LLVMIsACallInst(fix)) return NULL;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(fix), &length);
  if (strncmp(name, fix_nans, sizeof fix_nans - 1) != 0) return NULL;
  bool is_scalar = name[sizeof fix_nans - 1] == 's';
  if (is_scalar != (whole != NULL)) return NULL;
  return is_scalar ? LLVMGetOperand(LLVMGetOperand(fix, 1), 1) : LLVMGetOperand(fix, 1);
}

LLVMValueRef lanes_before_canonical(lanes x) {
  LLVMValueRef fixed = behind_fix(x);
  if (fixed) return fixed;
  LLVMValueRef chosen = lanes_operand(x, LLVMBitCast, 0);
  LLVMValueRef compare = lanes_operand(chosen, LLVMSelect, 0);
  LLVMValueRef behind = lanes_operand(lanes_operand(chosen, LLVMSelect, 2), LLVMBitCast, 0);
  if (behind == NULL || !LLVMIsConstant(LLVMGetOperand(chosen, 1))) return NULL;
  if (lanes_operand(compare, LLVMFCmp, 0) != behind || LLVMGetOperand(compare, 1) != behind)
    return NULL;
  return LLVMGetFCmpPredicate(compare) == LLVMRealUNO ? behind : NULL;
}

LLVMValueRef emit_loaded_half(lanes x) {
  LLVMValueRef chosen = lanes_operand(x, LLVMBitCast, 0);
  LLVMValueRef wide = lanes_operand(lanes_operand(chosen, LLVMSelect, 2), LLVMBitCast, 0);
  LLVMValueRef half = lanes_operand(lanes_operand(wide, LLVMFPExt, 0), LLVMBitCast, 0);
  LLVMValueRef mag = lanes_operand(lanes_operand(chosen, LLVMSelect, 0), LLVMICmp, 0);
  LLVMValueRef from = lanes_operand(lanes_operand(mag, LLVMAnd, 0), LLVMZExt, 0);
  return half && from == half ? half : NULL;
}

lanes emit_plain_half(lanes x) {
  if (!emit_loaded_half(x)) return x;
  return LLVMGetOperand(LLVMGetOperand(LLVMGetOperand(x, 0), 2), 0);
}

lanes lanes_any_nan(lanes x) {
  LLVMValueRef behind = lanes_before_canonical(x);
  return behind ? behind : emit_plain_half(x);
}

lanes lanes_flush(emit *e, lanes x) {
  bool is_double = lanes_elem(x) == e->f64;
  lanes is_small = f_cmpk(e, LLVMRealOLT, f_abs(e, x), is_double ? 0x1p-1022 : 0x1p-126);
  return l_select(e, is_small, f_copysign(e, lanes_real(e, x, 0), x), x);
}
