/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Integer arithmetic with the obvious simplifications.
 */
#include "llvm/fold.h"

bool emit_is_const(LLVMValueRef v, int64_t *out) {
  if (!LLVMIsAConstantInt(v)) return false;
  *out = LLVMConstIntGetSExtValue(v);
  if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 1) *out &= 1;
  return true;
}

LLVMValueRef emit_fold_add(emit *e, LLVMValueRef a, LLVMValueRef b) {
  int64_t k;
  if (emit_is_const(a, &k) && k == 0) return b;
  if (emit_is_const(b, &k) && k == 0) return a;
  return LLVMBuildAdd(e->b, a, b, "");
}

LLVMValueRef emit_fold_mul(emit *e, LLVMValueRef a, LLVMValueRef b) {
  int64_t k;
  if (emit_is_const(a, &k)) {
    LLVMValueRef t = a;
    a = b;
    b = t;
  }
  if (emit_is_const(b, &k)) {
    if (k == 1) return a;
    if (k == 0) return b;
    if (k > 0 && (k & (k - 1)) == 0)
      return LLVMBuildShl(
          e->b, a, LLVMConstInt(LLVMTypeOf(a), 63 - (unsigned)__builtin_clzll((uint64_t)k), 0), "");
  }
  return LLVMBuildMul(e->b, a, b, "");
}

LLVMValueRef emit_fold_and(emit *e, LLVMValueRef a, LLVMValueRef b) {
  int64_t k;
  if (!a || (emit_is_const(a, &k) && k)) return b;
  if (!b || (emit_is_const(b, &k) && k)) return a;
  return a == b ? a : LLVMBuildAnd(e->b, a, b, "");
}

LLVMValueRef emit_fold_or(emit *e, LLVMValueRef a, LLVMValueRef b) {
  int64_t k;
  if (!a || (emit_is_const(a, &k) && k == 0)) return b;
  if (!b || (emit_is_const(b, &k) && k == 0)) return a;
  return a == b ? a : LLVMBuildOr(e->b, a, b, "");
}

LLVMValueRef emit_fold_umin(emit *e, LLVMValueRef a, LLVMValueRef b) {
  int64_t x, y;
  if (emit_is_const(a, &x) && emit_is_const(b, &y)) return (uint64_t)x < (uint64_t)y ? a : b;
  return emit_intrinsic(e, "llvm.umin", &e->i64, 1, (LLVMValueRef[]){a, b}, 2);
}

LLVMValueRef emit_fold_min_max(emit *e, const char *name, LLVMValueRef a, LLVMValueRef b) {
  int64_t x, y;
  if (emit_is_const(a, &x) && emit_is_const(b, &y) && (strstr(name, ".s") || (x >= 0 && y >= 0)))
    return LLVMConstInt(e->i64, (uint64_t)(strstr(name, "min") ? MIN(x, y) : MAX(x, y)), 1);
  return emit_intrinsic(e, name, &e->i64, 1, (LLVMValueRef[]){a, b}, 2);
}
