/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sum of an array: shuffles within warps, shared memory between them, an atomic between blocks.
 * FAULT: no barrier between the warps' sums and their reader.
 */
extern "C" __global__ void reduce(const float *in, float *out, int n) {
  __shared__ float sums[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
#ifndef FAULT
  __syncthreads();
#endif
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}
