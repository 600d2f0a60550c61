/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The yardsticks that are written by hand: loops over rows with AVX-512 intrinsics, as one would
 * write them for these widths (multiples of 16). One thread. Where the compiler has no AVX-512 they
 * are plain loops.
 */
#ifndef TESSERA_BENCH_AVX512_H
#define TESSERA_BENCH_AVX512_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__AVX512F__)
#include <immintrin.h>

#define HAND_NAME "AVX-512 by hand"

/* e^x for x <= 0: 2^n * e^r with r in [-ln(2)/2, ln(2)/2], a polynomial of degree 6. */
static inline __m512 hand_exp(__m512 x) {
  x = _mm512_max_ps(x, _mm512_set1_ps(-104));
  __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 8);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693145752f), x);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(1.42860677e-6f), r);
  __m512 p = _mm512_set1_ps(1.38889e-3f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(8.3333519e-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(4.1666567e-2f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.6666666e-1f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.5f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1));
  return _mm512_scalef_ps(p, n);
}

static inline void hand_softmax(const float *x, float *y, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, x += columns, y += columns) {
    __m512 m0 = _mm512_set1_ps(-INFINITY), m1 = m0, s0 = _mm512_setzero_ps(), s1 = s0;
    for (size_t i = 0; i < columns; i += 32) {
      m0 = _mm512_max_ps(m0, _mm512_loadu_ps(x + i));
      m1 = _mm512_max_ps(m1, _mm512_loadu_ps(x + i + 16));
    }
    __m512 m = _mm512_set1_ps(_mm512_reduce_max_ps(_mm512_max_ps(m0, m1)));
    for (size_t i = 0; i < columns; i += 32) {
      __m512 a = hand_exp(_mm512_sub_ps(_mm512_loadu_ps(x + i), m));
      __m512 b = hand_exp(_mm512_sub_ps(_mm512_loadu_ps(x + i + 16), m));
      _mm512_storeu_ps(y + i, a);
      _mm512_storeu_ps(y + i + 16, b);
      s0 = _mm512_add_ps(s0, a);
      s1 = _mm512_add_ps(s1, b);
    }
    __m512 scale = _mm512_set1_ps(1 / _mm512_reduce_add_ps(_mm512_add_ps(s0, s1)));
    for (size_t i = 0; i < columns; i += 16)
      _mm512_storeu_ps(y + i, _mm512_mul_ps(_mm512_loadu_ps(y + i), scale));
  }
}

static inline float hand_sum(const float *x, size_t n) {
  __m512 s[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(),
                 _mm512_setzero_ps()};
  for (size_t i = 0; i < n; i += 64)
    for (int k = 0; k < 4; k++) s[k] = _mm512_add_ps(s[k], _mm512_loadu_ps(x + i + 16 * k));
  return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s[0], s[1]), _mm512_add_ps(s[2], s[3])));
}

static inline void hand_layernorm(const float *x, const float *w, const float *b, float *y,
                                  size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, x += columns, y += columns) {
    __m512 mean = _mm512_set1_ps(hand_sum(x, columns) / (float)columns);
    __m512 v0 = _mm512_setzero_ps(), v1 = v0;
    for (size_t i = 0; i < columns; i += 32) {
      __m512 d0 = _mm512_sub_ps(_mm512_loadu_ps(x + i), mean);
      __m512 d1 = _mm512_sub_ps(_mm512_loadu_ps(x + i + 16), mean);
      v0 = _mm512_fmadd_ps(d0, d0, v0);
      v1 = _mm512_fmadd_ps(d1, d1, v1);
    }
    float variance = _mm512_reduce_add_ps(_mm512_add_ps(v0, v1)) / (float)columns;
    __m512 scale = _mm512_set1_ps(1 / sqrtf(variance + 1e-5f));
    for (size_t i = 0; i < columns; i += 16) {
      __m512 n = _mm512_mul_ps(_mm512_sub_ps(_mm512_loadu_ps(x + i), mean), scale);
      _mm512_storeu_ps(y + i, _mm512_fmadd_ps(n, _mm512_loadu_ps(w + i), _mm512_loadu_ps(b + i)));
    }
  }
}

