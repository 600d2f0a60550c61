/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts of byte values, first in shared memory. FAULT: nobody sets the shared counts to zero.
 */
extern "C" __global__ void histogram(const unsigned char *in, unsigned *out, int n) {
  __shared__ unsigned counts[256];
#ifndef FAULT
  for (int i = threadIdx.x; i < 256; i += blockDim.x) counts[i] = 0;
#endif
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[in[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&out[i], counts[i]);
}
