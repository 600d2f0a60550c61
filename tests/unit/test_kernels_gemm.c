/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The matrix products in kernels/ beside plain C, on the interpreter and compiled at every feature
 * level, with sizes that fill no tile. Elements are quarters from -1 to 1, which every format has,
 * so that sums are exact in any order.
 */
#include "kernel_run.h"

#include "num/num.h"

enum { M = 70, N = 132, K = 75, GROUPS = 3, ROOM = 64 << 10 };

static double a[ROOM], b[ROOM], x[ROOM], want[ROOM];
static uint8_t a_data[ROOM * 8], b_data[ROOM * 8], x_data[ROOM * 8];
static float c32[ROOM];
static double c64[ROOM];

static double quarter(void) {
  return floor((double)random_float() * 4) / 4;
}

static void put(uint8_t *at, tsr_elem elem, size_t i, double value) {
  const num_format *f = num_format_of(elem);
  uint64_t bits = f ? num_encode(f, value, NUM_NEAREST_EVEN) : (uint64_t)(int64_t)(value * 4);
  unsigned size = tsr_elem_bits(elem) / 8;
  if (size == 0) {
    at[i / 2] = (uint8_t)(i % 2 ? (at[i / 2] & 15) | bits << 4 : (at[i / 2] & 0xf0) | bits);
    return;
  }
  memcpy(at + i * size, &bits, size);
}

static void make(double *values, uint8_t *data, tsr_elem elem, size_t n) {
  for (size_t i = 0; i < n; i++) put(data, elem, i, values[i] = quarter());
}

/* want = product of row-major matrices, the sums scaled as integers are. */
static void multiply(const double *left, const double *right, double *out, size_t m, size_t n,
                     size_t k, double scale) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t l = 0; l < k; l++) sum += left[i * k + l] * right[l * n + j];
      out[i * n + j] = sum * scale;
    }
}

static void give_sizes(run *r, int32_t m, int32_t n, int32_t k) {
  give_i32(r, m);
  give_i32(r, n);
  give_i32(r, k);
}

/* ---- element types -------------------------------------------------------------------------- */

typedef struct typed {
  const char *kernel;
  tsr_elem elem, sum;
} typed;

static void type_on(const engine *on, const char *file, const typed *t, uint32_t tile_m,
                    uint32_t tile_n, int32_t m) {
  make(a, a_data, t->elem, (size_t)m * K);
  make(b, b_data, t->elem, N * K);
  multiply(a, b, want, (size_t)m, N, K, t->sum == TSR_I32 ? 16 : 1);
  memset(c32, 0xff, sizeof c32);
  run r;
  start(&r, on, file, t->kernel);
  GIVE(&r, a_data);
  GIVE(&r, b_data);
  if (t->sum == TSR_F64)
    GIVE(&r, c64);
  else
    GIVE(&r, c32);
  give_sizes(&r, m, N, K);
  finish(&r, up((uint32_t)m, tile_m), up(N, tile_n), 1);
  size_t count = (size_t)m * N;
  uint32_t behind;
  memcpy(&behind, &c32[count], 4);
  if (t->sum != TSR_F64) assert_int_equal(behind, UINT32_MAX);
  for (size_t i = 0; i < count && t->sum != TSR_F32; i++) {
    int32_t whole;
    memcpy(&whole, &c32[i], 4);
    c32[i] = t->sum == TSR_F64 ? (float)c64[i] : (float)whole;
  }
  compare(&r, t->kernel, c32, want, count, 1e-6);
}

static const typed types[] = {
    {"gemm_f32_128x128x64", TSR_F32, TSR_F32},
    {"gemm_f64_128x128x64", TSR_F64, TSR_F64},
    {"gemm_tf32_128x128x64", TSR_TF32, TSR_F32},
    {"gemm_bf16_128x128x64", TSR_BF16, TSR_F32},
    {"gemm_f16_128x128x64", TSR_F16, TSR_F32},
    {"gemm_f8E4M3FN_128x128x64", TSR_F8E4M3FN, TSR_F32},
    {"gemm_f8E5M2_128x128x64", TSR_F8E5M2, TSR_F32},
    {"gemm_s8_128x128x64", TSR_I8, TSR_I32},
};

static void types_on(const engine *on) {
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
    type_on(on, "gemm", &types[i], 128, 128, M);
  type_on(on, "gemm", &(typed){"gemm_f32_64x64x64", TSR_F32, TSR_F32}, 64, 64, M);
  type_on(on, "gemm", &(typed){"gemm_f32_128x256x64", TSR_F32, TSR_F32}, 128, 256, M);
  type_on(on, "gemm_tiles", &(typed){"gemm_bf16_128x256x64", TSR_BF16, TSR_F32}, 128, 256, M);
  type_on(on, "gemm_tiles", &(typed){"gemm_f16_128x256x64", TSR_F16, TSR_F32}, 128, 256, M);
  type_on(on, "gemm_tiles", &(typed){"gemm_bf16_128x64x64", TSR_BF16, TSR_F32}, 128, 64, M);
  type_on(on, "gemm_tiles", &(typed){"gemm_bf16_64x128x64", TSR_BF16, TSR_F32}, 64, 128, M);
}

