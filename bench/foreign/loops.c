/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What somebody would write instead of each program of programs.py, in C. FOREIGN_TABLE names the
 * table that this copy exports. With OpenMP the outermost loop is divided among threads.
 */
#include "loops.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef _OPENMP
#define PARALLEL _Pragma("omp parallel for schedule(static)")
#else
#define PARALLEL
#endif

static void stencil_1d(const foreign_data *d) {
  const float *restrict x = d->array[0];
  float *restrict y = d->array[1];
  int n = d->columns;
  PARALLEL
  for (int i = 0; i < n; i++) {
    float before = i > 0 ? x[i - 1] : 0, after = i + 1 < n ? x[i + 1] : 0;
    y[i] = 0.5f * x[i] + 0.25f * (before + after);
  }
}

static void stencil_2d(const foreign_data *d) {
  const float *restrict x = d->array[0];
  float *restrict y = d->array[1];
  int rows = d->rows, columns = d->columns;
  PARALLEL
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      const float *at = x + (long)i * columns + j;
      float left = j > 0 ? at[-1] : 0, right = j + 1 < columns ? at[1] : 0;
      float above = i > 0 ? at[-columns] : 0, below = i + 1 < rows ? at[columns] : 0;
      y[(long)i * columns + j] = 0.5f * *at + 0.125f * (left + right + (above + below));
    }
}

static void filter_3x3(const foreign_data *d) {
  const float *restrict x = d->array[0], *restrict w = d->array[1];
  float *restrict y = d->array[2];
  int rows = d->rows, columns = d->columns;
  PARALLEL
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      float total = 0;
      for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++)
          if (i + di >= 0 && i + di < rows && j + dj >= 0 && j + dj < columns)
            total += w[(di + 1) * 3 + dj + 1] * x[(long)(i + di) * columns + j + dj];
      y[(long)i * columns + j] = total;
    }
}

static void clamped_blur(const foreign_data *d) {
  const float *restrict x = d->array[0];
  float *restrict y = d->array[1];
  int n = d->columns;
  PARALLEL
  for (int i = 0; i < n; i++) {
    float total = 0;
    for (int k = -2; k <= 2; k++) {
      int at = i + k < 0 ? 0 : i + k > n - 1 ? n - 1 : i + k;
      total += x[at];
    }
    y[i] = total * 0.2f;
  }
}

static void grey(const foreign_data *d) {
  const int rows = d->rows;
  const uint8_t *restrict rgb = d->array[0];
  uint8_t *restrict y = d->array[1];
  PARALLEL
  for (int i = 0; i < rows; i++)
    y[i] = (uint8_t)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
}

