/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What programs of CUDA C++ have: printf, variables of three kinds, dynamic shared memory, a template,
 * an exception to be caught, a launch in all forms.
 */
#include <cooperative_groups.h>
#include <cstdio>

__constant__ int factor = 3;
__device__ int total;
__managed__ int managed = 5;

template <typename T> __global__ void scale(T *data, int n) {
  extern __shared__ unsigned char bytes[];
  T *tile = reinterpret_cast<T *>(bytes);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? data[i] * factor : T(0);
  __syncthreads();
  if (i < n) data[i] = tile[threadIdx.x];
  if (threadIdx.x == 0) atomicAdd(&total, 1);
  if (i == 0) {
    managed++;
    printf("scale: %d blocks of %d threads\n", gridDim.x, blockDim.x);
  }
}

__global__ void meet(int *out) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  if (threadIdx.x == 0) atomicAdd(out, 1);
  grid.sync();
  if (grid.thread_rank() == 0) out[1] = out[0];
}

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t e = (call);                                                                        \
    if (e != cudaSuccess) {                                                                        \
      printf("%s: %s\n", #call, cudaGetErrorName(e));                                              \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

int main() {
  const int n = 1000;
  static double host[n];
  double *data;
  int *words, result[2], blocks = 0;
  for (int i = 0; i < n; i++) host[i] = i;
  CHECK(cudaMalloc(&data, sizeof host));
  CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  scale<<<8, 128, 128 * sizeof(double)>>>(data, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(&blocks, total, sizeof blocks));
  printf("host[999] = %g, total = %d, managed = %d\n", host[999], blocks, managed);
  CHECK(cudaMalloc(&words, sizeof result));
  CHECK(cudaMemset(words, 0, sizeof result));
  void *args[] = {&words};
  CHECK(cudaLaunchCooperativeKernel((void *)meet, dim3(4), dim3(32), args, 0, 0));
  CHECK(cudaMemcpy(result, words, sizeof result, cudaMemcpyDeviceToHost));
  printf("met: %d\n", result[1]);
  scale<<<1, 2000>>>(data, n);
  printf("too many threads: %s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
