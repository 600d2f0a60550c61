/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C (f32) = A * B^T with A (m x k) and B (n x k) in bf16, by tiles of 64 x 64 x 64: bulk tensor copies
 * with a 128-byte swizzle into one buffer, wgmma by one warp group.
 * FAULT: the accumulators are stored without waiting for wgmma.
 */
#include "common.cuh"
extern "C" __global__ void __launch_bounds__(128)
    gemm_wgmma(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, float *c,
               int n, int k) {
  __shared__ __align__(1024) bf16 sa[64 * 64], sb[64 * 64];
  __shared__ __align__(8) u64 full;
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  if (t == 0) {
    mbar_init(&full, 1);
    mbar_fence_init();
  }
  __syncthreads();
  float acc[32];
  for (int i = 0; i < 32; i++) acc[i] = 0;
  for (int k0 = 0, phase = 0; k0 < k; k0 += 64, phase ^= 1) {
    if (t == 0) {
      mbar_expect(&full, sizeof sa + sizeof sb);
      tma_load_2d(sa, &a, k0, blockIdx.y * 64, &full);
      tma_load_2d(sb, &b, k0, blockIdx.x * 64, &full);
    }
    mbar_wait(&full, phase);
    wgmma_fence();
#pragma unroll
    for (int kk = 0; kk < 4; kk++)
      wgmma_m64n64k16(acc, wgmma_descriptor(sa) + 2 * kk, wgmma_descriptor(sb) + 2 * kk);
    wgmma_commit();
#ifdef FAULT
    if (k0 + 64 < k) wgmma_wait<0>();
#else
    wgmma_wait<0>();
#endif
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 32; i += 2) {
    int row = blockIdx.y * 64 + warp * 16 + lane / 4 + i / 2 % 2 * 8;
    int column = blockIdx.x * 64 + i / 4 * 8 + lane % 4 * 2;
    *(float2 *)&c[(u64)row * n + column] = make_float2(acc[i], acc[i + 1]);
  }
}
