/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C = A * B in bf16 for sizes that tiles divide, written by hand as libraries of templates write it
 * for gfx942: workgroups of four waves, tiles of 256 x 256 x 32, one stage in the LDS and the next
 * in registers, rows along k swizzled by 16 bytes, B turned in registers. To be compiled by
 * clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx942 -O3 -nogpulib -S.
 */
typedef short bf16x4 __attribute__((ext_vector_type(4)));
typedef short bf16x8 __attribute__((ext_vector_type(8)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef unsigned u32x4 __attribute__((ext_vector_type(4)));
typedef unsigned u32x2 __attribute__((ext_vector_type(2)));

#define GLOBAL __attribute__((address_space(1)))
#define LDS    __attribute__((address_space(3)))

enum { M = 256, N = 256, K = 32, THREADS = 256 };

#define SHARED static __attribute__((address_space(3), loader_uninitialized))

SHARED char stage_a[M * K * 2], stage_b[N * K * 2];

static inline unsigned place(unsigned row, unsigned byte) {
  return (row * 64 + byte) ^ ((row >> 1 & 3) << 4);
}

__attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(THREADS, THREADS))) void
gemm(const GLOBAL short *a, const GLOBAL short *b, GLOBAL float *c, unsigned n, unsigned k) {
  unsigned t = __builtin_amdgcn_workitem_id_x(), lane = t & 63, wave = t >> 6;
  unsigned m0 = __builtin_amdgcn_workgroup_id_x() * M, n0 = __builtin_amdgcn_workgroup_id_y() * N;
  const GLOBAL short *from_a = a + (m0 + t / 4) * (unsigned long)k + t % 4 * 8;
  const GLOBAL short *from_b = b + (t / 32 * 4) * (unsigned long)n + n0 + t % 32 * 8;
  u32x4 next_a[4], next_b[4];
  f32x16 sum[4][4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) sum[i][j] = (f32x16)0;
  for (int i = 0; i < 4; i++) {
    next_a[i] = *(const GLOBAL u32x4 *)(from_a + i * 64 * (unsigned long)k);
    next_b[i] = *(const GLOBAL u32x4 *)(from_b + i * (unsigned long)n);
  }
  for (unsigned at = 0; at < k; at += K) {
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    for (int i = 0; i < 4; i++)
      *(LDS u32x4 *)(stage_a + place(t / 4 + 64 * i, t % 4 * 16)) = next_a[i];
    for (int j = 0; j < 4; j++)
      for (int h = 0; h < 2; h++) {
        unsigned which = h ? 0x07060302 : 0x05040100;
        u32x2 x = {__builtin_amdgcn_perm(next_b[1][j], next_b[0][j], which),
                   __builtin_amdgcn_perm(next_b[3][j], next_b[2][j], which)};
        *(LDS u32x2 *)(stage_b + place(t % 32 * 8 + 2 * j + h, t / 32 * 8)) = x;
      }
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (at + K < k) {
      from_a += K;
      from_b += K * (unsigned long)n;
    }
    for (int i = 0; i < 4; i++) {
      next_a[i] = *(const GLOBAL u32x4 *)(from_a + i * 64 * (unsigned long)k);
      next_b[i] = *(const GLOBAL u32x4 *)(from_b + i * (unsigned long)n);
    }
    for (int s = 0; s < 2; s++) {
      bf16x8 x[4], y[4];
      unsigned byte = (lane / 32 + 2 * s) * 16;
      for (int i = 0; i < 4; i++) {
        x[i] = *(LDS bf16x8 *)(stage_a + place(wave / 2 * 128 + i * 32 + lane % 32, byte));
        y[i] = *(LDS bf16x8 *)(stage_b + place(wave % 2 * 128 + i * 32 + lane % 32, byte));
      }
      for (int h = 0; h < 2; h++)
        for (int i = 0; i < 4; i++)
          for (int j = 0; j < 4; j++) {
            bf16x4 left = h ? x[i].hi : x[i].lo, right = h ? y[j].hi : y[j].lo;
            sum[i][j] = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(left, right, sum[i][j], 0, 0, 0);
          }
    }
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int r = 0; r < 16; r++) {
        unsigned row = m0 + wave / 2 * 128 + i * 32 + r / 4 * 8 + lane / 32 * 4 + r % 4;
        unsigned column = n0 + wave % 2 * 128 + j * 32 + lane % 32;
        c[row * (unsigned long)n + column] = sum[i][j][r];
      }
}