/* Bytes above 127 on the left, every sign on the right. */
static void unsigned_on(const engine *on) {
  static int32_t c[M * N];
  for (int i = 0; i < M * K; i++) a_data[i] = (uint8_t)(i * 7);
  for (int i = 0; i < N * K; i++) b_data[i] = (uint8_t)(i * 11);
  run r;
  start(&r, on, "gemm", "gemm_u8s8_128x128x64");
  GIVE(&r, a_data);
  GIVE(&r, b_data);
  GIVE(&r, c);
  give_sizes(&r, M, N, K);
  finish(&r, 1, 2, 1);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      int32_t sum = 0;
      for (int k = 0; k < K; k++) sum += a_data[i * K + k] * (int8_t)b_data[k * N + j];
      assert_int_equal(c[i * N + j], sum);
    }
}

static void thin_on(const engine *on) {
  static const typed wide = {"gemm_thin_f32_16x1024x16", TSR_F32, TSR_F32};
  static const typed one = {"gemm_thin_f32_1x1024x32", TSR_F32, TSR_F32};
  type_on(on, "gemm_thin", &wide, 16, 1024, 5);
  type_on(on, "gemm_thin", &one, 1, 1024, 1);
}

static void element_types(void **state) {
  (void)state;
  on_all(types_on);
  on_all(unsigned_on);
  on_all(thin_on);
}

/* ---- layouts -------------------------------------------------------------------------------- */

static void transpose(const double *from, uint8_t *to, tsr_elem elem, size_t rows, size_t cols) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++) put(to, elem, j * rows + i, from[i * cols + j]);
}

static void transposed_on(const engine *on) {
  static const struct {
    const char *file, *kernel;
    tsr_elem elem;
    bool a, b;
  } cases[] = {{"gemm_layouts", "gemm_tn", TSR_F32, true, false},
               {"gemm_layouts", "gemm_nt", TSR_F32, false, true},
               {"gemm_layouts", "gemm_tt", TSR_F32, true, true},
               {"gemm_tiles", "gemm_nt_f8E4M3FN_128x128x128", TSR_F8E4M3FN, false, true}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    tsr_elem elem = cases[i].elem;
    make(a, a_data, elem, M * K);
    make(b, b_data, elem, N * K);
    multiply(a, b, want, M, N, K, 1);
    if (cases[i].a) transpose(a, a_data, elem, M, K);
    if (cases[i].b) transpose(b, b_data, elem, K, N);
    run r;
    start(&r, on, cases[i].file, cases[i].kernel);
    GIVE(&r, a_data);
    GIVE(&r, b_data);
    GIVE(&r, c32);
    give_sizes(&r, M, N, K);
    finish(&r, 1, 2, 1);
    compare(&r, cases[i].kernel, c32, want, M * N, 1e-6);
  }
}

static void strided_on(const engine *on) {
  enum { LDA = K + 3, LDB = N + 5, LDC = N + 1 };
  make(a, a_data, TSR_F32, M * LDA);
  make(b, b_data, TSR_F32, K * LDB);
  run r;
  start(&r, on, "gemm_layouts", "gemm_strided");
  GIVE(&r, a_data);
  GIVE(&r, b_data);
  GIVE(&r, c32);
  give_sizes(&r, M, N, K);
  give_i32(&r, LDA);
  give_i32(&r, LDB);
  give_i32(&r, LDC);
  finish(&r, 1, 2, 1);
  for (size_t i = 0; i < M; i++)
    for (size_t j = 0; j < N; j++) {
      want[j] = 0;
      for (size_t k = 0; k < K; k++) want[j] += a[i * LDA + k] * b[k * LDB + j];
      compare(&r, "gemm_strided", &c32[i * LDC + j], &want[j], 1, 1e-6);
    }
}

static void batched_on(const engine *on) {
  make(a, a_data, TSR_F32, GROUPS * M * K);
  make(b, b_data, TSR_F32, GROUPS * N * K);
  for (size_t g = 0; g < GROUPS; g++)
    multiply(a + g * M * K, b + g * N * K, want + g * M * N, M, N, K, 1);
  run r;
  start(&r, on, "gemm_layouts", "gemm_batched");
  GIVE(&r, a_data);
  GIVE(&r, b_data);
  GIVE(&r, c32);
  give_i32(&r, GROUPS);
  give_sizes(&r, M, N, K);
  finish(&r, 1, 2, GROUPS);
  compare(&r, "gemm_batched", c32, want, GROUPS * M * N, 1e-6);
}

