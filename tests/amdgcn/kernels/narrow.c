/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Conversions to and from floats of 8 bits.
 */
#include "common.h"

typedef float float2_ __attribute__((vector_size(8)));

/* All 256 of both formats, four in a word. */
KERNEL(64) from_eights(GLOBAL const u32 *x, GLOBAL float *fp8, GLOBAL float *bf8, GLOBAL float *pairs) {
  u32 t = thread_id();
  int v = (int)x[t];
  fp8[4 * t] = __builtin_amdgcn_cvt_f32_fp8(v, 0);
  fp8[4 * t + 1] = __builtin_amdgcn_cvt_f32_fp8(v, 1);
  fp8[4 * t + 2] = __builtin_amdgcn_cvt_f32_fp8(v, 2);
  fp8[4 * t + 3] = __builtin_amdgcn_cvt_f32_fp8(v, 3);
  bf8[4 * t] = __builtin_amdgcn_cvt_f32_bf8(v, 0);
  bf8[4 * t + 1] = __builtin_amdgcn_cvt_f32_bf8(v, 1);
  bf8[4 * t + 2] = __builtin_amdgcn_cvt_f32_bf8(v, 2);
  bf8[4 * t + 3] = __builtin_amdgcn_cvt_f32_bf8(v, 3);
  float2_ low = __builtin_amdgcn_cvt_pk_f32_fp8(v, 0), high = __builtin_amdgcn_cvt_pk_f32_bf8(v, 1);
  pairs[4 * t] = low[0], pairs[4 * t + 1] = low[1];
  pairs[4 * t + 2] = high[0], pairs[4 * t + 3] = high[1];
}

/* Two in each half; the third word with random bits, in its last byte. */
KERNEL(64) to_eights(GLOBAL const float *x, GLOBAL u32 *fp8, GLOBAL u32 *bf8, GLOBAL u32 *random) {
  u32 t = thread_id();
  float a = x[4 * t], b = x[4 * t + 1], c = x[4 * t + 2], d = x[4 * t + 3];
  int v = __builtin_amdgcn_cvt_pk_fp8_f32(a, b, 0, 0);
  fp8[t] = (u32)__builtin_amdgcn_cvt_pk_fp8_f32(c, d, v, 1);
  v = __builtin_amdgcn_cvt_pk_bf8_f32(a, b, 0, 0);
  bf8[t] = (u32)__builtin_amdgcn_cvt_pk_bf8_f32(c, d, v, 1);
  v = __builtin_amdgcn_cvt_sr_fp8_f32(a, (int)(t * 0x9e3779b9u), 0x11223344, 3);
  random[t] = (u32)__builtin_amdgcn_cvt_sr_bf8_f32(b, (int)(t * 0x9e3779b9u), v, 0);
}
