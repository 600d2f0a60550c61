/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cases.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "kernels/common.h"
#pragma GCC diagnostic pop

const amdgcn_target amdgcn_targets[] = {
    {"", 64, "classes elements matrix modes spaces together", ""},
    {"gfx90a/", 64, "classes elements matrix modes spaces together", "gemm_i8 sparse_f16"},
    {"gfx950/", 64, "classes elements matrix modes spaces together", ""},
    {"gfx1100/", 32, "classes elements modes spaces together wave32", "sparse_f16"},
    {"gfx1200/", 32, "classes elements modes spaces together wave32", ""},
};
const size_t amdgcn_target_count = ARRAY_LEN(amdgcn_targets);
static uint32_t wave; /* lanes of the target's */

enum { BLOCKS = 3, THREADS = 128, COUNT = BLOCKS * THREADS };

/* ---- numbers ----------------------------------------------------------------------------------
 */

static uint64_t state;
static uint64_t next(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state >> 11 ^ state << 40;
}
static void fill_u32(u32 *x, size_t n, u32 mask) {
  for (size_t k = 0; k < n; k++) x[k] = (u32)next() & mask;
}
static void fill_f32(float *x, size_t n, float scale) {
  for (size_t k = 0; k < n; k++) x[k] = (float)((int)(next() % 20001) - 10000) * scale;
}
/* Floats of all sizes, with those at the ends of the format. */
static void fill_any_f32(float *x, size_t n) {
  static const float ends[] = {
      0.0f,      -0.0f,      1.0f,     -1.0f,    0x1p-149f,        -0x1p-127f,
      0x1p-126f, 0x1.8p127f, 0x1p127f, -0x1p64f, 0x1.fffffep-127f, 3.0f};
  for (size_t k = 0; k < n; k++) {
    u32 bits = (u32)next();
    if ((bits >> 23 & 255) == 255) bits ^= 1u << 28; /* what is no number is not compared */
    memcpy(&x[k], &bits, 4);
    if (k % 5 == 0) x[k] = ends[next() % ARRAY_LEN(ends)];
  }
}

/* ---- jobs of elements.c ------------------------------------------------------------------------
 */

#define DATA(type, k) ((type *)(void *)j->data[k])
#define WANT(type, k) ((type *)(void *)j->want[k])

static void fill_saxpy(amdgcn_job *j) {
  fill_f32(job_buffer(j, COUNT * 4), COUNT, 0.37f);
  fill_f32(job_buffer(j, COUNT * 4), COUNT, 0.11f);
  job_number(j, &(float){1.7f}, 4);
  job_number(j, &(int){COUNT - 50}, 4);
}

static void fill_i32_pair(amdgcn_job *j) {
  u32 *x = job_buffer(j, COUNT * 4), *y = job_buffer(j, COUNT * 4);
  fill_u32(x, COUNT, UINT32_MAX);
  for (size_t k = 0; k < COUNT; k++) y[k] = (u32)next() >> next() % 31 | 1;
  x[0] = 0x80000000, y[0] = 7, x[1] = 0x80000000, y[1] = 1, x[2] = 5, y[2] = 0x80000000;
}
static void fill_divide_i32(amdgcn_job *j) {
  fill_i32_pair(j);
  job_buffer(j, COUNT * 4), job_buffer(j, COUNT * 4);
}

static void fill_divide_u64(amdgcn_job *j) {
  u64 *x = job_buffer(j, COUNT * 8), *y = job_buffer(j, COUNT * 8);
  for (size_t k = 0; k < COUNT; k++) {
    x[k] = next() >> next() % 64;
    y[k] = next() >> next() % 63 | 1;
  }
  job_buffer(j, COUNT * 8), job_buffer(j, COUNT * 8);
}

static void fill_divide_f32(amdgcn_job *j) {
  float *x = job_buffer(j, COUNT * 4), *y = job_buffer(j, COUNT * 4);
  fill_any_f32(x, COUNT);
  fill_any_f32(y, COUNT);
  for (size_t k = 0; k < COUNT; k++)
    if (x[k] == 0 && y[k] == 0) y[k] = 2.0f; /* hosts differ in the sign of a new NaN */
  job_buffer(j, COUNT * 4);
}

static void fill_f64(amdgcn_job *j) {
  double *x = job_buffer(j, COUNT * 8);
  for (size_t k = 0; k < COUNT; k++)
    x[k] = ldexp((double)(int64_t)next(), (int)(next() % 80) - 100);
  job_buffer(j, COUNT * 8);
}

