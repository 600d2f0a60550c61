/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * SAXPY of 64 Mi elements through Tile IR (kernels/saxpy.mlir) beside the same loop in C, compiled
 * with -O3 -march=native, split over the same number of threads.
 */
#include <pthread.h>

#include <tessera/tessera.h>

#include "bench.h"

enum { TILE = 4096 };

typedef struct problem {
  tsr_kernel *kernel;
  int64_t n;
  unsigned threads;
  float alpha, *x, *y, *y_c;
} problem;

static void say(void *user, const tsr_diagnostic *d) {
  (void)user;
  fprintf(stderr, "%s\n", d->message);
}

static void ours(void *user) {
  problem *p = user;
  tsr_arg args[] = {tsr_arg_address(p->x), tsr_arg_address(p->y), tsr_arg_f32(p->alpha),
                    tsr_arg_i64(p->n)};
  if (tsr_launch(p->kernel, (tsr_grid){(uint32_t)((p->n + TILE - 1) / TILE), 1, 1}, args, 4) !=
      TSR_OK)
    exit(1);
}

static void __attribute__((noinline))
saxpy(float *restrict y, const float *restrict x, float alpha, int64_t n) {
  for (int64_t i = 0; i < n; i++) y[i] = alpha * x[i] + y[i];
}

static void *half(void *user) {
  problem *p = user;
  saxpy(p->y_c + p->n / 2, p->x + p->n / 2, p->alpha, p->n - p->n / 2);
  return NULL;
}

static void c_loop(void *user) {
  problem *p = user;
  if (p->threads == 1) {
    saxpy(p->y_c, p->x, p->alpha, p->n);
    return;
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, half, p) != 0) exit(1);
  saxpy(p->y_c, p->x, p->alpha, p->n / 2);
  pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "SAXPY, kernels/saxpy.mlir");
  tsr_context *context = tsr_context_create(
      &(tsr_context_options){.struct_size = sizeof(tsr_context_options), .on_diagnostic = say});
  tsr_module *module = tsr_module_load(context, "kernels/saxpy.mlir", 0);
  if (!module) return 1;
  problem p = {.n = (int64_t)64 << 20, .alpha = 0.5f};
  size_t bytes = (size_t)p.n * sizeof(float);
  p.x = bench_alloc(bytes);
  p.y = bench_alloc(bytes);
  p.y_c = bench_alloc(bytes);
  bench_fill(p.x, (size_t)p.n, 1);
  for (p.threads = 1; p.threads <= 2; p.threads++) {
    tsr_device *device = tsr_device_open(
        context, "cpu",
        &(tsr_device_options){.struct_size = sizeof(tsr_device_options), .threads = p.threads});
    tsr_program *program = device ? tsr_program_create(device, module) : NULL;
    p.kernel = program ? tsr_kernel_get(program, "saxpy_f32") : NULL;
    if (!p.kernel) return 1;
    memset(p.y, 0, bytes);
    memset(p.y_c, 0, bytes);
    bench_side sides[] = {BENCH_SIDE("Tessera", ours, &p), BENCH_SIDE("C loop", c_loop, &p)};
    bench_measure(sides, 2, 2.0);
    char title[64];
    snprintf(title, sizeof title, "64 Mi elements, %u thread%s", p.threads,
             p.threads == 1 ? "" : "s");
    bench_print(title, sides, 2, 3.0 * (double)bytes, "GB/s");
    /* Both sides ran equally often, so their results agree to the last bit of each fma. */
    if (bench_difference(p.y, p.y_c, (size_t)p.n) > 1e-5) return 1;
    tsr_program_destroy(program);
    tsr_device_close(device);
  }
  tsr_module_destroy(module);
  tsr_context_destroy(context);
  return 0;
}
