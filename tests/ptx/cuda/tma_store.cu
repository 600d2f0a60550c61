/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles of 32 x 32 floats fetched, doubled in shared memory and stored by bulk tensor copies.
 * FAULT: no fence between the threads' stores and the copy that reads them.
 */
#include "common.cuh"
extern "C" __global__ void __launch_bounds__(128)
    tma_store(const __grid_constant__ tensor_map in, const __grid_constant__ tensor_map out) {
  __shared__ __align__(128) float tile[32 * 32];
  __shared__ __align__(8) u64 full;
  int t = threadIdx.x;
  if (t == 0) {
    mbar_init(&full, 1);
    mbar_fence_init();
    mbar_expect(&full, sizeof tile);
    tma_load_2d(tile, &in, blockIdx.x * 32, blockIdx.y * 32, &full);
  }
  __syncthreads();
  mbar_wait(&full, 0);
  for (int i = t; i < 32 * 32; i += 128) tile[i] *= 2;
#ifndef FAULT
  fence_async();
#endif
  __syncthreads();
  if (t == 0) {
    tma_store_2d(&out, blockIdx.x * 32, blockIdx.y * 32, tile);
    bulk_commit();
    bulk_wait_read();
  }
}
