/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * f32 matrix products through Tile IR (kernels/gemm.mlir) beside OpenBLAS, square sizes, one and
 * two threads.
 */
#include <math.h>

#include <tessera/tessera.h>

#include "bench.h"

#ifdef TSR_HAVE_OPENBLAS
#include <cblas.h>
#endif

typedef struct problem {
  tsr_kernel *kernel;
  uint32_t tile;
  int size;
  float *a, *b, *c, *reference;
} problem;

static void say(void *user, const tsr_diagnostic *d) {
  (void)user;
  fprintf(stderr, "%s\n", d->message);
}

static void ours(void *user) {
  problem *p = user;
  uint32_t blocks = ((uint32_t)p->size + p->tile - 1) / p->tile;
  tsr_arg args[] = {tsr_arg_address(p->a), tsr_arg_address(p->b), tsr_arg_address(p->c),
                    tsr_arg_i32(p->size),  tsr_arg_i32(p->size),  tsr_arg_i32(p->size)};
  if (tsr_launch(p->kernel, (tsr_grid){blocks, blocks, 1}, args, 6) != TSR_OK) exit(1);
}

#ifdef TSR_HAVE_OPENBLAS
static void openblas(void *user) {
  problem *p = user;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p->size, p->size, p->size, 1, p->a,
              p->size, p->b, p->size, 0, p->reference, p->size);
}
#endif

static void measure(tsr_context *context, tsr_module *module, unsigned threads, int size) {
  tsr_device *device = tsr_device_open(
      context, "cpu",
      &(tsr_device_options){.struct_size = sizeof(tsr_device_options), .threads = threads});
  tsr_program *program = device ? tsr_program_create(device, module) : NULL;
  problem p = {.tile = 128, .size = size};
  p.kernel = program ? tsr_kernel_get(program, "gemm_f32_128x128x64") : NULL;
  if (!p.kernel) exit(1);
  size_t count = (size_t)size * (size_t)size;
  float **matrices[] = {&p.a, &p.b, &p.c, &p.reference};
  for (int m = 0; m < 4; m++) *matrices[m] = bench_alloc(count * sizeof(float));
  bench_fill(p.a, count, 1);
  bench_fill(p.b, count, 2);
  char title[128];
  snprintf(title, sizeof title, "%d cubed, %u thread%s, compiled in %.1f ms", size, threads,
           threads == 1 ? "" : "s", tsr_kernel_compile_ms(p.kernel));
  bench_side sides[] = {BENCH_SIDE("Tessera", ours, &p),
#ifdef TSR_HAVE_OPENBLAS
                        BENCH_SIDE("OpenBLAS", openblas, &p)
#endif
  };
#ifdef TSR_HAVE_OPENBLAS
  openblas_set_num_threads((int)threads);
#endif
  int n_sides = (int)(sizeof sides / sizeof sides[0]);
  bench_measure(sides, n_sides, 2.0);
  bench_print(title, sides, n_sides, 2.0 * size * (double)count, "GFLOP/s");
  if (n_sides > 1) {
    double difference = bench_difference(p.c, p.reference, count);
    printf("  largest relative difference %.1e\n", difference);
    if (!(difference <= 1e-4 * sqrt(size))) exit(1);
  }
  for (int m = 0; m < 4; m++) free(*matrices[m]);
  tsr_program_destroy(program);
  tsr_device_close(device);
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "f32 matrix product, kernels/gemm.mlir");
  tsr_context *context = tsr_context_create(
      &(tsr_context_options){.struct_size = sizeof(tsr_context_options), .on_diagnostic = say});
  tsr_module *module = tsr_module_load(context, "kernels/gemm.mlir", 0);
  if (!module) return 1;
  static const int sizes[] = {256, 512, 1024, 2048};
  for (unsigned threads = 1; threads <= 2; threads++)
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
      measure(context, module, threads, sizes[i]);
  tsr_module_destroy(module);
  tsr_context_destroy(context);
  return 0;
}
