/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Known bugs of CUDA programs as small kernels: k_NAME_bad as it was, k_NAME_ok mended. The comment
 * before each says where the bug was reported (a repository and its issue or pull request).
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <mma.h>
#include <cuda_fp16.h>
#define K(name, sig, args)                                                                         \
  extern "C" __global__ void k_##name##_bad sig {                                                  \
    name<0> args;                                                                                  \
  }                                                                                                \
  extern "C" __global__ void k_##name##_ok sig {                                                   \
    name<1> args;                                                                                  \
  }
#define T    template <int F> __device__ __forceinline__ void
#define tid  ((int)threadIdx.x)
#define lane (tid & 31)
#define warp (tid >> 5)
__device__ __forceinline__ uint32_t sm(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void mbar_init(uint64_t *b, int n) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sm(b)), "r"(n) : "memory");
}
__device__ __forceinline__ void mbar_expect(uint64_t *b, int n) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sm(b)), "r"(n)
               : "memory");
}
__device__ __forceinline__ void mbar_arrive(uint64_t *b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sm(b)) : "memory");
}
__device__ __forceinline__ void mbar_wait(uint64_t *b, int par) {
  asm volatile("{\n.reg .pred p;\nL_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p "
               "bra L_%=;\n}" ::"r"(sm(b)),
               "r"(par)
               : "memory");
}
__device__ __forceinline__ void bulk_load(void *d, const void *s, int n, uint64_t *b) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(sm(d)),
      "l"(s), "r"(n), "r"(sm(b))
      : "memory");
}
__device__ __forceinline__ void bulk_store(void *d, const void *s, int n) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(d), "r"(sm(s)),
               "r"(n)
               : "memory");
}
__device__ __forceinline__ void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ __forceinline__ void proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void cpa(void *d, const void *s) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sm(d)), "l"(s) : "memory");
}
__device__ __forceinline__ void cpa_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N> __device__ __forceinline__ void cpa_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

