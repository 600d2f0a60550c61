/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The inline functions (exp, log, …) of the CPU backend: how large their errors get over all 2^32
 * floats, against the C library in double, and how long they take. This is where the bounds of
 * docs/numerics.md come from.
 *
 *   emit_vmath [--level N] [--stride N] [--only NAME] [--speed]
 *
 * Level 0 baseline, 1 AVX2, 2 AVX-512 (default: all). Every N-th float (default 1: all, which takes
 * some ten seconds for a function). For pow and atan2 as many random pairs.
 */
#include "../tests/unit/cpu_jit.h"
#include "bench.h"

#include <float.h>

#include "llvm/vmath.h"
#include "vector_math.h"

typedef struct function {
  const char *name;
  op_code opcode;
  unsigned n;
  vector_math_fn many;
  double (*one)(double, double);
  float low, high; /* arguments to take the time with */
} function;

#define FUNCTION(name, n, low, high)                                                               \
  { #name, OP_##name, n, vector_##name, one_##name, low, high }
#define ONE(name, ...)                                                                             \
  static double one_##name(double x, double y) {                                                   \
    (void)y;                                                                                       \
    return __VA_ARGS__;                                                                            \
  }
VECTOR_MATH(ONE)

static const function functions[] = {
    FUNCTION(exp, 1, -20, 20),   FUNCTION(exp2, 1, -20, 20),  FUNCTION(log, 1, 0, 1000),
    FUNCTION(log2, 1, 0, 1000),  FUNCTION(tanh, 1, -5, 5),    FUNCTION(sinh, 1, -5, 5),
    FUNCTION(cosh, 1, -5, 5),    FUNCTION(rsqrt, 1, 0, 1000), FUNCTION(sin, 1, -100, 100),
    FUNCTION(cos, 1, -100, 100), FUNCTION(tan, 1, -100, 100), FUNCTION(pow, 2, 0, 10),
    FUNCTION(atan2, 2, -10, 10)};

/* ---- errors --------------------------------------------------------------------------------- */

/* |got - want| in units of the last place of a float next to `want`; 1e9 for a wrong special. */
static double error_of(float got, double want) {
  double value = (double)got;
  uint64_t sign = (num_f64_bits(value) ^ num_f64_bits(want)) >> 63;
  if (isnan(want) || isnan(value)) return isnan(want) && isnan(value) ? 0 : 1e9;
  if (isinf(value)) { /* as good as the largest float and a bit */
    return sign == 0 && fabs(want) >= 0x1.fffffep127 ? 0 : 1e9;
  }
  if (isinf(want)) return 1e9;
  int exponent = (int)(num_f64_bits(want) >> 52 & 0x7ff) - 1023;
  if (exponent < -126) exponent = -126;
  return fabs(value - want) * num_f64_from_bits((uint64_t)(1023 + 23 - exponent) << 52);
}

enum { CHUNK = 1 << 14 };

typedef struct worst {
  double error;
  float x, y;
} worst;

static void check_chunk(const function *f, jit_fn run, const float *x, const float *y, worst *w) {
  static float got[CHUNK];
  static double a[CHUNK], b[CHUNK], want[CHUNK];
  for (int i = 0; i < CHUNK; i++) {
    a[i] = (double)x[i];
    b[i] = (double)y[i];
  }
  run(got, x, y, NULL, CHUNK);
  f->many(want, a, b, CHUNK);
  for (int i = 0; i < CHUNK; i++) {
    double error = error_of(got[i], want[i]);
    /* Fast vector functions may be wrong at the edges. */
    if (error > w->error) error = error_of(got[i], f->one(a[i], b[i]));
    if (error > w->error) *w = (worst){error, x[i], y[i]};
  }
}

