/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a user waits for: `tessera check` of a small file, and the first run of a compiled kernel
 * from process start to result. Each is a fresh process; the table gives medians, and the largest
 * resident memory that the kernel saw. An empty module comes in turns with a program that does
 * nothing: what is left is the command's own.
 */
#include <stdint.h>

#include "bench.h"

enum { RUNS = 41, SHORT_RUNS = 301 };

/* A file with an empty module, beside this program. */
static bool write_empty_module(const char *tessera, char *path, size_t size) {
  int folder = (int)(strlen(tessera) - strlen("/bin/tessera"));
  snprintf(path, size, "%.*s/bench/empty.mlir", folder, tessera);
  FILE *file = fopen(path, "w");
  if (!file) return false;
  fputs("cuda_tile.module @m {\n}\n", file);
  return fclose(file) == 0;
}

/* The time of which a tenth are shorter: what others do on the machine counts for less. */
static double quiet(double *times) {
  bench_median(times, SHORT_RUNS); /* sorts them */
  return times[SHORT_RUNS / 10];
}

static void measure_empty(const char *tessera) {
  char module[4096], nothing[4096];
  double bare[SHORT_RUNS], check[SHORT_RUNS];
  long bare_kb = 0, check_kb = 0;
  if (!write_empty_module(tessera, module, sizeof module)) return;
  snprintf(nothing, sizeof nothing, "%.*s/bench/nothing",
           (int)(strlen(tessera) - strlen("/bin/tessera")), tessera);
  for (int i = 0; i < SHORT_RUNS; i++) {
    bench_child a = bench_spawn((char *[]){nothing, "", NULL});
    bench_child b = bench_spawn((char *[]){(char *)(uintptr_t)tessera, "check", module, NULL});
    bare[i] = a.ms;
    check[i] = b.ms;
    bare_kb = a.max_kb > bare_kb ? a.max_kb : bare_kb;
    check_kb = b.max_kb > check_kb ? b.max_kb : check_kb;
  }
  double floor = quiet(bare), time = quiet(check);
  printf("  %-44s %8.2f ms   %6.1f MB\n", "a program that does nothing, linked statically", floor,
         (double)bare_kb / 1024);
  printf("  %-44s %8.2f ms   %6.1f MB   %.2f ms more\n", "check of an empty module", time,
         (double)check_kb / 1024, time - floor);
}

/* What is compiled goes to a folder beside this program, and comes from there the next time. */
static void use_cache(const char *tessera) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%.*s/bench/cache",
           (int)(strlen(tessera) - strlen("/bin/tessera")), tessera);
  setenv("TESSERA_CACHE_DIR", folder, 1);
  unsetenv("TESSERA_CACHE");
}

static void measure(const char *what, char *const *command) {
  double times[RUNS];
  long max_kb = 0;
  bench_spawn(command);
  for (int i = 0; i < RUNS; i++) {
    bench_child r = bench_spawn(command);
    times[i] = r.ms;
    if (r.max_kb > max_kb) max_kb = r.max_kb;
  }
  printf("  %-44s %8.2f ms   %6.1f MB\n", what, bench_median(times, RUNS), (double)max_kb / 1024);
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "Start-up, build/bin/tessera");
  char tessera[4096];
  if (!bench_command(tessera, sizeof tessera)) return 1;
  measure_empty(tessera);
  measure("version", (char *[]){tessera, "version", NULL});
  measure("check examples/hello_grid.mlir",
          (char *[]){tessera, "check", "examples/hello_grid.mlir", NULL});
  measure("check kernels/gemm.mlir", (char *[]){tessera, "check", "kernels/gemm.mlir", NULL});
  measure("run gemm_block, 64 cubed, interpreter",
          (char *[]){tessera, "run", "examples/gemm_block.mlir", "--target", "interp", "--grid",
                     "1", "uniform:f32:64x64", "uniform:f32:64x64", "zeros:f32:64x64", NULL});
  measure("run gemm_block, 64 cubed, compiled",
          (char *[]){tessera, "run", "examples/gemm_block.mlir", "--target", "cpu", "--grid", "1",
                     "uniform:f32:64x64", "uniform:f32:64x64", "zeros:f32:64x64", NULL});
  use_cache(tessera);
  measure("the same, from the cache on disk",
          (char *[]){tessera, "run", "examples/gemm_block.mlir", "--target", "cpu", "--grid", "1",
                     "uniform:f32:64x64", "uniform:f32:64x64", "zeros:f32:64x64", NULL});
  return 0;
}
