/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products of matrices by matrix instructions; one wave makes a tile.
 */
#include "common.h"

typedef f16 half4_ __attribute__((vector_size(8)));
typedef short short4_ __attribute__((vector_size(8)));
typedef float float4_ __attribute__((vector_size(16)));
typedef float float16_ __attribute__((vector_size(64)));
typedef int int4_ __attribute__((vector_size(16)));

/* c[32][32] = a[32][k] * b[k][32], all by rows. */
KERNEL(64) gemm_f16(GLOBAL const f16 *a, GLOBAL const f16 *b, GLOBAL float *c,
                         int k) {
  unsigned t = thread_id(), i = t % 32, g = t / 32;
  float16_ sum = {0};
  for (int at = 0; at < k; at += 8) {
    half4_ x, y;
    for (int e = 0; e < 4; e++) {
      x[e] = a[i * k + at + g * 4 + e];
      y[e] = b[(at + g * 4 + e) * 32 + i];
    }
    sum = __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, sum, 0, 0, 0);
  }
  for (int e = 0; e < 16; e++) c[(e / 4 * 8 + g * 4 + e % 4) * 32 + i] = sum[e];
}

/* 16 x 16, bf16. */
KERNEL(64) gemm_bf16(GLOBAL const short *a, GLOBAL const short *b, GLOBAL float *c,
                          int k) {
  unsigned t = thread_id(), i = t % 16, g = t / 16;
  float4_ sum = {0};
  for (int at = 0; at < k; at += 16) {
    short4_ x, y;
    for (int e = 0; e < 4; e++) {
      x[e] = a[i * k + at + g * 4 + e];
      y[e] = b[(at + g * 4 + e) * 16 + i];
    }
    sum = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x, y, sum, 0, 0, 0);
  }
  for (int e = 0; e < 4; e++) c[(g * 4 + e) * 16 + i] = sum[e];
}

KERNEL(64) gemm_f32(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *c,
                         int k) {
  unsigned t = thread_id(), i = t % 16, g = t / 16;
  float4_ sum = {0};
  for (int at = 0; at < k; at += 4)
    sum = __builtin_amdgcn_mfma_f32_16x16x4f32(a[i * k + at + g], b[(at + g) * 16 + i], sum, 0, 0,
                                               0);
  for (int e = 0; e < 4; e++) c[(g * 4 + e) * 16 + i] = sum[e];
}

#ifndef __gfx90a__
KERNEL(64) gemm_i8(GLOBAL const i8 *a, GLOBAL const i8 *b, GLOBAL int *c, int k) {
  unsigned t = thread_id(), i = t % 16, g = t / 16;
  int4_ sum = {0};
  for (int at = 0; at < k; at += 32) {
    i64 x = *(GLOBAL const i64 *)(a + i * k + at + g * 8), y = 0;
    for (int e = 0; e < 8; e++) y |= (i64)(u8)b[(at + g * 8 + e) * 16 + i] << 8 * e;
    sum = __builtin_amdgcn_mfma_i32_16x16x32_i8(x, y, sum, 0, 0, 0);
  }
  for (int e = 0; e < 4; e++) c[(g * 4 + e) * 16 + i] = sum[e];
}

typedef f16 half8_ __attribute__((vector_size(16)));

/* c[16][16] = a[16][32] * b[32][16], of a what kept_place says. */
KERNEL(64) sparse_f16(GLOBAL const f16 *a, GLOBAL const f16 *b, GLOBAL float *c) {
  unsigned t = thread_id(), i = t % 16, g = t / 16;
  float4_ sum = {0};
  half4_ x;
  half8_ y;
  u32 places = 0;
  for (u32 e = 0; e < 4; e++) {
    u32 four = g * 2 + e / 2, place = kept_place(i, four, e % 2);
    x[e] = a[i * 32 + four * 4 + place];
    places |= place << 2 * e;
  }
  for (u32 e = 0; e < 8; e++) y[e] = b[(g * 8 + e) * 16 + i];
  sum = __builtin_amdgcn_smfmac_f32_16x16x32_f16(x, y, sum, (int)(places << 8), 0, 1);
  for (int e = 0; e < 4; e++) c[(g * 4 + e) * 16 + i] = sum[e];
}
#endif