static inline void hand_rmsnorm(const float *x, const float *w, float *y, size_t rows,
                                size_t columns) {
  for (size_t r = 0; r < rows; r++, x += columns, y += columns) {
    __m512 s[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(),
                   _mm512_setzero_ps()};
    for (size_t i = 0; i < columns; i += 64)
      for (int k = 0; k < 4; k++) {
        __m512 v = _mm512_loadu_ps(x + i + 16 * k);
        s[k] = _mm512_fmadd_ps(v, v, s[k]);
      }
    float sum =
        _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s[0], s[1]), _mm512_add_ps(s[2], s[3])));
    __m512 scale = _mm512_set1_ps(1 / sqrtf(sum / (float)columns + 1e-5f));
    for (size_t i = 0; i < columns; i += 16)
      _mm512_storeu_ps(y + i, _mm512_mul_ps(_mm512_mul_ps(_mm512_loadu_ps(x + i), scale),
                                            _mm512_loadu_ps(w + i)));
  }
}

/* Running sums: log2(16) steps in a register, then the last lane of the one before. */
static inline void hand_cumsum(const float *x, float *y, size_t rows, size_t columns) {
  const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi32(15);
  for (size_t r = 0; r < rows; r++, x += columns, y += columns) {
    __m512 before = _mm512_setzero_ps();
    for (size_t i = 0; i < columns; i += 16) {
      __m512 v = _mm512_loadu_ps(x + i);
#define HAND_SHIFT(n)                                                                              \
  _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(v), zero, 16 - (n)))
      v = _mm512_add_ps(v, HAND_SHIFT(1));
      v = _mm512_add_ps(v, HAND_SHIFT(2));
      v = _mm512_add_ps(v, HAND_SHIFT(4));
      v = _mm512_add_ps(v, HAND_SHIFT(8));
#undef HAND_SHIFT
      v = _mm512_add_ps(v, before);
      _mm512_storeu_ps(y + i, v);
      before = _mm512_permutexvar_ps(last, v);
    }
  }
}

static inline void hand_argmax(const float *x, float *values, int32_t *places, size_t rows,
                               size_t columns) {
  const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (size_t r = 0; r < rows; r++, x += columns) {
    __m512 best[2] = {_mm512_set1_ps(-INFINITY), _mm512_set1_ps(-INFINITY)};
    __m512i where[2] = {lane, lane};
    for (size_t i = 0; i < columns; i += 32)
      for (int k = 0; k < 2; k++) {
        __m512 v = _mm512_loadu_ps(x + i + 16 * k);
        __mmask16 more = _mm512_cmp_ps_mask(v, best[k], _CMP_GT_OQ);
        best[k] = _mm512_mask_mov_ps(best[k], more, v);
        where[k] = _mm512_mask_add_epi32(where[k], more, lane,
                                         _mm512_set1_epi32((int32_t)(i + 16 * (size_t)k)));
      }
    float v[32];
    int32_t p[32];
    _mm512_storeu_ps(v, best[0]);
    _mm512_storeu_ps(v + 16, best[1]);
    _mm512_storeu_si512(p, where[0]);
    _mm512_storeu_si512(p + 16, where[1]);
    int at = 0;
    for (int k = 1; k < 32; k++)
      if (v[k] > v[at] || (v[k] == v[at] && p[k] < p[at])) at = k;
    values[r] = v[at];
    places[r] = p[at];
  }
}

static inline void hand_take(const float *x, const int32_t *index, float *y, size_t n) {
  for (size_t i = 0; i < n; i += 16)
    _mm512_storeu_ps(y + i, _mm512_i32gather_ps(_mm512_loadu_si512(index + i), x, 4));
}