static void fill_convert(amdgcn_job *j) {
  fill_f32(job_buffer(j, COUNT * 4), COUNT, 1.37f);
  job_buffer(j, COUNT * 4), job_buffer(j, COUNT), job_buffer(j, COUNT * 2);
  job_buffer(j, COUNT * 8);
}

static void fill_bytes(amdgcn_job *j) {
  fill_u32(job_buffer(j, COUNT), COUNT / 4, UINT32_MAX);
  fill_u32(job_buffer(j, COUNT), COUNT / 4, UINT32_MAX);
  job_buffer(j, COUNT * 2), job_buffer(j, COUNT * 2);
}

static void fill_halves(amdgcn_job *j) {
  for (int k = 0; k < 2; k++) {
    f16 *x = job_buffer(j, COUNT * 4);
    for (size_t n = 0; n < 2 * COUNT; n++) x[n] = (f16)((float)((int)(next() % 4001) - 2000) / 64);
  }
  job_buffer(j, COUNT * 4);
}

static void fill_bits(amdgcn_job *j) {
  fill_u32(job_buffer(j, COUNT * 4), COUNT, UINT32_MAX);
  DATA(u32, 0)[3] = 0;
  job_buffer(j, COUNT * 4);
  job_number(j, &(u32){9}, 4);
}

static void fill_mixed_i64(amdgcn_job *j) {
  i64 *x = job_buffer(j, COUNT * 8);
  for (size_t k = 0; k < COUNT; k++) x[k] = (i64)next() >> next() % 60;
  fill_u32(job_buffer(j, COUNT * 4), COUNT, UINT32_MAX);
  job_buffer(j, COUNT * 8);
}

/* ---- jobs of together.c ------------------------------------------------------------------------
 */

static void fill_sum_blocks(amdgcn_job *j) {
  float *x = job_buffer(j, 3 * 256 * 4);
  for (size_t k = 0; k < 3 * 256; k++) x[k] = (float)(next() % 1000);
  job_buffer(j, 3 * 4);
}
static void expect_sum_blocks(amdgcn_job *j) {
  for (int k = 0; k < 3 * 256; k++) WANT(float, 1)[k / 256] += WANT(float, 0)[k];
}

static void fill_histogram(amdgcn_job *j) {
  fill_u32(job_buffer(j, 1000), 250, 0x3f3f3f3f);
  job_buffer(j, 256 * 4);
  job_number(j, &(u32){1000}, 4);
}
static void expect_histogram(amdgcn_job *j) {
  for (int k = 0; k < 1000; k++) WANT(u32, 1)[WANT(u8, 0)[k]]++;
}

static void fill_transpose(amdgcn_job *j) {
  fill_f32(job_buffer(j, 64 * 64 * 4), 64 * 64, 0.5f);
  job_buffer(j, 64 * 64 * 4);
}
static void expect_transpose(amdgcn_job *j) {
  for (int r = 0; r < 64; r++)
    for (int c = 0; c < 64; c++) WANT(float, 1)[c * 64 + r] = WANT(float, 0)[r * 64 + c];
}

/* Kernels whose workgroups are a wave. */
static void fill_softmax(amdgcn_job *j) {
  j->options.block[0] = wave;
  fill_f32(job_buffer(j, 2 * 256 * 4), 2 * 256, 0.001f);
  job_buffer(j, 2 * 256 * 4);
}
static void expect_softmax(amdgcn_job *j) {
  int n = (int)wave * 4;
  for (int row = 0; row < 2; row++) {
    const float *x = WANT(float, 0) + row * n;
    double most = x[0], sum = 0;
    for (int k = 0; k < n; k++) most = fmax(most, x[k]);
    for (int k = 0; k < n; k++) sum += exp(x[k] - most);
    for (int k = 0; k < n; k++) WANT(float, 1)[row * n + k] = (float)(exp(x[k] - most) / sum);
  }
}

