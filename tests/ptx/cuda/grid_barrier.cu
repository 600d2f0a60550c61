/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A barrier of all blocks, by an atomic counter with fences, as cooperative groups do it: each block
 * writes, all meet, each reads what its neighbour wrote. FAULT: no fences.
 */
extern "C" __global__ void grid_barrier(int *data, unsigned *counter, int *out) {
  int t = threadIdx.x, n = blockDim.x, b = blockIdx.x;
  data[b * n + t] = b * 1000 + t;
  __syncthreads();
  if (t == 0) {
#ifndef FAULT
    __threadfence();
#endif
    atomicAdd(counter, 1);
    while (*(volatile unsigned *)counter < gridDim.x) {}
#ifndef FAULT
    __threadfence();
#endif
  }
  __syncthreads();
  out[b * n + t] = data[(b + 1) % gridDim.x * n + t];
}
