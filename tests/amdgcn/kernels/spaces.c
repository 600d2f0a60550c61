/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory of all kinds, calls, and sizes of the grid.
 */
#include "common.h"

/* A table of each thread, in scratch memory. */
KERNEL(64) table(GLOBAL const u32 *x, GLOBAL u32 *y, u32 n) {
  u32 t[128];
  for (u32 k = 0; k < 128; k++) t[k] = x[thread_id()] * (k % 16);
  u32 sum = 0;
  for (u32 k = 0; k < n; k++) sum = sum * 31 + t[(thread_id() + k * 5) % 128];
  y[thread_id()] = sum;
}

/* Addresses that are global or in the LDS, as they come. */
KERNEL(64) either(GLOBAL u32 *x, GLOBAL u32 *y) {
  LOCAL u32 mine[64];
  u32 t = thread_id();
  mine[t] = t * 1000;
  meet();
  u32 *p = t & 1 ? (u32 *)(x + t) : (u32 *)(mine + (63 - t));
  y[t] = *p;
  *p += 7;
  y[t] += *p;
}

#ifdef __AMDGCN__
/* A buffer of n words, behind whose end nothing is read or written. */
KERNEL(64) buffer(GLOBAL u32 *x, GLOBAL u32 *y, u32 n) {
  u32 t = thread_id();
  __amdgpu_buffer_rsrc_t from =
      __builtin_amdgcn_make_buffer_rsrc((void *)x, 0, (int)n * 4, 0x00027000);
  __amdgpu_buffer_rsrc_t to =
      __builtin_amdgcn_make_buffer_rsrc((void *)y, 0, (int)n * 4, 0x00027000);
  u32 v = __builtin_amdgcn_raw_buffer_load_b32(from, (int)t * 4, 0, 0);
  u32 w = __builtin_amdgcn_raw_buffer_load_b32(from, (int)t * 4, 16, 0);
  __builtin_amdgcn_raw_buffer_store_b32(v + w, to, (int)t * 4, 0, 0);
}
#endif

__attribute__((noinline)) static u32 step(u32 v, u32 k) {
  return v % 2 ? v * 3 + k : v / 2;
}
__attribute__((noinline)) static u32 chain(u32 v, u32 n) {
  u32 s = 0;
  for (u32 k = 0; k < n; k++) {
    v = step(v, k);
    s += v;
  }
  return s;
}

/* A function that calls another. */
KERNEL(64) calls(GLOBAL const u32 *x, GLOBAL u32 *y, u32 n) {
  y[thread_id()] = chain(x[thread_id()], n);
}

#ifdef __AMDGCN__
/* Largest by comparing and swapping; sums in floats. */
KERNEL(64) swaps(GLOBAL u32 *largest, GLOBAL double *sum, GLOBAL float *single,
                 GLOBAL const u32 *x) {
  u32 v = x[block_id() * 64 + thread_id()];
  u32 seen = __atomic_load_n(largest, __ATOMIC_RELAXED);
  while (seen < v && !__atomic_compare_exchange_n(largest, &seen, v, 0, __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED)) {
  }
#ifdef __GFX9__
  __builtin_amdgcn_global_atomic_fadd_f64(sum, (double)v);
#else
  GLOBAL u64 *bits = (GLOBAL u64 *)sum;
  u64 was = __atomic_load_n(bits, __ATOMIC_RELAXED), to;
  do {
    to = __builtin_bit_cast(u64, __builtin_bit_cast(double, was) + (double)v);
  } while (!__atomic_compare_exchange_n(bits, &was, to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
#endif
  __builtin_amdgcn_global_atomic_fadd_f32(single, (float)(v & 7));
}

/* Threads and blocks in three dimensions. */
KERNEL(64) places(GLOBAL u32 *y) {
  u32 x = __builtin_amdgcn_workitem_id_x(), v = __builtin_amdgcn_workitem_id_y(),
      w = __builtin_amdgcn_workitem_id_z();
  u32 b = __builtin_amdgcn_workgroup_id_x() + 2 * __builtin_amdgcn_workgroup_id_y() +
          4 * __builtin_amdgcn_workgroup_id_z();
  y[b * 64 + x + 4 * v + 16 * w] = x | v << 8 | w << 16 | b << 24;
}
#endif

/* Parts of registers: bytes and halves of words. */
KERNEL(64) parts(GLOBAL const u32 *x, GLOBAL u32 *y) {
  u32 t = thread_id(), v = x[t];
  u8 a = (u8)v, b = (u8)(v >> 8), c = (u8)(v >> 16);
  i16 low = (i16)v, high = (i16)(v >> 16);
  u32 sum = (u32)a + b * c;
  y[t] = sum + (u32)(low * high) + (u32)(u16)((u16)low + (u16)high);
  float f = (float)a + (float)b * (float)c + (float)(u8)(v >> 24);
  y[64 + t] = (u32)f;
}

/* Mixed multiplications, and packed ones in f32. */
KERNEL(64) mixed(GLOBAL const f16x2 *x, GLOBAL float *y) {
  u32 t = thread_id();
  f16x2 v = x[t];
  float s = __builtin_fmaf((float)v[0], (float)v[1], 0.5f);
  y[2 * t] = s;
  y[2 * t + 1] = __builtin_fmaf((float)v[1], 3.0f, (float)v[0]);
}
