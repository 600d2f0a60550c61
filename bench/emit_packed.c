/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Elements of 1 to 8 bits without gaps, from memory into registers and on to f16, bf16, f32, i8 and
 * i32, beside the same from two elements to a byte (emit_unpack4), as loads of 4-bit tiles do it.
 * All lies in the first-level cache. Prints elements in a nanosecond and what part of the 4-bit
 * path's they are.
 *
 *   ninja -C build emit_packed && build/bench/emit_packed
 */
#include "../tests/unit/cpu_jit.h"
#include "bench.h"
#include "llvm/lanes.h"
#include "llvm/packed.h"

enum { STEP = 64, COUNT_ALL = 4096, REPEAT = 200 };

typedef void (*loop_fn)(void *out, const void *in, int64_t n);

typedef struct loop {
  char name[64];
  tsr_elem elem, to;
  bool nibbles; /* by emit_unpack4 */
  loop_fn run;
  const void *in;
  void *out;
} loop;

static LLVMValueRef converted(emit *e, const loop *l, LLVMValueRef at) {
  unsigned width = tsr_elem_bits(l->elem);
  bool is_float = tsr_elem_is_float(l->elem), to_float = tsr_elem_is_float(l->to);
  if (!l->nibbles) {
    LLVMValueRef words = packed_load(e, at, NULL, width, STEP / 8);
    return to_float ? packed_floats(e, words, l->elem, true, l->to)
                    : packed_integers(e, words, width, true, emit_elem_type(e, l->to));
  }
  LLVMValueRef bytes = LLVMBuildLoad2(e->b, LLVMVectorType(e->i8, STEP / 2), at, "");
  LLVMSetAlignment(bytes, 1);
  LLVMValueRef x = emit_unpack4(e, bytes);
  if (is_float) return emit_encode(e, l->to, emit_decode(e, l->elem, x));
  x = i_ashrk(e, i_shlk(e, x, 4), 4);
  if (!to_float) return l->to == TSR_I8 ? x : l_sext(e, x, emit_elem_type(e, l->to));
  x = l_sitofp(e, l_sext(e, x, e->i32), e->f32);
  return emit_encode(e, l->to, x);
}

static void add_loop(jit *j, loop *l) {
  emit *e = &j->e;
  unsigned width = tsr_elem_bits(l->elem), bytes = tsr_elem_bits(l->to) / 8;
  snprintf(l->name, sizeof l->name, "%s_%s_%d", tsr_elem_name(l->elem), tsr_elem_name(l->to),
           l->nibbles);
  LLVMTypeRef types[] = {e->ptr, e->ptr, e->i64};
  LLVMValueRef f = jit_function(j, l->name, LLVMFunctionType(e->void_, types, 3, 0));
  LLVMBasicBlockRef entry = LLVMGetInsertBlock(e->b);
  LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  LLVMBuildBr(e->b, body);
  LLVMPositionBuilderAtEnd(e->b, body);
  LLVMValueRef i = LLVMBuildPhi(e->b, e->i64, "");
  LLVMValueRef from = i_mul(e, i, LLVMConstInt(e->i64, STEP / 8 * width, 0));
  LLVMValueRef to = i_mul(e, i, LLVMConstInt(e->i64, STEP * bytes, 0));
  LLVMValueRef x = converted(e, l, emit_offset(e, LLVMGetParam(f, 1), from));
  LLVMSetAlignment(LLVMBuildStore(e->b, x, emit_offset(e, LLVMGetParam(f, 0), to)), 1);
  LLVMValueRef next = i_addk(e, i, 1), zero = LLVMConstInt(e->i64, 0, 0);
  LLVMAddIncoming(i, &zero, &entry, 1);
  LLVMAddIncoming(i, &next, &body, 1);
  LLVMBuildCondBr(e->b, i_cmp(e, LLVMIntULT, next, LLVMGetParam(f, 2)), body, end);
  LLVMPositionBuilderAtEnd(e->b, end);
  LLVMBuildRetVoid(e->b);
}

static void run_loop(void *user) {
  const loop *l = user;
  for (int i = 0; i < REPEAT; i++) {
    l->run(l->out, l->in, COUNT_ALL / STEP);
    bench_keep(l->out);
  }
}

static void measure(cpu_level level, bool vbmi, tsr_elem to, bool floats) {
  static const tsr_elem int_elems[] = {TSR_I4, TSR_I1, TSR_I2, TSR_I3, TSR_I4,
                                       TSR_I5, TSR_I6, TSR_I7, TSR_I8};
  static const tsr_elem float_elems[] = {TSR_F4E2M1FN, TSR_F3E1M1FN, TSR_F4E2M1FN,
                                         TSR_F5E2M2FN, TSR_F6E3M2FN, TSR_F6E2M3FN,
                                         TSR_F7E3M3FN, TSR_F7E5M1FN, TSR_F8E4M3FNUZ};
  const tsr_elem *elems = floats ? float_elems : int_elems;
  loop loops[9];
  bench_side sides[9];
  char *in = bench_alloc(COUNT_ALL), *out = bench_alloc(4 * COUNT_ALL);
  for (unsigned i = 0; i < COUNT_ALL; i++) in[i] = (char)ref_random();
  jit j;
  jit_open(&j, level);
  j.e.isa.vbmi = vbmi;
  for (unsigned i = 0; i < 9; i++) {
    loops[i] = (loop){.elem = elems[i], .to = to, .nibbles = i == 0, .in = in, .out = out};
    add_loop(&j, &loops[i]);
  }
  jit_compile(&j, "default<O2>");
  for (unsigned i = 0; i < 9; i++) {
    *(void **)&loops[i].run = jit_lookup(&j, loops[i].name);
    sides[i] = (bench_side){tsr_elem_name(elems[i]), run_loop, &loops[i]};
  }
  bench_measure(sides, 9, 0.1);
  printf("%-8s%s to %-4s", jit_level_name(level), vbmi ? "+vbmi" : "     ", tsr_elem_name(to));
  for (unsigned i = 0; i < 9; i++)
    printf("  %s%s %.1f (%.2f)", tsr_elem_name(elems[i]), i ? "" : ", two to a byte",
           1e-9 * COUNT_ALL * REPEAT / sides[i].best, sides[0].best / sides[i].best);
  printf("\n");
  jit_close(&j);
  free(in);
  free(out);
}

int main(void) {
  static const tsr_elem targets[] = {TSR_F16, TSR_BF16, TSR_F32, TSR_I8, TSR_I32};
  for (int k = 2 * CPU_AVX512 + 1; k >= 0; k--) {
    cpu_level level = (cpu_level)(k / 2);
    bool vbmi = k % 2;
    if (!cpu_has_level(level) || (vbmi && !cpu_has_vbmi(level))) continue;
    for (unsigned t = 0; t < COUNT(targets); t++) {
      measure(level, vbmi, targets[t], false);
      if (tsr_elem_is_float(targets[t])) measure(level, vbmi, targets[t], true);
    }
  }
  return 0;
}
