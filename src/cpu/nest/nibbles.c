/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and stores of elements of 4 bits, of which two share a byte.
 */
#include "llvm/conv.h"
#include "llvm/lookup.h"

#include "cpu/nest/nibbles.h"

#include "cpu/core/fold.h"
#include "cpu/plan/affine.h"
#include "cpu/nest/location.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/vectors.h"

static llv nibble_shift(lower *l, llv address) {
  llv odd = LLVMBuildTrunc(l->e.b, address, l->e.i8, "");
  odd = LLVMBuildAnd(l->e.b, odd, LLVMConstInt(l->e.i8, 1, 0), "");
  return LLVMBuildShl(l->e.b, odd, LLVMConstInt(l->e.i8, 2, 0), "");
}

llv nibbles_load(nest *n, location *w, llv mask) {
  lower *l = n->l;
  LLVMBuilderRef b = l->e.b;
  bool one = !w->differs && (!mask || emit_lanes(mask) == 1);
  unsigned lanes = one ? 1 : nest_lane_count(n);
  llv r = one ? NULL : LLVMGetPoison(LLVMVectorType(l->e.i8, lanes));
  if (!one) mask = location_mask(n, mask);
  for (unsigned i = 0; i < lanes; i++) {
    llv at = location_lane(n, w, i);
    llv p = as_ptr(l, LLVMBuildLShr(b, at, k64(l, 1), ""));
    llv byte = lanes_load(l, l->e.i8, p, mask ? lanes_slice(l, mask, i, 1) : NULL);
    byte = LLVMBuildLShr(b, byte, nibble_shift(l, at), "");
    byte = LLVMBuildAnd(b, byte, LLVMConstInt(l->e.i8, 15, 0), "");
    r = one ? byte : LLVMBuildInsertElement(b, r, byte, LLVMConstInt(l->e.i32, i, 0), "");
  }
  return r;
}

/* Neighbours, of which the first is in the low half of a byte. */
llv nibbles_load_pairs(nest *n, location *w) {
  lower *l = n->l;
  llv at = as_ptr(l, LLVMBuildLShr(l->e.b, w->scalar, k64(l, 1), ""));
  unsigned count = nest_lane_count(n) / 2;
  return emit_unpack4(&l->e, count > 1 ? lanes_load_vector(l, l->e.i8, count, at, NULL)
                                       : lanes_load(l, l->e.i8, at, NULL));
}

/* Lanes that take the low or the high halves of neighbouring bytes: which of them, or -1. Rows of
 * 4-bit elements begin with whole bytes in the exact version. */
int nibbles_half(const nest *n, const access *a, const index_map *m, const location *w) {
  int64_t c;
  if (!n->exact || !a->checked || !a->linear || a->index || !location_every_other(n, w, 1))
    return -1;
  for (unsigned k = 0; k < a->n; k++)
    if (coef_const(a->exact[k], &c) && c == 1)
      return m->bit[k] == BIT_ZERO ? 0 : m->bit[k] == BIT_ONE ? 1 : -1;
  return -1;
}

/* The address of the byte, of an even number of nibbles: what is constant in it stays a constant
 * that fits into instructions. */
llv nibbles_byte(lower *l, llv nibbles) {
  int64_t c = 0;
  bool sum = LLVMIsABinaryOperator(nibbles) && LLVMGetInstructionOpcode(nibbles) == LLVMAdd &&
             is_const(LLVMGetOperand(nibbles, 1), &c) && c % 2 == 0;
  if (sum) nibbles = LLVMGetOperand(nibbles, 0);
  llv byte = as_ptr(l, LLVMBuildLShr(l->e.b, nibbles, k64(l, 1), ""));
  return sum ? emit_offsetk(&l->e, byte, c / 2) : byte;
}

/* The elements in these halves, in registers. */
llv nibbles_load_half(nest *n, const access *a, const location *w, int half) {
  emit *e = &n->l->e;
  llv at = nibbles_byte(n->l, fold_add(n->l, w->scalar, k64(n->l, -half)));
  return emit_decode_half(e, a->elem, lanes_load_vector(n->l, e->i8, nest_lane_count(n), at, NULL),
                          half);
}

void nibbles_store(nest *n, location *w, llv v, llv mask) {
  lower *l = n->l;
  LLVMBuilderRef b = l->e.b;
  mask = location_mask(n, mask);
  for (unsigned i = 0; i < emit_lanes(v); i++) {
    llv at = location_lane(n, w, i), shift = nibble_shift(l, at);
    llv p = as_ptr(l, LLVMBuildLShr(b, at, k64(l, 1), ""));
    llv hole = LLVMBuildNot(b, LLVMBuildShl(b, LLVMConstInt(l->e.i8, 15, 0), shift, ""), "");
    llv exists = mask ? lanes_slice(l, mask, i, 1) : NULL;
    llv old = LLVMBuildAnd(b, lanes_load(l, l->e.i8, p, exists), hole, "");
    llv new = LLVMBuildShl(b, lanes_slice(l, v, i, 1), shift, "");
    lanes_store(l, LLVMBuildOr(b, old, new, ""), p, exists);
  }
}
