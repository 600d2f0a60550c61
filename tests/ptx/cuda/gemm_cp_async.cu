/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The same product with tiles fetched by cp.async, one step ahead, in two buffers.
 * FAULT: the last step leaves its own group pending.
 */
#include "common.cuh"
enum { TM = 64, TN = 64, TK = 32, PA = TK + 8, PB = TN + 8 };
__device__ __forceinline__ void fetch(bf16 (*sa)[PA], bf16 (*sb)[PB], const bf16 *a, const bf16 *b,
                                      int m0, int n0, int k0, int n, int k) {
  int t = threadIdx.x;
  for (int i = t; i < TM * TK / 8; i += 128)
    cp_async16(shared_address(&sa[i / (TK / 8)][i % (TK / 8) * 8]),
               &a[(u64)(m0 + i / (TK / 8)) * k + k0 + i % (TK / 8) * 8]);
  for (int i = t; i < TK * TN / 8; i += 128)
    cp_async16(shared_address(&sb[i / (TN / 8)][i % (TN / 8) * 8]),
               &b[(u64)(k0 + i / (TN / 8)) * n + n0 + i % (TN / 8) * 8]);
  cp_async_commit();
}
extern "C" __global__ void __launch_bounds__(128)
    gemm_cp_async(const bf16 *a, const bf16 *b, float *c, int m, int n, int k) {
  __shared__ __align__(16) bf16 sa[2][TM][PA], sb[2][TK][PB];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  int m0 = blockIdx.y * TM, n0 = blockIdx.x * TN;
  float acc[8][4] = {};
  fetch(sa[0], sb[0], a, b, m0, n0, 0, n, k);
  for (int k0 = 0, s = 0; k0 < k; k0 += TK, s ^= 1) {
    if (k0 + TK < k) {
      fetch(sa[s ^ 1], sb[s ^ 1], a, b, m0, n0, k0 + TK, n, k);
      cp_async_wait<1>();
    } else {
#ifdef FAULT
      cp_async_wait<1>();
#else
      cp_async_wait<0>();
#endif
    }
    __syncthreads();
    for (int kk = 0; kk < TK; kk += 16) {
      u32 fa[4];
      ldmatrix_x4(fa, shared_address(&sa[s][warp * 16 + lane % 16][kk + lane / 16 * 8]));
#pragma unroll
      for (int j = 0; j < 8; j++) {
        u32 fb[2];
        ldmatrix_x2_trans(fb, shared_address(&sb[s][kk + lane % 16][j * 8]));
        mma_bf16(acc[j], fa, fb);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 8; j++) {
    int row = m0 + warp * 16 + lane / 4, column = n0 + j * 8 + lane % 4 * 2;
    *(float2 *)&c[(u64)row * n + column] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&c[(u64)(row + 8) * n + column] = make_float2(acc[j][2], acc[j][3]);
  }
}
