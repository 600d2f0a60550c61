/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C (f32) = A * B, bf16, row-major, by tiles of 64 x 64 x 32: ldmatrix and mma.sync, 4 warps.
 * FAULT: no barrier between a step's reads of shared memory and the next step's stores.
 */
#include "common.cuh"
enum { TM = 64, TN = 64, TK = 32, PA = TK + 8, PB = TN + 8 };
extern "C" __global__ void __launch_bounds__(128) gemm_mma(const bf16 *a, const bf16 *b, float *c, int m,
                                                           int n, int k) {
  __shared__ __align__(16) bf16 sa[TM][PA], sb[TK][PB];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  int m0 = blockIdx.y * TM, n0 = blockIdx.x * TN;
  float acc[8][4] = {};
  for (int k0 = 0; k0 < k; k0 += TK) {
    for (int i = t; i < TM * TK / 8; i += 128)
      *(uint4 *)&sa[i / (TK / 8)][i % (TK / 8) * 8] =
          *(const uint4 *)&a[(u64)(m0 + i / (TK / 8)) * k + k0 + i % (TK / 8) * 8];
    for (int i = t; i < TK * TN / 8; i += 128)
      *(uint4 *)&sb[i / (TN / 8)][i % (TN / 8) * 8] =
          *(const uint4 *)&b[(u64)(k0 + i / (TN / 8)) * n + n0 + i % (TN / 8) * 8];
    __syncthreads();
    for (int kk = 0; kk < TK; kk += 16) {
      u32 fa[4];
      ldmatrix_x4(fa, shared_address(&sa[warp * 16 + lane % 16][kk + lane / 16 * 8]));
#pragma unroll
      for (int j = 0; j < 8; j++) {
        u32 fb[2];
        ldmatrix_x2_trans(fb, shared_address(&sb[kk + lane % 16][j * 8]));
        mma_bf16(acc[j], fa, fb);
      }
    }
#ifndef FAULT
    __syncthreads();
#endif
  }
#pragma unroll
  for (int j = 0; j < 8; j++) {
    int row = m0 + warp * 16 + lane / 4, column = n0 + j * 8 + lane % 4 * 2;
    *(float2 *)&c[(u64)row * n + column] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&c[(u64)(row + 8) * n + column] = make_float2(acc[j][2], acc[j][3]);
  }
}
