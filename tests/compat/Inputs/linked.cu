// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two files of relocatable code in one: each uses what the other defines, and has a variable and a
// text of its own with the same names as the other's.
#include <cstdio>

int look();

#ifdef FIRST
extern __device__ int twice(int x);
extern __device__ int counter;
static __device__ int mine = 5;
__constant__ int factor = 3;

__global__ void run(int *out) {
  int i = threadIdx.x;
  out[i] = twice(i) * factor + mine;
  atomicAdd(&counter, 1);
  if (i == 0) printf("first, %d threads\n", blockDim.x);
}

int main() {
  enum { N = 32 };
  int *memory, out[N];
  cudaMalloc(&memory, sizeof out);
  run<<<1, N>>>(memory);
  cudaError_t error = cudaGetLastError();
  if (error) printf("%s\n", cudaGetErrorString(error));
  cudaMemcpy(out, memory, sizeof out, cudaMemcpyDeviceToHost);
  printf("out[31] = %d, counter = %d\n", out[31], look());
}
#else
extern __constant__ int factor;
static __device__ int mine = 1;
__device__ int counter = 7;

__device__ int twice(int x) {
  if (x == factor * 1000) printf("second\n");
  return 2 * x * mine;
}

int look() {
  int value = 0;
  cudaMemcpyFromSymbol(&value, counter, sizeof value);
  return value;
}
#endif
