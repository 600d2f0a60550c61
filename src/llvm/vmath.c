/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions such as exp: which there are, and what their implementations share. f16 and bf16 are
 * computed as f32 and rounded.
 */
#include "llvm/vmath.h"

#include "llvm/elementwise.h"
#include "llvm/lanes.h"

static bool is_double(emit *e, lanes x) {
  return lanes_elem(x) == e->f64;
}

lanes vmath_poly(emit *e, lanes x, const double *c, unsigned n) {
  lanes r = lanes_real(e, x, c[n - 1]);
  for (unsigned i = n - 1; i-- > 0;) r = f_mul_add(e, r, x, lanes_real(e, x, c[i]));
  return r;
}

lanes vmath_clamp(emit *e, lanes x, double low, double high) {
  lanes hi = lanes_real(e, x, high), lo = lanes_real(e, x, low);
  if (e->gpu && !is_double(e, x)) {
    if (e->amd) return l_call2(e, "llvm.maximum", l_call2(e, "llvm.minimum", x, hi), lo);
    lanes below[] = {x, hi},
          above[] = {emit_intrinsic(e, "llvm.nvvm.fmin.nan.f", NULL, 0, below, 2), lo};
    return emit_intrinsic(e, "llvm.nvvm.fmax.nan.f", NULL, 0, above, 2);
  }
  /* The forms that the processor's min and max have; with a NaN they give their second operand. */
  x = l_select(e, f_cmp(e, LLVMRealOLT, hi, x), hi, x);
  return l_select(e, f_cmp(e, LLVMRealOGT, lo, x), lo, x);
}

static double shift_of(emit *e, lanes x) {
  return is_double(e, x) ? 0x1.8p52 : 0x1.8p23;
}

lanes vmath_shifted(emit *e, lanes x, double times) {
  lanes shift = lanes_real(e, x, shift_of(e, x));
  return times == 1 ? f_add(e, x, shift) : f_mul_add(e, x, lanes_real(e, x, times), shift);
}

lanes vmath_unshifted(emit *e, lanes shifted) {
  return f_subk(e, shifted, shift_of(e, shifted));
}

lanes vmath_nearest(emit *e, lanes x) {
  return vmath_unshifted(e, vmath_shifted(e, x, 1));
}

lanes vmath_power2(emit *e, lanes k) {
  bool wide = is_double(e, k);
  unsigned mantissa = wide ? 52 : 23;
  lanes bits = l_bitcast(e, vmath_shifted(e, k, 1), wide ? e->i64 : e->i32);
  uint64_t one = wide ? UINT64_C(1023) << 52 : UINT64_C(127) << 23;
  return l_bitcast(e, i_addk(e, i_shlk(e, bits, mantissa), one), lanes_elem(k));
}

static lanes scale_register(emit *e, const void *user, lanes *x) {
  (void)user;
  bool wide = is_double(e, x[0]);
  LLVMValueRef all = LLVMConstAllOnes(wide ? e->i8 : e->i16);
  LLVMValueRef args[] = {x[0], x[1], x[0], all, LLVMConstInt(e->i32, 4, 0)};
  const char *name =
      wide ? "llvm.x86.avx512.mask.scalef.pd.512" : "llvm.x86.avx512.mask.scalef.ps.512";
  return emit_intrinsic(e, name, NULL, 0, args, ARRAY_LEN(args));
}

/* Scaling in two steps, neither of which leaves the exponents there are; only the last may round.
 * In integers: no processor before AVX-512 shifts 64 bits and keeps the sign. */
static lanes scale_floats(emit *e, lanes x, lanes shifted) {
  const uint64_t one = UINT64_C(127) << 23, exponents = 0xff800000;
  lanes whole = i_shlk(e, l_bitcast(e, shifted, e->i32), 23);
  lanes half = i_addk(e, i_andk(e, i_ashrk(e, whole, 1), exponents), one);
  lanes other = i_addk(e, i_sub(e, whole, half), 2 * one);
  x = f_mul(e, x, l_bitcast(e, half, e->f32));
  return f_mul(e, x, l_bitcast(e, other, e->f32));
}

static lanes scale_doubles(emit *e, lanes x, lanes k) {
  lanes half = vmath_nearest(e, f_mulk(e, k, 0.5));
  x = f_mul(e, x, vmath_power2(e, half));
  return f_mul(e, x, vmath_power2(e, f_sub(e, k, half)));
}

lanes vmath_scale(emit *e, lanes x, lanes k) {
  bool wide = is_double(e, x);
  if (e->isa.level >= CPU_AVX512)
    return lanes_in_pieces(e, wide ? 8 : 16, 2, (lanes[]){x, k}, scale_register, NULL);
  return wide ? scale_doubles(e, x, k) : scale_floats(e, x, vmath_shifted(e, k, 1));
}

lanes vmath_scale_shifted(emit *e, lanes x, lanes shifted) {
  if (e->isa.level >= CPU_AVX512 || is_double(e, x))
    return vmath_scale(e, x, vmath_unshifted(e, shifted));
  return scale_floats(e, x, shifted);
}

