/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The same programs at every feature level of x86-64 that the machine has, beside OpenBLAS and
 * oneDNN held to the same instructions. Those choose theirs once for a process, so each level is
 * measured by a process of its own:
 *
 *   bench_levels [LEVEL]     baseline (SSE2), avx2 or avx512; all of them
 */
#include "bench_kernel.h"

#include <math.h>

#ifdef TSR_HAVE_OPENBLAS
#include <cblas.h>
#endif
#ifdef TSR_HAVE_ONEDNN
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#endif

static const char title[] = "Feature levels, 1 thread";

static const struct level {
  const char *name, *feature, *openblas, *onednn;
} levels[] = {{"baseline", NULL, "Nehalem", "SSE41"}, /* the least that oneDNN has */
              {"avx2", "avx2", "Haswell", "AVX2_VNNI"},
              {"avx512", "avx512f", "SkylakeX", "ALL"}};

enum { N = 1024 };

typedef struct product {
  void *a, *b;
  float *ours, *theirs;
} product;

static product new_product(size_t size) {
  product p = {.a = bench_alloc(N * N * size), .b = bench_alloc(N * N * size)};
  p.ours = bench_alloc(N * N * sizeof(float));
  p.theirs = bench_alloc(N * N * sizeof(float));
  return p;
}

static void free_product(product *p) {
  free(p->a);
  free(p->b);
  free(p->ours);
  free(p->theirs);
}

static kernel_run product_kernel(kernel_env *env, const char *name, const product *p) {
  kernel_run k = kernel_get(env, "gemm", name, (tsr_grid){N / 128, N / 128, 1});
  kernel_give(&k, tsr_arg_address(p->a));
  kernel_give(&k, tsr_arg_address(p->b));
  kernel_give(&k, tsr_arg_address(p->ours));
  for (int i = 0; i < 3; i++) kernel_give(&k, tsr_arg_i32(N));
  return k;
}

#ifdef TSR_HAVE_OPENBLAS
static void openblas(void *user) {
  const product *p = user;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, p->a, N, p->b, N, 0, p->theirs,
              N);
}
#endif

#ifdef TSR_HAVE_ONEDNN
static void onednn(void *user) {
  const product *p = user;
  if (dnnl_sgemm('N', 'N', N, N, N, 1, p->a, N, p->b, N, 0, p->theirs, N) != dnnl_success) exit(1);
}

static void onednn_bytes(void *user) {
  const product *p = user;
  int32_t zero = 0;
  if (dnnl_gemm_u8s8s32('N', 'N', 'F', N, N, N, 1, p->a, N, 0, p->b, N, 0, 0, (void *)p->theirs, N,
                        &zero) != dnnl_success)
    exit(1);
}
#endif

static const char *titled(const char *level, const char *what) {
  static char text[80];
  snprintf(text, sizeof text, "%s: %s", level, what);
  return text;
}

static void measure_products(kernel_env *env, const char *level) {
  const double work = 2.0 * N * N * N;
  product p = new_product(sizeof(float));
  bench_fill(p.a, N * N, 1);
  bench_fill(p.b, N * N, 2);
  kernel_run k = product_kernel(env, "gemm_f32_128x128x64", &p);
  bench_side sides[3] = {BENCH_SIDE("Tessera", kernel_launch, &k)};
  int n = 1;
#ifdef TSR_HAVE_OPENBLAS
  sides[n++] = (bench_side)BENCH_SIDE("OpenBLAS", openblas, &p);
#endif
#ifdef TSR_HAVE_ONEDNN
  sides[n++] = (bench_side)BENCH_SIDE("oneDNN", onednn, &p);
#endif
  kernel_result result = {p.ours, &p.theirs, N * N};
  kernel_compare(titled(level, "f32 product of 1024"), sides, n, &result, 1, n > 1 ? 1e-4 : -1,
                 work, "GFLOP/s");

  uint16_t *narrow = p.a, *other = p.b; /* -2 … 2, in steps that bf16 has */
  for (size_t i = 0; i < N * N; i++) {
    narrow[i] = (uint16_t)(0x3f80 | (i * 7 & 0x807f));
    other[i] = (uint16_t)(0x3f80 | (i * 13 & 0x807f));
  }
  k = product_kernel(env, "gemm_bf16_128x128x64", &p);
  bench_measure(sides, 1, 0.4);
  bench_print(titled(level, "bf16 product of 1024"), sides, 1, work, "GFLOP/s");

  uint8_t *bytes = p.a, *others = p.b;
  for (size_t i = 0; i < N * N; i++) {
    bytes[i] = (uint8_t)(i * 31 & 127); /* without VNNI, oneDNN's sums saturate */
    others[i] = (uint8_t)((i * 17 & 63) - 32);
  }
  k = product_kernel(env, "gemm_u8s8_128x128x64", &p);
  n = 1;
#ifdef TSR_HAVE_ONEDNN
  sides[n++] = (bench_side)BENCH_SIDE("oneDNN", onednn_bytes, &p);
  kernel_launch(&k);
  onednn_bytes(&p);
  if (memcmp(p.ours, p.theirs, N * N * sizeof(int32_t)) != 0) {
    fprintf(stderr, "bench: products of bytes differ\n");
    exit(1);
  }
#endif
  bench_measure(sides, n, 0.4);
  bench_print(titled(level, "u8 x s8 product of 1024"), sides, n, work, "GFLOP/s");
  free_product(&p);
}

