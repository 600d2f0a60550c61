/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What gfx950 has besides: products by scales, conversions of six and four bits, exchanges of rows,
 * loads to the LDS of 16 bytes, transposing loads.
 */
#include "common.h"

typedef int int8_ __attribute__((vector_size(32)));
typedef u32 word6_ __attribute__((vector_size(24)));
typedef u32 word2_ __attribute__((vector_size(8)));
typedef float float2_ __attribute__((vector_size(8)));
typedef float float4_ __attribute__((vector_size(16)));
typedef float float16_ __attribute__((vector_size(64)));
typedef float float32_ __attribute__((vector_size(128)));
typedef short short4_ __attribute__((vector_size(8)));

/* A of f8E4M3FN by f4E2M1FN; registers of A and B as they are, a word of scales each. */
KERNEL(64) scaled_16(GLOBAL const int8_ *a, GLOBAL const int8_ *b, GLOBAL const int *scales,
                     GLOBAL float4_ *c) {
  u32 t = thread_id();
  float4_ sum = {0};
  c[t] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[t], b[t], sum, 0, 4, 1, scales[t], 2,
                                                          scales[64 + t]);
}

/* f6E3M2FN by f6E2M3FN. */
KERNEL(64) scaled_32(GLOBAL const int8_ *a, GLOBAL const int8_ *b, GLOBAL const int *scales,
                     GLOBAL float16_ *c) {
  u32 t = thread_id();
  float16_ sum = {0};
  sum = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a[t], b[t], sum, 3, 2, 0, scales[t], 3,
                                                        scales[64 + t]);
  c[t] = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a[t], b[t], sum, 3, 2, 0, 0, 0, 0);
}

/* To six bits and back, by a scale; to four and back. */
KERNEL(64) six_and_four(GLOBAL const float32_ *x, GLOBAL float32_ *back, GLOBAL word6_ *six,
                        GLOBAL float *four) {
  u32 t = thread_id();
  float32_ v = x[t];
  float16_ low = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  float16_ high = __builtin_shufflevector(v, v, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
                                          29, 30, 31);
  word6_ packed = __builtin_amdgcn_cvt_scalef32_2xpk16_fp6_f32(low, high, 4.0f);
  six[t] = packed;
  back[t] = __builtin_amdgcn_cvt_scalef32_pk32_f32_fp6(packed, 4.0f);
  u32 bytes = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(0, v[0], v[1], 2.0f, 0);
  bytes = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(bytes, v[2], v[3], 2.0f, 3);
  float2_ first = __builtin_amdgcn_cvt_scalef32_pk_f32_fp4(bytes, 2.0f, 0);
  float2_ last = __builtin_amdgcn_cvt_scalef32_pk_f32_fp4(bytes, 2.0f, 3);
  four[4 * t] = first[0], four[4 * t + 1] = first[1];
  four[4 * t + 2] = last[0], four[4 * t + 3] = last[1];
}

KERNEL(64) exchanged(GLOBAL const u32 *x, GLOBAL u32 *r) {
  u32 t = thread_id();
  word2_ a = __builtin_amdgcn_permlane16_swap(x[t], x[64 + t], 0, 0);
  word2_ b = __builtin_amdgcn_permlane32_swap(x[t], x[64 + t], 0, 0);
  r[t] = a[0], r[64 + t] = a[1], r[128 + t] = b[0], r[192 + t] = b[1];
  r[256 + t] = __builtin_amdgcn_prng_b32(x[t]);
}

LOCAL u32 staged[256];

/* 16 bytes of each lane past registers, then each lane those of its neighbour. */
KERNEL(64) past_registers(GLOBAL const u32 *x, GLOBAL u32 *r) {
  u32 t = thread_id();
  __builtin_amdgcn_global_load_lds((GLOBAL void *)(x + 4 * t),
                                   (__attribute__((address_space(3))) void *)staged, 16, 0, 0);
  meet();
  for (u32 k = 0; k < 4; k++) r[4 * t + k] = staged[4 * (t ^ 1) + k];
}

LOCAL short rows[16 * 16];

/* Sixteen lanes have four rows of sixteen columns; each gets a column. */
KERNEL(64) transposed(GLOBAL const short4_ *x, GLOBAL short4_ *r) {
  u32 t = thread_id();
  ((__attribute__((address_space(3))) short4_ *)rows)[t] = x[t];
  meet();
  r[t] = __builtin_amdgcn_ds_read_tr16_b64_v4i16((__attribute__((address_space(3))) short4_ *)rows + t);
}