bool vmath_has_bounded(const emit *e) {
  return !e->gpu && e->isa.level >= CPU_AVX512;
}

static lanes bounded_register(emit *e, const void *user, lanes *x) {
  (void)user;
  enum { LESSER_MAGNITUDE_SIGN_OF_FIRST = 2 };
  LLVMValueRef args[] = {x[0],
                         x[1],
                         LLVMConstInt(e->i32, LESSER_MAGNITUDE_SIGN_OF_FIRST, 0),
                         x[0],
                         LLVMConstAllOnes(e->i16),
                         LLVMConstInt(e->i32, ROUND_AS_SET, 0)};
  return emit_intrinsic(e, "llvm.x86.avx512.mask.range.ps.512", NULL, 0, args, ARRAY_LEN(args));
}

lanes vmath_bounded(emit *e, lanes x, double bound) {
  return lanes_in_pieces(e, 16, 2, (lanes[]){x, lanes_real(e, x, bound)}, bounded_register, NULL);
}

lanes vmath_split(emit *e, lanes x, lanes *k) {
  bool wide = is_double(e, x);
  unsigned mantissa = wide ? 52 : 23;
  lanes is_small = f_cmpk(e, LLVMRealOLT, x, wide ? 0x1p-1022 : 0x1p-126);
  x = l_select(e, is_small, f_mulk(e, x, wide ? 0x1p52 : 0x1p23), x);
  lanes bits = l_bitcast(e, x, wide ? e->i64 : e->i32);
  /* Moved so that the exponent field steps at sqrt(1/2), and is positive. */
  uint64_t root = wide ? UINT64_C(0x3fe6a09e667f3bcd) : 0x3f3504f3, bias = wide ? 1023 : 127;
  lanes moved = i_addk(e, bits, (bias << mantissa) - root);
  lanes field = i_lshrk(e, moved, mantissa);
  lanes m = i_addk(e, i_andk(e, moved, (UINT64_C(1) << mantissa) - 1), root);
  lanes power;
  if (wide) { /* an integer becomes a double by putting it under the mantissa of 2^52 */
    power = f_subk(e, l_bitcast(e, i_ork(e, field, UINT64_C(0x433) << 52), e->f64), 0x1p52);
  } else {
    power = l_sitofp(e, field, e->f32);
  }
  lanes offset = l_select(e, is_small, lanes_real(e, x, -(double)bias - mantissa),
                          lanes_real(e, x, -(double)bias));
  *k = f_add(e, power, offset);
  return l_bitcast(e, m, lanes_elem(x));
}

/* ---- out of line ---------------------------------------------------------------------------- */

typedef struct outlined {
  const char *name;
  vmath_fn body;
  unsigned n;
} outlined;

static void add_attribute(emit *e, LLVMValueRef function, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(e->llvm, kind, 0));
}

static LLVMValueRef define(emit *e, const outlined *o, const char *name, LLVMTypeRef type) {
  LLVMValueRef function = LLVMAddFunction(e->module, name, type);
  LLVMSetLinkage(function, LLVMInternalLinkage);
  static const char *const attributes[] = {"noinline", "nounwind", "willreturn", "memory"};
  for (unsigned i = 0; i < ARRAY_LEN(attributes); i++) add_attribute(e, function, attributes[i]);
  emit inner = *e; /* with a builder of its own: the caller's stays where it is */
  inner.b = LLVMCreateBuilderInContext(e->llvm);
  LLVMPositionBuilderAtEnd(inner.b, LLVMAppendBasicBlockInContext(e->llvm, function, ""));
  lanes params[3];
  for (unsigned i = 0; i < o->n; i++) params[i] = LLVMGetParam(function, i);
  LLVMBuildRet(inner.b, o->body(&inner, params));
  LLVMDisposeBuilder(inner.b);
  return function;
}

static lanes call_piece(emit *e, const void *user, lanes *x) {
  const outlined *o = user;
  char *name = arena_printf(e->arena, "vmath.%s.x%u", o->name, emit_lanes(x[0]));
  LLVMTypeRef same = LLVMTypeOf(x[0]), types[] = {same, same, same};
  LLVMTypeRef type = LLVMFunctionType(same, types, o->n, 0);
  LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
  if (function == NULL) function = define(e, o, name, type);
  return LLVMBuildCall2(e->b, type, function, x, o->n, "");
}

lanes vmath_call(emit *e, const char *name, vmath_fn body, unsigned n, lanes *x) {
  unsigned width = e->vector_bits / lanes_bits(e, x[0]), count = emit_lanes(x[0]);
  outlined o = {name, body, n};
  return lanes_in_pieces(e, MIN(width, count), n, x, call_piece, &o);
}

bool emit_has_usual(const emit *e, unsigned opcode) {
  return emit_has_fma(e) && (opcode == OP_sin || opcode == OP_cos);
}
