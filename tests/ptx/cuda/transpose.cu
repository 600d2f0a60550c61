/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A matrix transposed by tiles. FAULT: the store doesn't check the matrix's edge.
 */
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < columns && y + k < rows) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
#ifdef FAULT
    if (x < rows) out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
#else
    if (x < rows && y + k < columns) out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
#endif
}