static void grouped_on(const engine *on) {
  int32_t starts[GROUPS + 1] = {0, 17, 17, M};
  make(a, a_data, TSR_F32, M * K);
  make(b, b_data, TSR_F32, GROUPS * N * K);
  for (size_t g = 0; g < GROUPS; g++) {
    size_t first = (size_t)starts[g], rows = (size_t)starts[g + 1] - first;
    multiply(a + first * K, b + g * N * K, want + first * N, rows, N, K, 1);
  }
  run r;
  start(&r, on, "gemm_layouts", "gemm_grouped");
  GIVE(&r, a_data);
  GIVE(&r, b_data);
  GIVE(&r, c32);
  GIVE(&r, starts);
  give_sizes(&r, M, N, K);
  finish(&r, 1, 2, GROUPS);
  compare(&r, "gemm_grouped", c32, want, M * N, 1e-6);
}

static void layouts(void **state) {
  (void)state;
  on_all(transposed_on);
  on_all(strided_on);
  on_all(batched_on);
  on_all(grouped_on);
}

/* ---- epilogues ------------------------------------------------------------------------------ */

static double gelu(double y) {
  return y / 2 * (1 + tanh(0.7978845608 * (y + 0.044715 * y * y * y)));
}

static void epilogues_on(const engine *on) {
  static const char *const kernels[] = {"gemm_bias", "gemm_bias_gelu", "gemm_residual",
                                        "gemm_scale"};
  for (unsigned which = 0; which < 4; which++) {
    make(a, a_data, TSR_F32, M * K);
    make(b, b_data, TSR_F32, N * K);
    make(x, x_data, TSR_F32, which == 2 ? M * N : N);
    multiply(a, b, want, M, N, K, 1);
    for (size_t i = 0; i < M * N; i++) {
      if (which == 0) want[i] += x[i % N];
      if (which == 1) want[i] = gelu(want[i] + x[i % N]);
      if (which == 2) want[i] += x[i];
      if (which == 3) want[i] *= x[i % N];
    }
    run r;
    start(&r, on, "gemm_epilogue", kernels[which]);
    GIVE(&r, a_data);
    GIVE(&r, b_data);
    GIVE(&r, c32);
    give_sizes(&r, M, N, K);
    GIVE(&r, x_data);
    finish(&r, 1, 2, 1);
    compare(&r, kernels[which], c32, want, M * N, 2e-6);
  }
}

static void epilogues(void **state) {
  (void)state;
  on_all(epilogues_on);
}

/* ---- weights of 4 bits ---------------------------------------------------------------------- */

static void weights_on(const engine *on) {
  static const struct {
    const char *file, *kernel;
    uint32_t rows, parts;
    bool f4;
  } cases[] = {{"gemm_weight_only", "gemm_i4_bf16_1x1024x32", 1, 1, false},
               {"gemm_weight_only", "gemm_i4_bf16_16x1024x32", 5, 1, false},
               {"gemm_weight_only", "gemm_f4E2M1FN_bf16_1x1024x32", 1, 1, true},
               {"gemm_weight_only", "gemm_f4E2M1FN_bf16_16x1024x32", 5, 1, true},
               {"gemm_weight_split", "gemm_split_i4_bf16_16x256x64", 5, 3, false}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t rows = cases[i].rows;
    make(a, a_data, TSR_BF16, rows * K);
    make(x, x_data, TSR_F32, N);
    memset(b_data, 0, sizeof b_data);
    for (size_t k = 0; k < K; k++)
      for (size_t j = 0; j < N; j++) {
        double value = floor((double)random_float() * 8);
        b[k * N + j] = cases[i].f4 ? value / 2 : value;
        uint8_t *byte = &b_data[k * (N / 2) + j % (N / 2)];
        if (cases[i].f4)
          put(b_data, TSR_F4E2M1FN, k * N + j, b[k * N + j] = ceil(value / 2));
        else
          *byte |= (uint8_t)(((unsigned)(int)value & 15) << (j < N / 2 ? 0 : 4));
      }
    multiply(a, b, want, rows, N, K, 1);
    for (size_t j = 0; j < rows * N; j++) want[j] *= x[j % N];
    memset(c32, 0, sizeof c32);
    run r;
    start(&r, on, cases[i].file, cases[i].kernel);
    GIVE(&r, a_data);
    GIVE(&r, b_data);
    GIVE(&r, x_data);
    GIVE(&r, c32);
    give_sizes(&r, (int32_t)rows, N, K);
    finish(&r, 1, 1, cases[i].parts);
    compare(&r, cases[i].kernel, c32, want, rows * N, 1e-6);
  }
}

static void weights(void **state) {
  (void)state;
  on_all(weights_on);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(element_types), cmocka_unit_test(layouts),
                                     cmocka_unit_test(epilogues), cmocka_unit_test(weights)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
