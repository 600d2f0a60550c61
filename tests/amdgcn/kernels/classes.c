/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What programs are mostly made of: products by tiles, pipelines, hand-overs between workgroups.
 * All of it is compiled for the host, too.
 */
#include "common.h"

typedef float float4 __attribute__((vector_size(16)));

/* c[32][32] = a[32][k] * b[k][32] in tiles of 16 x 16. */
KERNEL(256) tiled_gemm(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *c, int k) {
  LOCAL float left[16][16], right[16][17];
  u32 t = thread_id(), r = t / 16, n = t % 16, row = block_id() / 2 * 16, col = block_id() % 2 * 16;
  float sum = 0;
  for (int at = 0; at < k; at += 16) {
    left[r][n] = a[(row + r) * (u32)k + (u32)at + n];
    right[r][n] = b[((u32)at + r) * 32 + col + n];
    meet();
    for (u32 d = 0; d < 16; d++) sum += left[r][d] * right[d][n];
    meet();
  }
  c[(row + r) * 32 + col + n] = sum;
}

/* Sums of windows of 8; the next tile is loaded while the one before is added up. */
KERNEL(128) pipeline(GLOBAL const u32 *x, GLOBAL u32 *y, u32 tiles) {
  LOCAL u32 stage[2][136];
  u32 t = thread_id();
  GLOBAL const u32 *from = x + block_id() * tiles * 128;
  u32 next = from[t], beyond = t < 8 ? from[128 + t] : 0;
  for (u32 k = 0; k < tiles; k++) {
    u32 *now = stage[k % 2], sum = 0;
    now[t] = next;
    if (t < 8) now[128 + t] = beyond;
    if (k + 1 < tiles) {
      next = from[(k + 1) * 128 + t];
      if (t < 8) beyond = k + 2 < tiles ? from[(k + 2) * 128 + t] : 0;
    }
    meet();
    for (u32 d = 0; d < 8; d++) sum += now[t + d];
    y[(block_id() * tiles + k) * 128 + t] = sum;
  }
}

/* The first workgroup writes a line and raises a flag, for which the others wait. */
KERNEL(64) publish(GLOBAL const u32 *x, GLOBAL u32 *line, GLOBAL u32 *flag, GLOBAL u32 *y) {
  u32 t = thread_id();
  if (block_id() == 0) {
    line[t] = x[t] * 3;
    meet();
    if (t == 0) store_release(flag, 1);
  }
  while (load_acquire(flag) == 0) pause_();
  y[block_id() * 64 + t] = line[t ^ 1] + block_id();
}

/* Two steps of all workgroups, with a barrier between them that they make by themselves. */
KERNEL(64) grid_barrier(GLOBAL const u32 *x, GLOBAL u32 *part, GLOBAL u32 *count, GLOBAL u32 *y) {
  u32 t = thread_id();
  part[block_id() * 64 + t] = x[block_id() * 64 + t] + t;
  meet();
  if (t == 0) {
    add_release(count, 1);
    while (load_acquire(count) < 3) pause_();
  }
  meet();
  u32 sum = 0;
  for (u32 b = 0; b < 3; b++) sum += part[b * 64 + (63 - t)];
  y[block_id() * 64 + t] = sum;
}

/* A combination that no processor has at once: a loop of comparing and swapping. */
KERNEL(64) nand_all(GLOBAL u32 *word, GLOBAL const u32 *x) {
  __atomic_fetch_nand(&word[thread_id() % 4], x[block_id() * 64 + thread_id()], __ATOMIC_RELAXED);
}

/* Differences of second order, four elements a thread. */
KERNEL(64) stencil(GLOBAL const float4 *x, GLOBAL float4 *y) {
  LOCAL float edge[2][66];
  u32 t = thread_id();
  float4 v = x[block_id() * 64 + t];
  edge[0][t + 1] = v[0];
  edge[1][t] = v[3];
  if (t == 0) edge[1][64] = 0, edge[1][65] = 0, edge[0][0] = 0, edge[0][65] = 0;
  meet();
  float before = t ? edge[1][t - 1] : 0, after = t < 63 ? edge[0][t + 2] : 0;
  float4 l = {before, v[0], v[1], v[2]}, r = {v[1], v[2], v[3], after};
  y[block_id() * 64 + t] = l - 2.0f * v + r;
}

/* y = a * x for a matrix of 64 rows, by whole vectors. */
KERNEL(64) matrix_vector(GLOBAL const float4 *a, GLOBAL const float4 *x, GLOBAL float *y, int n) {
  u32 row = block_id() * 64 + thread_id();
  float4 sum = {0};
  for (int k = 0; k < n; k++) sum += a[row * (u32)n + (u32)k] * x[k];
  y[row] = sum[0] + sum[1] + sum[2] + sum[3];
}

/* The places of what is kept, in the order of the threads, by a sum over the workgroup. */
KERNEL(128) compact(GLOBAL const i32 *x, GLOBAL i32 *kept, GLOBAL u32 *count) {
  LOCAL u32 before[128];
  u32 t = thread_id();
  i32 v = x[t];
  before[t] = v >= 0;
  meet();
  for (u32 far = 1; far < 128; far *= 2) {
    u32 more = t >= far ? before[t - far] : 0;
    meet();
    before[t] += more;
    meet();
  }
  if (v >= 0) kept[before[t] - 1] = v;
  if (t == 127) *count = before[t];
}