static void fill_sum_rows(amdgcn_job *j) {
  j->options.block[0] = wave;
  fill_u32(job_buffer(j, 2 * 64 * 4), 2 * 64, 0xffff);
  job_buffer(j, 2 * 64 * 4), job_buffer(j, 2 * 64 * 4);
}
/* Rotations by 8 and 4 sum up four lanes that are 4 apart, the moves in quads four neighbours. */
static void expect_sum_rows(amdgcn_job *j) {
  for (u32 block = 0; block < 2; block++) {
    const u32 *x = WANT(u32, 0) + block * wave;
    u32 sum[4] = {0};
    for (u32 l = 0; l < wave; l++) sum[l / 16] += x[l];
    for (u32 l = 0; l < wave; l++) {
      WANT(u32, 1)[block * wave + l] = sum[l / 16] + (l % 16 ? sum[l / 16] : 100);
      WANT(u32, 2)[block * wave + l] = x[0] + sum[1];
    }
  }
}

static void fill_count_up(amdgcn_job *j) {
  *(u32 *)job_buffer(j, 4) = 17;
  job_buffer(j, 16);
  job_buffer(j, 4);
}
static void expect_count_up(amdgcn_job *j) {
  WANT(u32, 0)[0] += 2 * 64 * 6;
  WANT(u64, 1)[0] = UINT64_C(255) << 33;
  WANT(u64, 1)[1] = UINT64_MAX;
}

static void fill_256(amdgcn_job *j) {
  fill_u32(job_buffer(j, 256 * 4), 256, UINT32_MAX);
  job_buffer(j, 256 * 4);
}
static void expect_scan_block(amdgcn_job *j) {
  u32 sum = 0;
  for (int k = 0; k < 256; k++) WANT(u32, 1)[k] = sum += WANT(u32, 0)[k];
}
static int compare_ints(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}
static void expect_sort_block(amdgcn_job *j) {
  memcpy(j->want[1], j->want[0], 256 * 4);
  qsort(j->want[1], 256, 4, compare_ints);
}

/* ---- jobs of matrix.c --------------------------------------------------------------------------
 */

enum { DEPTH = 64 };

static int small(void) {
  return (int)(next() % 15) - 7;
}
static void fill_gemm_f16(amdgcn_job *j) {
  for (int k = 0; k < 2; k++) {
    f16 *x = job_buffer(j, 32 * DEPTH * 2);
    for (int n = 0; n < 32 * DEPTH; n++) x[n] = (f16)small();
  }
  job_buffer(j, 32 * 32 * 4);
  job_number(j, &(int){DEPTH}, 4);
}
static void expect_gemm_f16(amdgcn_job *j) {
  for (int r = 0; r < 32; r++)
    for (int c = 0; c < 32; c++)
      for (int k = 0; k < DEPTH; k++) WANT(float, 2)
  [r * 32 + c] += (float)WANT(f16, 0)[r * DEPTH + k] * (float)WANT(f16, 1)[k * 32 + c];
}
static void fill_gemm_bf16(amdgcn_job *j) {
  for (int k = 0; k < 2; k++) {
    u16 *x = job_buffer(j, 16 * DEPTH * 2);
    for (int n = 0; n < 16 * DEPTH; n++) {
      float v = (float)small();
      memcpy(&x[n], (char *)&v + 2, 2);
    }
  }
  job_buffer(j, 16 * 16 * 4);
  job_number(j, &(int){DEPTH}, 4);
}
static float of_bf16(u16 v) {
  u32 bits = (u32)v << 16;
  float x;
  memcpy(&x, &bits, 4);
  return x;
}
static void expect_gemm_bf16(amdgcn_job *j) {
  for (int r = 0; r < 16; r++)
    for (int c = 0; c < 16; c++)
      for (int k = 0; k < DEPTH; k++) WANT(float, 2)
  [r * 16 + c] += of_bf16(WANT(u16, 0)[r * DEPTH + k]) * of_bf16(WANT(u16, 1)[k * 16 + c]);
}
static void fill_gemm_f32(amdgcn_job *j) {
  for (int k = 0; k < 2; k++) {
    float *x = job_buffer(j, 16 * DEPTH * 4);
    for (int n = 0; n < 16 * DEPTH; n++) x[n] = (float)small();
  }
  job_buffer(j, 16 * 16 * 4);
  job_number(j, &(int){DEPTH}, 4);
}
static void expect_gemm_f32(amdgcn_job *j) {
  for (int r = 0; r < 16; r++)
    for (int c = 0; c < 16; c++)
      for (int k = 0; k < DEPTH; k++) WANT(float, 2)
  [r * 16 + c] += WANT(float, 0)[r * DEPTH + k] * WANT(float, 1)[k * 16 + c];
}
static void fill_gemm_i8(amdgcn_job *j) {
  for (int k = 0; k < 2; k++) fill_u32(job_buffer(j, 16 * DEPTH), 16 * DEPTH / 4, UINT32_MAX);
  job_buffer(j, 16 * 16 * 4);
  job_number(j, &(int){DEPTH}, 4);
}
static void expect_gemm_i8(amdgcn_job *j) {
  for (int r = 0; r < 16; r++)
    for (int c = 0; c < 16; c++)
      for (int k = 0; k < DEPTH; k++)
        WANT(int, 2)[r * 16 + c] += WANT(i8, 0)[r * DEPTH + k] * WANT(i8, 1)[k * 16 + c];
}

