/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How fast the matrix micro-kernels of the CPU backend are, beside the processor's own peak: the
 * rate of independent fused multiply-adds on registers (of f32 for bf16 and i8, which may exceed
 * it), measured in turn with them. Also how long
 * LLVM takes to make one. `emit_mma [level]` with 0 baseline, 1 AVX2, 2 AVX-512.
 */
#include "../tests/unit/cpu_jit.h"
#include "cpu/gemm/ukernel/ukernel.h"
#include "bench.h"

#include "llvm/lanes.h"

typedef void (*mma_fn)(const void *a, int64_t a_row, int64_t a_col, const void *b, int64_t b_row,
                       int64_t b_panel, void *acc, int64_t acc_row, int64_t m, int64_t n, int64_t k,
                       void *ahead, const void *from, int64_t from_row, void *out, int64_t out_row,
                       const int64_t *order, int64_t least, int64_t nothing, int64_t how);

typedef struct side {
  mma_fn f;
  void (*peak)(void *out);
  void *a, *b, *acc;
  int64_t m, n, k, size;
  int64_t panel; /* columns of b that are multiplied together */
  bool in_panels;
  bool a_transposed;
} side;

static void run_kernel(void *user) {
  side *s = user;
  int64_t a_row = s->a_transposed ? 1 : s->k, a_col = s->a_transposed ? s->m : 1;
  int64_t b_row = s->in_panels ? s->panel : s->n;
  int64_t b_panel = s->in_panels ? s->panel * s->k : s->panel;
  int64_t acc_row = s->n * s->size;
  s->f(s->a, a_row * s->size, a_col * s->size, s->b, b_row * s->size, b_panel * s->size, s->acc,
       acc_row, s->m, s->n, s->k, NULL, NULL, 0, s->acc, acc_row, NULL, 0, 0, 0);
}
static void run_peak(void *user) {
  side *s = user;
  s->peak(s->acc);
}

enum { CHAINS = 16, ROUNDS = 4096 };

/* CHAINS independent accumulators, ROUNDS multiply-adds each. */
static void add_peak(jit *j, tsr_elem elem) {
  emit *e = &j->e;
  unsigned count = e->vector_bits / tsr_elem_bits(elem);
  unsigned chains = e->vector_bits == 512 ? CHAINS : CHAINS - 4;
  LLVMTypeRef params[] = {e->ptr}, vector = emit_lane_type(e, elem, count);
  char name[64];
  snprintf(name, sizeof name, "peak_%s", tsr_elem_name(elem));
  LLVMValueRef f = jit_function(j, name, LLVMFunctionType(e->void_, params, 1, 0));
  LLVMBasicBlockRef entry = LLVMGetInsertBlock(e->b);
  LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(e->llvm, f, "");
  LLVMValueRef start = LLVMBuildLoad2(e->b, vector, LLVMGetParam(f, 0), "");
  LLVMSetAlignment(start, 1);
  LLVMBuildBr(e->b, body);
  LLVMPositionBuilderAtEnd(e->b, body);
  LLVMValueRef index = LLVMBuildPhi(e->b, e->i64, ""), sums[CHAINS], next[CHAINS];
  for (unsigned i = 0; i < chains; i++) {
    sums[i] = LLVMBuildPhi(e->b, vector, "");
    LLVMAddIncoming(sums[i], &start, &entry, 1);
  }
  for (unsigned i = 0; i < chains; i++) {
    if (elem == TSR_I32)
      next[i] = i_add(e, i_mul(e, sums[i], start), start);
    else
      next[i] = f_mul_add(e, sums[i], start, start);
    LLVMAddIncoming(sums[i], &next[i], &body, 1);
  }
  LLVMValueRef zero = LLVMConstInt(e->i64, 0, 0);
  LLVMValueRef more = LLVMBuildAdd(e->b, index, LLVMConstInt(e->i64, 1, 0), "");
  LLVMAddIncoming(index, &zero, &entry, 1);
  LLVMAddIncoming(index, &more, &body, 1);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, more, LLVMConstInt(e->i64, ROUNDS, 0), ""),
                  body, end);
  LLVMPositionBuilderAtEnd(e->b, end);
  LLVMValueRef sum = next[0];
  for (unsigned i = 1; i < chains; i++)
    sum = elem == TSR_I32 ? i_xor(e, sum, next[i]) : f_add(e, sum, next[i]);
  LLVMSetAlignment(LLVMBuildStore(e->b, sum, LLVMGetParam(f, 0)), 1);
  LLVMBuildRetVoid(e->b);
}

