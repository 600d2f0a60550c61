/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The same product, specialised: one warp only fetches tiles into a ring of three stages, one warp
 * group only multiplies; mbarriers say which stages are full and which are empty.
 * FAULT: a stage is said to be empty while wgmma may still read it.
 */
#include "common.cuh"
enum { STAGES = 3, TILE = 64 * 64 };
extern "C" __global__ void __launch_bounds__(160)
    pipeline(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, float *c,
             int n, int k) {
  extern __shared__ __align__(1024) bf16 tiles[];
  __shared__ __align__(8) u64 full[STAGES], empty[STAGES];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  if (t == 0) {
    for (int s = 0; s < STAGES; s++) {
      mbar_init(&full[s], 1);
      mbar_init(&empty[s], 128);
    }
    mbar_fence_init();
  }
  __syncthreads();
  if (warp == 4) {
    if (lane == 0) {
      for (int i = 0; i < k / 64; i++) {
        int s = i % STAGES;
        if (i >= STAGES) mbar_wait(&empty[s], (i / STAGES - 1) & 1);
        mbar_expect(&full[s], 2 * TILE * sizeof(bf16));
        tma_load_2d(tiles + s * 2 * TILE, &a, i * 64, blockIdx.y * 64, &full[s]);
        tma_load_2d(tiles + s * 2 * TILE + TILE, &b, i * 64, blockIdx.x * 64, &full[s]);
      }
    }
    return;
  }
  float acc[32];
  for (int i = 0; i < 32; i++) acc[i] = 0;
  for (int i = 0; i < k / 64; i++) {
    int s = i % STAGES;
    const bf16 *sa = tiles + s * 2 * TILE, *sb = sa + TILE;
    mbar_wait(&full[s], (i / STAGES) & 1);
    wgmma_fence();
#pragma unroll
    for (int kk = 0; kk < 4; kk++)
      wgmma_m64n64k16(acc, wgmma_descriptor(sa) + 2 * kk, wgmma_descriptor(sb) + 2 * kk);
    wgmma_commit();
#ifdef FAULT
    mbar_arrive(&empty[s]);
    wgmma_wait<0>();
#else
    wgmma_wait<0>();
    mbar_arrive(&empty[s]);
#endif
  }
#pragma unroll
  for (int i = 0; i < 32; i += 2) {
    int row = blockIdx.y * 64 + warp * 16 + lane / 4 + i / 2 % 2 * 8;
    int column = blockIdx.x * 64 + i / 4 * 8 + lane % 4 * 2;
    *(float2 *)&c[(u64)row * n + column] = make_float2(acc[i], acc[i + 1]);
  }
}
