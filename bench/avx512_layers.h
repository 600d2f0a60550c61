/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The yardsticks of bench_layers.c, by hand with AVX-512 intrinsics as in avx512.h: rows of a
 * multiple of 32 elements, one thread.
 */
#ifndef TESSERA_BENCH_AVX512_LAYERS_H
#define TESSERA_BENCH_AVX512_LAYERS_H

#include "avx512.h"

#if defined(__AVX512F__)
#define HAND_LAYERS 1

/* y = x - max - log(sum of e^(x - max)) */
static inline void hand_log_softmax(const float *x, float *y, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, x += columns, y += columns) {
    __m512 m0 = _mm512_set1_ps(-INFINITY), m1 = m0, s0 = _mm512_setzero_ps(), s1 = s0;
    for (size_t i = 0; i < columns; i += 32) {
      m0 = _mm512_max_ps(m0, _mm512_loadu_ps(x + i));
      m1 = _mm512_max_ps(m1, _mm512_loadu_ps(x + i + 16));
    }
    float max = _mm512_reduce_max_ps(_mm512_max_ps(m0, m1));
    __m512 m = _mm512_set1_ps(max);
    for (size_t i = 0; i < columns; i += 32) {
      s0 = _mm512_add_ps(s0, hand_exp(_mm512_sub_ps(_mm512_loadu_ps(x + i), m)));
      s1 = _mm512_add_ps(s1, hand_exp(_mm512_sub_ps(_mm512_loadu_ps(x + i + 16), m)));
    }
    __m512 off = _mm512_set1_ps(max + logf(_mm512_reduce_add_ps(_mm512_add_ps(s0, s1))));
    for (size_t i = 0; i < columns; i += 16)
      _mm512_storeu_ps(y + i, _mm512_sub_ps(_mm512_loadu_ps(x + i), off));
  }
}

/* h = x + residual, y = h / sqrt(mean(h^2) + epsilon) * w */
static inline void hand_add_rmsnorm(const float *x, const float *residual, const float *w, float *h,
                                    float *y, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, x += columns, residual += columns, h += columns, y += columns) {
    __m512 s[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
    for (size_t i = 0; i < columns; i += 32)
      for (size_t k = 0; k < 2; k++) {
        size_t at = i + 16 * k;
        __m512 v = _mm512_add_ps(_mm512_loadu_ps(x + at), _mm512_loadu_ps(residual + at));
        _mm512_storeu_ps(h + at, v);
        s[k] = _mm512_fmadd_ps(v, v, s[k]);
      }
    float sum = _mm512_reduce_add_ps(_mm512_add_ps(s[0], s[1]));
    __m512 scale = _mm512_set1_ps(1 / sqrtf(sum / (float)columns + 1e-5f));
    for (size_t i = 0; i < columns; i += 16)
      _mm512_storeu_ps(y + i, _mm512_mul_ps(_mm512_mul_ps(_mm512_loadu_ps(h + i), scale),
                                            _mm512_loadu_ps(w + i)));
  }
}

/* n = (x - mean) * scale, g = d * w: dx = scale * (g - mean(g) - n * mean(g * n)) */
static inline void hand_layernorm_backward(const float *x, const float *w, const float *mean,
                                           const float *scale, const float *d, float *dx,
                                           size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, x += columns, d += columns, dx += columns) {
    __m512 m = _mm512_set1_ps(mean[r]), s = _mm512_set1_ps(scale[r]);
    __m512 sum_g[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()}, sum_gn[2] = {sum_g[0], sum_g[0]};
    for (size_t i = 0; i < columns; i += 32)
      for (size_t k = 0; k < 2; k++) {
        size_t at = i + 16 * k;
        __m512 n = _mm512_mul_ps(_mm512_sub_ps(_mm512_loadu_ps(x + at), m), s);
        __m512 g = _mm512_mul_ps(_mm512_loadu_ps(d + at), _mm512_loadu_ps(w + at));
        sum_g[k] = _mm512_add_ps(sum_g[k], g);
        sum_gn[k] = _mm512_fmadd_ps(g, n, sum_gn[k]);
      }
    float count = (float)columns;
    __m512 mean_g = _mm512_set1_ps(_mm512_reduce_add_ps(_mm512_add_ps(sum_g[0], sum_g[1])) / count);
    __m512 mean_gn =
        _mm512_set1_ps(_mm512_reduce_add_ps(_mm512_add_ps(sum_gn[0], sum_gn[1])) / count);
    for (size_t i = 0; i < columns; i += 16) {
      __m512 n = _mm512_mul_ps(_mm512_sub_ps(_mm512_loadu_ps(x + i), m), s);
      __m512 g = _mm512_mul_ps(_mm512_loadu_ps(d + i), _mm512_loadu_ps(w + i));
      __m512 v = _mm512_fnmadd_ps(n, mean_gn, _mm512_sub_ps(g, mean_g));
      _mm512_storeu_ps(dx + i, _mm512_mul_ps(v, s));
    }
  }
}

