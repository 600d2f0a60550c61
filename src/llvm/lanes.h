/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/lanes.h: short names for arithmetic on lane values, for the files that consist of it
 * (conv.c, elementwise.c, vmath.c). A lane value is a scalar or a vector; every function here
 * takes both and gives the same number of lanes back. Nothing folds, checks or keeps state: one
 * call, one LLVM instruction, except where said.
 */
#ifndef TSR_LLVM_LANES_H
#define TSR_LLVM_LANES_H

#include "llvm/emit.h"

typedef LLVMValueRef lanes;

/* The vector type with the lanes of `like` and this element type (itself for a scalar). */
LLVMTypeRef lanes_type(LLVMValueRef like, LLVMTypeRef elem);
/* The element type of a lane value. */
LLVMTypeRef lanes_elem(LLVMValueRef v);

/* Constants with the type of `like`; lanes_f32 and lanes_i32 only borrow its lanes. */
static inline lanes lanes_int(emit *e, lanes like, uint64_t value) {
  return emit_const_int(e, LLVMTypeOf(like), value);
}
static inline lanes lanes_real(emit *e, lanes like, double value) {
  return emit_const_real(e, LLVMTypeOf(like), value);
}
static inline lanes lanes_i32(emit *e, lanes like, uint32_t value) {
  return emit_const_int(e, lanes_type(like, e->i32), value);
}

#define LANES_BINARY(name, build)                                                                  \
  static inline lanes name(emit *e, lanes x, lanes y) {                                            \
    return build(e->b, x, y, "");                                                                  \
  }
LANES_BINARY(i_add, LLVMBuildAdd)
LANES_BINARY(i_sub, LLVMBuildSub)
LANES_BINARY(i_mul, LLVMBuildMul)
LANES_BINARY(i_and, LLVMBuildAnd)
LANES_BINARY(i_or, LLVMBuildOr)
LANES_BINARY(i_xor, LLVMBuildXor)
LANES_BINARY(i_shl, LLVMBuildShl)
LANES_BINARY(i_lshr, LLVMBuildLShr)
LANES_BINARY(i_ashr, LLVMBuildAShr)
LANES_BINARY(f_add, LLVMBuildFAdd)
LANES_BINARY(f_sub, LLVMBuildFSub)
LANES_BINARY(f_mul, LLVMBuildFMul)
LANES_BINARY(f_div, LLVMBuildFDiv)
#undef LANES_BINARY

/* The same with a constant on the right. */
#define LANES_CONST(name, base)                                                                    \
  static inline lanes name(emit *e, lanes x, uint64_t y) {                                         \
    return base(e, x, lanes_int(e, x, y));                                                         \
  }
LANES_CONST(i_addk, i_add)
LANES_CONST(i_subk, i_sub)
LANES_CONST(i_andk, i_and)
LANES_CONST(i_ork, i_or)
LANES_CONST(i_xork, i_xor)
LANES_CONST(i_shlk, i_shl)
LANES_CONST(i_lshrk, i_lshr)
LANES_CONST(i_ashrk, i_ashr)
#undef LANES_CONST
static inline lanes f_addk(emit *e, lanes x, double y) {
  return f_add(e, x, lanes_real(e, x, y));
}
static inline lanes f_subk(emit *e, lanes x, double y) {
  return f_sub(e, x, lanes_real(e, x, y));
}
static inline lanes f_mulk(emit *e, lanes x, double y) {
  return f_mul(e, x, lanes_real(e, x, y));
}

static inline lanes i_cmp(emit *e, LLVMIntPredicate p, lanes x, lanes y) {
  return LLVMBuildICmp(e->b, p, x, y, "");
}
static inline lanes i_cmpk(emit *e, LLVMIntPredicate p, lanes x, uint64_t y) {
  return i_cmp(e, p, x, lanes_int(e, x, y));
}
static inline lanes f_cmp(emit *e, LLVMRealPredicate p, lanes x, lanes y) {
  return LLVMBuildFCmp(e->b, p, x, y, "");
}
static inline lanes f_cmpk(emit *e, LLVMRealPredicate p, lanes x, double y) {
  return f_cmp(e, p, x, lanes_real(e, x, y));
}
static inline lanes f_is_nan(emit *e, lanes x) {
  return f_cmp(e, LLVMRealUNO, x, x);
}
static inline lanes l_select(emit *e, lanes c, lanes x, lanes y) {
  return LLVMBuildSelect(e->b, c, x, y, "");
}
static inline lanes l_not(emit *e, lanes c) {
  return LLVMBuildNot(e->b, c, "");
}

