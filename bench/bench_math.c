/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of f32, element by element (kernels/math.mlir), beside SLEEF where that is installed:
 * vectors as wide as the processor has them, in loops over the same arrays, with the least error it
 * offers (u10: 1 ulp) and with the larger one (u35: 3.5 ulp). Everything lies in the second-level
 * cache. One thread.
 *
 *   bench_math [FUNCTION]
 */
#include "bench_kernel.h"

#include <math.h>

#if defined(TSR_HAVE_SLEEF) && (defined(__AVX512F__) || defined(__AVX2__))
#include <immintrin.h>
#include <sleef.h>
#define HAVE_PEER 1
#if defined(__AVX512F__)
typedef __m512 vector;
enum { LANES = 16 };
#define PEER(name, error) Sleef_##name##f16_##error##avx512f
#define READ(p)           _mm512_loadu_ps(p)
#define WRITE(p, v)       _mm512_storeu_ps(p, v)
#else
typedef __m256 vector;
enum { LANES = 8 };
#define PEER(name, error) Sleef_##name##f8_##error##avx2
#define READ(p)           _mm256_loadu_ps(p)
#define WRITE(p, v)       _mm256_storeu_ps(p, v)
#endif
#endif

enum { N = 64 << 10 };

typedef struct data {
  float *x, *y, *ours, *theirs;
} data;

#ifdef HAVE_PEER
#define LOOP(name, error)                                                                          \
  static void name##_##error(void *user) {                                                         \
    const data *d = user;                                                                          \
    for (size_t i = 0; i < N; i += LANES) WRITE(d->theirs + i, PEER(name, error)(READ(d->x + i))); \
  }
LOOP(exp, u10)
LOOP(exp2, u10)
LOOP(exp2, u35)
LOOP(log, u10)
LOOP(log, u35)
LOOP(log2, u10)
LOOP(log2, u35)
LOOP(sin, u10)
LOOP(sin, u35)
LOOP(cos, u10)
LOOP(cos, u35)
LOOP(tanh, u10)
LOOP(tanh, u35)
LOOP(erf, u10)
static void pow_u10(void *user) {
  const data *d = user;
  for (size_t i = 0; i < N; i += LANES)
    WRITE(d->theirs + i, PEER(pow, u10)(READ(d->x + i), READ(d->y + i)));
}
static void rsqrt_u10(void *user) { /* 1 / sqrt(x): SLEEF has no other */
  const data *d = user;
  for (size_t i = 0; i < N; i += LANES) WRITE(d->theirs + i, 1 / PEER(sqrt, u05)(READ(d->x + i)));
}
#define BOTH(name) name##_u10, name##_u35
#define ONE(name)  name##_u10, NULL
#else
#define BOTH(name) NULL, NULL
#define ONE(name)  NULL, NULL
#endif

static const struct function {
  const char *name;
  void (*exact)(void *), (*fast)(void *);
  float low, high; /* arguments */
} functions[] = {
    {"exp", ONE(exp), -20, 20},    {"exp2", BOTH(exp2), -20, 20}, {"log", BOTH(log), 0, 1000},
    {"log2", BOTH(log2), 0, 1000}, {"sin", BOTH(sin), -10, 10},   {"cos", BOTH(cos), -10, 10},
    {"tanh", BOTH(tanh), -5, 5},   {"pow", ONE(pow), 0, 10},      {"rsqrt", ONE(rsqrt), 0, 1000},
    {"erf", ONE(erf), -4, 4},
};

static void measure(kernel_env *env, const struct function *f, data *d) {
  char name[16];
  bool is_pow = strcmp(f->name, "pow") == 0;
  bench_fill(d->x, N, 1);
  bench_fill(d->y, N, 2);
  for (size_t i = 0; i < N; i++) {
    d->x[i] = f->low + (d->x[i] + 1) / 2 * (f->high - f->low);
    d->y[i] *= 5;
  }
  snprintf(name, sizeof name, "%s_f32", f->name);
  kernel_run k = kernel_get(env, "math", name, (tsr_grid){N / 4096, 1, 1});
  kernel_give(&k, tsr_arg_address(d->x));
  if (is_pow) kernel_give(&k, tsr_arg_address(d->y));
  kernel_give(&k, tsr_arg_address(d->ours));
  kernel_give(&k, tsr_arg_i64(N));
  bench_side sides[3] = {BENCH_SIDE("Tessera", kernel_launch, &k)};
  int n = 1;
  if (f->exact) sides[n++] = (bench_side)BENCH_SIDE("SLEEF, 1 ulp", f->exact, d);
  if (f->fast) sides[n++] = (bench_side)BENCH_SIDE("SLEEF, 3.5 ulp", f->fast, d);
  kernel_result result = {d->ours, &d->theirs, N};
  kernel_compare(f->name, sides, n, &result, 1, n > 1 ? 1e-6 : -1, N, "G/s");
  printf("  Tessera takes %.2f ns for 16\n", sides[0].best / N * 16e9);
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "Functions of 64 Ki numbers, 1 thread");
  kernel_env env;
  kernel_env_open(&env, 1);
  data d;
  float **const memory[] = {&d.x, &d.y, &d.ours, &d.theirs};
  for (int i = 0; i < 4; i++) *memory[i] = bench_alloc(N * sizeof(float));
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (argc < 2 || strcmp(argv[1], functions[i].name) == 0) measure(&env, &functions[i], &d);
  for (int i = 0; i < 4; i++) free(*memory[i]);
  kernel_env_close(&env);
  return 0;
}
