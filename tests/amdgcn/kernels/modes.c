/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What instructions do under modes and modifiers that plain C does not ask for: patterns of
 * ds_swizzle_b32, clamped integers, directed roundings.
 */
#include "common.h"

KERNEL(64) swizzles(GLOBAL const int *x, GLOBAL int *y) {
  unsigned t = thread_id();
  int v = x[t];
  y[t] = __builtin_amdgcn_ds_swizzle(v, 0x401f);       /* lane ^ 16 */
  y[64 + t] = __builtin_amdgcn_ds_swizzle(v, 0x7c1f);  /* lanes of 32 reversed */
  y[128 + t] = __builtin_amdgcn_ds_swizzle(v, 0x0078); /* lane 3 of each 8 */
  y[192 + t] = __builtin_amdgcn_ds_swizzle(v, 0x801b); /* quads reversed */
  y[256 + t] = __builtin_amdgcn_ds_swizzle(v, 0x0c35); /* bits 0, 1 and p, with an inversion */
}

KERNEL(64) saturated(GLOBAL const u32 *x, GLOBAL const u32 *y, GLOBAL u32 *r) {
  unsigned t = thread_id();
  r[t] = __builtin_elementwise_add_sat(x[t], y[t]);
  r[64 + t] = __builtin_elementwise_sub_sat(x[t], y[t]);
  r[128 + t] = (u32)__builtin_elementwise_add_sat((int)x[t], (int)y[t]);
  r[192 + t] = (u32)__builtin_elementwise_sub_sat((int)x[t], (int)y[t]);
  r[256 + t] = __builtin_elementwise_add_sat((u16)x[t], (u16)y[t]);
  r[320 + t] = (u16)__builtin_elementwise_sub_sat((i16)x[t], (i16)y[t]);
  i16 least = __builtin_elementwise_min((i16)x[t], (i16)y[t]);
  r[384 + t] = (u16)__builtin_elementwise_min(least, (i16)(x[t] >> 16));
}

#define UNDER(mode, instruction, result, a, b)                                                     \
  __asm__("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), " mode "\n\t" instruction                  \
          " %0, %1, %2\n\ts_nop 0\n\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0"                          \
          : "=v"(result)                                                                           \
          : "v"(a), "v"(b))

KERNEL(64) rounded(GLOBAL const float *x, GLOBAL const float *y, GLOBAL float *r, GLOBAL double *d,
                   GLOBAL u32 *mode) {
  unsigned t = thread_id();
  float s;
  double w;
  UNDER("5", "v_add_f32", s, x[t], y[t]); /* up */
  r[t] = s;
  UNDER("10", "v_mul_f32", s, x[t], y[t]); /* down */
  r[64 + t] = s;
  UNDER("3", "v_mul_f32", s, x[t], y[t]); /* f32 toward zero */
  r[128 + t] = s;
  r[192 + t] = x[t] * y[t];
  UNDER("12", "v_add_f64", w, (double)x[t] * 0.1, (double)y[t]); /* f64 toward zero */
  d[t] = w;
  u32 bits;
  __asm__ volatile("s_nop 0\n\ts_getreg_b32 %0, hwreg(HW_REG_MODE, 0, 8)" : "=s"(bits));
  if (t == 0) *mode = bits;
}