/* ---- jobs of modes.c ----------------------------------------------------------------------------
 */

static void fill_swizzles(amdgcn_job *j) {
  fill_u32(job_buffer(j, 64 * 4), 64, UINT32_MAX);
  job_buffer(j, 5 * 64 * 4);
}
static void expect_swizzles(amdgcn_job *j) {
  const u32 *x = WANT(u32, 0);
  u32 *r = WANT(u32, 1);
  for (unsigned l = 0; l < 64; l++) {
    r[l] = x[l ^ 16];
    r[64 + l] = x[l ^ 31];
    r[128 + l] = x[(l & ~7u) | 3];
    r[192 + l] = x[l ^ 3];
    r[256 + l] = x[(l & 32) | (((l & 0x15) | 1) ^ 3)];
  }
}

static void fill_saturated(amdgcn_job *j) {
  for (unsigned k = 0; k < 2; k++) {
    u32 *x = job_buffer(j, 64 * 4);
    fill_u32(x, 64, UINT32_MAX);
    for (unsigned i = 0; i < 64; i += 3) x[i] &= 0x80ff7fff;
  }
  job_buffer(j, 7 * 64 * 4);
}
static int64_t clamp_to(int64_t v, int64_t low, int64_t high) {
  return v < low ? low : v > high ? high : v;
}
static void expect_saturated(amdgcn_job *j) {
  u32 *r = WANT(u32, 2);
  for (unsigned l = 0; l < 64; l++) {
    u32 x = WANT(u32, 0)[l], y = WANT(u32, 1)[l];
    int16_t a = (int16_t)x, b = (int16_t)y, c = (int16_t)(x >> 16);
    r[l] = (u32)clamp_to((int64_t)x + y, 0, UINT32_MAX);
    r[64 + l] = (u32)clamp_to((int64_t)x - y, 0, UINT32_MAX);
    r[128 + l] = (u32)clamp_to((int64_t)(int)x + (int)y, INT32_MIN, INT32_MAX);
    r[192 + l] = (u32)clamp_to((int64_t)(int)x - (int)y, INT32_MIN, INT32_MAX);
    r[256 + l] = (u32)clamp_to((x & 0xffff) + (y & 0xffff), 0, 0xffff);
    r[320 + l] = (u16)clamp_to(a - b, INT16_MIN, INT16_MAX);
    r[384 + l] = (u16)MIN(MIN(a, b), c);
  }
}

static void fill_rounded(amdgcn_job *j) {
  fill_f32(job_buffer(j, 64 * 4), 64, 0.37f);
  fill_f32(job_buffer(j, 64 * 4), 64, 1e-3f);
  job_buffer(j, 4 * 64 * 4);
  job_buffer(j, 64 * 8);
  job_buffer(j, 4);
}
static void expect_rounded(amdgcn_job *j) {
  float *r = WANT(float, 2);
  for (unsigned l = 0; l < 64; l++) {
    volatile float x = WANT(float, 0)[l], y = WANT(float, 1)[l];
    volatile double w = (double)x * 0.1, z = y;
    r[192 + l] = x * y;
    fesetround(FE_UPWARD);
    r[l] = x + y;
    fesetround(FE_DOWNWARD);
    r[64 + l] = x * y;
    fesetround(FE_TOWARDZERO);
    r[128 + l] = x * y;
    WANT(double, 3)[l] = w + z;
    fesetround(FE_TONEAREST);
  }
  *WANT(u32, 4) = 0xf0; /* no flushing */
}

/* ---- jobs of spaces.c --------------------------------------------------------------------------
 */

