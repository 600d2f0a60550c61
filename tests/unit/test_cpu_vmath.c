/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions such as exp: errors stay below the bounds that docs/numerics.md states and special
 * values are exact, at every level and several vector widths. Arguments are all of f16 and bf16
 * and samples of f32 and f64; bench/emit_vmath.c measures all 2^32 floats.
 */
#include "cpu_jit.h"

#include <float.h>

#include "llvm/elementwise.h"
#include "llvm/vmath.h"

typedef struct function {
  op_code opcode;
  unsigned n;
  double bound32, bound64; /* as docs/numerics.md states them, in ulp; 0: not emitted */
  long double (*exact)(long double, long double);
} function;

#define EXACT(name, ...)                                                                           \
  static long double exact_##name(long double x, long double y) {                                  \
    (void)y;                                                                                       \
    return __VA_ARGS__;                                                                            \
  }
EXACT(exp, expl(x))
EXACT(exp2, exp2l(x))
EXACT(log, logl(x))
EXACT(log2, log2l(x))
EXACT(sin, sinl(x))
EXACT(cos, cosl(x))
EXACT(tan, tanl(x))
EXACT(sinh, sinhl(x))
EXACT(cosh, coshl(x))
EXACT(tanh, tanhl(x))
EXACT(rsqrt, 1 / sqrtl(x))
EXACT(pow, powl(x, y))
EXACT(atan2, atan2l(x, y))

static const function functions[] = {
    {OP_exp, 1, 1.25, 1.25, exact_exp},    {OP_exp2, 1, 1.25, 1.25, exact_exp2},
    {OP_log, 1, 1, 1, exact_log},          {OP_log2, 1, 1.5, 1, exact_log2},
    {OP_sin, 1, 1.75, 0, exact_sin},       {OP_cos, 1, 1.75, 0, exact_cos},
    {OP_tan, 1, 0.51, 0, exact_tan},       {OP_sinh, 1, 1.75, 2, exact_sinh},
    {OP_cosh, 1, 1.75, 2, exact_cosh},     {OP_tanh, 1, 2.5, 2.5, exact_tanh},
    {OP_rsqrt, 1, 1.5, 1.5, exact_rsqrt},  {OP_pow, 2, 0.51, 0, exact_pow},
    {OP_atan2, 2, 0.51, 2.5, exact_atan2},
};

static exec_elementwise operation(const function *f, tsr_elem elem) {
  exec_elementwise w = {.opcode = (uint16_t)f->opcode, .n_operands = (uint8_t)f->n, .result = elem};
  for (unsigned i = 0; i < f->n; i++) w.operands[i] = elem;
  return w;
}

static LLVMValueRef body_operation(emit *e, void *user, LLVMValueRef *in) {
  return emit_elementwise(e, user, in);
}

/* ---- errors --------------------------------------------------------------------------------- */

/* |got - want| in units of the last place of `want` in a type with that many mantissa bits and
 * that smallest exponent; huge when one of them isn't finite and they differ. */
static double error_in_ulp(double got, long double want, int mantissa, int lowest, double largest) {
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : INFINITY;
  long double limit = largest * (1 + ldexpl(1, -mantissa - 2));
  if (isinf(got)) { /* right when the exact value rounds to infinity or is within 2 ulp of that */
    return fabsl(want) >= limit * (1 - ldexpl(1, 1 - mantissa)) && (want > 0) == (got > 0)
               ? 0
               : INFINITY;
  }
  if (isinf(want)) return INFINITY;
  if (want == 0) return got == 0 && !signbit(want) == !signbit(got) ? 0 : INFINITY;
  int exponent;
  frexpl(want, &exponent);
  exponent = MAX(exponent - 1, lowest);
  return (double)fabsl(((long double)got - want) / ldexpl(1, exponent - mantissa));
}

static double error32(float got, long double want) {
  return error_in_ulp((double)got, want, 23, -126, FLT_MAX);
}
static double error64(double got, long double want) {
  return error_in_ulp(got, want, 52, -1022, DBL_MAX);
}

/* ---- arguments ------------------------------------------------------------------------------ */

enum { COUNT32 = 1 << 16, COUNT64 = 1 << 14 };

static const double specials[] = {
    0.0,      -0.0,      1,      -1,      0.5,     -0.5,    2,      -2,    3,      -3,
    1.5,      -1.5,      10,     -10,     88.5,    -88.5,   89,     -104,  128,    -150,
    709.5,    710.5,     -746,   1e-30,   -1e-30,  1e30,    -1e30,  1e-40, -1e-40, 1e-300,
    1e300,    -1e300,    0x1p20, -0x1p20, 0x1p24,  0x1p25,  1e8,    9.02,  -9.02,  0.625,
    INFINITY, -INFINITY, NAN,    -NAN,    FLT_MAX, FLT_MIN, 5e-324, 1025};

