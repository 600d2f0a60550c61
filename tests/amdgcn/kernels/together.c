/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Threads of a workgroup together: LDS, barriers, atomics, values of other lanes.
 */
#include "common.h"

typedef float float4 __attribute__((vector_size(16)));

KERNEL(256) sum_blocks(GLOBAL const float *x, GLOBAL float *sums) {
  LOCAL float part[256];
  unsigned t = thread_id();
  part[t] = x[block_id() * 256 + t];
  for (unsigned half_ = 128; half_; half_ /= 2) {
    meet();
    if (t < half_) part[t] += part[t + half_];
  }
  if (t == 0) sums[block_id()] = part[0];
}

KERNEL(256) histogram(GLOBAL const u8 *x, GLOBAL u32 *bins, u32 n) {
  LOCAL u32 mine[256];
  unsigned t = thread_id();
  mine[t] = 0;
  meet();
  for (u32 i = block_id() * 256 + t; i < n; i += 512)
    __atomic_fetch_add(&mine[x[i]], 1, __ATOMIC_RELAXED);
  meet();
  __atomic_fetch_add(&bins[t], mine[t], __ATOMIC_RELAXED);
}

KERNEL(256) transpose(GLOBAL const float *x, GLOBAL float *y) {
  LOCAL float tile[16][17];
  unsigned t = thread_id(), r = t / 16, c = t % 16;
  unsigned by = block_id() / 4, bx = block_id() % 4;
  tile[r][c] = x[(by * 16 + r) * 64 + bx * 16 + c];
  meet();
  y[(bx * 16 + r) * 64 + by * 16 + c] = tile[c][r];
}

#ifdef __AMDGCN__
static float other_lane(float v, int m) {
  int lane = (int)((thread_id() ^ (unsigned)m) % WAVE);
  return __builtin_bit_cast(float,
                            __builtin_amdgcn_ds_bpermute(lane * 4, __builtin_bit_cast(int, v)));
}

static float lane_sum(float v) {
  for (int m = 1; m < WAVE; m *= 2) v += other_lane(v, m);
  return v;
}

static float lane_max(float v) {
  for (int m = 1; m < WAVE; m *= 2) {
    float o = other_lane(v, m);
    v = v > o ? v : o;
  }
  return v;
}

/* A row of 4 elements for each lane by one wave. */
KERNEL(WAVE) softmax(GLOBAL const float4 *x, GLOBAL float4 *y) {
  unsigned t = thread_id();
  float4 v = x[block_id() * WAVE + t];
  float m = v[0] > v[1] ? v[0] : v[1], n = v[2] > v[3] ? v[2] : v[3];
  m = lane_max(m > n ? m : n);
  float4 e = {__builtin_amdgcn_exp2f((v[0] - m) * 1.44269504f),
              __builtin_amdgcn_exp2f((v[1] - m) * 1.44269504f),
              __builtin_amdgcn_exp2f((v[2] - m) * 1.44269504f),
              __builtin_amdgcn_exp2f((v[3] - m) * 1.44269504f)};
  float s = lane_sum(e[0] + e[1] + e[2] + e[3]);
  y[block_id() * WAVE + t] = e * __builtin_amdgcn_rcpf(s);
}

/* Sums of rows of 16 lanes by moves within them. */
KERNEL(WAVE) sum_rows(GLOBAL const int *x, GLOBAL int *y, GLOBAL int *firsts) {
  unsigned t = block_id() * WAVE + thread_id();
  int v = x[t];
  v += __builtin_amdgcn_update_dpp(0, v, 0x128, 0xf, 0xf, 1); /* row_ror:8 */
  v += __builtin_amdgcn_update_dpp(0, v, 0x124, 0xf, 0xf, 1);
  v += __builtin_amdgcn_mov_dpp(v, 0x4e, 0xf, 0xf, 1);        /* quad_perm */
  v += __builtin_amdgcn_mov_dpp(v, 0xb1, 0xf, 0xf, 1);
  y[t] = v + __builtin_amdgcn_update_dpp(100, v, 0x111, 0xf, 0xf, 0); /* row_shr:1 */
  firsts[t] = __builtin_amdgcn_readfirstlane(x[t]) + __builtin_amdgcn_readlane(v, 17);
}

/* The place of the last block is known to nobody before. */
KERNEL(256) count_up(GLOBAL u32 *count, GLOBAL u64 *wide, GLOBAL float *sum) {
  unsigned t = thread_id();
  u32 old = __atomic_fetch_add(count, t & 3, __ATOMIC_RELAXED);
  __atomic_fetch_max(wide, (u64)t << 33, __ATOMIC_RELAXED);
  __atomic_fetch_or(&wide[1], 1ul << (t & 63), __ATOMIC_RELAXED);
  if (old == 0xffffffffu) *sum = 1.0f;
}
#endif

/* Sums of all before, and each itself: each step adds what is twice as far away. */
KERNEL(256) scan_block(GLOBAL const u32 *x, GLOBAL u32 *r) {
  LOCAL u32 sums[2][256];
  u32 t = thread_id(), from = 0;
  sums[0][t] = x[t];
  meet();
  for (u32 step = 1; step < 256; step *= 2, from ^= 1) {
    sums[from ^ 1][t] = sums[from][t] + (t >= step ? sums[from][t - step] : 0);
    meet();
  }
  r[t] = sums[from][t];
}

/* A sorting network. */
KERNEL(256) sort_block(GLOBAL const int *x, GLOBAL int *r) {
  LOCAL int keys[256];
  u32 t = thread_id();
  keys[t] = x[t];
  meet();
  for (u32 size = 2; size <= 256; size *= 2)
    for (u32 far = size / 2; far; far /= 2) {
      u32 other = t ^ far;
      int a = keys[t], b = keys[other];
      int first = a < b ? a : b, last = a < b ? b : a;
      meet();
      keys[t] = ((t & size) == 0) == (t < other) ? first : last;
      meet();
    }
  r[t] = keys[t];
}