static void fill_words(amdgcn_job *j) {
  fill_u32(job_buffer(j, 64 * 4), 64, 0xffff);
  job_buffer(j, 64 * 4);
}
static void fill_table(amdgcn_job *j) {
  fill_words(j);
  job_number(j, &(u32){11}, 4);
}
static void expect_table(amdgcn_job *j) {
  for (u32 t = 0; t < 64; t++)
    for (u32 k = 0; k < 11; k++)
      WANT(u32, 1)[t] = WANT(u32, 1)[t] * 31 + WANT(u32, 0)[t] * ((t + k * 5) % 16);
}
static void expect_either(amdgcn_job *j) {
  for (u32 t = 0; t < 64; t++) {
    u32 v = t & 1 ? WANT(u32, 0)[t] : (63 - t) * 1000;
    if (t & 1) WANT(u32, 0)[t] += 7;
    WANT(u32, 1)[t] = 2 * v + 7;
  }
}
static void fill_buffer(amdgcn_job *j) {
  fill_words(j);
  for (u32 t = 0; t < 64; t++) DATA(u32, 1)[t] = 99;
  job_number(j, &(u32){50}, 4);
}
static void expect_buffer(amdgcn_job *j) {
  for (u32 t = 0; t < 50; t++)
    WANT(u32, 1)[t] = WANT(u32, 0)[t] + (t + 4 < 50 ? WANT(u32, 0)[t + 4] : 0);
}
static void expect_calls(amdgcn_job *j) {
  for (u32 t = 0; t < 64; t++) {
    u32 v = WANT(u32, 0)[t];
    for (u32 k = 0; k < 11; k++) {
      v = v % 2 ? v * 3 + k : v / 2;
      WANT(u32, 1)[t] += v;
    }
  }
}
static void fill_swaps(amdgcn_job *j) {
  *(u32 *)job_buffer(j, 4) = 100;
  job_buffer(j, 8), job_buffer(j, 4);
  fill_u32(job_buffer(j, 128 * 4), 128, 0xffff);
}
static void expect_swaps(amdgcn_job *j) {
  for (int k = 0; k < 128; k++) {
    u32 v = WANT(u32, 3)[k];
    *WANT(u32, 0) = MAX(*WANT(u32, 0), v);
    *WANT(double, 1) += v;
    *WANT(float, 2) += (float)(v & 7);
  }
}
static void fill_places(amdgcn_job *j) {
  j->options.grid[1] = j->options.grid[2] = 2;
  j->options.block[0] = j->options.block[1] = j->options.block[2] = 4;
  job_buffer(j, 8 * 64 * 4);
}
static void expect_places(amdgcn_job *j) {
  for (u32 k = 0; k < 8 * 64; k++)
    WANT(u32, 0)[k] = k % 4 | (k / 4 % 4) << 8 | (k / 16 % 4) << 16 | (k / 64) << 24;
}
static void fill_parts(amdgcn_job *j) {
  fill_u32(job_buffer(j, 64 * 4), 64, UINT32_MAX);
  job_buffer(j, 128 * 4);
}
static void expect_parts(amdgcn_job *j) {
  for (u32 t = 0; t < 64; t++) {
    u32 v = WANT(u32, 0)[t], a = v & 255, b = v >> 8 & 255, c = v >> 16 & 255;
    int low = (i16)v, high = (i16)(v >> 16);
    WANT(u32, 1)[t] = a + b * c + (u32)(low * high) + (u32)(u16)(low + high);
    WANT(u32, 1)[64 + t] = a + b * c + (v >> 24);
  }
}
static void fill_mixed(amdgcn_job *j) {
  f16 *x = job_buffer(j, 64 * 4);
  for (int k = 0; k < 128; k++) x[k] = (f16)((float)small() / 8);
  job_buffer(j, 64 * 8);
}
static void expect_mixed(amdgcn_job *j) {
  for (int t = 0; t < 64; t++) {
    float a = (float)WANT(f16, 0)[2 * t], b = (float)WANT(f16, 0)[2 * t + 1];
    WANT(float, 1)[2 * t] = fmaf(a, b, 0.5f);
    WANT(float, 1)[2 * t + 1] = fmaf(b, 3.0f, a);
  }
}

/* ---- jobs of wave32.c ---------------------------------------------------------------------------
 */