/* Any pattern, or numbers of the size at which functions do something. */
static double sample(unsigned i, bool wide) {
  if (i < COUNT(specials)) return specials[i];
  double unit = (double)(ref_random() >> 11) * 0x1p-53, sign = ref_below(2) ? -1 : 1;
  switch (ref_below(5)) {
  case 0: return sign * unit * (wide ? 750 : 105);
  case 1: return sign * unit * 4;
  case 2: return 1 + sign * unit * ldexp(1, -(int)ref_below(24));
  case 3: return sign * ldexp(1 + unit, (int)ref_below(64) - 32);
  default:
    return wide ? num_f64_from_bits(ref_random())
                : (double)num_f32_from_bits((uint32_t)(ref_random() >> 32));
  }
}

/* Pairs of specials come first, then samples. */
static void sample_pair(unsigned i, bool wide, double *x, double *y) {
  unsigned n = COUNT(specials);
  *x = i < n * n ? specials[i / n] : sample(n, wide);
  *y = i < n * n ? specials[i % n] : sample(n, wide);
}

static void report(const function *f, const char *level, const char *type, double x, double y,
                   double got, long double want, double error) {
  fail_msg("%s %s of %s: (%a, %a) gives %a, not %La: %g ulp", op_table[f->opcode].name, type, level,
           x, y, got, want, error);
}

/* The language's value where the C library's long double functions say something else. */
static long double exact_of(const function *f, long double x, long double y) {
  return f->exact(x, y);
}

static double check32(const function *f, jit_fn run, const char *level) {
  static float x[COUNT32], y[COUNT32], out[COUNT32];
  double worst = 0;
  for (unsigned i = 0; i < COUNT32; i++) {
    double a, b;
    sample_pair(i, false, &a, &b);
    if (f->n == 1) a = sample(i, false);
    x[i] = (float)a;
    y[i] = (float)b;
  }
  run(out, x, y, NULL, COUNT32);
  for (unsigned i = 0; i < COUNT32; i++) {
    long double want = exact_of(f, x[i], y[i]);
    double error = error32(out[i], want);
    if (!(error <= f->bound32)) report(f, level, "f32", x[i], y[i], out[i], want, error);
    worst = fmax(worst, error);
  }
  return worst;
}

static double check64(const function *f, jit_fn run, const char *level) {
  static double x[COUNT64], y[COUNT64], out[COUNT64];
  double worst = 0;
  for (unsigned i = 0; i < COUNT64; i++) {
    sample_pair(i, true, &x[i], &y[i]);
    if (f->n == 1) x[i] = sample(i, true);
  }
  run(out, x, y, NULL, COUNT64);
  for (unsigned i = 0; i < COUNT64; i++) {
    long double want = exact_of(f, x[i], y[i]);
    double error = error64(out[i], want);
    if (!(error <= f->bound64)) report(f, level, "f64", x[i], y[i], out[i], want, error);
    worst = fmax(worst, error);
  }
  return worst;
}

/* Patterns in the order of the values, so that neighbours differ by one. */
static int64_t order(const num_format *f, uint64_t pattern) {
  int64_t sign = (int64_t)ref_sign(f), magnitude = (int64_t)(pattern & ~ref_sign(f));
  return pattern & (uint64_t)sign ? -magnitude : magnitude;
}

/* All arguments of a 16-bit type against exec_scalar: at most the neighbour. */
static void check16(const function *f, tsr_elem elem, jit_fn run, const char *level) {
  static uint16_t x[65536], y[65536], out[65536];
  const num_format *format = num_format_of(elem);
  exec_elementwise w = operation(f, elem);
  for (unsigned i = 0; i < 65536; i++) {
    x[i] = (uint16_t)i;
    y[i] = (uint16_t)ref_random();
  }
  run(out, x, y, NULL, 65536);
  for (unsigned i = 0; i < 65536; i++) {
    uint64_t want = exec_scalar(&w, (uint64_t[]){x[i], y[i]});
    if (out[i] == want) continue;
    bool numbers = !num_is_nan(format, want) && !num_is_nan(format, out[i]);
    if (numbers && llabs(order(format, want) - order(format, out[i])) <= 1) continue;
    fail_msg("%s %s of %s: (%#x, %#x) gives %#x, not %#x", op_table[f->opcode].name,
             tsr_elem_name(elem), level, x[i], y[i], out[i], (unsigned)want);
  }
}

