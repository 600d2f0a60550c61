/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What element-wise operations do to one element, against numbers worked out by hand or by the
 * host; the direct loops against the scalar definition; print_tko's formatting.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "exec/print.h"
#include "exec/scalar.h"
#include "num/num.h"

/* ---- describing an operation ---------------------------------------------------------------- */

#define UNARY(code, from, to, ...)                                                                 \
  ((exec_elementwise){.opcode = OP_##code,                                                         \
                      .n_operands = 1,                                                             \
                      .result = TSR_##to,                                                          \
                      .operands = {TSR_##from},                                                    \
                      __VA_ARGS__})
#define BINARY(code, elem, to, ...)                                                                \
  ((exec_elementwise){.opcode = OP_##code,                                                         \
                      .n_operands = 2,                                                             \
                      .result = TSR_##to,                                                          \
                      .operands = {TSR_##elem, TSR_##elem},                                        \
                      __VA_ARGS__})
#define TERNARY(code, a, b, c, to, ...)                                                            \
  ((exec_elementwise){.opcode = OP_##code,                                                         \
                      .n_operands = 3,                                                             \
                      .result = TSR_##to,                                                          \
                      .operands = {TSR_##a, TSR_##b, TSR_##c},                                     \
                      __VA_ARGS__})

static uint64_t apply(exec_elementwise w, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t x[3] = {a, b, c};
  return exec_scalar(&w, x);
}

static uint64_t f32(float v) {
  return num_f32_bits(v);
}
static uint64_t f64(double v) {
  return num_f64_bits(v);
}
static const uint64_t NAN32 = 0x7fc00000, INF32 = 0x7f800000, SIGN32 = 0x80000000;

#define CHECK(expected, got) assert_int_equal((uint64_t)(expected), (uint64_t)(got))

/* ---- integers ------------------------------------------------------------------------------- */

static void test_integer_arithmetic(void **state) {
  (void)state;
  CHECK(0x2, apply(BINARY(addi, I8, I8), 0xff, 3, 0));
  CHECK(0, apply(BINARY(addi, I1, I1), 1, 1, 0));
  CHECK(UINT64_MAX, apply(BINARY(subi, I64, I64), 0, 1, 0));
  CHECK(0xfffe0001u & 0xffff, apply(BINARY(muli, I16, I16), 0xffff, 0xffff, 0));
  CHECK(0xfffe, apply(BINARY(mulhii, I16, I16), 0xffff, 0xffff, 0));
  CHECK(1, apply(BINARY(mulhii, I64, I64), UINT64_C(1) << 63, 2, 0));
  CHECK(0x80, apply(UNARY(absi, I8, I8), 0x80, 0, 0)); /* 128 when read as unsigned */
  CHECK(5, apply(UNARY(absi, I32, I32), (uint32_t)-5, 0, 0));
  CHECK(0xfffffffb, apply(UNARY(negi, I32, I32), 5, 0, 0));
  CHECK(0x0f & 0x3c, apply(BINARY(andi, I8, I8), 0x0f, 0x3c, 0));
  CHECK(0x3f, apply(BINARY(ori, I8, I8), 0x0f, 0x3c, 0));
  CHECK(0x33, apply(BINARY(xori, I8, I8), 0x0f, 0x3c, 0));
}

static void test_integer_division(void **state) {
  (void)state;
  static const struct {
    int a, b, zero, down, up;
  } rows[] = {{7, 2, 3, 3, 4},   {-7, 2, -3, -4, -3}, {7, -2, -3, -4, -3},
              {-7, -2, 3, 3, 4}, {6, 3, 2, 2, 2},     {-6, 3, -2, -2, -2},
              {0, 5, 0, 0, 0},   {1, 5, 0, 0, 1},     {-1, 5, 0, -1, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t a = (uint32_t)rows[i].a, b = (uint32_t)rows[i].b;
    CHECK((uint32_t)rows[i].zero,
          apply(BINARY(divi, I32, I32, .signedness = 1, .rounding = ROUND_ZERO), a, b, 0));
    CHECK((uint32_t)rows[i].down,
          apply(BINARY(divi, I32, I32, .signedness = 1, .rounding = ROUND_NEGATIVE_INF), a, b, 0));
    CHECK((uint32_t)rows[i].up,
          apply(BINARY(divi, I32, I32, .signedness = 1, .rounding = ROUND_POSITIVE_INF), a, b, 0));
    CHECK((uint32_t)(rows[i].a % rows[i].b),
          apply(BINARY(remi, I32, I32, .signedness = 1), a, b, 0));
  }
  CHECK(0x7f, apply(BINARY(divi, I8, I8, .rounding = ROUND_ZERO), 0xff, 2, 0));
  CHECK(0x80, apply(BINARY(divi, I8, I8, .rounding = ROUND_POSITIVE_INF), 0xff, 2, 0));
  CHECK(1, apply(BINARY(remi, I8, I8), 0xff, 2, 0));
  /* Undefined, yet without a trap. */
  CHECK(0xff, apply(BINARY(divi, I8, I8, .signedness = 1, .rounding = ROUND_ZERO), 5, 0, 0));
  CHECK(0x80, apply(BINARY(divi, I8, I8, .signedness = 1, .rounding = ROUND_ZERO), 0x80, 0xff, 0));
  CHECK(5, apply(BINARY(remi, I8, I8, .signedness = 1), 5, 0, 0));
  CHECK(0, apply(BINARY(remi, I64, I64, .signedness = 1), UINT64_C(1) << 63, UINT64_MAX, 0));
}

static void test_integer_order(void **state) {
  (void)state;
  CHECK(0x01, apply(BINARY(maxi, I8, I8, .signedness = 1), 0xff, 0x01, 0));
  CHECK(0xff, apply(BINARY(maxi, I8, I8, .signedness = 0), 0xff, 0x01, 0));
  CHECK(0xff, apply(BINARY(mini, I8, I8, .signedness = 1), 0xff, 0x01, 0));
  CHECK(0x01, apply(BINARY(mini, I8, I8, .signedness = 0), 0xff, 0x01, 0));
  /* Predicates on less, equal, greater. */
  static const unsigned expected[6] = {0x2, 0x5, 0x1, 0x3, 0x4, 0x6};
  for (unsigned p = 0; p < 6; p++) {
    for (unsigned k = 0; k < 3; k++) {
      uint64_t a = (uint64_t)(int64_t)((int)k - 1); /* -1, 0, 1 against 0 */
      unsigned want = expected[p] >> k & 1;
      CHECK(want, apply(BINARY(cmpi, I64, I1, .predicate = p, .signedness = 1), a, 0, 0));
      CHECK(want, apply(BINARY(cmpi, I16, I1, .predicate = p, .signedness = 1), a & 0xffff, 0, 0));
      uint64_t b = k; /* 0, 1, 2 against 1 */
      CHECK(want, apply(BINARY(cmpi, I32, I1, .predicate = p, .signedness = 0), b, 1, 0));
    }
  }
  CHECK(1, apply(BINARY(cmpi, I1, I1, .predicate = CMP_LESS, .signedness = 1), 1, 0, 0)); /* -1 */
}

static void test_shifts(void **state) {
  (void)state;
  CHECK(0x80, apply(BINARY(shli, I8, I8), 1, 7, 0));
  CHECK(0xfe, apply(BINARY(shli, I8, I8), 0xff, 1, 0));
  CHECK(0x01, apply(BINARY(shri, I8, I8, .signedness = 0), 0x80, 7, 0));
  CHECK(0xff, apply(BINARY(shri, I8, I8, .signedness = 1), 0x80, 7, 0));
  CHECK(0, apply(BINARY(shli, I32, I32), 1, 32, 0));
  CHECK(0, apply(BINARY(shri, I32, I32), 0xffffffff, 0xffffffff, 0)); /* the amount is unsigned */
  CHECK(0xffffffff, apply(BINARY(shri, I32, I32, .signedness = 1), SIGN32, 40, 0));
}

/* ---- floats --------------------------------------------------------------------------------- */

static void test_float_special_values(void **state) {
  (void)state;
  CHECK(NAN32, apply(BINARY(addf, F32, F32), INF32, INF32 | SIGN32, 0));
  CHECK(NAN32, apply(BINARY(mulf, F32, F32), 0, INF32, 0));
  CHECK(NAN32, apply(BINARY(divf, F32, F32), 0, 0, 0));
  CHECK(INF32 | SIGN32, apply(BINARY(divf, F32, F32), f32(1), SIGN32, 0));
  CHECK(NAN32, apply(BINARY(subf, F32, F32), 0xffc12345, f32(1), 0)); /* canonical */
  CHECK(0, apply(BINARY(subf, F32, F32), f32(1), f32(1), 0));
  CHECK(SIGN32, apply(BINARY(subf, F32, F32, .rounding = ROUND_NEGATIVE_INF), f32(1), f32(1), 0));
  CHECK(NAN32, apply(UNARY(sqrt, F32, F32), f32(-1), 0, 0));
  CHECK(SIGN32, apply(UNARY(sqrt, F32, F32), SIGN32, 0, 0));
  CHECK(SIGN32, apply(UNARY(negf, F32, F32), 0, 0, 0));
  CHECK(0, apply(UNARY(absf, F32, F32), SIGN32, 0, 0));
  CHECK(SIGN32, apply(UNARY(ceil, F32, F32), f32(-0.5f), 0, 0));
  CHECK(f32(-1), apply(UNARY(floor, F32, F32), f32(-0.5f), 0, 0));
  CHECK(0x3c00, apply(UNARY(ceil, F16, F16), 0x0001, 0, 0));
  CHECK(f32(-1.5f), apply(BINARY(remf, F32, F32), f32(-5.5f), f32(2), 0));
  CHECK(f32(3), apply(BINARY(remf, F32, F32), f32(3), INF32, 0));
  CHECK(NAN32, apply(BINARY(remf, F32, F32), f32(3), 0, 0));
  CHECK(NAN32, apply(BINARY(remf, F32, F32), INF32, f32(3), 0));
}

static void test_flush_to_zero(void **state) {
  (void)state;
  const uint64_t tiny = 1, min_normal = 0x00800000;
  CHECK(0, apply(BINARY(addf, F32, F32, .flush_to_zero = 1), tiny, 0, 0));
  CHECK(tiny, apply(BINARY(addf, F32, F32), tiny, 0, 0));
  CHECK(SIGN32, apply(BINARY(mulf, F32, F32, .flush_to_zero = 1), min_normal, f32(-0.5f), 0));
  CHECK(SIGN32 | 0x00400000, apply(BINARY(mulf, F32, F32), min_normal, f32(-0.5f), 0));
  CHECK(INF32 | SIGN32,
        apply(BINARY(divf, F32, F32, .flush_to_zero = 1), f32(1), SIGN32 | tiny, 0));
  CHECK(INF32 | SIGN32, apply(UNARY(rsqrt, F32, F32, .flush_to_zero = 1), SIGN32 | tiny, 0, 0));
  CHECK(0, apply(UNARY(exp2, F32, F32, .flush_to_zero = 1), f32(-130), 0, 0));
  CHECK(0x00080000, apply(UNARY(exp2, F32, F32), f32(-130), 0, 0));
  CHECK(SIGN32, apply(BINARY(minf, F32, F32, .flush_to_zero = 1), SIGN32 | tiny, tiny, 0));
  CHECK(0, apply(TERNARY(fma, F32, F32, F32, F32, .flush_to_zero = 1), tiny, f32(2), 0));
}

static void test_minimum_maximum(void **state) {
  (void)state;
  CHECK(0, apply(BINARY(maxf, F32, F32), SIGN32, 0, 0));
  CHECK(0, apply(BINARY(maxf, F32, F32), 0, SIGN32, 0));
  CHECK(SIGN32, apply(BINARY(minf, F32, F32), SIGN32, 0, 0));
  CHECK(SIGN32, apply(BINARY(minf, F32, F32), 0, SIGN32, 0));
  CHECK(f32(1), apply(BINARY(maxf, F32, F32), NAN32, f32(1), 0));
  CHECK(f32(1), apply(BINARY(minf, F32, F32), f32(1), NAN32, 0));
  CHECK(NAN32, apply(BINARY(maxf, F32, F32), 0xffc00001, 0xffc00001, 0));
  CHECK(NAN32, apply(BINARY(maxf, F32, F32, .propagate_nan = 1), NAN32, f32(1), 0));
  CHECK(NAN32, apply(BINARY(minf, F32, F32, .propagate_nan = 1), f32(1), NAN32, 0));
}

static void test_float_comparison(void **state) {
  (void)state;
  static const unsigned expected[6] = {0x2, 0x5, 0x1, 0x3, 0x4, 0x6};
  static const float values[3] = {-1, 0, 1};
  for (unsigned p = 0; p < 6; p++) {
    for (unsigned o = 0; o < 2; o++) {
      exec_elementwise w = BINARY(cmpf, F32, I1, .predicate = p, .ordering = o);
      for (unsigned k = 0; k < 3; k++) CHECK(expected[p] >> k & 1, apply(w, f32(values[k]), 0, 0));
      CHECK(expected[p] >> 1 & 1, apply(w, SIGN32, 0, 0)); /* -0 equals +0 */
      CHECK(o == CMP_UNORDERED, apply(w, NAN32, 0, 0));
      CHECK(o == CMP_UNORDERED, apply(w, 0, NAN32, 0));
    }
  }
}

/* The host in its four rounding modes is an independent judge of f32 and f64. */
static void test_rounding_modes(void **state) {
  (void)state;
  static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  srand(1);
  for (int i = 0; i < 20000; i++) {
    float a = ldexpf((float)rand() / (float)RAND_MAX - 0.5f, rand() % 40 - 20);
    float b = ldexpf((float)rand() / (float)RAND_MAX - 0.5f, rand() % 40 - 20);
    float c = ldexpf((float)rand() / (float)RAND_MAX - 0.5f, rand() % 40 - 20);
    for (unsigned r = 0; r < 4; r++) {
      fesetround(modes[r]);
      volatile float x = a, y = b, z = c, magnitude = fabsf(a);
      volatile float sum = x + y, difference = x - y, product = x * y, quotient = x / y;
      volatile float fused = fmaf(x, y, z), root = sqrtf(magnitude);
      volatile double wide = (double)x / (double)y;
      fesetround(FE_TONEAREST);
      CHECK(f32(sum), apply(BINARY(addf, F32, F32, .rounding = r), f32(a), f32(b), 0));
      CHECK(f32(difference), apply(BINARY(subf, F32, F32, .rounding = r), f32(a), f32(b), 0));
      CHECK(f32(product), apply(BINARY(mulf, F32, F32, .rounding = r), f32(a), f32(b), 0));
      CHECK(f32(quotient), apply(BINARY(divf, F32, F32, .rounding = r), f32(a), f32(b), 0));
      CHECK(f32(root), apply(UNARY(sqrt, F32, F32, .rounding = r), f32(fabsf(a)), 0, 0));
      CHECK(f32(fused),
            apply(TERNARY(fma, F32, F32, F32, F32, .rounding = r), f32(a), f32(b), f32(c)));
      CHECK(f64(wide), apply(BINARY(divf, F64, F64, .rounding = r), f64(a), f64(b), 0));
    }
  }
  /* f16: 1/3 lies between 0x3555 and 0x3556, nearer the first. */
  static const uint64_t third[4] = {0x3555, 0x3555, 0x3555, 0x3556};
  for (unsigned r = 0; r < 4; r++)
    CHECK(third[r], apply(BINARY(divf, F16, F16, .rounding = r), 0x3c00, 0x4200, 0));
  CHECK(0x3eab, apply(BINARY(divf, BF16, BF16), 0x3f80, 0x4040, 0)); /* 1/3 */
  CHECK(f32(1.0f / 3), apply(BINARY(divf, F32, F32, .rounding = ROUND_APPROX), f32(1), f32(3), 0));
  CHECK(f32(1.0f / 3), apply(BINARY(divf, F32, F32, .rounding = ROUND_FULL), f32(1), f32(3), 0));
}

static void test_math(void **state) {
  (void)state;
  exec_elementwise e = UNARY(exp, F32, F32, .rounding = ROUND_FULL);
  CHECK(f32(2.7182818f), apply(e, f32(1), 0, 0));
  CHECK(INF32, apply(e, f32(89), 0, 0));
  CHECK(0, apply(e, INF32 | SIGN32, 0, 0));
  CHECK(0x4170, apply(UNARY(exp, F16, F16), 0x3c00, 0, 0)); /* 2.71875 */
  CHECK(0x402e, apply(UNARY(exp, BF16, BF16), 0x3f80, 0, 0));
  CHECK(f64(8), apply(UNARY(exp2, F64, F64), f64(3), 0, 0));
  CHECK(f32(0), apply(UNARY(log, F32, F32), f32(1), 0, 0));
  CHECK(INF32 | SIGN32, apply(UNARY(log, F32, F32), 0, 0, 0));
  CHECK(NAN32, apply(UNARY(log2, F32, F32), f32(-1), 0, 0));
  CHECK(f32(10), apply(UNARY(log2, F32, F32), f32(1024), 0, 0));
  CHECK(f32(0.5f), apply(UNARY(rsqrt, F32, F32), f32(4), 0, 0));
  CHECK(INF32, apply(UNARY(rsqrt, F32, F32), 0, 0, 0));
  CHECK(INF32 | SIGN32, apply(UNARY(rsqrt, F32, F32), SIGN32, 0, 0));
  CHECK(NAN32, apply(UNARY(rsqrt, F32, F32), f32(-4), 0, 0));
  CHECK(0, apply(UNARY(rsqrt, F32, F32), INF32, 0, 0));
  CHECK(f32(1), apply(BINARY(pow, F32, F32), NAN32, 0, 0));
  CHECK(f32(-8), apply(BINARY(pow, F32, F32), f32(-2), f32(3), 0));
  CHECK(NAN32, apply(BINARY(pow, F32, F32), f32(-2), f32(0.5f), 0));
  CHECK(f32(3.1415927f), apply(BINARY(atan2, F32, F32), 0, f32(-1), 0));
  CHECK(f32(1.5707964f), apply(BINARY(atan2, F32, F32), f32(1), 0, 0)); /* x is the numerator */
  CHECK(f32(0.84147098f), apply(UNARY(sin, F32, F32), f32(1), 0, 0));
  CHECK(NAN32, apply(UNARY(cos, F32, F32), INF32, 0, 0));
  CHECK(f32(1.5574077f), apply(UNARY(tan, F32, F32), f32(1), 0, 0));
  CHECK(SIGN32, apply(UNARY(sinh, F32, F32), SIGN32, 0, 0));
  CHECK(f32(1), apply(UNARY(cosh, F32, F32), 0, 0, 0));
  CHECK(f32(-1), apply(UNARY(tanh, F32, F32, .rounding = ROUND_FULL), INF32 | SIGN32, 0, 0));
}

/* ---- conversions ---------------------------------------------------------------------------- */

static void test_conversions(void **state) {
  (void)state;
  CHECK(UINT64_MAX, apply(UNARY(exti, I1, I64, .signedness = 1), 1, 0, 0));
  CHECK(1, apply(UNARY(exti, I1, I64, .signedness = 0), 1, 0, 0));
  CHECK(0xf8, apply(UNARY(exti, I4, I8, .signedness = 1), 0x8, 0, 0));
  CHECK(0x8, apply(UNARY(exti, I4, I8, .signedness = 0), 0x8, 0, 0));
  CHECK(0x4, apply(UNARY(trunci, I32, I4), 0x1234, 0, 0));
  CHECK(1, apply(UNARY(trunci, I32, I1), 3, 0, 0));
  CHECK(f32(-1), apply(UNARY(itof, I1, F32, .signedness = 1), 1, 0, 0));
  CHECK(f32(255), apply(UNARY(itof, I8, F32, .signedness = 0), 0xff, 0, 0));
  CHECK(f32(16777216), apply(UNARY(itof, I32, F32, .signedness = 1), 16777217, 0, 0));
  CHECK(f32(16777218), apply(UNARY(itof, I32, F32, .signedness = 1, .rounding = ROUND_POSITIVE_INF),
                             16777217, 0, 0));
  CHECK(0x7c00, apply(UNARY(itof, I32, F16, .signedness = 1), 100000, 0, 0));    /* +inf */
  CHECK(0x7e, apply(UNARY(itof, I32, F8E4M3FN, .signedness = 1), 100000, 0, 0)); /* 448 */
  exec_elementwise truncate =
      UNARY(ftoi, F32, I32, .signedness = 1, .rounding = ROUND_NEAREST_INT_TO_ZERO);
  CHECK((uint32_t)-2, apply(truncate, f32(-2.9f), 0, 0));
  CHECK(0, apply(truncate, NAN32, 0, 0));               /* undefined */
  CHECK(0x7fffffff, apply(truncate, f32(3e9f), 0, 0));  /* undefined */
  CHECK(0x80000000, apply(truncate, f32(-3e9f), 0, 0)); /* undefined */
  CHECK(3000000000u, apply(UNARY(ftoi, F32, I32, .signedness = 0), f32(3e9f), 0, 0));
  CHECK(0x3e00, apply(UNARY(ftof, F32, F16), f32(1.5f), 0, 0));
  CHECK(0x7e, apply(UNARY(ftof, F32, F8E4M3FN), NAN32, 0, 0)); /* the language's table: +MAX */
  CHECK(0x7e, apply(UNARY(ftof, F32, F8E4M3FN), INF32, 0, 0));
  CHECK(0xfb, apply(UNARY(ftof, F32, F8E5M2), f32(-1e30f), 0, 0)); /* -57344 */
  CHECK(0x7f, apply(UNARY(ftof, F32, F8E5M2), NAN32, 0, 0) | 1);   /* some NaN */
  CHECK(0x3f802000, apply(UNARY(ftof, F32, TF32), 0x3f801001, 0, 0));
  CHECK(0x80, apply(UNARY(ftof, F32, F8E8M0FNU, .rounding = ROUND_ZERO), f32(3), 0, 0));
  CHECK(0x81, apply(UNARY(ftof, F32, F8E8M0FNU, .rounding = ROUND_POSITIVE_INF), f32(3), 0, 0));
  CHECK(0x7, apply(UNARY(ftof, F32, F4E2M1FN), f32(100), 0, 0)); /* 6 */
  CHECK(f32(-0.5f), apply(UNARY(ftof, F4E2M1FN, F32), 0x9, 0, 0));
  CHECK(0x3f800000, apply(UNARY(bitcast, F32, I32), f32(1), 0, 0));
  CHECK(0x1234, apply(UNARY(int_to_ptr, I64, PTR), 0x1234, 0, 0));
  CHECK(0x1234, apply(UNARY(ptr_to_int, PTR, I64), 0x1234, 0, 0));
  CHECK(0x1234, apply(UNARY(ptr_to_ptr, PTR, PTR), 0x1234, 0, 0));
}

static void test_core(void **state) {
  (void)state;
  CHECK(7, apply(TERNARY(select, I1, I32, I32, I32), 1, 7, 8));
  CHECK(8, apply(TERNARY(select, I1, I32, I32, I32), 0, 7, 8));
  exec_elementwise w = {.opcode = OP_offset,
                        .n_operands = 2,
                        .result = TSR_PTR,
                        .operands = {TSR_PTR, TSR_I32},
                        .pointee = TSR_F32};
  CHECK(1012, apply(w, 1000, 3, 0));
  CHECK(996, apply(w, 1000, 0xffffffff, 0));
  w.operands[1] = TSR_I8;
  CHECK(1000 - 512, apply(w, 1000, 0x80, 0));
  w.pointee = TSR_I1;
  CHECK(1003, apply(w, 1000, 3, 0));
  w.pointee = TSR_F4E2M1FN; /* two to a byte */
  CHECK(1002, apply(w, 1000, 4, 0));
  CHECK(1002, apply(w, 1000, 5, 0));
  CHECK(999, apply(w, 1000, 0xff, 0));
}

/* ---- loops against the definition ----------------------------------------------------------- */

/* Runs an operation over arrays and element by element; a length that leaves a rest. */
static void compare_loop(exec_elementwise w) {
  enum { N = 301 };
  static uint64_t memory[4][N + 1];
  char *base[4];
  for (int k = 0; k < 4; k++) base[k] = (char *)memory[k] + 1; /* nothing is aligned */
  uint64_t x[3][N], got[N];
  static const uint64_t specials[] = {0,
                                      1,
                                      UINT64_MAX,
                                      0x7fc00000,
                                      0x7f800000,
                                      0x80000000,
                                      0xff800000,
                                      0x7fffffff,
                                      0x3f800000,
                                      0x8000000000000000,
                                      0x7ff0000000000000,
                                      0xfff8000000000000,
                                      31,
                                      64};
  for (int o = 0; o < w.n_operands; o++) {
    for (int i = 0; i < N; i++) {
      uint64_t v = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
      if (rand() % 4 == 0) v = specials[(size_t)rand() % (sizeof specials / sizeof *specials)];
      if (rand() % 8 == 0 && o > 0) v = x[0][i];
      x[o][i] = num_wrap(v, tsr_elem_bits((tsr_elem)w.operands[o]));
    }
    if (w.operands[o] == TSR_I1) /* any byte that is not zero is true */
      for (int i = 0; i < N; i++) base[o][i] = (char)(x[o][i] ? 1 + rand() % 200 : 0);
    else
      num_store_array(base[o], x[o], (tsr_elem)w.operands[o], 0, N);
  }
  exec_elementwise_run(&w, base[3], (const void *const *)base, N);
  num_load_array(got, base[3], (tsr_elem)w.result, 0, N);
  for (int i = 0; i < N; i++) {
    uint64_t in[3] = {x[0][i], w.n_operands > 1 ? x[1][i] : 0, w.n_operands > 2 ? x[2][i] : 0};
    if (exec_scalar(&w, in) != got[i])
      fail_msg("%s: element %d: the loop gives %llx, the definition %llx", op_table[w.opcode].name,
               i, (unsigned long long)got[i], (unsigned long long)exec_scalar(&w, in));
  }
}

static void test_loops(void **state) {
  (void)state;
  srand(7);
  static const tsr_elem ints[] = {TSR_I1, TSR_I8, TSR_I16, TSR_I32, TSR_I64};
  static const op_code int_ops[] = {OP_addi, OP_subi, OP_muli, OP_mulhii, OP_divi, OP_remi, OP_maxi,
                                    OP_mini, OP_shli, OP_shri, OP_andi,   OP_ori,  OP_xori};
  for (size_t e = 0; e < ARRAY_LEN(ints); e++) {
    uint8_t elem = (uint8_t)ints[e];
    for (unsigned s = 0; s < 2; s++) {
      for (size_t o = 0; o < ARRAY_LEN(int_ops); o++)
        compare_loop((exec_elementwise){.opcode = (uint16_t)int_ops[o],
                                        .n_operands = 2,
                                        .result = elem,
                                        .operands = {elem, elem},
                                        .rounding = ROUND_ZERO,
                                        .signedness = (uint8_t)s});
      for (unsigned p = 0; p < 6; p++)
        compare_loop((exec_elementwise){.opcode = OP_cmpi,
                                        .n_operands = 2,
                                        .result = TSR_I1,
                                        .operands = {elem, elem},
                                        .predicate = (uint8_t)p,
                                        .signedness = (uint8_t)s});
      for (size_t to = 0; to < ARRAY_LEN(ints); to++)
        compare_loop((exec_elementwise){.opcode = to > e ? OP_exti : OP_trunci,
                                        .n_operands = 1,
                                        .result = (uint8_t)ints[to],
                                        .operands = {elem},
                                        .signedness = (uint8_t)s});
      compare_loop((exec_elementwise){.opcode = OP_itof,
                                      .n_operands = 1,
                                      .result = TSR_F32,
                                      .operands = {elem},
                                      .signedness = (uint8_t)s});
    }
  }
  static const tsr_elem floats[] = {TSR_F16, TSR_BF16, TSR_F32, TSR_F64};
  static const op_code float_ops[] = {OP_addf, OP_subf, OP_mulf, OP_divf, OP_remf, OP_maxf, OP_minf,
                                      OP_fma,  OP_negf, OP_absf, OP_sqrt, OP_ceil, OP_floor};
  for (size_t e = 0; e < ARRAY_LEN(floats); e++) {
    uint8_t elem = (uint8_t)floats[e];
    for (size_t o = 0; o < ARRAY_LEN(float_ops); o++) {
      uint8_t n = float_ops[o] == OP_fma ? 3 : op_n_operands(&op_table[float_ops[o]]) == 1 ? 1 : 2;
      for (unsigned variant = 0; variant < 4; variant++)
        compare_loop((exec_elementwise){.opcode = (uint16_t)float_ops[o],
                                        .n_operands = n,
                                        .result = elem,
                                        .operands = {elem, elem, elem},
                                        .rounding = variant == 1 ? ROUND_NEGATIVE_INF : 0,
                                        .flush_to_zero = variant == 2,
                                        .propagate_nan = variant == 3});
    }
    for (unsigned p = 0; p < 12; p++)
      compare_loop((exec_elementwise){.opcode = OP_cmpf,
                                      .n_operands = 2,
                                      .result = TSR_I1,
                                      .operands = {elem, elem},
                                      .predicate = (uint8_t)(p % 6),
                                      .ordering = (uint8_t)(p / 6)});
    for (size_t to = 0; to < ARRAY_LEN(floats); to++)
      for (unsigned r = 0; r < 2; r++)
        compare_loop((exec_elementwise){.opcode = OP_ftof,
                                        .n_operands = 1,
                                        .result = (uint8_t)floats[to],
                                        .operands = {elem},
                                        .rounding = (uint8_t)r});
    compare_loop((exec_elementwise){.opcode = OP_ftoi,
                                    .n_operands = 1,
                                    .result = TSR_I32,
                                    .operands = {elem},
                                    .signedness = 1});
  }
}

static void test_loops_of_any_type(void **state) {
  (void)state;
  srand(8);
  for (int e = 0; e < TSR_ELEM_COUNT; e++) {
    uint8_t elem = (uint8_t)e;
    compare_loop((exec_elementwise){
        .opcode = OP_select, .n_operands = 3, .result = elem, .operands = {TSR_I1, elem, elem}});
    compare_loop((exec_elementwise){
        .opcode = OP_bitcast, .n_operands = 1, .result = elem, .operands = {elem}});
    if (e == TSR_PTR) continue;
    for (unsigned w = TSR_I8; w <= TSR_I64; w++)
      compare_loop((exec_elementwise){.opcode = OP_offset,
                                      .n_operands = 2,
                                      .result = TSR_PTR,
                                      .operands = {TSR_PTR, (uint8_t)w},
                                      .pointee = elem});
  }
}

/* Every element-wise operation has a meaning: one that exec_scalar forgot would give 0 for all. */
static void test_every_operation(void **state) {
  (void)state;
  for (int code = 1; code < OP_COUNT; code++) {
    const op_row *row = &op_table[code];
    if (!(row->traits & TRAIT_ELEMENTWISE)) continue;
    exec_elementwise w = {.opcode = (uint16_t)code,
                          .n_operands = (uint8_t)op_n_operands(row),
                          .predicate = CMP_NOT_EQUAL};
    const op_operand *parts[4] = {&row->results[0]};
    uint8_t elems[4];
    for (unsigned o = 0; o < w.n_operands; o++) parts[1 + o] = &row->operands[o];
    for (unsigned o = 0; o <= w.n_operands; o++) {
      uint32_t allowed = constraint_table[parts[o]->constraint].elems;
      elems[o] = (uint8_t)(allowed >> TSR_I64 & 1 ? TSR_I64 : (tsr_elem)__builtin_ctz(allowed));
    }
    w.result = elems[0];
    for (unsigned o = 0; o < w.n_operands; o++) w.operands[o] = elems[1 + o];
    uint64_t any = 0;
    for (unsigned k = 0; k < 2; k++) {
      uint64_t big = tsr_elem_bits((tsr_elem)w.operands[0]) == 64 ? 0x4010000000000003u : 0x4403;
      if (w.operands[0] == TSR_I1) big = 1;
      any |= apply(w, big, k ? 1 : big - 1, 1);
    }
    if (!any) fail_msg("%s gives 0 whatever it gets", row->name);
  }
}

/* ---- print_tko ------------------------------------------------------------------------------ */

static tsr_context *context;
static arena scratch;

static const char *format(const char *text, const rt_print_arg *args, size_t count) {
  sbuf out = SBUF(&scratch);
  sbuf_puts(&out, "");
  exec_print_format(&out, str_of(text), args, count);
  return out.data;
}

static void check_int(const char *expected, const char *text, tsr_elem elem, uint64_t pattern) {
  assert_string_equal(expected,
                      format(text, &(rt_print_arg){.data = &pattern, .elem = (uint8_t)elem}, 1));
}

static void test_print_numbers(void **state) {
  (void)state;
  check_int("x = -5", "x = %d", TSR_I32, (uint32_t)-5);
  check_int("x = -5", "x = %i", TSR_I8, 0xfb);
  check_int("-5", "%lld", TSR_I32, (uint32_t)-5); /* the type counts, not the modifier */
  check_int("9223372036854775807", "%d", TSR_I64, INT64_MAX);
  check_int("251", "%u", TSR_I8, 0xfb);
  check_int("fb|", "%x|", TSR_I8, 0xfb);
  check_int("0XFB", "%#X", TSR_I8, 0xfb);
  check_int("   42|", "%5d|", TSR_I32, 42);
  check_int("42   |", "%-5d|", TSR_I32, 42);
  check_int("+0042", "%+05d", TSR_I32, 42);
  check_int("A", "%c", TSR_I8, 'A');
  check_int("1", "%d", TSR_I1, 1);
  check_int("-7", "%f", TSR_I32, (uint32_t)-7); /* does not fit: as a bare '%' */
  check_int("-7", "%s", TSR_I32, (uint32_t)-7);
  check_int("-7", "%n", TSR_I32, (uint32_t)-7);
  check_int("-1", "%d", TSR_I4, 0xf);
  check_int("1.500000", "%f", TSR_F32, f32(1.5f));
  check_int("1.50", "%.2f", TSR_F16, 0x3e00);
  check_int("1.5e+00", "%.1e", TSR_BF16, 0x3fc0);
  check_int("-0.5", "%g", TSR_F4E2M1FN, 0x9);
  check_int("0.1", "%", TSR_F64, f64(0.1));
  check_int("0.1", "%d", TSR_F64, f64(0.1));
  check_int("nan", "%f", TSR_F32, 0xffc00000);
  check_int("-inf", "%f", TSR_F32, INF32 | SIGN32);
  check_int("0x10", "%p", TSR_PTR, 16);
  check_int("0x10", "%", TSR_PTR, 16);
  check_int("16", "%u", TSR_PTR, 16);
}

static void test_print_text(void **state) {
  (void)state;
  assert_string_equal("", format("", NULL, 0));
  assert_string_equal("100%\n", format("100%%\n", NULL, 0));
  int32_t v[3] = {1, 2, 3};
  rt_print_arg args[3] = {{.data = &v[0], .elem = TSR_I32},
                          {.data = &v[1], .elem = TSR_I32},
                          {.data = &v[2], .elem = TSR_I32}};
  assert_string_equal("<1, 2, 3> % ", format("<%, %, %> %% ", args, 3));
  assert_string_equal("1% 2", format("%i%% %i", args, 2));
  assert_string_equal("1, %d", format("%d, %d", args, 1)); /* too few arguments */
  assert_string_equal("%5", format("%5", args, 1));        /* breaks off */
  assert_string_equal("%l!", format("%l!", args, 1));
  assert_string_equal("1", format("%", args, 1));
}

static void test_print_tiles(void **state) {
  (void)state;
  const int16_t v[8] = {1, 2, 3, 4, 5, 6, 7, -8};
  assert_string_equal("[1, 2, 3, 4]",
                      format("%d", &(rt_print_arg){v, TSR_I16, 1, (const int64_t[]){4}}, 1));
  assert_string_equal("[[1, 2], [3, 4]]",
                      format("%", &(rt_print_arg){v, TSR_I16, 2, (const int64_t[]){2, 2}}, 1));
  assert_string_equal("[[[1, 2], [3, 4]], [[5, 6], [7, -8]]]",
                      format("%d", &(rt_print_arg){v, TSR_I16, 3, (const int64_t[]){2, 2, 2}}, 1));
  assert_string_equal("[[1], [2]]",
                      format("%d", &(rt_print_arg){v, TSR_I16, 2, (const int64_t[]){2, 1}}, 1));
  assert_string_equal("[1]", format("%d", &(rt_print_arg){v, TSR_I16, 1, (const int64_t[]){1}}, 1));
  const uint8_t nibbles[1] = {0x21};
  assert_string_equal(
      "[0.5, 1]", format("%g", &(rt_print_arg){nibbles, TSR_F4E2M1FN, 1, (const int64_t[]){2}}, 1));
}

static void test_print_conversion(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
  } rows[] = {{"%d", 2},   {"%5.2f x", 5}, {"%lld", 4},      {"%%", 2},  {"%", 1},
              {"%, %", 1}, {"%> is", 1},   {"%5", 0},        {"%l", 0},  {"%.3", 0},
              {"% d", 3},  {"% ", 1},      {"%-08.3lle", 9}, {"%\n", 1}, {"%5,", 0}};
  for (size_t i = 0; i < ARRAY_LEN(rows); i++)
    assert_int_equal(rows[i].length,
                     exec_print_conversion(rows[i].text, rows[i].text + strlen(rows[i].text)));
  /* A width that would fill the memory is cut. */
  check_int("", "", TSR_I32, 1);
  assert_int_equal(512,
                   strlen(format("%99999999999d", &(rt_print_arg){"abcd", TSR_I32, 0, NULL}, 1)));
}

static int set_up(void **state) {
  (void)state;
  context = tsr_context_create(NULL);
  arena_init(&scratch, context);
  return context ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  arena_free(&scratch);
  tsr_context_destroy(context);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integer_arithmetic),
      cmocka_unit_test(test_integer_division),
      cmocka_unit_test(test_integer_order),
      cmocka_unit_test(test_shifts),
      cmocka_unit_test(test_float_special_values),
      cmocka_unit_test(test_flush_to_zero),
      cmocka_unit_test(test_minimum_maximum),
      cmocka_unit_test(test_float_comparison),
      cmocka_unit_test(test_rounding_modes),
      cmocka_unit_test(test_math),
      cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_core),
      cmocka_unit_test(test_loops),
      cmocka_unit_test(test_loops_of_any_type),
      cmocka_unit_test(test_every_operation),
      cmocka_unit_test(test_print_numbers),
      cmocka_unit_test(test_print_text),
      cmocka_unit_test(test_print_tiles),
      cmocka_unit_test(test_print_conversion),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
