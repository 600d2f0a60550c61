/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/core/fold.h: arithmetic on addresses, numbers of elements and conditions, with the obvious
 * simplifications (llvm/fold.h) under short names.
 *
 * Whatever computes an address uses these: more files include this header than any but core.h.
 */
#ifndef TSR_CPU_CORE_FOLD_H
#define TSR_CPU_CORE_FOLD_H

#include "cpu/core/core.h"
#include "llvm/fold.h"

static inline llv k64(lower *l, int64_t v) {
  return LLVMConstInt(l->e.i64, (uint64_t)v, 1);
}
static inline llv k_int(lower *l, unsigned width, int64_t v) {
  return LLVMConstInt(LLVMIntTypeInContext(l->e.llvm, width), (uint64_t)v, 1);
}
static inline bool is_const(llv v, int64_t *out) {
  return emit_is_const(v, out);
}
static inline llv fold_add(lower *l, llv a, llv b) {
  return emit_fold_add(&l->e, a, b);
}
static inline llv fold_mul(lower *l, llv a, llv b) {
  return emit_fold_mul(&l->e, a, b);
}
/* NULL stands for 0. */
static inline llv fold_or(lower *l, llv a, llv b) {
  return emit_fold_or(&l->e, a, b);
}
/* Of i1; NULL stands for true. */
static inline llv fold_and(lower *l, llv a, llv b) {
  return emit_fold_and(&l->e, a, b);
}
/* Of i64; the intrinsic is "llvm.smin" and so on. */
static inline llv fold_min_max(lower *l, const char *intrinsic, llv a, llv b) {
  return emit_fold_min_max(&l->e, intrinsic, a, b);
}
static inline llv umin64(lower *l, llv a, llv b) {
  return emit_fold_umin(&l->e, a, b);
}
static inline llv as_ptr(lower *l, llv address) {
  return LLVMBuildIntToPtr(l->e.b, address, l->e.ptr, "");
}
/* The address of an element of `size` bytes, `base` being that of element 0. */
static inline llv lower_element(lower *l, llv base, llv index, int64_t size) {
  return emit_offset(&l->e, base, fold_mul(l, index, k64(l, size)));
}

#endif
