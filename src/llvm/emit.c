/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Types, constants and intrinsics: the helpers of emit.h and lanes.h.
 */
#include "llvm/emit.h"

#include "num/num.h"
#include "llvm/lanes.h"

void emit_types(emit *e) {
  e->i1 = LLVMInt1TypeInContext(e->llvm);
  e->i8 = LLVMInt8TypeInContext(e->llvm);
  e->i16 = LLVMInt16TypeInContext(e->llvm);
  e->i32 = LLVMInt32TypeInContext(e->llvm);
  e->i64 = LLVMInt64TypeInContext(e->llvm);
  e->f16 = LLVMHalfTypeInContext(e->llvm);
  e->bf16 = LLVMBFloatTypeInContext(e->llvm);
  e->f32 = LLVMFloatTypeInContext(e->llvm);
  e->f64 = LLVMDoubleTypeInContext(e->llvm);
  e->ptr = LLVMPointerTypeInContext(e->llvm, 0);
  e->void_ = LLVMVoidTypeInContext(e->llvm);
}

LLVMTypeRef emit_elem_type(emit *e, tsr_elem elem) {
  if (tsr_elem_is_int(elem) && elem != TSR_I1 && tsr_elem_bits(elem) <= 8) return e->i8;
  switch (elem) {
  case TSR_I1: return e->i1;
  case TSR_I16: return e->i16;
  case TSR_I32: return e->i32;
  case TSR_I64:
  case TSR_PTR: return e->i64;
  case TSR_F64: return e->f64;
  default: return e->f32;
  }
}

LLVMTypeRef emit_lane_type(emit *e, tsr_elem elem, unsigned lane_count) {
  LLVMTypeRef type = emit_elem_type(e, elem);
  return lane_count == 1 ? type : LLVMVectorType(type, lane_count);
}

LLVMTypeRef emit_storage_type(emit *e, tsr_elem elem) {
  if (elem == TSR_F32) return e->f32;
  if (elem == TSR_F64) return e->f64;
  switch (tsr_elem_bits(elem)) {
  case 16: return e->i16;
  case 32: return e->i32;
  case 64: return e->i64;
  default: return e->i8; /* a byte for i1, and for each element of less than 8 bits */
  }
}

LLVMValueRef emit_any_lane(emit *e, LLVMValueRef mask) {
  LLVMTypeRef type = LLVMTypeOf(mask);
  if (emit_lanes(mask) == 1) return mask;
  return emit_intrinsic(e, "llvm.vector.reduce.or", &type, 1, &mask, 1);
}

unsigned emit_lanes(LLVMValueRef v) {
  LLVMTypeRef type = LLVMTypeOf(v);
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static LLVMTypeRef scalar_type(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

LLVMTypeRef lanes_type(LLVMValueRef like, LLVMTypeRef elem) {
  unsigned count = emit_lanes(like);
  return count == 1 ? elem : LLVMVectorType(elem, count);
}

LLVMTypeRef lanes_elem(LLVMValueRef v) {
  return scalar_type(LLVMTypeOf(v));
}

unsigned lanes_bits(emit *e, LLVMValueRef v) {
  LLVMTypeRef type = lanes_elem(v);
  if (type == e->f32) return 32;
  if (type == e->f64) return 64;
  if (type == e->f16) return 16;
  return LLVMGetIntTypeWidth(type);
}

/* A condition in lanes that fill a register. Without mask registers comparisons give such lanes,
 * and masked loads take them; code generation would make both narrow to combine them with a splat
 * of i1. */
static LLVMValueRef splat_condition(emit *e, LLVMValueRef condition, unsigned lane_count) {
  enum { NARROWEST = 8, WIDEST = 64 };
  unsigned bits = MIN(MAX(e->vector_bits / lane_count, (unsigned)NARROWEST), (unsigned)WIDEST);
  LLVMTypeRef lane = LLVMIntTypeInContext(e->llvm, bits);
  LLVMValueRef wide = emit_splat(e, LLVMBuildSExt(e->b, condition, lane, ""), lane_count);
  return LLVMBuildICmp(e->b, LLVMIntNE, wide, LLVMConstNull(LLVMTypeOf(wide)), "");
}

LLVMValueRef emit_splat(emit *e, LLVMValueRef scalar, unsigned lane_count) {
  if (lane_count == 1) return scalar;
  bool masks_are_lanes = !e->arm && e->isa.level == CPU_AVX2;
  if (masks_are_lanes && LLVMTypeOf(scalar) == e->i1 && !LLVMIsConstant(scalar))
    return splat_condition(e, scalar, lane_count);
  LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), lane_count);
  LLVMValueRef zero = LLVMConstInt(e->i32, 0, 0);
  LLVMValueRef one = LLVMBuildInsertElement(e->b, LLVMGetPoison(type), scalar, zero, "");
  LLVMValueRef mask = LLVMConstNull(LLVMVectorType(e->i32, lane_count));
  return LLVMBuildShuffleVector(e->b, one, LLVMGetPoison(type), mask, "");
}