static void fill_wmma_f16(amdgcn_job *j) {
  for (int k = 0; k < 2; k++) {
    f16 *x = job_buffer(j, 16 * DEPTH * 2);
    for (int n = 0; n < 16 * DEPTH; n++) x[n] = (f16)small();
  }
  job_buffer(j, 16 * 16 * 4);
  job_number(j, &(int){DEPTH}, 4);
}
static void expect_wmma_f16(amdgcn_job *j) {
  for (int r = 0; r < 16; r++)
    for (int c = 0; c < 16; c++)
      for (int k = 0; k < DEPTH; k++) WANT(float, 2)
  [r * 16 + c] += (float)WANT(f16, 0)[r * DEPTH + k] * (float)WANT(f16, 1)[k * 16 + c];
}
static void expect_wmma_i8(amdgcn_job *j) {
  for (int r = 0; r < 16; r++)
    for (int c = 0; c < 16; c++)
      for (int k = 0; k < DEPTH; k++)
        WANT(int, 2)[r * 16 + c] += WANT(i8, 0)[r * DEPTH + k] * WANT(u8, 1)[k * 16 + c];
}
static void fill_wmma_sums_f16(amdgcn_job *j) {
  for (int k = 0; k < 2; k++) {
    f16 *x = job_buffer(j, 16 * DEPTH * 2);
    for (int n = 0; n < 16 * DEPTH; n++) x[n] = (f16)(small() / 4);
  }
  job_buffer(j, 16 * 16 * 2);
  job_number(j, &(int){DEPTH}, 4);
}
static void expect_wmma_sums_f16(amdgcn_job *j) {
  for (int n = 0; n < 256; n++) {
    float sum = 0;
    for (int k = 0; k < DEPTH; k++)
      sum += (float)WANT(f16, 0)[n / 16 * DEPTH + k] * (float)WANT(f16, 1)[k * 16 + n % 16];
    WANT(f16, 2)[n] = (f16)sum;
  }
}
/* Of each four neighbours in a row of A two are other than 0. */
static void fill_sparse_f16(amdgcn_job *j) {
  f16 *a = job_buffer(j, 16 * 32 * 2), *b = job_buffer(j, 16 * 32 * 2);
  for (u32 n = 0; n < 16 * 32; n++) b[n] = (f16)small();
  for (u32 n = 0; n < 16 * 32; n += 2) {
    u32 row = n / 32, four = n / 4 % 8;
    a[row * 32 + four * 4 + kept_place(row, four, n / 2 % 2)] = (f16)small();
  }
  job_buffer(j, 16 * 16 * 4);
}
static void expect_sparse_f16(amdgcn_job *j) {
  for (int n = 0; n < 256; n++)
    for (int k = 0; k < 32; k++) WANT(float, 2)
  [n] += (float)WANT(f16, 0)[n / 16 * 32 + k] * (float)WANT(f16, 1)[k * 16 + n % 16];
}
static void fill_moves(amdgcn_job *j) {
  fill_u32(job_buffer(j, 32 * 4), 32, UINT32_MAX);
  job_buffer(j, 5 * 32 * 4);
}
static void expect_moves(amdgcn_job *j) {
  static const unsigned picks[] = {0, 1, 2, 3, 4, 5, 6, 7, 15, 14, 13, 12, 11, 10, 9, 8};
  const u32 *x = WANT(u32, 0);
  u32 *r = WANT(u32, 1);
  for (unsigned l = 0; l < 32; l++) {
    r[l] = x[l ^ 5];
    r[32 + l] = x[(l & 16) | 3];
    r[64 + l] = x[l ^ 7];
    r[96 + l] = x[(l & 16) | picks[l & 15]];
    r[128 + l] = x[l ^ 16];
  }
}

/* ---- jobs of classes.c -------------------------------------------------------------------------
 */