/* Reads and writes each element once; softmax computes an exponential of it. */
static void measure_softmax(kernel_env *env, const char *level) {
  enum { ROWS = 2048, COLUMNS = 1024 };
  float *x = bench_alloc(ROWS * COLUMNS * sizeof(float));
  float *y = bench_alloc(ROWS * COLUMNS * sizeof(float));
  bench_fill(x, ROWS * COLUMNS, 3);
  kernel_run k = kernel_get(env, "row_softmax", "softmax_f32_1024", (tsr_grid){ROWS / 4, 1, 1});
  kernel_give(&k, tsr_arg_address(x));
  kernel_give(&k, tsr_arg_address(y));
  kernel_give(&k, tsr_arg_i32(ROWS));
  kernel_give(&k, tsr_arg_i32(COLUMNS));
  bench_side side = BENCH_SIDE("Tessera", kernel_launch, &k);
  bench_measure(&side, 1, 0.4);
  bench_print(titled(level, "softmax, 2048 x 1024"), &side, 1, 2.0 * ROWS * COLUMNS * sizeof(float),
              "GB/s");
  free(x);
  free(y);
}

static void measure_attention(kernel_env *env, const char *level) {
  enum { TOKENS = 1024, WIDTH = 64 };
  float *memory[4];
  kernel_run k = kernel_get(env, "attention", "attention_f32_64", (tsr_grid){TOKENS / 64, 1, 1});
  for (uint64_t i = 0; i < 4; i++) {
    memory[i] = bench_alloc(TOKENS * WIDTH * sizeof(float));
    bench_fill(memory[i], TOKENS * WIDTH, i);
    kernel_give(&k, tsr_arg_address(memory[i]));
  }
  const int32_t numbers[] = {TOKENS, TOKENS, 1, 1}; /* queries, keys, heads, heads that share */
  for (int i = 0; i < 4; i++) kernel_give(&k, tsr_arg_i32(numbers[i]));
  kernel_give(&k, tsr_arg_f32(1 / sqrtf(WIDTH)));
  kernel_give(&k, tsr_arg_i32(false)); /* not causal */
  bench_side side = BENCH_SIDE("Tessera", kernel_launch, &k);
  bench_measure(&side, 1, 0.4);
  bench_print(titled(level, "attention, 1024 tokens, width 64"), &side, 1,
              4.0 * TOKENS * TOKENS * WIDTH, "GFLOP/s");
  for (int i = 0; i < 4; i++) free(memory[i]);
}

static void measure_level(const char *level) {
#ifdef TSR_HAVE_OPENBLAS
  openblas_set_num_threads(1);
#endif
#ifdef TSR_HAVE_ONEDNN
  omp_set_num_threads(1);
#endif
  kernel_env env;
  kernel_env_open(&env, 1);
  measure_products(&env, level);
  measure_softmax(&env, level);
  measure_attention(&env, level);
  kernel_env_close(&env);
}

/* This program again, with everybody held to the level. */
static bool run_level(const struct level *l) {
  fflush(stdout);
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    setenv("TESSERA_CPU", l->name, 1);
    setenv("OPENBLAS_CORETYPE", l->openblas, 1);
    setenv("ONEDNN_MAX_CPU_ISA", l->onednn, 1);
    execl("/proc/self/exe", "bench_levels", "--measure", l->name, (char *)NULL);
    _exit(127);
  }
  int status;
  return waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--measure") == 0) {
    bench_name = title;
    setvbuf(stdout, NULL, _IOLBF, 0);
    measure_level(argv[2]);
    return 0;
  }
  bench_start(argc, argv, title);
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    const struct level *l = &levels[i];
    if (argc > 1 && strcmp(argv[1], l->name) != 0) continue;
    if (l->feature && !bench_cpu_has(l->feature)) {
      printf("%s: this machine does not have it\n", l->name);
      continue;
    }
    if (!run_level(l)) return 1;
  }
  return 0;
}