/* A scalar constant in the shape of `type`. */
static LLVMValueRef const_splat(emit *e, LLVMTypeRef type, LLVMValueRef scalar) {
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return scalar;
  LLVMValueRef few[64];
  unsigned count = LLVMGetVectorSize(type);
  LLVMValueRef *all = count <= ARRAY_LEN(few) ? few : arena_array(e->arena, LLVMValueRef, count);
  for (unsigned i = 0; i < count; i++) all[i] = scalar;
  return LLVMConstVector(all, count);
}

LLVMValueRef emit_const_int(emit *e, LLVMTypeRef type, uint64_t value) {
  LLVMTypeRef scalar = scalar_type(type);
  unsigned bits = LLVMGetIntTypeWidth(scalar);
  uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  return const_splat(e, type, LLVMConstInt(scalar, value & mask, 0));
}

LLVMValueRef emit_const_real(emit *e, LLVMTypeRef type, double value) {
  return const_splat(e, type, LLVMConstReal(scalar_type(type), value));
}

/* A narrow float as f32. Sign and mantissa of a NaN are where emit_decode puts them. */
static uint32_t register_bits(const num_format *f, uint64_t pattern) {
  if (!num_is_nan(f, pattern)) return num_f32_bits((float)num_decode(f, pattern));
  uint32_t sign = f->is_signed ? (uint32_t)(pattern >> (f->bits - 1)) << 31 : 0;
  if (f->nan != NUM_NAN_IEEE) return sign | 0x7fc00000u;
  uint32_t mantissa = (uint32_t)(pattern >> f->shift & num_mask(f->mantissa_bits));
  return sign | 0x7f800000u | mantissa << (23 - f->mantissa_bits);
}

LLVMValueRef emit_pattern(emit *e, tsr_elem elem, uint64_t pattern) {
  LLVMTypeRef storage = emit_storage_type(e, elem);
  if (elem == TSR_I1) return LLVMConstInt(e->i1, pattern & 1, 0);
  if (elem == TSR_F32 || elem == TSR_F64) {
    LLVMValueRef bits = LLVMConstInt(elem == TSR_F32 ? e->i32 : e->i64, pattern, 0);
    return LLVMConstBitCast(bits, storage);
  }
  if (tsr_elem_is_int(elem) || elem == TSR_PTR)
    return LLVMConstInt(emit_elem_type(e, elem), pattern, 0);
  uint32_t bits = register_bits(num_format_of(elem), pattern);
  return LLVMConstBitCast(LLVMConstInt(e->i32, bits, 0), e->f32);
}

LLVMValueRef emit_phi(emit *e, LLVMBasicBlockRef block, LLVMTypeRef type) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
  LLVMValueRef first = LLVMGetFirstInstruction(block);
  if (first)
    LLVMPositionBuilderBefore(e->b, first);
  else
    LLVMPositionBuilderAtEnd(e->b, block);
  LLVMValueRef phi = LLVMBuildPhi(e->b, type, "");
  if (here) LLVMPositionBuilderAtEnd(e->b, here);
  return phi;
}