/* 16 x 16 at a time, in registers: four rounds of exchanging. */
static inline void hand_transpose_block(const float *x, size_t x_row, float *y, size_t y_row) {
  __m512 a[16], b[16];
  for (int i = 0; i < 16; i++) a[i] = _mm512_loadu_ps(x + (size_t)i * x_row);
  for (int i = 0; i < 16; i += 2) {
    b[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    __m512d c[4] = {_mm512_castps_pd(b[i]), _mm512_castps_pd(b[i + 1]), _mm512_castps_pd(b[i + 2]),
                    _mm512_castps_pd(b[i + 3])};
    a[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(c[0], c[2]));
    a[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(c[0], c[2]));
    a[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(c[1], c[3]));
    a[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(c[1], c[3]));
  }
  for (int i = 0; i < 4; i++) {
    b[i] = _mm512_shuffle_f32x4(a[i], a[i + 4], 0x88);
    b[i + 4] = _mm512_shuffle_f32x4(a[i], a[i + 4], 0xdd);
    b[i + 8] = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0x88);
    b[i + 12] = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0xdd);
  }
  for (int i = 0; i < 8; i++) {
    _mm512_storeu_ps(y + (size_t)i * y_row, _mm512_shuffle_f32x4(b[i], b[i + 8], 0x88));
    _mm512_storeu_ps(y + (size_t)(i + 8) * y_row, _mm512_shuffle_f32x4(b[i], b[i + 8], 0xdd));
  }
}

#else

#define HAND_NAME "C loop"

static inline void hand_softmax(const float *x, float *y, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, x += columns, y += columns) {
    float max = -INFINITY, sum = 0;
    for (size_t i = 0; i < columns; i++) max = fmaxf(max, x[i]);
    for (size_t i = 0; i < columns; i++) sum += y[i] = expf(x[i] - max);
    for (size_t i = 0; i < columns; i++) y[i] /= sum;
  }
}
static inline float hand_sum(const float *x, size_t n) {
  float sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i];
  return sum;
}
static inline void hand_layernorm(const float *x, const float *w, const float *b, float *y,
                                  size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, x += columns, y += columns) {
    float mean = hand_sum(x, columns) / (float)columns, v = 0;
    for (size_t i = 0; i < columns; i++) v += (x[i] - mean) * (x[i] - mean);
    float scale = 1 / sqrtf(v / (float)columns + 1e-5f);
    for (size_t i = 0; i < columns; i++) y[i] = (x[i] - mean) * scale * w[i] + b[i];
  }
}
static inline void hand_rmsnorm(const float *x, const float *w, float *y, size_t rows,
                                size_t columns) {
  for (size_t r = 0; r < rows; r++, x += columns, y += columns) {
    float v = 0;
    for (size_t i = 0; i < columns; i++) v += x[i] * x[i];
    float scale = 1 / sqrtf(v / (float)columns + 1e-5f);
    for (size_t i = 0; i < columns; i++) y[i] = x[i] * scale * w[i];
  }
}
static inline void hand_cumsum(const float *x, float *y, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, x += columns, y += columns) {
    float sum = 0;
    for (size_t i = 0; i < columns; i++) y[i] = sum += x[i];
  }
}
static inline void hand_argmax(const float *x, float *values, int32_t *places, size_t rows,
                               size_t columns) {
  for (size_t r = 0; r < rows; r++, x += columns) {
    size_t at = 0;
    for (size_t i = 1; i < columns; i++)
      if (x[i] > x[at]) at = i;
    values[r] = x[at];
    places[r] = (int32_t)at;
  }
}
static inline void hand_take(const float *x, const int32_t *index, float *y, size_t n) {
  for (size_t i = 0; i < n; i++) y[i] = x[index[i]];
}
static inline void hand_transpose_block(const float *x, size_t x_row, float *y, size_t y_row) {
  for (size_t i = 0; i < 16; i++)
    for (size_t j = 0; j < 16; j++) y[j * y_row + i] = x[i * x_row + j];
}

#endif

static inline void hand_transpose(const float *x, float *y, size_t rows, size_t columns) {
  for (size_t i = 0; i < rows; i += 64)
    for (size_t j = 0; j < columns; j += 64)
      for (size_t b = 0; b < 16; b++) {
        size_t row = i + b / 4 * 16, column = j + b % 4 * 16;
        hand_transpose_block(x + row * columns + column, columns, y + column * rows + row, rows);
      }
}

#endif