static void fill_tiled_gemm(amdgcn_job *j) {
  for (int k = 0; k < 2; k++) {
    float *x = job_buffer(j, 32 * DEPTH * 4);
    for (int n = 0; n < 32 * DEPTH; n++) x[n] = (float)small() / 8;
  }
  job_buffer(j, 32 * 32 * 4);
  job_number(j, &(int){DEPTH}, 4);
}
static void fill_pipeline(amdgcn_job *j) {
  fill_u32(job_buffer(j, 2 * 3 * 128 * 4), 2 * 3 * 128, UINT32_MAX);
  job_buffer(j, 2 * 3 * 128 * 4);
  job_number(j, &(u32){3}, 4);
}
static void fill_publish(amdgcn_job *j) {
  fill_u32(job_buffer(j, 64 * 4), 64, UINT32_MAX);
  job_buffer(j, 64 * 4), job_buffer(j, 4), job_buffer(j, 3 * 64 * 4);
}
static void fill_grid_barrier(amdgcn_job *j) {
  fill_u32(job_buffer(j, 3 * 64 * 4), 3 * 64, UINT32_MAX);
  job_buffer(j, 3 * 64 * 4), job_buffer(j, 4), job_buffer(j, 3 * 64 * 4);
}
/* Threads of a word have the same operand: else what is left depends on their order. */
static void fill_nand_all(amdgcn_job *j) {
  fill_u32(job_buffer(j, 4 * 4), 4, UINT32_MAX);
  u32 *x = job_buffer(j, 2 * 64 * 4);
  for (u32 k = 0; k < 2 * 64; k++) x[k] = 0xf0f0u << k % 4;
}
static void fill_stencil(amdgcn_job *j) {
  fill_f32(job_buffer(j, 2 * 256 * 4), 2 * 256, 0.25f);
  job_buffer(j, 2 * 256 * 4);
}
static void fill_matrix_vector(amdgcn_job *j) {
  fill_f32(job_buffer(j, 2 * 64 * 16 * 4), 2 * 64 * 16, 0.01f);
  fill_f32(job_buffer(j, 16 * 4), 16, 0.01f);
  job_buffer(j, 2 * 64 * 4);
  job_number(j, &(int){4}, 4);
}
static void fill_compact(amdgcn_job *j) {
  fill_u32(job_buffer(j, 128 * 4), 128, UINT32_MAX);
  job_buffer(j, 128 * 4), job_buffer(j, 4);
}

/* ---- the kernels -------------------------------------------------------------------------------
 */

const kernel_case kernel_cases[] = {
    {"elements", "saxpy", BLOCKS, THREADS, fill_saxpy, NULL, 0},
    {"elements", "divide_i32", BLOCKS, THREADS, fill_divide_i32, NULL, 0},
    {"elements", "divide_u64", BLOCKS, THREADS, fill_divide_u64, NULL, 0},
    {"elements", "divide_f32", BLOCKS, THREADS, fill_divide_f32, NULL, 0},
    {"elements", "polynomial_f64", BLOCKS, THREADS, fill_f64, NULL, 0},
    {"elements", "convert", BLOCKS, THREADS, fill_convert, NULL, 0},
    {"elements", "bytes", BLOCKS, THREADS, fill_bytes, NULL, 0},
    {"elements", "halves", BLOCKS, THREADS, fill_halves, NULL, 0},
    {"elements", "bits", BLOCKS, THREADS, fill_bits, NULL, 0},
    {"elements", "mixed_i64", BLOCKS, THREADS, fill_mixed_i64, NULL, 0},
    {"modes", "swizzles", 1, 64, fill_swizzles, expect_swizzles, 0},
    {"modes", "saturated", 1, 64, fill_saturated, expect_saturated, 0},
    {"modes", "rounded", 1, 64, fill_rounded, expect_rounded, 0},
    {"together", "sum_blocks", 3, 256, fill_sum_blocks, expect_sum_blocks, 0},
    {"together", "histogram", 2, 256, fill_histogram, expect_histogram, 0},
    {"together", "transpose", 16, 256, fill_transpose, expect_transpose, 0},
    {"together", "softmax", 2, 64, fill_softmax, expect_softmax, 1e-5},
    {"together", "sum_rows", 2, 64, fill_sum_rows, expect_sum_rows, 0},
    {"together", "count_up", 2, 256, fill_count_up, expect_count_up, 0},
    {"together", "scan_block", 1, 256, fill_256, expect_scan_block, 0},
    {"together", "sort_block", 1, 256, fill_256, expect_sort_block, 0},
    {"matrix", "gemm_f16", 1, 64, fill_gemm_f16, expect_gemm_f16, 0},
    {"matrix", "gemm_bf16", 1, 64, fill_gemm_bf16, expect_gemm_bf16, 0},
    {"matrix", "gemm_f32", 1, 64, fill_gemm_f32, expect_gemm_f32, 0},
    {"matrix", "gemm_i8", 1, 64, fill_gemm_i8, expect_gemm_i8, 0},
    {"spaces", "table", 1, 64, fill_table, expect_table, 0},
    {"spaces", "either", 1, 64, fill_words, expect_either, 0},
    {"spaces", "buffer", 1, 64, fill_buffer, expect_buffer, 0},
    {"spaces", "calls", 1, 64, fill_table, expect_calls, 0},
    {"spaces", "swaps", 2, 64, fill_swaps, expect_swaps, 0},
    {"spaces", "places", 2, 64, fill_places, expect_places, 0},
    {"spaces", "parts", 1, 64, fill_parts, expect_parts, 0},
    {"spaces", "mixed", 1, 64, fill_mixed, expect_mixed, 0},
    {"classes", "tiled_gemm", 4, 256, fill_tiled_gemm, NULL, 0},
    {"classes", "pipeline", 2, 128, fill_pipeline, NULL, 0},
    {"classes", "publish", 3, 64, fill_publish, NULL, 0},
    {"classes", "grid_barrier", 3, 64, fill_grid_barrier, NULL, 0},
    {"classes", "nand_all", 2, 64, fill_nand_all, NULL, 0},
    {"classes", "stencil", 2, 64, fill_stencil, NULL, 0},
    {"classes", "matrix_vector", 2, 64, fill_matrix_vector, NULL, 0},
    {"classes", "compact", 1, 128, fill_compact, NULL, 0},
    {"matrix", "sparse_f16", 1, 64, fill_sparse_f16, expect_sparse_f16, 0},
    {"wave32", "wmma_sums_f16", 1, 32, fill_wmma_sums_f16, expect_wmma_sums_f16, 0},
    {"wave32", "sparse_f16", 1, 32, fill_sparse_f16, expect_sparse_f16, 0},
    {"wave32", "wmma_f16", 1, 32, fill_wmma_f16, expect_wmma_f16, 0},
    {"wave32", "wmma_bf16", 1, 32, fill_gemm_bf16, expect_gemm_bf16, 0},
    {"wave32", "wmma_i8", 1, 32, fill_gemm_i8, expect_wmma_i8, 0},
    {"wave32", "moves", 1, 32, fill_moves, expect_moves, 0},
};
const size_t kernel_case_count = ARRAY_LEN(kernel_cases);