/* dw = the sums over the rows of d * n, db = those of d; 64 columns at a time. */
static inline void hand_layernorm_backward_weights(const float *x, const float *mean,
                                                   const float *scale, const float *d, float *dw,
                                                   float *db, size_t rows, size_t columns) {
  for (size_t c = 0; c < columns; c += 64) {
    __m512 sum_dn[4], sum_d[4];
    for (int k = 0; k < 4; k++) sum_dn[k] = sum_d[k] = _mm512_setzero_ps();
    for (size_t r = 0; r < rows; r++) {
      __m512 m = _mm512_set1_ps(mean[r]), s = _mm512_set1_ps(scale[r]);
      for (size_t k = 0; k < 4; k++) {
        size_t at = r * columns + c + 16 * k;
        __m512 v = _mm512_loadu_ps(d + at);
        __m512 n = _mm512_mul_ps(_mm512_sub_ps(_mm512_loadu_ps(x + at), m), s);
        sum_dn[k] = _mm512_fmadd_ps(v, n, sum_dn[k]);
        sum_d[k] = _mm512_add_ps(sum_d[k], v);
      }
    }
    for (size_t k = 0; k < 4; k++) {
      _mm512_storeu_ps(dw + c + 16 * k, sum_dn[k]);
      _mm512_storeu_ps(db + c + 16 * k, sum_d[k]);
    }
  }
}

/* 64 columns at a time. */
static inline void hand_column_sums(const float *x, float *sums, size_t rows, size_t columns) {
  for (size_t c = 0; c < columns; c += 64) {
    __m512 sum[4];
    for (int k = 0; k < 4; k++) sum[k] = _mm512_setzero_ps();
    for (size_t r = 0; r < rows; r++)
      for (size_t k = 0; k < 4; k++)
        sum[k] = _mm512_add_ps(sum[k], _mm512_loadu_ps(x + r * columns + c + 16 * k));
    for (size_t k = 0; k < 4; k++) _mm512_storeu_ps(sums + c + 16 * k, sum[k]);
  }
}

/* c = a / (1 + e^-a) * b */
static inline void hand_silu_mul(const float *a, const float *b, float *c, size_t n) {
  __m512 one = _mm512_set1_ps(1);
  for (size_t i = 0; i < n; i += 16) {
    __m512 x = _mm512_loadu_ps(a + i);
    __m512 e = hand_exp(_mm512_sub_ps(_mm512_setzero_ps(), x));
    __m512 y = _mm512_div_ps(x, _mm512_add_ps(e, one));
    _mm512_storeu_ps(c + i, _mm512_mul_ps(y, _mm512_loadu_ps(b + i)));
  }
}

/* The k largest of softmax(logits) over 128 experts, the first of equal ones first. */
static inline void hand_topk_softmax(const float *logits, float *weights, int32_t *experts,
                                     size_t tokens, size_t k) {
  enum { VECTORS = 8 };
  for (size_t t = 0; t < tokens; t++, logits += 16 * VECTORS) {
    __m512 x[VECTORS], sum = _mm512_setzero_ps();
    for (size_t v = 0; v < VECTORS; v++) x[v] = _mm512_loadu_ps(logits + 16 * v);
    float max = 0, total = 0;
    for (size_t n = 0; n < k; n++) {
      __m512 top = x[0];
      for (size_t v = 1; v < VECTORS; v++) top = _mm512_max_ps(top, x[v]);
      float best = _mm512_reduce_max_ps(top);
      if (n == 0) {
        max = best;
        for (size_t v = 0; v < VECTORS; v++)
          sum = _mm512_add_ps(sum, hand_exp(_mm512_sub_ps(x[v], _mm512_set1_ps(max))));
        total = _mm512_reduce_add_ps(sum);
      }
      for (size_t v = 0; v < VECTORS; v++) {
        unsigned same = _mm512_cmp_ps_mask(x[v], _mm512_set1_ps(best), _CMP_EQ_OQ);
        if (!same) continue;
        unsigned lane = (unsigned)__builtin_ctz(same);
        x[v] = _mm512_mask_mov_ps(x[v], (__mmask16)(1u << lane), _mm512_set1_ps(-INFINITY));
        experts[t * k + n] = (int32_t)(16 * v + lane);
        break;
      }
      weights[t * k + n] = expf(best - max) / total;
    }
  }
}
#endif

#endif