static void complex_mul(const foreign_data *d) {
  const int columns = d->columns;
  const float *restrict a = d->array[0], *restrict b = d->array[1];
  float *restrict c = d->array[2];
  PARALLEL
  for (int i = 0; i < columns; i += 2) {
    c[i] = a[i] * b[i] - a[i + 1] * b[i + 1];
    c[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
  }
}

static void reverse(const foreign_data *d) {
  const float *restrict x = d->array[0];
  float *restrict y = d->array[1];
  int n = d->columns;
  PARALLEL
  for (int i = 0; i < n; i++) y[i] = x[n - 1 - i];
}

static void softmax(const foreign_data *d) {
  const int rows = d->rows, columns = d->columns;
  PARALLEL
  for (int i = 0; i < rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * columns;
    float *restrict y = (float *)d->array[1] + (long)i * columns;
    float top = -INFINITY, total = 0;
    for (int j = 0; j < columns; j++) top = x[j] > top ? x[j] : top;
    for (int j = 0; j < columns; j++) total += y[j] = expf(x[j] - top);
    for (int j = 0; j < columns; j++) y[j] /= total;
  }
}

static void silu_and_mul(const foreign_data *d) {
  const int rows = d->rows, columns = d->columns;
  int n = columns / 2;
  PARALLEL
  for (int i = 0; i < rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * columns;
    float *restrict y = (float *)d->array[1] + (long)i * n;
    for (int j = 0; j < n; j++) y[j] = x[j] / (1 + expf(-x[j])) * x[n + j];
  }
}

static void rms_norm(const foreign_data *d) {
  const int rows = d->rows, columns = d->columns;
  const float *restrict w = d->array[1];
  PARALLEL
  for (int i = 0; i < rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * columns;
    float *restrict y = (float *)d->array[2] + (long)i * columns;
    float total = 0;
    for (int j = 0; j < columns; j++) total += x[j] * x[j];
    float scale = 1 / sqrtf(total / (float)columns + 1e-6f);
    for (int j = 0; j < columns; j++) y[j] = x[j] * scale * w[j];
  }
}

static void cross_entropy(const foreign_data *d) {
  const int rows = d->rows, columns = d->columns;
  const int32_t *restrict labels = d->array[1];
  float *restrict y = d->array[2];
  PARALLEL
  for (int i = 0; i < rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * columns;
    float top = -INFINITY, total = 0;
    for (int j = 0; j < columns; j++) top = x[j] > top ? x[j] : top;
    for (int j = 0; j < columns; j++) total += expf(x[j] - top);
    y[i] = logf(total) + top - x[labels[i]];
  }
}

static void quantise(const foreign_data *d) {
  const int rows = d->rows, columns = d->columns;
  float *restrict scales = d->array[2];
  PARALLEL
  for (int i = 0; i < rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * columns;
    int8_t *restrict y = (int8_t *)d->array[1] + (long)i * columns;
    float top = 0;
    for (int j = 0; j < columns; j++) top = fabsf(x[j]) > top ? fabsf(x[j]) : top;
    float scale = scales[i] = top / 127;
    for (int j = 0; j < columns; j++) {
      float q = floorf(x[j] / scale + 0.5f);
      y[j] = (int8_t)(q < -127 ? -127 : q > 127 ? 127 : q);
    }
  }
}

static void prefix_sum(const foreign_data *d) {
  const int rows = d->rows, columns = d->columns;
  PARALLEL
  for (int i = 0; i < rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * columns;
    float *restrict y = (float *)d->array[1] + (long)i * columns;
    float total = 0;
    for (int j = 0; j < columns; j++) y[j] = total += x[j];
  }
}

static void sparse_rows(const foreign_data *d) {
  const int columns = d->columns;
  const int32_t *restrict starts = d->array[0], *restrict column = d->array[1];
  const float *restrict values = d->array[2], *restrict x = d->array[3];
  float *restrict y = d->array[4];
  PARALLEL
  for (int i = 0; i < columns - 1; i++) {
    float total = 0;
    for (int k = starts[i]; k < starts[i + 1]; k++) total += values[k] * x[column[k]];
    y[i] = total;
  }
}

static void interpolate(const foreign_data *d) {
  const float *restrict table = d->array[0], *restrict t = d->array[1];
  float *restrict y = d->array[2];
  int n = d->columns;
  PARALLEL
  for (int i = 0; i < d->number[1]; i++) {
    float at = t[i] * (float)(n - 1);
    int k = (int)floorf(at);
    k = k < 0 ? 0 : k > n - 2 ? n - 2 : k;
    y[i] = table[k] + (at - (float)k) * (table[k + 1] - table[k]);
  }
}

static void knapsack(const foreign_data *d) {
  const int columns = d->columns;
  const int32_t *restrict best = d->array[0];
  int32_t *restrict out = d->array[1];
  int weight = d->number[0], gain = d->number[1];
  PARALLEL
  for (int j = 0; j < columns; j++) {
    int32_t without = best[j], taken = j >= weight ? best[j - weight] + gain : without;
    out[j] = taken > without ? taken : without;
  }
}

static void xorshift(const foreign_data *d) {
  const int columns = d->columns;
  const uint32_t *restrict state = d->array[0];
  uint32_t *restrict y = d->array[1];
  PARALLEL
  for (int i = 0; i < columns; i++) {
    uint32_t s = state[i], total = 0;
    for (int k = 0; k < 16; k++) {
      s ^= s << 13;
      s ^= s >> 17;
      s ^= s << 5;
      total += s;
    }
    y[i] = total;
  }
}

static void bitonic_step(const foreign_data *d) {
  const int columns = d->columns;
  const float *restrict x = d->array[0];
  float *restrict y = d->array[1];
  int distance = d->number[0], block = d->number[1];
  PARALLEL
  for (int i = 0; i < columns; i++) {
    float a = x[i], b = x[i ^ distance];
    int low = ((i & distance) == 0) == ((i & block) == 0);
    y[i] = low == (a < b) ? a : b;
  }
}

static int byte_at(const uint8_t *x, int rows, int columns, int i, int j) {
  return i >= 0 && i < rows && j >= 0 && j < columns ? x[(long)i * columns + j] : 0;
}

static void life(const foreign_data *d) {
  const uint8_t *restrict x = d->array[0];
  uint8_t *restrict y = d->array[1];
  int rows = d->rows, columns = d->columns;
  PARALLEL
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      int total = 0;
      for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++) total += byte_at(x, rows, columns, i + di, j + dj) & 1;
      int alive = x[(long)i * columns + j] & 1;
      y[(long)i * columns + j] = (uint8_t)(total == 3 ? 1 : total == 4 ? alive : 0);
    }
}

