/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations on f32 and f64 for which a GPU has an instruction: minima and maxima, conversions to
 * 16 bits, exp and exp2. The emulated GPU beside the interpreter: the same bits, NaNs, zeros and
 * subnormal numbers included; exp and exp2 within the bounds of docs/numerics.md. And the
 * instructions are what the code has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "gpu_engine.h"

enum { N = 1024 };

static const struct native {
  const char *in, *out, *operation, *instruction;
  double bound; /* ulp; 0: the same bits */
} natives[] = {
    {"f32", "f32", "maxf %a, %b :", "max.f32", 0},
    {"f32", "f32", "minf %a, %b :", "min.f32", 0},
    {"f32", "f32", "maxf %a, %b propagate_nan :", "max.NaN.f32", 0},
    {"f32", "f32", "minf %a, %b propagate_nan :", "min.NaN.f32", 0},
    {"f64", "f64", "maxf %a, %b :", "max.f64", 0},
    {"f64", "f64", "minf %a, %b propagate_nan :", "min.f64", 0},
    {"f32", "bf16", "ftof %a :", "cvt.rn.bf16", 0},
    {"f32", "f16", "ftof %a :", "cvt.rn.f16", 0},
    {"f64", "bf16", "ftof %a :", "cvt.rn.bf16", 0},
    {"f32", "f32", "exp2 %a :", "ex2.approx.f32", 2},
    {"f32", "f32", "exp2 %a flush_to_zero :", "ex2.approx.ftz.f32", 2},
    {"f32", "f32", "exp %a :", "ex2.approx.f32", 3},
};

static _Alignas(64) uint64_t x[N], y[N], got[N], want[N];
static uint64_t state_of_draw = 7;

static uint64_t draw(void) {
  state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
  return state_of_draw ^ state_of_draw >> 29;
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

static float float_at(const uint64_t *from, unsigned i) {
  float value;
  memcpy(&value, (const char *)from + 4 * i, 4);
  return value;
}

/* Any bits; small numbers; what ends a range, in pairs of any two. */
static uint64_t pattern(unsigned i, bool wide) {
  static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                     0x7f800001, 0xffffffff, 1,          0x807fffff, 0x00800000,
                                     0x7f7fffff, 0x42b17217, 0x42b17218, 0xc2aeac50, 0xc2cff1b5,
                                     0x43000000, 0xc3160000, 0x3f800000, 0x3f808000, 0x3f818000};
  static const uint64_t wide_special[] = {0, UINT64_C(1) << 63, UINT64_C(0x7ff8000000000000),
                                          UINT64_C(0xfff0000000000001), 1};
  if (wide) return i < ARRAY_LEN(wide_special) ? wide_special[i] : draw();
  if (i < ARRAY_LEN(special)) return special[i];
  return i % 2 ? (uint32_t)draw() : bits_of((float)((double)(draw() >> 11) * 0x1p-53 * 320 - 160));
}

static void fill(bool wide) {
  enum { PAIRS = 20 };
  for (unsigned i = 0; i < N; i++) {
    bool pair = i < PAIRS * PAIRS;
    uint64_t a = pattern(pair ? i % PAIRS : i, wide), b = pattern(pair ? i / PAIRS : i + 1, wide);
    memcpy((char *)x + (wide ? 8 : 4) * i, &a, wide ? 8 : 4);
    memcpy((char *)y + (wide ? 8 : 4) * i, &b, wide ? 8 : 4);
  }
}

static void compute(const struct native *n, run_engine engine, uint64_t *result) {
  char text[2048], types[64];
  run_log log;
  bool same = strcmp(n->in, n->out) == 0;
  snprintf(types, sizeof types, same ? "tile<1024x%s>" : "tile<1024x%s> -> tile<1024x%s>", n->in,
           n->out);
#define VIEW(name)                                                                                 \
  "%%" name "_v = make_tensor_view %%" name ", shape = [1024], strides = [1] : "                   \
  "tensor_view<1024x%s, strides=[1]>\n%%" name "_p = make_partition_view %%" name "_v : "          \
  "partition_view<tile=(1024), tensor_view<1024x%s, strides=[1]>>\n"
#define TILES "partition_view<tile=(1024), tensor_view<1024x%s, strides=[1]>>"
#define LOAD(to, from)                                                                             \
  "%%" to ", %%t" to " = load_view_tko weak %%" from "_p[%%zero] : " TILES                         \
  ", tile<i32> -> tile<1024x%s>, token\n"
  snprintf(
      text, sizeof text,
      "cuda_tile.module @m { entry @k(%%x: tile<ptr<%s>>, %%y: tile<ptr<%s>>, %%r: "
      "tile<ptr<%s>>) {\n" VIEW("x") VIEW("y") VIEW(
          "r") "%%zero = constant <i32: 0> : "
               "tile<i32>\n" LOAD("a", "x") LOAD(
                   "b", "y") "%%c = %s %s\n"
                             "%%t2 = store_view_tko weak %%c, %%r_p[%%zero] : tile<1024x%s>, " TILES
                             ", tile<i32> -> token\n} }\n",
      n->in, n->in, n->out, n->in, n->in, n->in, n->in, n->out, n->out, n->in, n->in, n->in, n->in,
      n->operation, types, n->out, n->out);
  uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(y), ARG_ADDRESS(result)};
  memset(result, 0, sizeof got);
  if (!run_program_on(engine, text, "k", (run_grid){1, 1, 1}, args, &log))
    fail_msg("%s: %s", n->operation, log.diagnostics);
}

/* In units of the last place of what is wanted, which is a little more than of the exact result. */
static double error_of(float wanted, float gave) {
  if (isnan(wanted) || isnan(gave) || isinf(wanted) || isinf(gave))
    return bits_of(wanted) == bits_of(gave) ? 0 : INFINITY;
  int k = wanted == 0 ? -126 : ilogbf(wanted);
  return fabs((double)wanted - (double)gave) * ldexp(1, 23 - (k < -126 ? -126 : k));
}

static void check(const struct native *n, const char *target) {
  fill(strcmp(n->in, "f64") == 0);
  compute(n, run_interp, want);
  engine_target = gpu_find_target(target);
  compute(n, run_gpu, got);
  if (!strstr(engine_ptx, n->instruction))
    fail_msg("%s on %s: no %s", n->operation, target, n->instruction);
  if (n->bound == 0) {
    for (unsigned i = 0; i < N; i++)
      if (got[i] != want[i])
        fail_msg("%s, word %u: %016llx, expected %016llx", n->operation, i,
                 (unsigned long long)got[i], (unsigned long long)want[i]);
    return;
  }
  for (unsigned i = 0; i < N; i++) {
    double error = error_of(float_at(want, i), float_at(got, i));
    if (!(error <= n->bound))
      fail_msg("%s of %a on %s is %a, expected %a", n->operation, (double)float_at(x, i), target,
               (double)float_at(got, i), (double)float_at(want, i));
  }
}

static void test_natives(void **state) {
  (void)state;
  static const char *const targets[] = {"sm_80", "sm_90a"};
  for (size_t i = 0; i < ARRAY_LEN(natives); i++)
    for (size_t k = 0; k < ARRAY_LEN(targets); k++) check(&natives[i], targets[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_natives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
