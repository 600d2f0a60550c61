/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What only RDNA's waves of 32 lanes have: products of matrices, permutations of rows of lanes.
 */
#include "common.h"

typedef short v8h __attribute__((vector_size(16)));
typedef f16 v8f16 __attribute__((vector_size(16)));
typedef f16 v16f16 __attribute__((vector_size(32)));
typedef short v16h __attribute__((vector_size(32)));
typedef float v8f __attribute__((vector_size(32)));
typedef int v8i __attribute__((vector_size(32)));
typedef int v4i __attribute__((vector_size(16)));
typedef int v2i __attribute__((vector_size(8)));

/* Row and column of an element of the result, and the k of an element of A and B. */
#ifdef __gfx1200__
#define DEPTH_OF(t, e) ((t) / 16 * 8 + (e))
#define ELEMENTS       8
#define ROW_OF(t, e)   ((t) / 16 * 8 + (e))
typedef v8f16 factor;
typedef v8h factor_b;
#define WMMA_F16  __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12
#define WMMA_BF16 __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12
#else
#define DEPTH_OF(t, e) (e)
#define ELEMENTS       16
#define ROW_OF(t, e)   (2 * (e) + (t) / 16)
typedef v16f16 factor;
typedef v16h factor_b;
#define WMMA_F16  __builtin_amdgcn_wmma_f32_16x16x16_f16_w32
#define WMMA_BF16 __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32
#endif

/* c[16][16] = a[16][k] * b[k][16], all by rows. */
KERNEL(32) wmma_f16(GLOBAL const f16 *a, GLOBAL const f16 *b, GLOBAL float *c, int k) {
  unsigned t = thread_id(), i = t % 16;
  v8f sum = {0};
  for (int at = 0; at < k; at += 16) {
    factor x, y;
    for (int e = 0; e < ELEMENTS; e++) {
      x[e] = a[i * k + at + DEPTH_OF(t, e)];
      y[e] = b[(at + DEPTH_OF(t, e)) * 16 + i];
    }
    sum = WMMA_F16(x, y, sum);
  }
  for (int e = 0; e < 8; e++) c[ROW_OF(t, e) * 16 + i] = sum[e];
}

KERNEL(32) wmma_bf16(GLOBAL const short *a, GLOBAL const short *b, GLOBAL float *c, int k) {
  unsigned t = thread_id(), i = t % 16;
  v8f sum = {0};
  for (int at = 0; at < k; at += 16) {
    factor_b x, y;
    for (int e = 0; e < ELEMENTS; e++) {
      x[e] = a[i * k + at + DEPTH_OF(t, e)];
      y[e] = b[(at + DEPTH_OF(t, e)) * 16 + i];
    }
    sum = WMMA_BF16(x, y, sum);
  }
  for (int e = 0; e < 8; e++) c[ROW_OF(t, e) * 16 + i] = sum[e];
}

/* Signed times unsigned. */
KERNEL(32) wmma_i8(GLOBAL const i8 *a, GLOBAL const u8 *b, GLOBAL int *c, int k) {
  unsigned t = thread_id(), i = t % 16;
  v8i sum = {0};
  for (int at = 0; at < k; at += 16) {
    int x[ELEMENTS / 4], y[ELEMENTS / 4];
    for (int e = 0; e < ELEMENTS / 4; e++) {
      x[e] = y[e] = 0;
      for (int n = 0; n < 4; n++) {
        int d = at + (int)DEPTH_OF(t, 4 * e + n);
        x[e] |= (int)(u8)a[i * k + d] << 8 * n;
        y[e] |= (int)b[d * 16 + i] << 8 * n;
      }
    }
#ifdef __gfx1200__
    v2i p = {x[0], x[1]}, q = {y[0], y[1]};
    sum = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(1, p, 0, q, sum, 0);
#else
    v4i p = {x[0], x[1], x[2], x[3]}, q = {y[0], y[1], y[2], y[3]};
    sum = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(1, p, 0, q, sum, 0);
#endif
  }
  for (int e = 0; e < 8; e++) c[ROW_OF(t, e) * 16 + i] = sum[e];
}

/* Moves between lanes: by bits of their numbers, within eight, within sixteen and to the others. */
KERNEL(32) moves(GLOBAL const u32 *x, GLOBAL u32 *y) {
  unsigned t = thread_id();
  u32 v = x[t];
  y[t] = (u32)__builtin_amdgcn_update_dpp(0, (int)v, 0x165, 0xf, 0xf, 1); /* row_xmask:5 */
  y[32 + t] = (u32)__builtin_amdgcn_update_dpp(0, (int)v, 0x153, 0xf, 0xf, 1); /* row_share:3 */
  y[64 + t] = __builtin_amdgcn_mov_dpp8(v, 0x053977); /* 7, 6, 5, 4, 3, 2, 1, 0 */
  y[96 + t] = __builtin_amdgcn_permlane16(v, v, 0x76543210, 0x89abcdef, 0, 0);
  y[128 + t] = __builtin_amdgcn_permlanex16(v, v, 0x76543210, 0xfedcba98, 0, 0);
}

/* Sums in f16. */
KERNEL(32) wmma_sums_f16(GLOBAL const f16 *a, GLOBAL const f16 *b, GLOBAL f16 *c, int k) {
  unsigned t = thread_id(), i = t % 16;
  factor sum = {0};
  for (int at = 0; at < k; at += 16) {
    factor x, y;
    for (int e = 0; e < ELEMENTS; e++) {
      x[e] = a[i * k + at + DEPTH_OF(t, e)];
      y[e] = b[(at + DEPTH_OF(t, e)) * 16 + i];
    }
#ifdef __gfx1200__
    sum = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32_gfx12(x, y, sum);
#else
    sum = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(x, y, sum, 1);
#endif
  }
  for (int e = 0; e < 8; e++) c[ROW_OF(t, e) * 16 + i] = sum[ELEMENTS == 8 ? e : 2 * e + 1];
}

#ifdef __gfx1200__
/* c[16][16] = a[16][32] * b[32][16], of a what kept_place says. */
KERNEL(32) sparse_f16(GLOBAL const f16 *a, GLOBAL const f16 *b, GLOBAL float *c) {
  unsigned t = thread_id(), i = t % 16, g = t / 16;
  v8f sum = {0};
  v8f16 x;
  v16f16 y;
  u32 places = 0;
  for (u32 e = 0; e < 8; e++) {
    u32 kept = e % 4 + 4 * g + 8 * (e / 4), four = kept / 2, place = kept_place(i, four, e % 2);
    x[e] = a[i * 32 + four * 4 + place];
    places |= place << 2 * e;
  }
  for (u32 e = 0; e < 16; e++) y[e] = b[(e % 8 + 8 * g + 16 * (e / 8)) * 16 + i];
  sum = __builtin_amdgcn_swmmac_f32_16x16x32_f16_w32(x, y, sum, (short)places);
  for (int e = 0; e < 8; e++) c[ROW_OF(t, e) * 16 + i] = sum[e];
}
#endif