static unsigned group_of(tsr_elem elem) {
  return elem == TSR_BF16 ? 2 : elem == TSR_I8 ? 4 : 1;
}

/* The kernel for bf16 and i8 takes groups of 32 bits, so its strides are those of a smaller k. */
static LLVMValueRef kernel_of(emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  if (elem == TSR_BF16 || elem == TSR_I8)
    return emit_mma_dot(e, elem, true, true, (mma_use){.end = MMA_END_ROUNDED}, m, n, k, 0);
  return emit_mma(e, elem, (mma_use){.end = MMA_END_ROUNDED}, m, n, k);
}

static void measure(cpu_level level, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  jit j;
  jit_open(&j, level);
  emit *e = &j.e;
  LLVMTypeRef type = emit_mma_type(e);
  LLVMValueRef f = jit_function(&j, "f", type), args[MMA_ARGS];
  LLVMGetParams(f, args);
  LLVMBuildCall2(e->b, type, kernel_of(e, elem, m, n, k), args, MMA_ARGS, "");
  LLVMBuildRetVoid(e->b);
  double start = bench_now();
  char *message;
  LLVMMemoryBufferRef object;
  LLVMTargetMachineEmitToMemoryBuffer(j.machine, j.e.module, LLVMObjectFile, &message, &object);
  double compile = bench_now() - start;
  LLVMDisposeMemoryBuffer(object);
  tsr_elem peak_elem = group_of(elem) > 1 ? TSR_F32 : elem;
  add_peak(&j, peak_elem);
  jit_compile(&j, NULL);
  char name[64];
  snprintf(name, sizeof name, "peak_%s", tsr_elem_name(peak_elem));
  side s = {.f = (mma_fn)jit_lookup(&j, "f"),
            .m = m,
            .n = n,
            .k = k / group_of(elem),
            .size = elem == TSR_F64 ? 8 : 4,
            .panel = emit_mma_panel(e, group_of(elem) > 1 ? TSR_F32 : elem, m, n, k)};
  *(void **)&s.peak = jit_lookup(&j, name);
  s.a = bench_alloc(8 * (size_t)(m * k));
  s.b = bench_alloc(8 * (size_t)(n * k));
  s.acc = bench_alloc(8 * (size_t)(m * n));
  side t = s, panels = s;
  t.a_transposed = true;
  panels.in_panels = true;
  bench_side sides[] = {{"peak", run_peak, &s},
                        {"row-major", run_kernel, &s},
                        {"a transposed", run_kernel, &t},
                        {"b in panels", run_kernel, &panels}};
  bench_measure(sides, 4, 0.3);
  unsigned count = e->vector_bits / tsr_elem_bits(peak_elem);
  unsigned chains = e->vector_bits == 512 ? CHAINS : CHAINS - 4;
  double peak = 2.0 * count * chains * ROUNDS / sides[0].median, ours = 2.0 * m * n * k;
  printf("%-8s %s %4d x %4d x %4d: peak %6.1f G/s; row-major %.3f of it, a transposed %.3f, b in "
         "panels %.3f; "
         "codegen %.2f ms\n",
         jit_level_name(level), tsr_elem_name(elem), (int)m, (int)n, (int)k, peak * 1e-9,
         ours / (sides[1].ratio * 2.0 * count * chains * ROUNDS),
         ours / (sides[2].ratio * 2.0 * count * chains * ROUNDS),
         ours / (sides[3].ratio * 2.0 * count * chains * ROUNDS), compile * 1e3);
  free(s.a);
  free(s.b);
  free(s.acc);
  jit_close(&j);
}

int main(int argc, char **argv) {
  static const int64_t shapes[][3] = {{64, 64, 64},  {64, 64, 32},   {128, 64, 64},
                                      {32, 32, 32},  {128, 128, 64}, {128, 128, 256},
                                      {64, 64, 256}, {16, 16, 16},   {1, 64, 64}};
  static const tsr_elem elems[] = {TSR_F32, TSR_F64, TSR_I32, TSR_BF16, TSR_I8};
  for (int level = CPU_AVX512; level >= 0; level--) {
    if (!cpu_has_level((cpu_level)level) || (argc > 1 && atoi(argv[1]) != level)) continue;
    for (unsigned t = 0; t < sizeof elems / sizeof *elems; t++) {
      if (elems[t] == TSR_BF16 && !cpu_has_bf16((cpu_level)level)) continue;
      for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (i < 4 || t == 0)
          measure((cpu_level)level, elems[t], shapes[i][0], shapes[i][1], shapes[i][2]);
    }
  }
  return 0;
}
