/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For benchmarks of the programs in kernels/: from a name and arguments to something to run.
 *
 *   kernel_env env;
 *   kernel_env_open(&env, 1);                               // threads
 *   kernel_run k = kernel_get(&env, "softmax", "softmax_f32_4096", (tsr_grid){rows, 1, 1});
 *   kernel_give(&k, tsr_arg_address(x)); …
 *   bench_side ours = BENCH_SIDE("Tessera", kernel_launch, &k);
 */
#ifndef TESSERA_BENCH_KERNEL_H
#define TESSERA_BENCH_KERNEL_H

#include <tessera/tessera.h>

#include "bench.h"

enum { KERNEL_ARGS = 24, KERNEL_MODULES = 16 };

typedef struct kernel_env {
  tsr_context *context;
  tsr_device *device;
  struct {
    const char *file;
    tsr_module *module;
    tsr_program *program;
  } modules[KERNEL_MODULES];
  unsigned n, threads;
} kernel_env;

typedef struct kernel_run {
  tsr_kernel *kernel;
  tsr_grid grid;
  tsr_arg args[KERNEL_ARGS];
  unsigned n;
} kernel_run;

static inline void kernel_say(void *user, const tsr_diagnostic *d) {
  (void)user;
  fprintf(stderr, "%s\n", d->message);
}

static inline void kernel_env_open(kernel_env *env, unsigned threads) {
  memset(env, 0, sizeof *env);
  env->threads = threads;
  env->context = tsr_context_create(&(tsr_context_options){
      .struct_size = sizeof(tsr_context_options), .on_diagnostic = kernel_say});
  env->device = tsr_device_open(
      env->context, "cpu",
      &(tsr_device_options){.struct_size = sizeof(tsr_device_options), .threads = threads});
  if (!env->device) exit(1);
}

static inline void kernel_env_close(kernel_env *env) {
  for (unsigned i = 0; i < env->n; i++) {
    tsr_program_destroy(env->modules[i].program);
    tsr_module_destroy(env->modules[i].module);
  }
  tsr_device_close(env->device);
  tsr_context_destroy(env->context);
}

static inline kernel_run kernel_get(kernel_env *env, const char *file, const char *kernel,
                                    tsr_grid grid) {
  unsigned i = 0;
  while (i < env->n && strcmp(env->modules[i].file, file) != 0) i++;
  if (i == env->n) {
    char path[128];
    snprintf(path, sizeof path, "kernels/%s.mlir", file);
    if (env->n++ == KERNEL_MODULES) exit(1);
    env->modules[i].file = file;
    env->modules[i].module = tsr_module_load(env->context, path, TSR_PARSE_DEFAULT);
    env->modules[i].program = tsr_program_create(env->device, env->modules[i].module);
  }
  kernel_run r = {.kernel = tsr_kernel_get(env->modules[i].program, kernel), .grid = grid};
  if (!r.kernel) exit(1);
  return r;
}

static inline void kernel_give(kernel_run *r, tsr_arg arg) {
  r->args[r->n++] = arg;
}

static inline void kernel_launch(void *user) {
  kernel_run *r = user;
  if (tsr_launch(r->kernel, r->grid, r->args, r->n) != TSR_OK) exit(1);
}

/* Stops the benchmark when two results differ, so that no side is fast at something else. */
static inline void kernel_same(const char *what, const float *ours, const float *theirs,
                               size_t count, double tolerance) {
  double gap = bench_difference(ours, theirs, count);
  if (gap <= tolerance) return;
  fprintf(stderr, "bench: %s: results differ by %g\n", what, gap);
  exit(1);
}

/* Where ours leaves a result, and the variable that says where the others leave theirs. */
typedef struct kernel_result {
  float *ours, **theirs;
  size_t count;
} kernel_result;

/* The first two sides' results first, each in memory of its own, compared unless `tolerance` is
 * negative. Then all write to the same memory: what a cache holds of two outputs depends on much,
 * on where in physical memory they lie and on whose turn was last. GB/s or GFLOP/s: `unit`.
 * A case that nobody asked for is left out. */
static inline void kernel_compare(const char *title, bench_side *sides, int n,
                                  const kernel_result *results, int n_results, double tolerance,
                                  double work, const char *unit) {
  enum { MOST = 4 };
  float *apart[MOST];
  if (!bench_wanted(title)) return;
  for (int i = 0; i < 2 && i < n; i++) sides[i].run(sides[i].user);
  for (int i = 0; i < n_results && i < MOST; i++) {
    const kernel_result *r = &results[i];
    if (tolerance >= 0) kernel_same(title, r->ours, *r->theirs, r->count, tolerance);
    apart[i] = *r->theirs;
    *r->theirs = r->ours;
  }
  bench_measure(sides, n, 0.4);
  bench_print(title, sides, n, work, unit);
  for (int i = 0; i < n_results && i < MOST; i++) *results[i].theirs = apart[i];
}

#endif