LLVMValueRef emit_intrinsic(emit *e, const char *name, LLVMTypeRef *types, unsigned n_types,
                            LLVMValueRef *args, unsigned n_args) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, types, n_types);
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  return LLVMBuildCall2(e->b, type, function, args, n_args, "");
}

lanes l_call1(emit *e, const char *name, lanes x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  return emit_intrinsic(e, name, &type, 1, &x, 1);
}

lanes l_call2(emit *e, const char *name, lanes x, lanes y) {
  LLVMTypeRef type = LLVMTypeOf(x);
  return emit_intrinsic(e, name, &type, 1, (LLVMValueRef[]){x, y}, 2);
}

lanes l_call3(emit *e, const char *name, lanes x, lanes y, lanes z) {
  LLVMTypeRef type = LLVMTypeOf(x);
  return emit_intrinsic(e, name, &type, 1, (LLVMValueRef[]){x, y, z}, 3);
}

LLVMValueRef emit_offset(emit *e, LLVMValueRef base, LLVMValueRef bytes) {
  return LLVMBuildGEP2(e->b, e->i8, base, &bytes, 1, "");
}

LLVMValueRef emit_offsetk(emit *e, LLVMValueRef base, int64_t bytes) {
  return emit_offset(e, base, LLVMConstInt(e->i64, (uint64_t)bytes, true));
}

static void fetch_into(emit *e, LLVMValueRef at, unsigned locality) {
  enum { READ, DATA };
  LLVMValueRef args[] = {at, LLVMConstInt(e->i32, READ, 0), LLVMConstInt(e->i32, locality, 0),
                         LLVMConstInt(e->i32, DATA, 0)};
  emit_intrinsic(e, "llvm.prefetch", &e->ptr, 1, args, ARRAY_LEN(args));
}

void emit_prefetch(emit *e, LLVMValueRef at) {
  fetch_into(e, at, 2);
}

void emit_prefetch_near(emit *e, LLVMValueRef at) {
  fetch_into(e, at, 3);
}

void emit_mark_nontemporal(emit *e, LLVMValueRef store) {
  static const char name[] = "nontemporal";
  LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(e->i32, 1, 0));
  LLVMValueRef node = LLVMMetadataAsValue(e->llvm, LLVMMDNodeInContext2(e->llvm, &one, 1));
  LLVMSetMetadata(store, LLVMGetMDKindIDInContext(e->llvm, name, sizeof name - 1), node);
}

/* An empty piece of assembly whose result shares the register of its operand. */
LLVMValueRef emit_opaque(emit *e, LLVMValueRef v, bool unique) {
  LLVMTypeRef type = LLVMTypeOf(v), signature = LLVMFunctionType(type, &type, 1, 0);
  bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
  const char *constraints = !vector ? "=r,0" : e->arm ? "=w,0" : "=v,0";
  LLVMValueRef nothing = LLVMGetInlineAsm(signature, "", 0, constraints, strlen(constraints),
                                          unique, 0, LLVMInlineAsmDialectATT, 0);
  return LLVMBuildCall2(e->b, signature, nothing, &v, 1, "");
}

bool emit_fills_register(emit *e, LLVMValueRef v) {
  unsigned elem_bits = 0;
  LLVMTypeRef type = LLVMTypeOf(v);
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return false;
  LLVMTypeRef elem = LLVMGetElementType(type);
  switch (LLVMGetTypeKind(elem)) {
  case LLVMIntegerTypeKind: elem_bits = LLVMGetIntTypeWidth(elem); break;
  case LLVMFloatTypeKind: elem_bits = 32; break;
  case LLVMDoubleTypeKind: elem_bits = 64; break;
  default: return false;
  }
  unsigned bits = elem_bits * LLVMGetVectorSize(type);
  return elem_bits >= 8 && bits >= 128 && bits <= e->vector_bits;
}

void emit_order_point(emit *e) {
  static const char clobbered[] = "~{memory}";
  LLVMTypeRef type = LLVMFunctionType(e->void_, NULL, 0, 0);
  LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, clobbered, sizeof clobbered - 1, true, 0,
                                          LLVMInlineAsmDialectATT, 0);
  LLVMBuildCall2(e->b, type, nothing, NULL, 0, "");
}