/* ---- launches ---------------------------------------------------------------------------------
 */

/* Objects that are open, by target and file. */
static struct {
  const amdgcn_target *target;
  const char *file;
  amdgcn_object object;
} opened[64];
static size_t n_opened;

amdgcn_object *case_open(const amdgcn_target *t, const kernel_case *c) {
  char name[64];
  if (!strstr(t->files, c->file) || strstr(t->missing, c->kernel)) return NULL;
  wave = t->lanes;
  for (size_t k = 0; k < n_opened; k++)
    if (opened[k].target == t && strcmp(opened[k].file, c->file) == 0) return &opened[k].object;
  assert_true(n_opened < ARRAY_LEN(opened));
  opened[n_opened].target = t;
  opened[n_opened].file = c->file;
  snprintf(name, sizeof name, "%s%s", t->folder, c->file);
  object_open(&opened[n_opened].object, name);
  return &opened[n_opened++].object;
}

void cases_close(void) {
  while (n_opened) object_close(&opened[--n_opened].object);
}

void case_begin(const kernel_case *c, amdgcn_object *o, amdgcn_job *j) {
  state = 1;
  job_begin(j, o, c->kernel, c->grid, c->block);
  c->fill(j);
  job_filled(j);
  if (c->expect)
    c->expect(j);
  else
    assert_true(host_expect(c->kernel, j));
}

static void compare_bytes(const kernel_case *c, const amdgcn_job *j, uint32_t buffer) {
  const uint8_t *got = job_result(j, buffer);
  for (size_t k = 0; k < j->bytes[buffer]; k++)
    if (got[k] != j->want[buffer][k])
      fail_msg("%s: buffer %u differs at byte %zu: 0x%02x, not 0x%02x (word 0x%08x, not 0x%08x)",
               c->kernel, buffer, k, got[k], j->want[buffer][k],
               ((const u32 *)(const void *)got)[k / 4], WANT(u32, buffer)[k / 4]);
}

void case_compare(const kernel_case *c, const amdgcn_job *j) {
  for (uint32_t b = 0; b < j->n_buffers; b++) {
    if (!c->tolerance) {
      compare_bytes(c, j, b);
      continue;
    }
    const float *got = (const float *)(const void *)job_result(j, b);
    for (size_t k = 0; k < j->bytes[b] / 4; k++)
      if (fabs(got[k] - WANT(float, b)[k]) > c->tolerance * fabs(WANT(float, b)[k]))
        fail_msg("%s: element %zu is %g, not %g", c->kernel, k, got[k], WANT(float, b)[k]);
  }
}
