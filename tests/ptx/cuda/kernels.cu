// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the kind people write, compiled to kernels.ptx:
//   nvcc -ptx -lineinfo -arch=sm_80 kernels.cu -o kernels.ptx
// tests/unit/test_ptx_cuda.c compares what they leave with plain C.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

// Sum of n numbers: shuffles within warps, shared memory within a block, atomics between blocks.
extern "C" __global__ void reduce(const float *x, float *sum, int n) {
  __shared__ float part[32];
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x == 0) atomicAdd(sum, s);
  }
}

// Inclusive prefix sums of a block's 2 * blockDim.x numbers (Blelloch).
extern "C" __global__ void scan(const int *x, int *y) {
  extern __shared__ int t[];
  int n = 2 * blockDim.x, k = threadIdx.x, offset = 1;
  t[2 * k] = x[2 * k];
  t[2 * k + 1] = x[2 * k + 1];
  for (int d = n / 2; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (k < d) t[offset * (2 * k + 2) - 1] += t[offset * (2 * k + 1) - 1];
  }
  if (k == 0) t[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (k < d) {
      int a = offset * (2 * k + 1) - 1, b = offset * (2 * k + 2) - 1, v = t[a];
      t[a] = t[b];
      t[b] += v;
    }
  }
  __syncthreads();
  y[2 * k] = t[2 * k] + x[2 * k];
  y[2 * k + 1] = t[2 * k + 1] + x[2 * k + 1];
}

// Transposes an n x n matrix by tiles of 32 x 32.
extern "C" __global__ void transpose(const float *x, float *y, int n) {
  __shared__ float tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += blockDim.y)
    if (r + k < n && c < n) tile[threadIdx.y + k][threadIdx.x] = x[(r + k) * n + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x;
  r = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += blockDim.y)
    if (r + k < n && c < n) y[(r + k) * n + c] = tile[threadIdx.x][threadIdx.y + k];
}

// 256 bins; lanes with the same byte add together.
extern "C" __global__ void histogram(const unsigned char *x, unsigned *bins, int n) {
  __shared__ unsigned own[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned lanes = __activemask(), same = __match_any_sync(lanes, x[i]);
    if (__ffs(same) - 1 == threadIdx.x % 32) atomicAdd(&own[x[i]], __popc(same));
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}

// C = A * B of n x n halves, sums in float.
extern "C" __global__ void gemm(const __half *a, const __half *b, float *c, int n) {
  __shared__ __half as[16][16], bs[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
    __syncthreads();
    for (int j = 0; j < 16; j++)
      sum = fmaf(__half2float(as[threadIdx.y][j]), __half2float(bs[j][threadIdx.x]), sum);
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// Smooths a row again and again; all blocks wait for each other between the steps.
extern "C" __global__ void smooth(float *a, float *b, int n, int steps, unsigned *arrived) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < steps; s++) {
    if (i > 0 && i < n - 1) b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrived, 1);
      while (*(volatile unsigned *)arrived < (s + 1) * gridDim.x) {}
      __threadfence();
    }
    __syncthreads();
    float *t = a;
    a = b;
    b = t;
  }
}

// Functions of the mathematics library, and control flow that lanes leave at different places.
__device__ __noinline__ float rough(float x, int depth) {
  return depth == 0 || x < 0.1f ? x : rough(x * 0.5f, depth - 1) + 1;
}
extern "C" __global__ void mathematics(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], r = 0;
  switch (i % 8) {
  case 0: r = sinf(v) + cosf(v); break;
  case 1: r = expf(v) - logf(v); break;
  case 2: r = powf(v, 1.5f); break;
  case 3: r = sqrtf(v) + 1 / v; break;
  case 4: r = tanhf(v) * erff(v); break;
  case 5: r = (float)(int)(v * 100) + floorf(v) + rintf(v * 3); break;
  case 6: r = rough(v, 5); break;
  default:
    for (int k = 0; k < i % 13; k++) r = fmaf(r, 0.5f, v);
  }
  y[i] = r;
}

// Sums of tiles of 8 lanes through the cooperative groups' interface.
extern "C" __global__ void tiles(const int *x, int *y) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = x[threadIdx.x];
  for (int d = tile.size() / 2; d; d /= 2) v += tile.shfl_xor(v, d);
  tile.sync();
  y[threadIdx.x] = v * (tile.thread_rank() == 3 ? 2 : 1);
}
