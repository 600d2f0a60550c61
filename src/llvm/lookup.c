/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of four bits by table lookup: a register holds the results for all 16 patterns, and one
 * permutation takes a number for every lane. A 4-bit float is decoded so.
 */
#include "llvm/lookup.h"

#include "num/num.h"
#include "llvm/conv.h"
#include "llvm/lanes.h"

enum { ENTRIES = 16 };

bool emit_has_lookup(const emit *e, unsigned lane_count) {
  return !e->gpu && !e->arm && e->isa.level >= CPU_AVX2 && lane_count >= 8;
}

static lanes constant_lanes(emit *e, const uint32_t *bits, unsigned count) {
  LLVMValueRef v[ENTRIES];
  for (unsigned i = 0; i < count; i++)
    v[i] = LLVMConstBitCast(LLVMConstInt(e->i32, bits[i], 0), e->f32);
  return LLVMConstVector(v, count);
}

/* Whole registers: 16 lanes, or twice 8 entries for 8 lanes. */
static lanes look_up_16(emit *e, const void *bits, lanes *index) {
  LLVMValueRef args[] = {constant_lanes(e, bits, ENTRIES), index[0]};
  return emit_intrinsic(e, "llvm.x86.avx512.permvar.sf.512", NULL, 0, args, 2);
}

static lanes look_up_8(emit *e, const void *bits, lanes *index) {
  const uint32_t *table = bits;
  lanes half[2];
  for (unsigned i = 0; i < 2; i++) {
    LLVMValueRef args[] = {constant_lanes(e, table + i * ENTRIES / 2, ENTRIES / 2), index[0]};
    half[i] = emit_intrinsic(e, "llvm.x86.avx2.permps", NULL, 0, args, 2);
  }
  lanes high = i_cmpk(e, LLVMIntSLT, i_shlk(e, index[0], 28), 0); /* bit 3 */
  return l_select(e, high, half[1], half[0]);
}

lanes emit_lookup(emit *e, const uint32_t bits[16], lanes index) {
  bool wide = e->isa.level >= CPU_AVX512 && e->vector_bits >= 512;
  return lanes_in_pieces(e, wide ? 16 : 8, 1, &index, wide ? look_up_16 : look_up_8, bits);
}

lanes emit_lookup_elem(emit *e, tsr_elem elem, lanes index) {
  uint32_t bits[ENTRIES];
  for (unsigned i = 0; i < ENTRIES; i++)
    bits[i] = num_f32_bits((float)num_decode(num_format_of(elem), i));
  return emit_lookup(e, bits, index);
}

LLVMValueRef emit_decode_half(emit *e, tsr_elem elem, LLVMValueRef bytes, int half) {
  lanes x = l_zext(e, bytes, e->i32);
  if (half) x = i_lshrk(e, x, 4);
  if (emit_has_lookup(e, emit_lanes(x))) return emit_lookup_elem(e, elem, x);
  return emit_decode(e, elem, i_andk(e, l_trunc(e, x, e->i8), 15));
}