static inline lanes l_zext(emit *e, lanes x, LLVMTypeRef elem) {
  return LLVMBuildZExt(e->b, x, lanes_type(x, elem), "");
}
static inline lanes l_sext(emit *e, lanes x, LLVMTypeRef elem) {
  return LLVMBuildSExt(e->b, x, lanes_type(x, elem), "");
}
static inline lanes l_trunc(emit *e, lanes x, LLVMTypeRef elem) {
  return LLVMBuildTrunc(e->b, x, lanes_type(x, elem), "");
}
static inline lanes l_fpext(emit *e, lanes x, LLVMTypeRef elem) {
  return LLVMBuildFPExt(e->b, x, lanes_type(x, elem), "");
}
static inline lanes l_fptrunc(emit *e, lanes x, LLVMTypeRef elem) {
  return LLVMBuildFPTrunc(e->b, x, lanes_type(x, elem), "");
}
static inline lanes l_bitcast(emit *e, lanes x, LLVMTypeRef elem) {
  return LLVMBuildBitCast(e->b, x, lanes_type(x, elem), "");
}
static inline lanes l_sitofp(emit *e, lanes x, LLVMTypeRef elem) {
  return LLVMBuildSIToFP(e->b, x, lanes_type(x, elem), "");
}
/* The value must fit, or the lane must not be chosen by what follows. */
static inline lanes l_fptosi(emit *e, lanes x, LLVMTypeRef elem) {
  return LLVMBuildFPToSI(e->b, x, lanes_type(x, elem), "");
}
static inline lanes l_fptoui(emit *e, lanes x, LLVMTypeRef elem) {
  return LLVMBuildFPToUI(e->b, x, lanes_type(x, elem), "");
}

/* The operand of an instruction of the kind; NULL: it isn't one. */
static inline LLVMValueRef lanes_operand(LLVMValueRef v, LLVMOpcode opcode, unsigned index) {
  if (v == NULL || !LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != opcode) return NULL;
  return LLVMGetOperand(v, index);
}

/* Intrinsics overloaded on the type of their first argument. */
lanes l_call1(emit *e, const char *name, lanes x);
lanes l_call2(emit *e, const char *name, lanes x, lanes y);
lanes l_call3(emit *e, const char *name, lanes x, lanes y, lanes z);

static inline lanes f_abs(emit *e, lanes x) {
  return l_call1(e, "llvm.fabs", x);
}
static inline lanes f_copysign(emit *e, lanes magnitude, lanes sign) {
  return l_call2(e, "llvm.copysign", magnitude, sign);
}
static inline lanes f_neg(emit *e, lanes x) {
  return LLVMBuildFNeg(e->b, x, "");
}

/* Applies f to pieces of exactly `width` lanes of the n operands (up to 3), and joins the results:
 * for what exists only for whole registers. Wide operands are cut in halves, narrow ones repeated.
 * Lane counts are powers of two. */
typedef lanes (*lanes_piece)(emit *e, const void *user, lanes *x);
lanes lanes_in_pieces(emit *e, unsigned width, unsigned n, lanes *x, lanes_piece f,
                      const void *user);

/* What AVX-512's instructions take for the rounding mode that is set. */
enum { ROUND_AS_SET = 4 };

/* Does the processor have a fused multiply-add? Where not, llvm.fma would call the C library. */
bool emit_has_fma(const emit *e);
/* Masks and the instructions of the AVX-512 level? */
bool emit_has_avx512(const emit *e);
/* Conversions between half and float in hardware (F16C, AVX-512, AArch64)? */
bool emit_has_half(const emit *e);
/* x * y + z: fused where the processor has it, two operations elsewhere. */
lanes f_mul_add(emit *e, lanes x, lanes y, lanes z);

#endif