static void sobel(const foreign_data *d) {
  const uint8_t *restrict x = d->array[0];
  uint8_t *restrict y = d->array[1];
  int rows = d->rows, columns = d->columns;
  PARALLEL
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      int across = 0, along = 0;
      for (int k = -1; k <= 1; k++) {
        int weight = k ? 1 : 2;
        across += weight * (byte_at(x, rows, columns, i + k, j + 1) -
                            byte_at(x, rows, columns, i + k, j - 1));
        along += weight * (byte_at(x, rows, columns, i + 1, j + k) -
                           byte_at(x, rows, columns, i - 1, j + k));
      }
      int size = (abs(across) + abs(along)) >> 1;
      y[(long)i * columns + j] = (uint8_t)(size < 255 ? size : 255);
    }
}

static void bilinear(const foreign_data *d) {
  const float *restrict x = d->array[0];
  float *restrict y = d->array[1];
  int rows = d->rows, columns = d->columns;
  PARALLEL
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      float u = (float)i * 0.7f, v = (float)j * 0.7f;
      int r = (int)u, c = (int)v;
      float s = u - (float)r, t = v - (float)c;
      const float *at = x + (long)r * columns + c;
      float above = at[0] * (1 - t) + at[1] * t;
      float below = at[columns] * (1 - t) + at[columns + 1] * t;
      y[(long)i * columns + j] = above * (1 - s) + below * s;
    }
}

static void haar(const foreign_data *d) {
  const int columns = d->columns;
  const float *restrict x = d->array[0];
  float *restrict low = d->array[1], *restrict high = d->array[2];
  PARALLEL
  for (int i = 0; i < columns / 2; i++) {
    low[i] = 0.5f * (x[2 * i] + x[2 * i + 1]);
    high[i] = 0.5f * (x[2 * i] - x[2 * i + 1]);
  }
}

static void butterfly(const foreign_data *d) {
  const int columns = d->columns;
  const float *restrict re = d->array[0], *restrict im = d->array[1], *restrict w = d->array[2];
  float *restrict out_re = d->array[3], *restrict out_im = d->array[4];
  int distance = d->number[0];
  PARALLEL
  for (int low = 0; low < columns; low += 2 * distance)
    for (int at = 0; at < distance; at++) {
      int a = low + at, b = a + distance;
      float wr = w[2 * at], wi = w[2 * at + 1];
      float tr = re[b] * wr - im[b] * wi, ti = re[b] * wi + im[b] * wr;
      out_re[a] = re[a] + tr;
      out_im[a] = im[a] + ti;
      out_re[b] = re[a] - tr;
      out_im[b] = im[a] - ti;
    }
}

static void dequantise(const foreign_data *d) {
  const int rows = d->rows, columns = d->columns;
  const float *restrict scales = d->array[1];
  PARALLEL
  for (int i = 0; i < rows; i++) {
    const uint8_t *restrict q = (const uint8_t *)d->array[0] + (long)i * columns;
    float *restrict y = (float *)d->array[2] + (long)i * columns * 2;
    for (int j = 0; j < columns; j++) {
      y[2 * j] = (float)((q[j] & 15) - 8) * scales[i];
      y[2 * j + 1] = (float)((q[j] >> 4) - 8) * scales[i];
    }
  }
}

static void layer_norm(const foreign_data *d) {
  const int rows = d->rows, columns = d->columns;
  const float *restrict w = d->array[1], *restrict b = d->array[2];
  PARALLEL
  for (int i = 0; i < rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * columns;
    float *restrict y = (float *)d->array[3] + (long)i * columns;
    float mean = 0, total = 0;
    for (int j = 0; j < columns; j++) mean += x[j];
    mean /= (float)columns;
    for (int j = 0; j < columns; j++) total += (x[j] - mean) * (x[j] - mean);
    float scale = 1 / sqrtf(total / (float)columns + 1e-5f);
    for (int j = 0; j < columns; j++) y[j] = (x[j] - mean) * scale * w[j] + b[j];
  }
}