/* ---- running -------------------------------------------------------------------------------- */

static const tsr_elem elems[] = {TSR_F32, TSR_F64, TSR_F16, TSR_BF16};

static unsigned width_of(unsigned index, unsigned elem) {
  static const unsigned widths[] = {16, 8, 1, 32, 4, 2, 64};
  return widths[(index + 3 * elem) % COUNT(widths)];
}

static void name_function(char *name, size_t size, unsigned i, unsigned t) {
  snprintf(name, size, "%s_%s", op_table[functions[i].opcode].name, tsr_elem_name(elems[t]));
}

static void check_level(cpu_level level, const char *passes) {
  if (!cpu_has_level(level)) return;
  jit j;
  char name[64];
  jit_open(&j, level);
  for (unsigned i = 0; i < COUNT(functions); i++) {
    for (unsigned t = 0; t < COUNT(elems); t++) {
      exec_elementwise w = operation(&functions[i], elems[t]);
      bool want = elems[t] != TSR_F64 || functions[i].bound64 != 0;
      assert_int_equal(emit_elementwise_supported(&j.e, &w), want);
      if (!want) continue;
      name_function(name, sizeof name, i, t);
      const tsr_elem in[] = {elems[t], elems[t]};
      assert_true(
          jit_add(&j, name, width_of(i, t), elems[t], in, functions[i].n, body_operation, &w));
    }
  }
  jit_compile(&j, passes);
  for (unsigned i = 0; i < COUNT(functions); i++) {
    const function *f = &functions[i];
    double worst64 = 0;
    for (unsigned t = 1; t < COUNT(elems); t++) {
      if (t == 1 && f->bound64 == 0) continue;
      name_function(name, sizeof name, i, t);
      jit_fn run = (jit_fn)jit_lookup(&j, name);
      if (t == 1)
        worst64 = check64(f, run, jit_level_name(level));
      else
        check16(f, elems[t], run, jit_level_name(level));
    }
    name_function(name, sizeof name, i, 0);
    double worst32 = check32(f, (jit_fn)jit_lookup(&j, name), jit_level_name(level));
    if (getenv("TSR_TEST_VERBOSE"))
      print_message("%-8s %-6s f32 %.3f f64 %.3f ulp\n", jit_level_name(level),
                    op_table[f->opcode].name, worst32, worst64);
  }
  jit_close(&j);
}

static void test_baseline(void **state) {
  (void)state;
  check_level(CPU_BASELINE, NULL);
}
static void test_avx2(void **state) {
  (void)state;
  check_level(CPU_AVX2, NULL);
}
static void test_avx512(void **state) {
  (void)state;
  check_level(CPU_AVX512, NULL);
}
static void test_passes(void **state) {
  (void)state;
  check_level(CPU_AVX2, JIT_LIGHT_PASSES);
  check_level(CPU_AVX512, JIT_LIGHT_PASSES);
}

/* Subnormal operands and results become zeros. */
static void test_flush(void **state) {
  (void)state;
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++) {
    if (!cpu_has_level((cpu_level)level)) continue;
    jit j;
    jit_open(&j, (cpu_level)level);
    exec_elementwise exp2_flush = operation(&functions[1], TSR_F32);
    exec_elementwise rsqrt_flush = operation(&functions[10], TSR_F32);
    exp2_flush.flush_to_zero = rsqrt_flush.flush_to_zero = 1;
    tsr_elem in = TSR_F32;
    assert_true(jit_add(&j, "exp2", 4, TSR_F32, &in, 1, body_operation, &exp2_flush));
    assert_true(jit_add(&j, "rsqrt", 4, TSR_F32, &in, 1, body_operation, &rsqrt_flush));
    jit_compile(&j, NULL);
    float x[4] = {-126, -126.5f, -140, 1e-40f}, y[4] = {1e-40f, -1e-40f, 0x1p-126f, 4}, out[4];
    ((jit_fn)jit_lookup(&j, "exp2"))(out, x, NULL, NULL, 4);
    assert_true(out[0] == 0x1p-126f && out[1] == 0 && out[2] == 0 && out[3] == 1);
    ((jit_fn)jit_lookup(&j, "rsqrt"))(out, y, NULL, NULL, 4);
    assert_true(out[0] == INFINITY && out[1] == -INFINITY && out[2] == 0x1p63f && out[3] == 0.5f);
    jit_close(&j);
  }
}

int main(void) {
  ref_seed_from_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_baseline), cmocka_unit_test(test_avx2),  cmocka_unit_test(test_avx512),
      cmocka_unit_test(test_passes),   cmocka_unit_test(test_flush),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
