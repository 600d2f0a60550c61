/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One element a thread: arithmetic, conversions, divisions.
 */
#include "common.h"

KERNEL(128) saxpy(GLOBAL const float *x, GLOBAL float *y, float a, int n) {
  int i = block_id() * 128 + thread_id();
  if (i < n) y[i] = __builtin_fmaf(a, x[i], y[i]);
}

KERNEL(128) divide_i32(GLOBAL const int *x, GLOBAL const int *y, GLOBAL int *q,
                            GLOBAL int *r) {
  int i = block_id() * 128 + thread_id();
  q[i] = x[i] / y[i];
  r[i] = x[i] % y[i];
}

KERNEL(128) divide_u64(GLOBAL const u64 *x, GLOBAL const u64 *y, GLOBAL u64 *q,
                            GLOBAL u64 *r) {
  int i = block_id() * 128 + thread_id();
  q[i] = x[i] / y[i];
  r[i] = x[i] % y[i];
}

KERNEL(128) divide_f32(GLOBAL const float *x, GLOBAL const float *y, GLOBAL float *q) {
  int i = block_id() * 128 + thread_id();
  q[i] = x[i] / y[i];
}

KERNEL(128) polynomial_f64(GLOBAL const double *x, GLOBAL double *y) {
  int i = block_id() * 128 + thread_id();
  double v = x[i];
  y[i] = ((v * 0.5 + 3.0) * v - 1.25) * v / (v * v + 2.0);
}

KERNEL(128) convert(GLOBAL const float *x, GLOBAL int *toward_zero,
                         GLOBAL u8 *bytes, GLOBAL f16 *halves, GLOBAL double *wide) {
  int i = block_id() * 128 + thread_id();
  float v = x[i];
  toward_zero[i] = (int)v;
  bytes[i] = (u8)((int)v & 0xff);
  halves[i] = (f16)v;
  wide[i] = (double)v + (double)(u32)i;
}

KERNEL(128) bytes(GLOBAL const u8 *x, GLOBAL const i8 *y, GLOBAL short *sums,
                       GLOBAL u16 *products) {
  int i = block_id() * 128 + thread_id();
  sums[i] = (short)x[i] + (short)y[i];
  products[i] = (u16)x[i] * (u16)(u8)y[i];
}

KERNEL(128) halves(GLOBAL const f16x2 *x, GLOBAL const f16x2 *y, GLOBAL f16x2 *z) {
  int i = block_id() * 128 + thread_id();
  z[i] = x[i] * y[i] + (f16x2){1.0f, -2.0f};
}

KERNEL(128) bits(GLOBAL const u32 *x, GLOBAL u32 *y, u32 n) {
  int i = block_id() * 128 + thread_id();
  u32 v = x[i], s = 0;
  for (u32 k = 0; k < n; k++) {
    v = (v << 13) ^ (v >> 19) ^ (v * 2654435761u);
    s += __builtin_popcount(v) + (v ? __builtin_clz(v) : 32);
    if (v & 1) s ^= v >> 3;
  }
  y[i] = s;
}

KERNEL(128) mixed_i64(GLOBAL const i64 *x, GLOBAL const int *y, GLOBAL i64 *z) {
  int i = block_id() * 128 + thread_id();
  i64 v = x[i];
  int s = y[i] & 63;
  z[i] = (i64)(((u64)v << s) + (u64)((v >> (63 - s)) / 3) - (u64)((i64)y[i] * s) +
               (v < (i64)y[i] ? 7 : (u64)-7));
}
