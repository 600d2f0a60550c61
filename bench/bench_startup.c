/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a user waits for: `tessera check` of a small file, and the first run of a compiled kernel
 * from process start to result. Each is a fresh process; the table gives medians, and the largest
 * resident memory that the kernel saw.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "bench.h"

enum { RUNS = 41 };

typedef struct run {
  double ms;
  long max_kb;
} run;

static run spawn(char *const *command) {
  double start = bench_now();
  pid_t child = fork();
  if (child < 0) exit(1);
  if (child == 0) {
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    execv(command[0], command);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child || status != 0) {
    fprintf(stderr, "bench: %s %s failed\n", command[0], command[1]);
    exit(1);
  }
  return (run){1e3 * (bench_now() - start), usage.ru_maxrss};
}

static void measure(const char *what, char *const *command) {
  double times[RUNS];
  long max_kb = 0;
  spawn(command);
  for (int i = 0; i < RUNS; i++) {
    run r = spawn(command);
    times[i] = r.ms;
    if (r.max_kb > max_kb) max_kb = r.max_kb;
  }
  printf("  %-44s %8.2f ms   %6.1f MB\n", what, bench_median(times, RUNS), (double)max_kb / 1024);
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "Start-up, build/bin/tessera");
  /* The command lies beside this program: build/bench/bench_startup, build/bin/tessera. */
  char tessera[4096];
  ssize_t length = readlink("/proc/self/exe", tessera, sizeof tessera - 32);
  if (length <= 0) return 1;
  tessera[length] = 0;
  for (int up = 0; up < 2; up++) *strrchr(tessera, '/') = 0;
  strcat(tessera, "/bin/tessera");
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
