/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a user waits for: `tessera check` of a small file, and the first run of a compiled kernel
 * from process start to result. Each is a fresh process; the table gives medians, and the largest
 * resident memory that the kernel saw.
 */
#include "bench.h"

enum { RUNS = 41 };

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
  return 0;
}