static void check(const function *f, jit_fn run, const char *level, uint64_t stride) {
  static float x[CHUNK], y[CHUNK];
  worst w = {0};
  double start = bench_now();
  for (uint64_t first = 0; first < UINT64_C(1) << 32; first += stride * CHUNK) {
    for (uint64_t i = 0; i < CHUNK; i++) {
      uint32_t bits = (uint32_t)(first + i * stride);
      x[i] = num_f32_from_bits(bits);
      y[i] = x[i];
      if (f->n == 1) continue;
      uint64_t r = ref_random();
      x[i] = num_f32_from_bits((uint32_t)(r >> 32));
      y[i] = num_f32_from_bits((uint32_t)r);
      if (i % 4 == 0) continue;
      /* Most random powers overflow: take bases near 1 and exponents to match. */
      x[i] = (float)(1 + (double)(int32_t)(r >> 32) * (i % 4 == 1 ? 0x1p-32 : 0x1p-40));
      y[i] = (float)((double)(int32_t)r * (i % 4 == 1 ? 0x1p-24 : 0x1p-16));
    }
    check_chunk(f, run, x, y, &w);
  }
  printf("%-8s %-6s largest error %.4f ulp at %a", level, f->name, w.error, (double)w.x);
  if (f->n > 1) printf(", %a", (double)w.y);
  printf("  (%.0f s)\n", bench_now() - start);
}

/* ---- speed ---------------------------------------------------------------------------------- */

typedef struct timing {
  const function *f;
  jit_fn run;
  float *x, *y, *out;
} timing;

enum { TIMED = 4096 };

static void run_ours(void *user) {
  timing *t = user;
  t->run(t->out, t->x, t->y, NULL, TIMED);
}

static void time_function(const function *f, jit_fn run, const char *level) {
  timing t = {.f = f, .run = run};
  t.x = bench_alloc(TIMED * sizeof(float));
  t.y = bench_alloc(TIMED * sizeof(float));
  t.out = bench_alloc(TIMED * sizeof(float));
  bench_fill(t.x, TIMED, 1);
  bench_fill(t.y, TIMED, 2);
  for (int i = 0; i < TIMED; i++) {
    t.x[i] = f->low + (t.x[i] + 1) / 2 * (f->high - f->low);
    t.y[i] = f->low + (t.y[i] + 1) / 2 * (f->high - f->low);
  }
  bench_side side = {"", run_ours, &t};
  bench_measure(&side, 1, 0.05);
  printf("%-8s %-6s %7.2f ns for 16\n", level, f->name, side.median / TIMED * 16 * 1e9);
  free(t.x);
  free(t.y);
  free(t.out);
}

/* ---- all ------------------------------------------------------------------------------------ */

static LLVMValueRef body_operation(emit *e, void *user, LLVMValueRef *in) {
  return emit_elementwise(e, user, in);
}

int main(int argc, char **argv) {
  int only_level = -1;
  uint64_t stride = 1;
  const char *only = NULL;
  bool speed = false;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--level") == 0 && i + 1 < argc)
      only_level = atoi(argv[++i]);
    else if (strcmp(argv[i], "--stride") == 0 && i + 1 < argc)
      stride = strtoull(argv[++i], NULL, 0);
    else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      only = argv[++i];
    else if (strcmp(argv[i], "--speed") == 0)
      speed = true;
    else
      return fprintf(stderr, "emit_vmath: I don't know '%s'; see the file's head\n", argv[i]), 1;
  }
  if (stride == 0) stride = 1;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int level = CPU_AVX512; level >= 0; level--) {
    if (!cpu_has_level((cpu_level)level) || (only_level >= 0 && only_level != level)) continue;
    jit j;
    jit_open(&j, (cpu_level)level);
    for (unsigned i = 0; i < COUNT(functions); i++) {
      const function *f = &functions[i];
      exec_elementwise w = {.opcode = (uint16_t)f->opcode,
                            .n_operands = (uint8_t)f->n,
                            .result = TSR_F32,
                            .operands = {TSR_F32, TSR_F32}};
      const tsr_elem in[] = {TSR_F32, TSR_F32};
      jit_add(&j, f->name, 16, TSR_F32, in, f->n, body_operation, &w);
    }
    jit_compile(&j, JIT_LIGHT_PASSES);
    for (unsigned i = 0; i < COUNT(functions); i++) {
      const function *f = &functions[i];
      if (only != NULL && strcmp(only, f->name) != 0) continue;
      jit_fn run = (jit_fn)jit_lookup(&j, f->name);
      if (speed)
        time_function(f, run, jit_level_name((cpu_level)level));
      else
        check(f, run, jit_level_name((cpu_level)level), stride);
    }
    jit_close(&j);
  }
  return 0;
}
