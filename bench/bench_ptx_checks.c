/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What checking costs: a product of 256 x 256 x 256 in bf16 by mma.sync
 * (tests/ptx/cuda/gemm_mma.ptx, nvcc's) on the PTX emulator, without and with all checks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <tessera/tessera.h>

enum { N = 256, TIMES = 5 };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char *read_all(const char *path, size_t *length) {
  static char text[1 << 20];
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  *length = fread(text, 1, sizeof text, f);
  fclose(f);
  return text;
}

/* The least time of several launches, in seconds; negative when one fails. */
static double measure(tsr_ptx *ptx, tsr_ptx_launch how, const tsr_arg *args) {
  double least = -1;
  for (int i = 0; i < TIMES; i++) {
    double begin = seconds();
    if (tsr_ptx_run(ptx, "gemm_mma", &how, args, 6) != TSR_OK) return -1;
    double took = seconds() - begin;
    if (least < 0 || took < least) least = took;
  }
  return least;
}

int main(void) {
  static const char path[] = "tests/ptx/cuda/gemm_mma.ptx";
  size_t length, count = 1;
  char *text = read_all(path, &length);
  if (!text) {
    fprintf(stderr, "bench: can't read %s: run it in the source tree\n", path);
    return 1;
  }
  tsr_context *ctx = tsr_context_create(NULL);
  tsr_device *dev = tsr_device_open(ctx, "emu:sm_80", NULL);
  tsr_ptx *ptx = tsr_ptx_create(dev, path, text, length);
  tsr_buffer *a = tsr_buffer_create(dev, N * N * 2), *b = tsr_buffer_create(dev, N * N * 2);
  tsr_buffer *c = tsr_buffer_create(dev, N * N * 4);
  if (!ptx || !a || !b || !c) return 1;
  tsr_arg args[] = {tsr_arg_buffer(a), tsr_arg_buffer(b), tsr_arg_buffer(c),
                    tsr_arg_i32(N),    tsr_arg_i32(N),    tsr_arg_i32(N)};
  tsr_ptx_launch how = {
      .struct_size = sizeof how, .grid = {N / 64, N / 64, 1}, .block = {128, 1, 1}};
  double plain = measure(ptx, how, args);
  how.check = true;
  double checked = measure(ptx, how, args);
  tsr_string_free(ctx, tsr_ptx_findings(ptx, TSR_PTX_TEXT, &count));
  printf("PTX emulator, bf16 GEMM of 256 x 256 x 256 by mma.sync, best of %d\n", TIMES);
  printf("  all cores, unchecked  %8.1f ms\n  one core, all checks  %8.1f ms, %zu findings\n",
         plain * 1e3, checked * 1e3, count);
  tsr_buffer_destroy(a);
  tsr_buffer_destroy(b);
  tsr_buffer_destroy(c);
  tsr_ptx_destroy(ptx);
  tsr_device_close(dev);
  tsr_context_destroy(ctx);
  return plain < 0 || checked < 0 || count != 0;
}
