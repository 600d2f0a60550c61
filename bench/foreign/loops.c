/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What somebody would write instead of each program of programs.py, in C. FOREIGN_TABLE names the
 * table that this copy exports.
 */
#include "loops.h"

#include <math.h>
#include <stdint.h>

static void stencil_1d(const foreign_data *d) {
  const float *restrict x = d->array[0];
  float *restrict y = d->array[1];
  int n = d->columns;
  for (int i = 0; i < n; i++) {
    float before = i > 0 ? x[i - 1] : 0, after = i + 1 < n ? x[i + 1] : 0;
    y[i] = 0.5f * x[i] + 0.25f * (before + after);
  }
}

static void stencil_2d(const foreign_data *d) {
  const float *restrict x = d->array[0];
  float *restrict y = d->array[1];
  int rows = d->rows, columns = d->columns;
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
  const uint8_t *restrict rgb = d->array[0];
  uint8_t *restrict y = d->array[1];
  for (int i = 0; i < d->rows; i++)
    y[i] = (uint8_t)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
}

static void complex_mul(const foreign_data *d) {
  const float *restrict a = d->array[0], *restrict b = d->array[1];
  float *restrict c = d->array[2];
  for (int i = 0; i < d->columns; i += 2) {
    c[i] = a[i] * b[i] - a[i + 1] * b[i + 1];
    c[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
  }
}

static void reverse(const foreign_data *d) {
  const float *restrict x = d->array[0];
  float *restrict y = d->array[1];
  int n = d->columns;
  for (int i = 0; i < n; i++) y[i] = x[n - 1 - i];
}

static void softmax(const foreign_data *d) {
  for (int i = 0; i < d->rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * d->columns;
    float *restrict y = (float *)d->array[1] + (long)i * d->columns;
    float top = -INFINITY, total = 0;
    for (int j = 0; j < d->columns; j++) top = x[j] > top ? x[j] : top;
    for (int j = 0; j < d->columns; j++) total += y[j] = expf(x[j] - top);
    for (int j = 0; j < d->columns; j++) y[j] /= total;
  }
}

static void silu_and_mul(const foreign_data *d) {
  int n = d->columns / 2;
  for (int i = 0; i < d->rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * d->columns;
    float *restrict y = (float *)d->array[1] + (long)i * n;
    for (int j = 0; j < n; j++) y[j] = x[j] / (1 + expf(-x[j])) * x[n + j];
  }
}

static void rms_norm(const foreign_data *d) {
  const float *restrict w = d->array[1];
  for (int i = 0; i < d->rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * d->columns;
    float *restrict y = (float *)d->array[2] + (long)i * d->columns;
    float total = 0;
    for (int j = 0; j < d->columns; j++) total += x[j] * x[j];
    float scale = 1 / sqrtf(total / (float)d->columns + 1e-6f);
    for (int j = 0; j < d->columns; j++) y[j] = x[j] * scale * w[j];
  }
}

static void cross_entropy(const foreign_data *d) {
  const int32_t *restrict labels = d->array[1];
  float *restrict y = d->array[2];
  for (int i = 0; i < d->rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * d->columns;
    float top = -INFINITY, total = 0;
    for (int j = 0; j < d->columns; j++) top = x[j] > top ? x[j] : top;
    for (int j = 0; j < d->columns; j++) total += expf(x[j] - top);
    y[i] = logf(total) + top - x[labels[i]];
  }
}

static void quantise(const foreign_data *d) {
  float *restrict scales = d->array[2];
  for (int i = 0; i < d->rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * d->columns;
    int8_t *restrict y = (int8_t *)d->array[1] + (long)i * d->columns;
    float top = 0;
    for (int j = 0; j < d->columns; j++) top = fabsf(x[j]) > top ? fabsf(x[j]) : top;
    float scale = scales[i] = top / 127;
    for (int j = 0; j < d->columns; j++) {
      float q = floorf(x[j] / scale + 0.5f);
      y[j] = (int8_t)(q < -127 ? -127 : q > 127 ? 127 : q);
    }
  }
}

static void prefix_sum(const foreign_data *d) {
  for (int i = 0; i < d->rows; i++) {
    const float *restrict x = (const float *)d->array[0] + (long)i * d->columns;
    float *restrict y = (float *)d->array[1] + (long)i * d->columns;
    float total = 0;
    for (int j = 0; j < d->columns; j++) y[j] = total += x[j];
  }
}

static void sparse_rows(const foreign_data *d) {
  const int32_t *restrict starts = d->array[0], *restrict columns = d->array[1];
  const float *restrict values = d->array[2], *restrict x = d->array[3];
  float *restrict y = d->array[4];
  for (int i = 0; i + 1 < d->columns; i++) {
    float total = 0;
    for (int k = starts[i]; k < starts[i + 1]; k++) total += values[k] * x[columns[k]];
    y[i] = total;
  }
}

static void interpolate(const foreign_data *d) {
  const float *restrict table = d->array[0], *restrict t = d->array[1];
  float *restrict y = d->array[2];
  int n = d->columns;
  for (int i = 0; i < d->number[1]; i++) {
    float at = t[i] * (float)(n - 1);
    int k = (int)floorf(at);
    k = k < 0 ? 0 : k > n - 2 ? n - 2 : k;
    y[i] = table[k] + (at - (float)k) * (table[k + 1] - table[k]);
  }
}

static void knapsack(const foreign_data *d) {
  const int32_t *restrict best = d->array[0];
  int32_t *restrict out = d->array[1];
  int weight = d->number[0], gain = d->number[1];
  for (int j = 0; j < d->columns; j++) {
    int32_t without = best[j], taken = j >= weight ? best[j - weight] + gain : without;
    out[j] = taken > without ? taken : without;
  }
}

static void xorshift(const foreign_data *d) {
  const uint32_t *restrict state = d->array[0];
  uint32_t *restrict y = d->array[1];
  for (int i = 0; i < d->columns; i++) {
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
  const float *restrict x = d->array[0];
  float *restrict y = d->array[1];
  int distance = d->number[0], block = d->number[1];
  for (int i = 0; i < d->columns; i++) {
    float a = x[i], b = x[i ^ distance];
    int low = ((i & distance) == 0) == ((i & block) == 0);
    y[i] = low == (a < b) ? a : b;
  }
}

#define FOREIGN_ENTRY(name) .name = name,
const foreign_loops FOREIGN_TABLE = {FOREIGN_PROGRAMS(FOREIGN_ENTRY)};