// NVIDIA/cutlass#3597: max-reduction scratch is written again before all warps have read it
T scratch(const float *x, float *y) {
  __shared__ float s[4];
  float v = x[tid];
  for (int r = 0; r < 3; r++) {
    float m = v;
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (lane == 0) s[warp] = m;
    __syncthreads();
    m = fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]));
    if (F) __syncthreads();
    v = v * 0.5f + m * (r + 1);
  }
  y[tid] = v;
}
K(scratch, (const float *x, float *y), (x, y))
// NVIDIA/cuml#6578: thread 0 still reduces while others begin the next iteration
T gemv(const float *x, float *y, int n) {
  __shared__ float s[128];
  for (int i = 0; i < n; i++) {
    s[tid] = x[i * 128 + tid];
    __syncthreads();
    if (tid == 0) {
      float a = 0;
      for (int k = 0; k < 128; k++) a += s[k];
      y[i] = a;
    }
    if (F) __syncthreads();
  }
}
K(gemv, (const float *x, float *y, int n), (x, y, n))
// ggml-org/llama.cpp#28475, ik_llama.cpp#2502: lanes write store[], other lanes read it, no
// __syncwarp
T syncw(const int *x, int *y) {
  __shared__ int store[32];
  store[(lane * 7) & 31] = x[lane];
  if (F) __syncwarp();
  y[lane] = store[lane] + 1;
}
K(syncw, (const int *x, int *y), (x, y))
// ggml-org/llama.cpp#28358: lanes 16..31 pad beyond ni = 16 words, onto the sums behind them
T quant(const int *x, float *y) {
  __shared__ int yq[16 + 4];
  float *yds = (float *)(yq + 16);
  int q = lane < 16 ? x[lane] : 0;
  if (!F ? lane < 20 : lane < 16) ((volatile int *)yq)[lane] = q;
  if (lane == 0 || lane == 8) yds[lane / 8] = 0.5f + lane;
  if (lane == 0 || lane == 8) yds[2 + lane / 8] = 3.0f;
  __syncwarp();
  if (lane < 4)
    y[lane] = yds[lane];
  else
    y[lane] = lane < 16 ? (float)yq[lane] : 0.f;
}
K(quant, (const int *x, float *y), (x, y))
// ggml-org/llama.cpp#27678: __syncthreads where only some warps go, the others reach another one
T diverge(float *y) {
  __shared__ float s[128];
  s[tid] = tid;
  if (F) {
    __syncthreads();
    if (warp % 2 == 0) y[tid] = s[tid ^ 1];
    __syncthreads();
    y[128 + tid] = s[127 - tid];
  } else {
    if (warp % 2 == 0) {
      __syncthreads();
      y[tid] = s[tid ^ 1];
    }
    __syncthreads();
    y[128 + tid] = s[127 - tid];
  }
}
K(diverge, (float *y), (y))
// tile-ai/tilelang#1026: __syncthreads under a condition that lanes of a warp decide differently
T evenlane(float *y) {
  __shared__ float s[32];
  s[tid] = tid;
  if (F) __syncthreads();
  if (tid % 2 == 0) {
    float a = s[tid ^ 1];
    if (!F) __syncthreads();
    y[tid] = a;
  }
}
K(evenlane, (float *y), (y))
// early return in front of a barrier (threads behind n)
T early(const float *x, float *y, int n) {
  __shared__ float s[64];
  if (!F && tid >= n) return;
  s[tid] = tid < n ? x[tid] : 0.f;
  __syncthreads();
  if (tid < n) y[tid] = s[n - 1 - tid];
}
K(early, (const float *x, float *y, int n), (x, y, n))
// MoonshotAI/FlashKDA#24: shared memory written by threads, stored by a bulk copy without
// fence.proxy.async
T tmastore(float *y) {
  __shared__ alignas(128) float s[128];
  s[tid] = tid;
  if (F) proxy();
  __syncthreads();
  if (tid == 0) {
    bulk_store(y, s, 512);
    bulk_commit();
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
K(tmastore, (float *y), (y))
// shared memory written again before the bulk store has read it
T tmareuse(float *y) {
  __shared__ alignas(128) float s[128];
  for (int i = 0; i < 2; i++) {
    s[tid] = tid + 1000 * i;
    proxy();
    __syncthreads();
    if (tid == 0) {
      bulk_store(y + 128 * i, s, 512);
      bulk_commit();
      if (F) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
}
K(tmareuse, (float *y), (y))
// tile-ai/tilelang#3087: the parity of a phase that is over already
T parity(const float *x, float *y) {
  __shared__ alignas(128) float s[3][128];
  __shared__ uint64_t b;
  if (tid == 0) {
    mbar_init(&b, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  for (int i = 0; i < 6; i++) {
    if (tid == 0) {
      mbar_expect(&b, 512);
      bulk_load(s[i % 3], x + 128 * i, 512, &b);
    }
    mbar_wait(&b, F ? i % 2 : (i / 3) % 2);
    y[128 * i + tid] = s[i % 3][127 - tid];
    __syncthreads();
  }
}
K(parity, (const float *x, float *y), (x, y))
// triton-lang/triton#10035: the leading warp gives a stage back for warps that still wait for it
T ring(const float *x, float *y) {
  __shared__ alignas(128) float s[1][32];
  __shared__ uint64_t full, empty;
  if (tid == 0) {
    mbar_init(&full, 1);
    mbar_init(&empty, F ? 3 : 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp == 0) {
    for (int i = 0; i < 8; i++) {
      mbar_wait(&empty, (i & 1) ^ 1);
      if (lane == 0) {
        mbar_expect(&full, 128);
        bulk_load(s[0], x + 32 * i, 128, &full);
      }
      __syncwarp();
    }
  } else {
    for (int i = 0; i < 8; i++) {
      mbar_wait(&full, i & 1);
      if (F)
        y[(warp - 1) * 256 + 32 * i + lane] = s[0][lane];
      else
        y[(warp - 1) * 256 + 32 * i + lane] = s[0][lane];
      __syncwarp();
      if (lane == 0 && (F || warp == 1)) mbar_arrive(&empty);
    }
  }
}
K(ring, (const float *x, float *y), (x, y))
// csarofeen/pytorch#2457: the group is committed behind the wait
T commit(const float *x, float *y, int n) {
  __shared__ alignas(16) float s[3][128];
  for (int i = 0; i < 2; i++) {
    cpa(&s[i][4 * tid], x + 128 * i + 4 * tid);
    cpa_commit();
  }
  cpa_wait<1>();
  __syncthreads();
  for (int i = 0; i < n; i++) {
    if (i + 2 < n) cpa(&s[(i + 2) % 3][4 * tid], x + 128 * (i + 2) + 4 * tid);
    if (F) cpa_commit();
    float a = 0;
    for (int k = 0; k < 4; k++) a += s[i % 3][127 - 4 * tid - k];
    y[32 * i + tid] = a;
    cpa_wait<1>();
    if (!F) cpa_commit();
    __syncthreads();
  }
  cpa_wait<0>();
}
K(commit, (const float *x, float *y, int n), (x, y, n))
// cp.async.wait_group off by one at the end: the last stage is not waited for
T tail(const float *x, float *y, int n) {
  __shared__ alignas(16) float s[2][128];
  cpa(&s[0][4 * tid], x + 4 * tid);
  cpa_commit();
  for (int i = 0; i < n; i++) {
    if (i + 1 < n) {
      cpa(&s[(i + 1) & 1][4 * tid], x + 128 * (i + 1) + 4 * tid);
      cpa_commit();
    }
    if (F && i + 1 == n)
      cpa_wait<0>();
    else
      cpa_wait<1>();
    __syncthreads();
    float a = 0;
    for (int k = 0; k < 4; k++) a += s[i & 1][127 - 4 * tid - k];
    y[32 * i + tid] = a;
    __syncthreads();
  }
}
K(tail, (const float *x, float *y, int n), (x, y, n))
// ORNL/HeCBench#261: Floyd-Warshall in a tile, read and write of one iteration not apart
T floyd(int *d) {
  __shared__ int s[16][16];
  int i = tid / 16, j = tid % 16;
  s[i][j] = d[tid];
  __syncthreads();
  for (int k = 0; k < 16; k++) {
    int v = s[i][k] + s[k][j];
    if (F) __syncthreads();
    if (v < s[i][j]) s[i][j] = v;
    __syncthreads();
  }
  d[tid] = s[i][j];
}
K(floyd, (int *d), (d))
// JustVugg/colibri#1099: wmma store_matrix_sync, then other lanes read, no __syncwarp
T wmmast(const __half *a, float *y) {
  using namespace nvcuda;
  __shared__ alignas(32) float s[256];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, a, 16);
  wmma::mma_sync(c, fa, fb, c);
  wmma::store_matrix_sync(s, c, 16, wmma::mem_row_major);
  if (F) __syncwarp();
  for (int z = lane; z < 256; z += 32) y[z] = s[z];
}
K(wmmast, (const __half *a, float *y), (a, y))
// NVIDIA/Fuser#678: idle threads reset the shared result before the others have read it
T idle(const float *x, float *y) {
  __shared__ float s[4];
  float v = x[tid];
  for (int r = 0; r < 4; r++) {
    float m = v;
    for (int o = 16; o; o >>= 1) m += __shfl_xor_sync(~0u, m, o);
    if (tid == 0) s[0] = 0;
    __syncthreads();
    if (lane == 0) atomicAdd(&s[0], m);
    __syncthreads();
    if (warp == 1) y[r * 32 + lane] = s[0];
    if (F) __syncthreads();
    v += 1;
  }
}
K(idle, (const float *x, float *y), (x, y))
// 1bit-MONSTER#465: one lane of warp 0 writes, all warps read
T oscar(const float *x, float *y) {
  __shared__ float s[2];
  if (tid == 0) {
    s[0] = x[0];
    s[1] = x[1];
  }
  if (F) __syncthreads();
  y[tid] = s[0] * s[1] + tid;
}
K(oscar, (const float *x, float *y), (x, y))
// microsoft/onnxruntime#28107: an index of 32 bits, row 239674 of 8960 columns
T gather(const float *x, float *y, int row) {
  int c = tid;
  if (F)
    y[tid] = x[(long long)row * 8960 + 8832 + c];
  else {
    int i = row * 8960 + 8832 + c;
    y[tid] = x[i];
  }
}
K(gather, (const float *x, float *y, int row), (x, y, row))
// kokkos/kokkos#2681: the last block reads partial sums that no fence published
__device__ unsigned ctr;
T lastblock(const float *x, float *part, float *y) {
  __shared__ bool last;
  float m = x[blockIdx.x * 32 + lane];
  for (int o = 16; o; o >>= 1) m += __shfl_xor_sync(~0u, m, o);
  if (tid == 0) {
    part[blockIdx.x] = m;
    if (F) __threadfence();
    last = atomicInc(&ctr, gridDim.x - 1) == gridDim.x - 1;
    if (F) __threadfence();
  }
  __syncthreads();
  if (last && tid == 0) {
    float a = 0;
    for (int i = 0; i < gridDim.x; i++) a += part[i];
    y[0] = a;
  }
}
K(lastblock, (const float *x, float *part, float *y), (x, part, y))
// pytorch/pytorch#193321: released, but not acquired
T lastacq(const float *x, float *part, float *y) {
  __shared__ bool last;
  float m = x[blockIdx.x * 32 + lane];
  for (int o = 16; o; o >>= 1) m += __shfl_xor_sync(~0u, m, o);
  if (tid == 0) {
    part[blockIdx.x] = m;
    __threadfence();
    last = atomicInc(&ctr, gridDim.x - 1) == gridDim.x - 1;
    if (F) __threadfence();
  }
  __syncthreads();
  if (last && tid == 0) {
    float a = 0;
    for (int i = 0; i < gridDim.x; i++) a += part[i];
    y[0] = a;
  }
}
K(lastacq, (const float *x, float *part, float *y), (x, part, y))
// uzh-rpg/vilib#5, NVIDIA/cub#154: a full mask, but not all lanes come
T shfl(const int *x, int *y, int n) {
  if (F) {
    int v = tid < n ? x[tid] : 0;
    v += __shfl_down_sync(~0u, v, 16);
    if (tid < n) y[tid] = v;
  } else if (tid < n) {
    int v = x[tid];
    v += __shfl_down_sync(~0u, v, 16);
    y[tid] = v;
    __syncwarp(__activemask());
  }
}
K(shfl, (const int *x, int *y, int n), (x, y, n))
// NVIDIA/Fuser#3863: the stage is given back before wgmma has read it
T wgfree(const float *x, float *y) {
  __shared__ alignas(1024) char s[1][8192 + 1024];
  __shared__ uint64_t full, empty;
  if (tid == 0) {
    mbar_init(&full, 1);
    mbar_init(&empty, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (tid >= 128) {
    if (tid == 128)
      for (int i = 0; i < 4; i++) {
        mbar_wait(&empty, (i & 1) ^ 1);
        mbar_expect(&full, 8192);
        bulk_load(s[0], x + 2048 * i, 8192, &full);
      }
  } else {
    float d[4] = {0, 0, 0, 0};
    uint64_t da = (uint64_t)((sm(s[0]) >> 4) & 0x3fff) | (uint64_t)(8) << 16 | (uint64_t)(16) << 32;
    uint64_t db =
        (uint64_t)(((sm(s[0]) + 4096) >> 4) & 0x3fff) | (uint64_t)8 << 16 | (uint64_t)16 << 32;
    for (int i = 0; i < 4; i++) {
      mbar_wait(&full, i & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      asm volatile(
          "{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
          "{%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;}"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "l"(da), "l"(db));
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      if (F) {
        asm volatile("wgmma.wait_group.sync.aligned 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
        asm volatile("bar.sync 1, 128;" ::: "memory");
      }
      if (!F) asm volatile("bar.sync 1, 128;" ::: "memory");
      if (tid == 0) mbar_arrive(&empty);
      if (!F)
        asm volatile("wgmma.wait_group.sync.aligned 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    }
    for (int k = 0; k < 4; k++) y[tid * 4 + k] = d[k];
  }
}
K(wgfree, (const float *x, float *y), (x, y))
// tile-ai/tilelang#2613: two warpgroups read one operand, the next iteration overwrites it without
// a barrier
T wgshare(const float *x, float *y) {
  __shared__ alignas(1024) char s[4096];
  float d[4] = {0, 0, 0, 0};
  uint64_t da = (uint64_t)((sm(s) >> 4) & 0x3fff) | (uint64_t)8 << 16 | (uint64_t)16 << 32;
  for (int i = 0; i < 3; i++) {
    if (F && i) __syncthreads();
    for (int k = tid; k < 1024; k += 256) ((float *)s)[k] = x[1024 * i + k];
    proxy();
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
        "{%0,%1,%2,%3}, %4, %4, p, 1, 1, 0, 0;}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(da));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
  }
  for (int k = 0; k < 4; k++) y[tid * 4 + k] = d[k];
}
K(wgshare, (const float *x, float *y), (x, y))
// initcheck: the tail of a shared tile is summed, but nobody wrote it
T uninit(const float *x, float *y, int n) {
  __shared__ float s[128];
  if (F)
    s[tid] = tid < n ? x[tid] : 0.f;
  else if (tid < n)
    s[tid] = x[tid];
  __syncthreads();
  float a = 0;
  for (int k = 0; k < 128; k++) a += s[k];
  y[tid] = a;
}
K(uninit, (const float *x, float *y, int n), (x, y, n))
// the last steps of a reduction in one warp without __syncwarp (as before Volta), not volatile, by
// volatile
T warpred(const float *x, float *y) {
  __shared__ float s[64];
  s[tid] = x[tid];
  __syncthreads();
  if (tid < 32) {
    for (int o = 32; o; o >>= 1) {
      float v = s[tid] + (tid < o ? s[tid + o] : 0.f);
      if (F) __syncwarp();
      if (tid < o) s[tid] = v;
      if (F)
        __syncwarp();
      else
        asm volatile("" ::: "memory");
    }
    if (tid == 0) y[0] = s[0];
  }
}
K(warpred, (const float *x, float *y), (x, y))
T warpvol(const float *x, float *y) {
  __shared__ float s[64];
  volatile float *v = s;
  s[tid] = x[tid];
  __syncthreads();
  if (tid < 32) {
    if (F) {
      for (int o = 32; o; o >>= 1) {
        float a = tid < o ? s[tid] + s[tid + o] : s[tid];
        __syncwarp();
        s[tid] = a;
        __syncwarp();
      }
    } else {
      v[tid] += v[tid + 32];
      v[tid] += v[tid + 16];
      v[tid] += v[tid + 8];
      v[tid] += v[tid + 4];
      v[tid] += v[tid + 2];
      v[tid] += v[tid + 1];
    }
    if (tid == 0) y[0] = s[0];
  }
}
K(warpvol, (const float *x, float *y), (x, y))
// a block of a cluster ends while another still reads its shared memory
T dsmem(const float *x, float *y) {
  __shared__ float s[32];
  s[tid] = x[blockIdx.x * 32 + tid];
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
  uint32_t a;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(a)
      : "r"(sm(&s[31 - tid])), "r"((blockIdx.x & 1) ^ 1));
  float v;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(a));
  y[blockIdx.x * 32 + tid] = v;
  if (F)
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}
K(dsmem, (const float *x, float *y), (x, y))
// mbarriers that are initialised, but not made visible to the other block of the cluster before it
// arrives
T mbinit(float *y) {
  __shared__ uint64_t b;
  if (tid == 0) {
    mbar_init(&b, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (F)
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
  else
    __syncthreads();
  uint32_t a;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(sm(&b)), "r"((blockIdx.x & 1) ^ 1));
  if (tid == 0)
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(a)
                 : "memory");
  mbar_wait(&b, 0);
  y[blockIdx.x * 32 + tid] = 1;
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}
K(mbinit, (float *y), (y))
// an mbarrier is initialised and used by a bulk copy without any fence (same thread)
T mbfence(const float *x, float *y) {
  __shared__ alignas(128) float s[128];
  __shared__ uint64_t b;
  if (tid == 0) {
    mbar_init(&b, 1);
    if (F) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    if (F) proxy();
    mbar_expect(&b, 512);
    bulk_load(s, x, 512, &b);
  }
  __syncthreads();
  mbar_wait(&b, 0);
  y[tid] = s[127 - tid];
}
K(mbfence, (const float *x, float *y), (x, y))
// read by threads, then overwritten by a bulk copy, no wait for the readers (WAR against TMA)
T tmawar(const float *x, float *y) {
  __shared__ alignas(128) float s[128];
  __shared__ uint64_t b;
  if (tid == 0) {
    mbar_init(&b, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  for (int i = 0; i < 3; i++) {
    if (tid == 0) {
      mbar_expect(&b, 512);
      bulk_load(s, x + 128 * i, 512, &b);
    }
    mbar_wait(&b, i & 1);
    y[128 * i + tid] = s[127 - tid];
    if (F) __syncthreads();
  }
}
K(tmawar, (const float *x, float *y), (x, y))
// wrong expect_tx: fewer bytes than the copies bring
T expect(const float *x, float *y) {
  __shared__ alignas(128) float s[256];
  __shared__ uint64_t b;
  if (tid == 0) {
    mbar_init(&b, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    mbar_expect(&b, F ? 1024 : 512);
    bulk_load(s, x, 512, &b);
    bulk_load(s + 128, x + 128, 512, &b);
  }
  __syncthreads();
  mbar_wait(&b, 0);
  y[tid] = s[255 - tid];
}
K(expect, (const float *x, float *y), (x, y))
