/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How many instructions of threads the PTX emulator executes a second, on one core and on all:
 * plain integer, float, and load/store code, with and without lanes that part.
 */
#include <tessera/tessera.h>

#include "bench.h"

enum { BLOCKS = 16, THREADS = 256, TURNS = 200 };

#define HEAD                                                                                       \
  ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x)\n{\n"           \
  ".reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %d<4>; .reg .pred %p<4>;\n"                        \
  "ld.param.u64 %d0, [x]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"                           \
  "mad.lo.u32 %r2, %r1, 256, %r0; mad.wide.u32 %d1, %r2, 4, %d0; mov.u32 %r3, 0;\n"                \
  "mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f3F000000;\nloop:\n"
#define TAIL                                                                                       \
  "add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 200; @%p0 bra loop;\n"                               \
  "cvt.rzi.u32.f32 %r9, %f0; add.u32 %r4, %r4, %r9; st.global.u32 [%d1], %r4; ret;\n}\n"

/* A loop's body and how many instructions a thread executes in one turn of it. */
typedef struct code {
  const char *name, *text;
  double instructions;
} code;

static const code codes[] = {
    {"integers",
     HEAD "mad.lo.u32 %r4, %r4, %r2, %r3; xor.b32 %r5, %r4, %r0; shl.b32 %r6, %r5, 3;\n"
          "add.u32 %r4, %r6, %r5; min.u32 %r7, %r4, %r6; and.b32 %r8, %r7, 255; sub.u32 %r4, %r4, "
          "%r8;\n" TAIL,
     10},
    {"floats",
     HEAD "fma.rn.f32 %f2, %f0, %f1, %f1; mul.f32 %f3, %f2, %f1; add.f32 %f0, %f3, %f1;\n"
          "sub.f32 %f4, %f0, %f1; fma.rn.f32 %f0, %f4, %f1, %f2; max.f32 %f0, %f0, %f1;\n" TAIL,
     9},
    {"loads and stores",
     HEAD "ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, 1; st.global.u32 [%d1], %r4;\n" TAIL, 6},
    {"lanes that part",
     HEAD "and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0; @%p1 bra even; add.u32 %r4, %r4, 3;\n"
          "xor.b32 %r4, %r4, %r2; bra both; even: add.u32 %r4, %r4, 5; sub.u32 %r4, %r4, %r2; "
          "both:\n" TAIL,
     8.5},
};

static tsr_device *open_device(tsr_context *ctx, unsigned threads) {
  tsr_device_options o = {.struct_size = sizeof o, .threads = threads};
  return tsr_device_open(ctx, "emu:sm_80", &o);
}

/* Millions of thread instructions a second: the best of some runs. */
static double rate(tsr_context *ctx, const code *c, unsigned threads) {
  tsr_device *dev = open_device(ctx, threads);
  tsr_ptx *ptx = tsr_ptx_create(dev, c->name, c->text, strlen(c->text));
  tsr_buffer *x = tsr_buffer_create(dev, (size_t)BLOCKS * THREADS * 4);
  tsr_ptx_launch how = {
      .struct_size = sizeof how, .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}};
  tsr_arg arg = tsr_arg_buffer(x);
  double best = 0;
  for (int k = 0; k < 5; k++) {
    double start = bench_now();
    if (tsr_ptx_run(ptx, NULL, &how, &arg, 1) != TSR_OK) exit(1);
    double speed = c->instructions * BLOCKS * THREADS * TURNS / (bench_now() - start) / 1e6;
    if (speed > best) best = speed;
  }
  tsr_buffer_destroy(x);
  tsr_ptx_destroy(ptx);
  tsr_device_close(dev);
  return best;
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "PTX emulator");
  tsr_context *ctx = tsr_context_create(NULL);
  printf("  million thread instructions a second    one core   all cores\n");
  for (size_t k = 0; k < sizeof codes / sizeof codes[0]; k++)
    printf("  %-38s %9.0f   %9.0f\n", codes[k].name, rate(ctx, &codes[k], 1),
           rate(ctx, &codes[k], 0));
  tsr_context_destroy(ctx);
  return 0;
}
