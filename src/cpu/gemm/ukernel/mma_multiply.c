/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What one multiply-add is for each type of element, and for which there are instructions that
 * multiply in groups along k.
 */
#include "llvm/lanes.h"

#include "cpu/gemm/ukernel/mma.h"
#include "cpu/gemm/ukernel/ukernel.h"

/* One of the instructions on groups: a vector's 32-bit lanes as vectors of `elem`. */
typedef struct dot_name {
  const char *name;
  LLVMTypeRef elem;
  unsigned group;
} dot_name;

/* Of x[0] and x[1], to x[2]. */
static LLVMValueRef dot_piece(emit *e, const void *user, LLVMValueRef *x) {
  const dot_name *d = user;
  unsigned count = emit_lanes(x[2]);
  LLVMTypeRef type = LLVMVectorType(d->elem, count * d->group);
  LLVMValueRef args[] = {x[2], LLVMBuildBitCast(e->b, x[0], type, ""),
                         LLVMBuildBitCast(e->b, x[1], type, "")};
  char *full = arena_printf(e->arena, "llvm.x86.%s.%u", d->name, count * 32);
  return emit_intrinsic(e, full, NULL, 0, args, ARRAY_LEN(args));
}

/* What is looked at is more than a vector at AVX2. */
static LLVMValueRef dot(mma *g, const char *name, LLVMTypeRef elem, unsigned group, LLVMValueRef x,
                        LLVMValueRef y, LLVMValueRef sum) {
  dot_name d = {name, elem, group};
  unsigned width = MIN(emit_lanes(sum), g->e->vector_bits / 32);
  return lanes_in_pieces(g->e, width, 3, (LLVMValueRef[]){x, y, sum}, dot_piece, &d);
}

/* Does the processor multiply bytes? Else they are widened to words in registers, those at even
 * places and those at odd ones, and vpmaddwd adds up products of two words each. */
static bool multiplies_bytes(const emit *e) {
  return e->arm || e->isa.vnni;
}

bool mma_as_words(const mma *g) {
  return g->elem == TSR_I8 && !multiplies_bytes(g->e);
}

operand mma_operand_of(mma *g, LLVMValueRef x, bool is_signed) {
  if (!mma_as_words(g)) return (operand){{x, NULL}};
  emit *e = g->e;
  x = LLVMBuildBitCast(e->b, x, LLVMVectorType(e->i16, 2 * g->s.vector_lanes), "");
  if (is_signed) return (operand){{i_ashrk(e, i_shlk(e, x, 8), 8), i_ashrk(e, x, 8)}};
  return (operand){{i_andk(e, x, 0xff), i_lshrk(e, x, 8)}};
}

static LLVMValueRef dot_of_words(mma *g, operand x, operand y, LLVMValueRef sum) {
  unsigned bits = g->s.vector_lanes * 32;
  const char *name = bits == 128   ? "llvm.x86.sse2.pmadd.wd"
                     : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                   : "llvm.x86.avx512.pmaddw.d.512";
  for (unsigned i = 0; i < ARRAY_LEN(x.parts); i++) {
    LLVMValueRef args[] = {x.parts[i], y.parts[i]};
    sum = i_add(g->e, sum, emit_intrinsic(g->e, name, NULL, 0, args, ARRAY_LEN(args)));
  }
  return sum;
}

/* AArch64: of bytes, with signs as they are. */
static LLVMValueRef dot_of_bytes(mma *g, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum) {
  emit *e = g->e;
  unsigned count = g->s.vector_lanes;
  LLVMTypeRef type = LLVMVectorType(e->i8, count * 4), types[] = {LLVMTypeOf(sum), type};
  x = LLVMBuildBitCast(e->b, x, type, "");
  y = LLVMBuildBitCast(e->b, y, type, "");
  const char *name = g->a_signed && g->b_signed   ? "llvm.aarch64.neon.sdot"
                     : g->a_signed == g->b_signed ? "llvm.aarch64.neon.udot"
                                                  : "llvm.aarch64.neon.usdot";
  bool swapped = g->a_signed && !g->b_signed; /* an unsigned operand, then a signed one */
  LLVMValueRef args[] = {sum, swapped ? y : x, swapped ? x : y};
  return emit_intrinsic(e, name, types, 2, args, ARRAY_LEN(args));
}

/* The first or second numbers of pairs of bf16. */
static LLVMValueRef half_of_pairs(mma *g, LLVMValueRef pairs, unsigned which) {
  emit *e = g->e;
  LLVMValueRef bits = which ? i_andk(e, pairs, 0xffff0000u) : i_shlk(e, pairs, 16);
  return l_bitcast(e, bits, e->f32);
}

LLVMValueRef mma_multiply_add(mma *g, operand a, operand b, LLVMValueRef z) {
  LLVMValueRef x = a.parts[0], y = b.parts[0];
  switch (g->elem) {
  case TSR_I32: return i_add(g->e, i_mul(g->e, x, y), z);
  case TSR_BF16:
    for (unsigned i = 0; i < 2 && g->widens; i++)
      z = f_mul_add(g->e, half_of_pairs(g, x, i), half_of_pairs(g, y, i), z);
    if (g->widens) return z;
    return dot(g, "avx512bf16.dpbf16ps", LLVMBFloatTypeInContext(g->e->llvm), 2, x, y, z);
  case TSR_I8: /* vpdpbusd takes an unsigned operand, then a signed one */
    if (g->e->arm) return dot_of_bytes(g, x, y, z);
    if (mma_as_words(g)) return dot_of_words(g, a, b, z);
    if (!g->a_signed) return dot(g, "avx512.vpdpbusd", g->e->i8, 4, x, y, z);
    return dot(g, "avx512.vpdpbusd", g->e->i8, 4, y, x, z);
  default: return f_mul_add(g->e, x, y, z);
  }
}

unsigned emit_dot_group(const emit *e, tsr_elem elem, int64_t n, int64_t k) {
  const cpu_isa *isa = &e->isa;
  bool bytes = elem == TSR_I8 && (!e->arm || (isa->dotprod && isa->i8mm));
  bool pairs = elem == TSR_BF16 && !e->arm && isa->level == CPU_AVX512 && isa->bf16;
  unsigned group = bytes ? 4 : pairs ? 2 : 1;
  return n >= 4 && k % group == 0 ? group : 1;
}

bool emit_dot_flips(const emit *e, bool a_signed, bool b_signed) {
  return !e->arm && multiplies_bytes(e) && a_signed == b_signed;
}
