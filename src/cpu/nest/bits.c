/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and stores of elements that begin at any bit of a byte. Neighbours are loaded together, as
 * words of eight elements; all else goes lane by lane.
 */
#include "llvm/packed.h"

#include "cpu/nest/bits.h"

#include "cpu/core/fold.h"
#include "cpu/nest/location.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/vectors.h"

static llv k8(lower *l, unsigned v) {
  return LLVMConstInt(l->e.i8, v, 0);
}

/* The byte in which bit `at` lies, or one so many bits further. */
static llv byte_at(lower *l, llv at, unsigned further) {
  at = LLVMBuildAdd(l->e.b, at, k64(l, further), "");
  return as_ptr(l, LLVMBuildLShr(l->e.b, at, k64(l, 3), ""));
}

static llv bit_in_byte(lower *l, llv at) {
  return LLVMBuildAnd(l->e.b, at, k64(l, 7), "");
}

/* One element, out of the bytes of its first and of its last bit, which may be one. */
static llv load_one(lower *l, llv at, unsigned width, llv exists) {
  LLVMBuilderRef b = l->e.b;
  llv low = lanes_load(l, l->e.i8, byte_at(l, at, 0), exists);
  llv high = lanes_load(l, l->e.i8, byte_at(l, at, width - 1), exists);
  low = LLVMBuildZExt(b, low, l->e.i16, "");
  high = LLVMBuildShl(b, LLVMBuildZExt(b, high, l->e.i16, ""), LLVMConstInt(l->e.i16, 8, 0), "");
  llv by = LLVMBuildTrunc(b, bit_in_byte(l, at), l->e.i16, "");
  llv window = LLVMBuildLShr(b, LLVMBuildOr(b, low, high, ""), by, "");
  return LLVMBuildAnd(b, LLVMBuildTrunc(b, window, l->e.i8, ""), k8(l, (1u << width) - 1), "");
}

bool bits_are_run(const nest *n, const location *w, llv mask) {
  return !mask && !w->vector && w->differs && n->lane_n >= 3 && w->run == n->lane_n;
}

llv bits_load_run(nest *n, tsr_elem elem, const location *w) {
  lower *l = n->l;
  unsigned width = tsr_elem_bits(elem);
  llv words = packed_load(&l->e, byte_at(l, w->scalar, 0), bit_in_byte(l, w->scalar), width,
                          nest_lane_count(n) / 8);
  return tsr_elem_is_float(elem) ? packed_floats(&l->e, words, elem, false, TSR_F32)
                                 : packed_fields(&l->e, words, width, l->e.i8);
}

llv bits_load(nest *n, unsigned width, location *w, llv mask) {
  lower *l = n->l;
  bool one = !w->differs && (!mask || emit_lanes(mask) == 1);
  if (one) return load_one(l, location_lane(n, w, 0), width, mask);
  unsigned lanes = nest_lane_count(n);
  llv r = LLVMGetPoison(LLVMVectorType(l->e.i8, lanes));
  mask = location_mask(n, mask);
  for (unsigned i = 0; i < lanes; i++) {
    llv x = load_one(l, location_lane(n, w, i), width, mask ? lanes_slice(l, mask, i, 1) : NULL);
    r = LLVMBuildInsertElement(l->e.b, r, x, LLVMConstInt(l->e.i32, i, 0), "");
  }
  return r;
}

/* Of a byte, the bits of the mask become those of `put`. One after the other: what others write
 * into the rest of the byte stays. */
static void store_bits(lower *l, llv at, llv mask, llv put) {
  LLVMBuildAtomicRMW(l->e.b, LLVMAtomicRMWBinOpAnd, at, LLVMBuildNot(l->e.b, mask, ""),
                     LLVMAtomicOrderingMonotonic, false);
  LLVMBuildAtomicRMW(l->e.b, LLVMAtomicRMWBinOpOr, at, put, LLVMAtomicOrderingMonotonic, false);
}

/* One element, into the bytes of its first and of its last bit; for one that doesn't exist, into
 * memory that nobody reads. Where the last bit lies in the same byte, that is stored twice. */
static void store_one(lower *l, llv at, unsigned width, llv x, llv exists) {
  LLVMBuilderRef b = l->e.b;
  LLVMTypeRef wide = l->e.i16;
  llv by = LLVMBuildTrunc(b, bit_in_byte(l, at), wide, "");
  llv mask = LLVMBuildShl(b, LLVMConstInt(wide, (1u << width) - 1, 0), by, "");
  llv put = LLVMBuildShl(b, LLVMBuildZExt(b, x, wide, ""), by, "");
  for (unsigned byte = 0; byte < 2; byte++) {
    llv to = byte_at(l, at, byte ? width - 1 : 0);
    if (exists) to = LLVMBuildSelect(b, exists, to, l->dummy, "");
    store_bits(l, to, LLVMBuildTrunc(b, mask, l->e.i8, ""), LLVMBuildTrunc(b, put, l->e.i8, ""));
    mask = LLVMBuildLShr(b, mask, LLVMConstInt(wide, 8, 0), "");
    put = LLVMBuildLShr(b, put, LLVMConstInt(wide, 8, 0), "");
  }
}

void bits_store(nest *n, unsigned width, location *w, llv v, llv mask) {
  lower *l = n->l;
  mask = location_mask(n, mask);
  for (unsigned i = 0; i < emit_lanes(v); i++)
    store_one(l, location_lane(n, w, i), width, lanes_slice(l, v, i, 1),
              mask ? lanes_slice(l, mask, i, 1) : NULL);
}
