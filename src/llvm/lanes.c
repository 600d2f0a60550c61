/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arithmetic on lanes that takes more than one instruction, and what the processor has for it.
 */
#include "llvm/lanes.h"

bool emit_has_fma(const emit *e) {
  return e->arm || e->gpu || e->isa.level >= CPU_AVX2;
}

bool emit_has_avx512(const emit *e) {
  return !e->gpu && e->isa.level >= CPU_AVX512;
}

bool emit_has_half(const emit *e) {
  return emit_has_fma(e); /* F16C is part of the AVX2 level */
}

lanes f_mul_add(emit *e, lanes x, lanes y, lanes z) {
  if (emit_has_fma(e)) return l_call3(e, "llvm.fma", x, y, z);
  return f_add(e, f_mul(e, x, y), z);
}

/* A shuffle that takes `count` lanes of x and y, numbered through, from `first` on; round again
 * where there are no more. */
static lanes take(emit *e, lanes x, lanes y, unsigned first, unsigned count) {
  if (count == 1) return LLVMBuildExtractElement(e->b, x, LLVMConstInt(e->i32, first, 0), "");
  unsigned total = 2 * emit_lanes(x);
  LLVMValueRef *order = arena_array(e->arena, LLVMValueRef, count);
  for (unsigned i = 0; i < count; i++) order[i] = LLVMConstInt(e->i32, (first + i) % total, 0);
  return LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(order, count), "");
}

lanes lanes_in_pieces(emit *e, unsigned width, unsigned n, lanes *x, lanes_piece f,
                      const void *user) {
  unsigned count = emit_lanes(x[0]);
  if (count == width) return f(e, user, x);
  lanes part[3];
  if (count < width) {
    for (unsigned i = 0; i < n; i++) {
      part[i] = count == 1 ? emit_splat(e, x[i], width) : take(e, x[i], x[i], 0, width);
    }
    lanes whole = f(e, user, part);
    return take(e, whole, whole, 0, count);
  }
  lanes half[2];
  for (unsigned h = 0; h < 2; h++) {
    for (unsigned i = 0; i < n; i++) part[i] = take(e, x[i], x[i], h * count / 2, count / 2);
    half[h] = lanes_in_pieces(e, width, n, part, f, user);
  }
  if (count > 2) return take(e, half[0], half[1], 0, count);
  lanes both = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(half[0]), 2));
  both = LLVMBuildInsertElement(e->b, both, half[0], LLVMConstInt(e->i32, 0, 0), "");
  return LLVMBuildInsertElement(e->b, both, half[1], LLVMConstInt(e->i32, 1, 0), "");
}
