/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Inclusive sums of a block's elements, between two buffers in shared memory.
 * FAULT: within one buffer, so that a thread reads what its neighbour writes in the same step.
 */
extern "C" __global__ void scan(const int *in, int *out) {
  extern __shared__ int buffer[];
  int t = threadIdx.x, n = blockDim.x, from = 0;
  buffer[t] = in[blockIdx.x * n + t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
#ifdef FAULT
    int to = from;
#else
    int to = n - from;
#endif
    int value = buffer[from + t];
    if (t >= d) value += buffer[from + t - d];
    buffer[to + t] = value;
    from = to;
    __syncthreads();
  }
  out[blockIdx.x * n + t] = buffer[from + t];
}