static void sample(const foreign_data *d) {
  const int rows = d->rows, columns = d->columns;
  int32_t *restrict y = d->array[2];
  PARALLEL
  for (int i = 0; i < rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * columns;
    const float *restrict noise = (const float *)d->array[1] + (long)i * columns;
    float top = -INFINITY;
    y[i] = 0;
    for (int j = 0; j < columns; j++) {
      float score = x[j] * 4 - logf(-logf(noise[j]));
      if (score > top) {
        top = score;
        y[i] = j;
      }
    }
  }
}

static void ranks(const foreign_data *d) {
  const int rows = d->rows, columns = d->columns;
  PARALLEL
  for (int i = 0; i < rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * columns;
    int32_t *restrict y = (int32_t *)d->array[1] + (long)i * columns;
    for (int j = 0; j < columns; j++) {
      int32_t rank = 0;
      for (int k = 0; k < columns; k++) rank += x[j] > x[k];
      y[j] = rank;
    }
  }
}

static void ell_product(const foreign_data *d) {
  const int rows = d->rows, columns = d->columns;
  const float *restrict values = d->array[0], *restrict x = d->array[2];
  const int32_t *restrict column = d->array[1];
  float *restrict y = d->array[3];
  PARALLEL
  for (int i = 0; i < columns; i++) {
    float total = 0;
    for (int k = 0; k < rows; k++) {
      long at = (long)k * columns + i;
      total += values[at] * x[column[at]];
    }
    y[i] = total;
  }
}

static void huber(const foreign_data *d) {
  const int columns = d->columns;
  enum { BLOCK = 1024 };
  const float *restrict x = d->array[0], *restrict target = d->array[1];
  float *restrict y = d->array[2];
  PARALLEL
  for (int first = 0; first < columns; first += BLOCK) {
    float total = 0;
    for (int i = first; i < columns && i < first + BLOCK; i++) {
      float away = fabsf(x[i] - target[i]);
      total += away < 0.5f ? away * away : away - 0.25f;
    }
    y[first / BLOCK] = total;
  }
}

static void edit_distance(const foreign_data *d) {
  const int32_t *restrict before = d->array[0], *restrict last = d->array[1];
  const int32_t *restrict a = d->array[2], *restrict b = d->array[3];
  int32_t *restrict out = d->array[4];
  int n = d->columns, diagonal = d->number[0];
  PARALLEL
  for (int j = 0; j < n; j++) {
    int k = diagonal - j;
    int32_t one = j > 0 ? a[j - 1] : 0, other = k >= 0 && k < n ? b[k] : 0;
    int32_t changed = (j > 0 ? before[j - 1] : 0) + (one != other);
    int32_t left = j > 0 ? last[j - 1] : 0;
    int32_t moved = (left < last[j] ? left : last[j]) + 1;
    out[j] = changed < moved ? changed : moved;
  }
}

static float normal_below(float x) {
  return 1 / (1 + expf(-1.5976f * x - 0.07056f * x * x * x));
}

static void black_scholes(const foreign_data *d) {
  const int columns = d->columns;
  const float *restrict s = d->array[0], *restrict k = d->array[1], *restrict t = d->array[2];
  float *restrict y = d->array[3];
  PARALLEL
  for (int i = 0; i < columns; i++) {
    float price = s[i] + 1, strike = k[i] + 1, years = t[i] + 0.25f;
    float spread = 0.3f * sqrtf(years);
    float up = (logf(price / strike) + 0.065f * years) / spread, down = up - spread;
    y[i] = price * normal_below(up) - strike * expf(-0.02f * years) * normal_below(down);
  }
}

static void random_walk(const foreign_data *d) {
  const int columns = d->columns;
  const uint32_t *restrict seeds = d->array[0];
  float *restrict y = d->array[1];
  PARALLEL
  for (int i = 0; i < columns; i++) {
    uint32_t state = seeds[i];
    float at = 0, most = 0;
    for (int k = 0; k < 16; k++) {
      state = state * 1664525u + 1013904223u;
      at += (float)(int32_t)(state >> 8) * (1.0f / 16777216) - 0.5f;
      most = at > most ? at : most;
    }
    y[i] = most;
  }
}

#define FOREIGN_ENTRY(name) .name = name,
const foreign_loops FOREIGN_TABLE = {FOREIGN_PROGRAMS(FOREIGN_ENTRY)};
