/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The programs in kernels/ beside plain C, on the interpreter and compiled at every feature level,
 * with small sizes that fill no tile and sizes that do. Inputs are small numbers, so that sums in
 * any order are close; what is compared says how close.
 */
#include "kernel_run.h"

/* ---- vectors -------------------------------------------------------------------------------- */

enum { VECTOR = 4096 + 1000 };

static void vectors_on(const engine *on) {
  static float x[VECTOR], y[VECTOR], z[VECTOR + 1];
  static double expected[VECTOR];
  run r;
  fill(x, VECTOR);
  fill(y, VECTOR);
  z[VECTOR] = 77;
  for (unsigned which = 0; which < 3; which++) {
    start(&r, on, "vector", which == 0 ? "copy_f32" : which == 1 ? "add_f32" : "axpby_f32");
    GIVE(&r, x);
    if (which) GIVE(&r, y);
    GIVE(&r, z);
    if (which == 2) give_f32(&r, 3), give_f32(&r, -0.5f);
    give_i64(&r, VECTOR);
    finish(&r, 2, 1, 1);
    for (unsigned i = 0; i < VECTOR; i++)
      expected[i] = which == 0   ? (double)x[i]
                    : which == 1 ? (double)x[i] + (double)y[i]
                                 : 3 * (double)x[i] - 0.5 * (double)y[i];
    compare(&r, "vector", z, expected, VECTOR, 1e-6);
    assert_true(z[VECTOR] == 77);
  }
}

static void vectors(void **state) {
  (void)state;
  on_all(vectors_on);
}

/* ---- functions ------------------------------------------------------------------------------ */

static double rsqrt_of(double x) {
  return 1 / sqrt(x);
}

static const struct {
  const char *name;
  double (*exact)(double);
  float scale; /* of arguments, in size */
  bool positive;
} tabled[] = {
    {"exp_f32", exp, 20, false},  {"exp2_f32", exp2, 20, false},
    {"log_f32", log, 1000, true}, {"log2_f32", log2, 1000, true},
    {"sin_f32", sin, 100, false}, {"cos_f32", cos, 100, false},
    {"tanh_f32", tanh, 5, false}, {"rsqrt_f32", rsqrt_of, 1000, true},
    {"erf_f32", erf, 4, false},
};

static void functions_on(const engine *on) {
  static float x[VECTOR], y[VECTOR], z[VECTOR + 1];
  static double expected[VECTOR];
  run r;
  z[VECTOR] = 77;
  for (unsigned f = 0; f < sizeof tabled / sizeof *tabled; f++) {
    fill(x, VECTOR);
    for (unsigned i = 0; i < VECTOR; i++) {
      if (tabled[f].positive) x[i] = fabsf(x[i]) + 1e-3f;
      expected[i] = tabled[f].exact((double)(x[i] *= tabled[f].scale));
    }
    start(&r, on, "math", tabled[f].name);
    GIVE(&r, x);
    GIVE(&r, z);
    give_i64(&r, VECTOR);
    finish(&r, 2, 1, 1);
    compare(&r, tabled[f].name, z, expected, VECTOR, 5e-7);
    assert_true(z[VECTOR] == 77);
  }
  fill(x, VECTOR);
  fill(y, VECTOR);
  for (unsigned i = 0; i < VECTOR; i++) {
    x[i] = 10 * fabsf(x[i]);
    expected[i] = pow((double)x[i], (double)(y[i] *= 5));
  }
  start(&r, on, "math", "pow_f32");
  GIVE(&r, x);
  GIVE(&r, y);
  GIVE(&r, z);
  give_i64(&r, VECTOR);
  finish(&r, 2, 1, 1);
  compare(&r, "pow_f32", z, expected, VECTOR, 5e-7);
  assert_true(z[VECTOR] == 77);
}

static void functions(void **state) {
  (void)state;
  on_all(functions_on);
}

/* ---- transposition -------------------------------------------------------------------------- */

static void transpose_on(const engine *on) {
  static const struct { int32_t rows, columns; } sizes[] = {{100, 70}, {64, 64}, {1, 130}, {3, 1}};
  static float x[7000], y[7000];
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int32_t rows = sizes[s].rows, columns = sizes[s].columns;
    run r;
    fill(x, 7000);
    start(&r, on, "transpose", "transpose_f32");
    GIVE(&r, x);
    GIVE(&r, y);
    give_i32(&r, rows);
    give_i32(&r, columns);
    finish(&r, up((uint32_t)rows, 64), up((uint32_t)columns, 64), 1);
    for (int32_t i = 0; i < rows; i++)
      for (int32_t j = 0; j < columns; j++) assert_true(y[j * rows + i] == x[i * columns + j]);
  }
}

static void transposes(void **state) {
  (void)state;
  on_all(transpose_on);
}

/* ---- rows ----------------------------------------------------------------------------------- */

enum { MAX_ROW = 3000, MAX_ROWS = 37 };

static float row_x[MAX_ROWS * MAX_ROW], row_y[MAX_ROWS * MAX_ROW], row_r[MAX_ROWS * MAX_ROW],
    row_h[MAX_ROWS * MAX_ROW], row_w[MAX_ROW], row_b[MAX_ROW];
static double row_expected[MAX_ROWS * MAX_ROW], row_expected_h[MAX_ROWS * MAX_ROW];

static void expect_softmax(int32_t rows, int32_t columns, bool logarithm) {
  for (int32_t i = 0; i < rows; i++) {
    const float *x = row_x + i * columns;
    double max = -INFINITY, sum = 0;
    for (int32_t j = 0; j < columns; j++) max = fmax(max, (double)x[j]);
    for (int32_t j = 0; j < columns; j++) sum += exp((double)x[j] - max);
    for (int32_t j = 0; j < columns; j++)
      row_expected[i * columns + j] =
          logarithm ? (double)x[j] - max - log(sum) : exp((double)x[j] - max) / sum;
  }
}

static void softmax_on(const engine *on) {
  static const struct {
    const char *name;
    int32_t rows, columns, each;
  } cases[] = {{"softmax_f32_128", 37, 100, 32}, {"softmax_f32_128", 32, 128, 32},
               {"softmax_f32_1024", 5, 900, 4},  {"softmax_f32_1024", 4, 1024, 4},
               {"softmax_f32", 2, 2500, 1},      {"softmax_f32", 1, 2048, 1},
               {"softmax_f32", 3, 1, 1},         {"softmax_f32_4096", 1, 3000, 1}};
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    int32_t rows = cases[k].rows, columns = cases[k].columns;
    fill(row_x, (size_t)(rows * columns));
    for (int32_t i = 0; i < rows * columns; i++) row_x[i] *= 20;
    for (unsigned logarithm = 0; logarithm < 2; logarithm++) {
      char name[64];
      bool plain_only = strcmp(cases[k].name, "softmax_f32_4096") == 0 && !logarithm;
      snprintf(name, sizeof name, "%s%s", logarithm ? "log_" : "", cases[k].name);
      run r;
      start(&r, on, plain_only ? "softmax" : "row_softmax", name);
      GIVE(&r, row_x);
      GIVE(&r, row_y);
      give_i32(&r, rows);
      give_i32(&r, columns);
      finish(&r, up((uint32_t)rows, (uint32_t)cases[k].each), 1, 1);
      expect_softmax(rows, columns, logarithm);
      compare(&r, name, row_y, row_expected, (size_t)(rows * columns), 4e-6);
    }
  }
}

static void softmaxes(void **state) {
  (void)state;
  on_all(softmax_on);
}

static double mean_of(const double *x, int32_t n) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += x[i];
  return sum / n;
}

static double spread_of(const double *x, int32_t n, double mean) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
  return sum / n;
}

/* What a normalisation of x (plus the residual) gives. Mean and scale go where they are asked. */
static void expect_norm(int32_t rows, int32_t columns, bool residual, bool layer, double *mean,
                        double *scale) {
  for (int32_t i = 0; i < rows; i++) {
    double *h = row_expected_h + i * columns;
    for (int32_t j = 0; j < columns; j++) {
      int32_t at = i * columns + j;
      h[j] = residual ? (double)row_x[at] + (double)row_r[at] : (double)row_x[at];
    }
    mean[i] = layer ? mean_of(h, columns) : 0;
    scale[i] = 1 / sqrt(spread_of(h, columns, mean[i]) + 1e-5);
    for (int32_t j = 0; j < columns; j++)
      row_expected[i * columns + j] =
          (h[j] - mean[i]) * scale[i] * (double)row_w[j] + (layer ? (double)row_b[j] : 0);
  }
}

static void norm_on(const engine *on) {
  static const int32_t widths[] = {1500, 1024, 3};
  for (unsigned k = 0; k < 3; k++)
    for (unsigned which = 0; which < 4; which++) {
      int32_t rows = 3, columns = widths[k];
      size_t n = (size_t)(rows * columns);
      bool residual = which & 1, layer = which & 2;
      static const char *const names[] = {"rmsnorm_f32", "add_rmsnorm_f32", "layernorm_f32",
                                          "add_layernorm_f32"};
      float mean[3] = {0}, scale[3] = {0};
      double expected_mean[3], expected_scale[3];
      fill(row_x, n);
      fill(row_r, n);
      fill(row_w, (size_t)columns);
      fill(row_b, (size_t)columns);
      run r;
      start(&r, on, "norm", names[which]);
      GIVE(&r, row_x);
      if (residual) GIVE(&r, row_r);
      GIVE(&r, row_w);
      if (layer) GIVE(&r, row_b);
      if (residual) GIVE(&r, row_h);
      GIVE(&r, row_y);
      if (layer) GIVE(&r, mean), GIVE(&r, scale);
      give_i32(&r, rows);
      give_i32(&r, columns);
      give_f32(&r, 1e-5f);
      finish(&r, (uint32_t)rows, 1, 1);
      expect_norm(rows, columns, residual, layer, expected_mean, expected_scale);
      compare(&r, names[which], row_y, row_expected, n, 1e-5);
      if (residual) compare(&r, "the sum", row_h, row_expected_h, n, 1e-6);
      if (layer) compare(&r, "the mean", mean, expected_mean, 3, 1e-6);
      if (layer) compare(&r, "the scale", scale, expected_scale, 3, 1e-5);
    }
}

static void norms(void **state) {
  (void)state;
  on_all(norm_on);
}

/* The gradient of sum(d * layernorm(x)), by the formula and by differences. */
static void norm_backward_on(const engine *on) {
  enum { ROWS = 37, COLUMNS = 70 };
  float mean[ROWS], scale[ROWS], dx[ROWS * COLUMNS], dw[COLUMNS], db[COLUMNS];
  double expected_mean[ROWS], expected_scale[ROWS], expected_dw[COLUMNS], expected_db[COLUMNS];
  size_t n = ROWS * COLUMNS;
  fill(row_x, n);
  fill(row_r, n); /* D */
  fill(row_w, COLUMNS);
  fill(row_b, COLUMNS);
  expect_norm(ROWS, COLUMNS, false, true, expected_mean, expected_scale);
  for (int i = 0; i < ROWS; i++) mean[i] = (float)expected_mean[i];
  for (int i = 0; i < ROWS; i++) scale[i] = (float)expected_scale[i];
  memset(expected_dw, 0, sizeof expected_dw);
  memset(expected_db, 0, sizeof expected_db);
  for (int i = 0; i < ROWS; i++) {
    double g[COLUMNS], normal[COLUMNS], share = 0, slope = 0;
    for (int j = 0; j < COLUMNS; j++) {
      double d = (double)row_r[i * COLUMNS + j];
      normal[j] = ((double)row_x[i * COLUMNS + j] - expected_mean[i]) * expected_scale[i];
      g[j] = d * (double)row_w[j];
      share += g[j] / COLUMNS;
      slope += g[j] * normal[j] / COLUMNS;
      expected_dw[j] += d * normal[j];
      expected_db[j] += d;
    }
    for (int j = 0; j < COLUMNS; j++)
      row_expected[i * COLUMNS + j] = expected_scale[i] * (g[j] - share - normal[j] * slope);
  }
  run r;
  start(&r, on, "norm", "layernorm_backward_f32");
  GIVE(&r, row_x);
  GIVE(&r, row_w);
  GIVE(&r, mean);
  GIVE(&r, scale);
  GIVE(&r, row_r);
  GIVE(&r, dx);
  give_i32(&r, ROWS);
  give_i32(&r, COLUMNS);
  finish(&r, ROWS, 1, 1);
  compare(&r, "layernorm_backward_f32", dx, row_expected, n, 1e-5);

  start(&r, on, "norm", "layernorm_backward_weights_f32");
  GIVE(&r, row_x);
  GIVE(&r, mean);
  GIVE(&r, scale);
  GIVE(&r, row_r);
  GIVE(&r, dw);
  GIVE(&r, db);
  give_i32(&r, ROWS);
  give_i32(&r, COLUMNS);
  finish(&r, up(COLUMNS, 64), 1, 1);
  compare(&r, "the weights' gradient", dw, expected_dw, COLUMNS, 1e-5);
  compare(&r, "the bias' gradient", db, expected_db, COLUMNS, 1e-5);

  /* The formula itself: a difference quotient in one element. */
  double before = row_expected[5 * COLUMNS + 7], sum[2], step = 1e-4;
  float x = row_x[5 * COLUMNS + 7];
  for (int side = 0; side < 2; side++) {
    double h[COLUMNS], m;
    for (int j = 0; j < COLUMNS; j++) h[j] = (double)row_x[5 * COLUMNS + j];
    h[7] = (double)x + (side ? step : -step);
    m = mean_of(h, COLUMNS);
    double s = 1 / sqrt(spread_of(h, COLUMNS, m) + 1e-5);
    sum[side] = 0;
    for (int j = 0; j < COLUMNS; j++)
      sum[side] += (double)row_r[5 * COLUMNS + j] * (h[j] - m) * s * (double)row_w[j];
  }
  assert_true(fabs((sum[1] - sum[0]) / (2 * step) - before) < 1e-6);
}

static void norms_backward(void **state) {
  (void)state;
  on_all(norm_backward_on);
}

/* ---- attention ------------------------------------------------------------------------------ */

typedef struct attention_case {
  int32_t tokens, keys, heads, group, width, causal;
  bool narrow;
  const char *wide; /* its tile in attention_wide.mlir */
} attention_case;

static void expect_attention(const attention_case *c, const float *q, const float *k,
                             const float *v, double *out) {
  for (int32_t h = 0; h < c->heads; h++)
    for (int32_t i = 0; i < c->tokens; i++) {
      const float *kh = k + h / c->group * c->keys * c->width;
      const float *vh = v + h / c->group * c->keys * c->width;
      const float *row = q + (h * c->tokens + i) * c->width;
      double *o = out + (h * c->tokens + i) * c->width, p[256], max = -INFINITY, sum = 0;
      int32_t seen = c->causal ? i + c->keys - c->tokens + 1 : c->keys;
      if (seen > c->keys) seen = c->keys;
      for (int32_t d = 0; d < c->width; d++) o[d] = 0;
      for (int32_t j = 0; j < seen; j++) {
        p[j] = 0;
        for (int32_t d = 0; d < c->width; d++)
          p[j] += (double)row[d] * (double)kh[j * c->width + d];
        p[j] *= 0.3;
        max = fmax(max, p[j]);
      }
      for (int32_t j = 0; j < seen; j++) sum += p[j] = exp(p[j] - max);
      for (int32_t j = 0; j < seen; j++)
        for (int32_t d = 0; d < c->width; d++) o[d] += p[j] / sum * (double)vh[j * c->width + d];
    }
}

static void attention_on(const engine *on) {
  static const attention_case cases[] = {
      {70, 70, 2, 1, 64, 0, false, NULL},   {70, 100, 2, 2, 64, 1, false, NULL},
      {64, 128, 1, 1, 128, 1, false, NULL}, {66, 40, 1, 1, 64, 1, false, NULL},
      {64, 64, 1, 1, 64, 0, true, NULL},    {140, 150, 1, 1, 64, 1, true, "128x128"},
      {70, 70, 2, 2, 128, 1, true, NULL},   {70, 90, 2, 2, 128, 0, true, "128x64"}};
  enum { MOST = 2 * 128 * 128 };
  static float q[MOST], k[MOST], v[MOST], out[MOST];
  static uint16_t q16[MOST], k16[MOST], v16[MOST], out16[MOST];
  static double expected[MOST];
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    const attention_case *c = &cases[i];
    if (on == &engines[0] && i > 5) continue; /* the same programs as before, but much slower */
    fill(q, MOST);
    fill(k, MOST);
    fill(v, MOST);
    for (int j = 0; j < MOST && c->narrow; j++) {
      q[j] = from_bf16(q16[j] = to_bf16(q[j]));
      k[j] = from_bf16(k16[j] = to_bf16(k[j]));
      v[j] = from_bf16(v16[j] = to_bf16(v[j]));
    }
    char name[64];
    snprintf(name, sizeof name, "attention_%s_%d%s%s", c->narrow ? "bf16" : "f32", c->width,
             c->wide ? "_" : "", c->wide ? c->wide : "");
    run r;
    start(&r, on, c->wide ? "attention_wide" : "attention", name);
    if (c->narrow)
      GIVE(&r, q16), GIVE(&r, k16), GIVE(&r, v16), GIVE(&r, out16);
    else
      GIVE(&r, q), GIVE(&r, k), GIVE(&r, v), GIVE(&r, out);
    give_i32(&r, c->tokens);
    give_i32(&r, c->keys);
    give_i32(&r, c->heads);
    give_i32(&r, c->group);
    give_f32(&r, 0.3f);
    give_i32(&r, c->causal);
    finish(&r, up((uint32_t)c->tokens, c->wide ? 128 : 64), (uint32_t)c->heads, 1);
    expect_attention(c, q, k, v, expected);
    size_t n = (size_t)(c->heads * c->tokens * c->width);
    for (size_t j = 0; j < n && c->narrow; j++) out[j] = from_bf16(out16[j]);
    compare(&r, name, out, expected, n, c->narrow ? 1e-2 : 1e-5);
  }
}

static void attention(void **state) {
  (void)state;
  on_all(attention_on);
}

/* ---- convolution ---------------------------------------------------------------------------- */

typedef struct conv_case {
  int32_t n, height, width, channels, filters, size, stride, pad;
} conv_case;

static double conv_at(const conv_case *c, const float *x, const float *w, int32_t n, int32_t row,
                      int32_t column, int32_t f) {
  double sum = 0;
  for (int32_t i = 0; i < c->size; i++)
    for (int32_t j = 0; j < c->size; j++) {
      int32_t y = row * c->stride + i - c->pad, z = column * c->stride + j - c->pad;
      if (y < 0 || y >= c->height || z < 0 || z >= c->width) continue;
      for (int32_t k = 0; k < c->channels; k++)
        sum += (double)x[((n * c->height + y) * c->width + z) * c->channels + k] *
               (double)w[((i * c->size + j) * c->channels + k) * c->filters + f];
    }
  return sum;
}

static void conv_on(const engine *on) {
  static const conv_case cases[] = {{2, 7, 9, 5, 3, 3, 1, 1},    {1, 11, 6, 3, 4, 5, 2, 2},
                                    {1, 8, 8, 64, 64, 1, 1, 0},  {1, 9, 9, 3, 66, 3, 2, 0},
                                    {1, 10, 13, 64, 8, 3, 1, 1}, {1, 9, 11, 64, 8, 5, 1, 2}};
  enum { MOST = 20000 };
  static float x[MOST], w[MOST], y[MOST];
  static double expected[MOST];
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    const conv_case *c = &cases[k];
    int32_t rows = (c->height + 2 * c->pad - c->size) / c->stride + 1;
    int32_t columns = (c->width + 2 * c->pad - c->size) / c->stride + 1;
    fill(x, MOST);
    fill(w, MOST);
    run r;
    start(&r, on, "conv2d", "conv2d_f32");
    GIVE(&r, x);
    GIVE(&r, w);
    GIVE(&r, y);
    give_i32(&r, c->n);
    give_i32(&r, c->height);
    give_i32(&r, c->width);
    give_i32(&r, c->channels);
    give_i32(&r, c->filters);
    give_i32(&r, rows);
    give_i32(&r, columns);
    give_i32(&r, c->size);
    give_i32(&r, c->stride);
    give_i32(&r, c->pad);
    finish(&r, up((uint32_t)rows, 8) * up((uint32_t)columns, 8), up((uint32_t)c->filters, 64),
           (uint32_t)c->n);
    size_t n = 0;
    for (int32_t i = 0; i < c->n; i++)
      for (int32_t row = 0; row < rows; row++)
        for (int32_t column = 0; column < columns; column++)
          for (int32_t f = 0; f < c->filters; f++)
            expected[n++] = conv_at(c, x, w, i, row, column, f);
    assert_true(n <= MOST);
    compare(&r, "conv2d_f32", y, expected, n, 3e-5);
  }
}

static void convolutions(void **state) {
  (void)state;
  on_all(conv_on);
}

/* ---- reductions, scans, histograms ---------------------------------------------------------- */

static void reduce_on(const engine *on) {
  enum { N = 70000, ROWS = 3, COLUMNS = 1500 };
  static float x[N];
  float total[1] = {10}, values[ROWS], sums[COLUMNS];
  int32_t places[ROWS];
  double expected[COLUMNS] = {10};
  run r;
  fill(x, N);
  for (int i = 0; i < N; i++) expected[0] += (double)x[i];
  start(&r, on, "reduce", "sum_f32");
  GIVE(&r, x);
  GIVE(&r, total);
  give_i64(&r, N);
  finish(&r, up(N, 65536), 1, 1);
  compare(&r, "sum_f32", total, expected, 1, 1e-4);

  x[1 * COLUMNS + 700] = x[1 * COLUMNS + 1400] = 5; /* the first of two counts */
  x[2 * COLUMNS + COLUMNS - 1] = 6;
  x[0] = 7;
  start(&r, on, "reduce", "argmax_f32");
  GIVE(&r, x);
  GIVE(&r, values);
  GIVE(&r, places);
  give_i32(&r, ROWS);
  give_i32(&r, COLUMNS);
  finish(&r, ROWS, 1, 1);
  assert_true(values[0] == 7 && values[1] == 5 && values[2] == 6);
  assert_int_equal(places[0], 0);
  assert_int_equal(places[1], 700);
  assert_int_equal(places[2], COLUMNS - 1);

  int32_t rows = 40;
  start(&r, on, "reduce", "column_sums_f32");
  GIVE(&r, x);
  GIVE(&r, sums);
  give_i32(&r, rows);
  give_i32(&r, COLUMNS);
  finish(&r, up(COLUMNS, 64), 1, 1);
  memset(expected, 0, sizeof expected);
  for (int i = 0; i < rows * COLUMNS; i++) expected[i % COLUMNS] += (double)x[i];
  compare(&r, "column_sums_f32", sums, expected, COLUMNS, 1e-5);
}

static void scan_on(const engine *on) {
  enum { ROWS = 3, COLUMNS = 2500 };
  static float y[ROWS * COLUMNS];
  static double expected[ROWS * COLUMNS];
  run r;
  fill(row_x, ROWS * COLUMNS);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    expected[i] = (double)row_x[i] + (i % COLUMNS ? expected[i - 1] : 0);
  start(&r, on, "scan", "cumsum_f32");
  GIVE(&r, row_x);
  GIVE(&r, y);
  give_i32(&r, ROWS);
  give_i32(&r, COLUMNS);
  finish(&r, ROWS, 1, 1);
  compare(&r, "cumsum_f32", y, expected, ROWS * COLUMNS, 1e-4);
}

static void histogram_on(const engine *on) {
  enum { N = 3000, BINS = 50 };
  int32_t x[N], bins[BINS], expected[BINS];
  for (int i = 0; i < BINS; i++) bins[i] = expected[i] = i;
  for (int i = 0; i < N; i++) {
    x[i] = (int32_t)(random_float() * 40) + 20; /* some are outside */
    if (x[i] >= 0 && x[i] < BINS) expected[x[i]]++;
  }
  run r;
  start(&r, on, "histogram", "histogram_i32");
  GIVE(&r, x);
  GIVE(&r, bins);
  give_i32(&r, N);
  give_i32(&r, BINS);
  finish(&r, up(N, 1024), 1, 1);
  assert_memory_equal(bins, expected, sizeof bins);
}

static void reductions(void **state) {
  (void)state;
  on_all(reduce_on);
  on_all(scan_on);
  on_all(histogram_on);
}

/* ---- gather, scatter ------------------------------------------------------------------------ */

static void gather_on(const engine *on) {
  enum { ROWS = 50, COLUMNS = 300, N = 37 };
  static float x[ROWS * COLUMNS], y[ROWS * COLUMNS], expected[ROWS * COLUMNS];
  int32_t index[N];
  run r;
  fill(x, ROWS * COLUMNS);
  for (int i = 0; i < N; i++) index[i] = (i * 17 + 3) % ROWS; /* no two alike */
  start(&r, on, "gather", "gather_rows_f32");
  GIVE(&r, x);
  GIVE(&r, index);
  GIVE(&r, y);
  give_i32(&r, ROWS);
  give_i32(&r, COLUMNS);
  give_i32(&r, N);
  finish(&r, up(N, 16), up(COLUMNS, 256), 1);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < COLUMNS; j++) assert_true(y[i * COLUMNS + j] == x[index[i] * COLUMNS + j]);

  index[5] = ROWS;
  index[6] = -1;

  for (int i = 0; i < ROWS * COLUMNS; i++) y[i] = expected[i] = -2;
  for (int i = 0; i < N; i++)
    if (index[i] >= 0 && index[i] < ROWS)
      memcpy(expected + index[i] * COLUMNS, x + i * COLUMNS, COLUMNS * sizeof *x);
  start(&r, on, "gather", "scatter_rows_f32");
  GIVE(&r, x);
  GIVE(&r, index);
  GIVE(&r, y);
  give_i32(&r, ROWS);
  give_i32(&r, COLUMNS);
  give_i32(&r, N);
  finish(&r, up(N, 16), up(COLUMNS, 256), 1);
  assert_memory_equal(y, expected, sizeof y);

  enum { TAKEN = 1500 };
  static int32_t from[TAKEN];
  for (int i = 0; i < TAKEN; i++) from[i] = (i * 7919) % (ROWS * COLUMNS + 50);
  y[TAKEN] = 99;
  start(&r, on, "gather", "take_f32");
  GIVE(&r, x);
  GIVE(&r, from);
  GIVE(&r, y);
  give_i32(&r, ROWS * COLUMNS);
  give_i32(&r, TAKEN);
  finish(&r, up(TAKEN, 1024), 1, 1);
  for (int i = 0; i < TAKEN; i++) assert_true(y[i] == (from[i] < ROWS * COLUMNS ? x[from[i]] : 0));
  assert_true(y[TAKEN] == 99);
}

static void gathers(void **state) {
  (void)state;
  on_all(gather_on);
}

/* ---- experts -------------------------------------------------------------------------------- */

static void topk_on(const engine *on) {
  enum { TOKENS = 19, EXPERTS = 60, K = 4 };
  float logits[TOKENS * EXPERTS], weights[TOKENS * K + 1];
  int32_t experts[TOKENS * K + 1];
  double expected[TOKENS * K];
  fill(logits, TOKENS * EXPERTS);
  logits[8] = logits[3] = 2; /* of two equal ones the first comes first */
  weights[TOKENS * K] = 5;
  experts[TOKENS * K] = 5;
  run r;
  start(&r, on, "moe", "topk_softmax_f32");
  GIVE(&r, logits);
  GIVE(&r, weights);
  GIVE(&r, experts);
  give_i32(&r, TOKENS);
  give_i32(&r, EXPERTS);
  give_i32(&r, K);
  finish(&r, up(TOKENS, 16), 1, 1);
  for (int t = 0; t < TOKENS; t++) {
    double sum = 0;
    bool taken[EXPERTS] = {false};
    for (int e = 0; e < EXPERTS; e++) sum += exp((double)logits[t * EXPERTS + e]);
    for (int k = 0; k < K; k++) {
      int best = -1;
      for (int e = 0; e < EXPERTS; e++)
        if (!taken[e] && (best < 0 || logits[t * EXPERTS + e] > logits[t * EXPERTS + best]))
          best = e;
      taken[best] = true;
      assert_int_equal(experts[t * K + k], best);
      expected[t * K + k] = exp((double)logits[t * EXPERTS + best]) / sum;
    }
  }
  compare(&r, "topk_softmax_f32", weights, expected, TOKENS * K, 1e-6);
  assert_true(weights[TOKENS * K] == 5 && experts[TOKENS * K] == 5);
}

static void moe_on(const engine *on) {
  enum { TOKENS = 30, TOPK = 2, IDS = TOKENS * TOPK, EXPERTS = 3, N = 70, K = 40, LENGTH = 192 };
  static float a[TOKENS * K], b[EXPERTS * N * K], c[IDS * N], weight[IDS];
  static double expected[IDS * N];
  int32_t sorted[LENGTH], expert[LENGTH / 64];
  fill(a, TOKENS * K);
  fill(b, EXPERTS * N * K);
  fill(weight, IDS);
  for (int i = 0; i < LENGTH; i++) sorted[i] = IDS;
  for (int e = 0; e < EXPERTS; e++) {
    expert[e] = e;
    for (int i = 0, n = 0; i < IDS; i++)
      if ((i * 5 + 1) % EXPERTS == e) sorted[e * 64 + n++] = i;
  }
  run r;
  start(&r, on, "moe", "fused_moe_f32");
  GIVE(&r, a);
  GIVE(&r, b);
  GIVE(&r, c);
  GIVE(&r, weight);
  GIVE(&r, sorted);
  GIVE(&r, expert);
  give_i32(&r, TOKENS);
  give_i32(&r, TOPK);
  give_i32(&r, IDS);
  give_i32(&r, LENGTH);
  give_i32(&r, EXPERTS);
  give_i32(&r, N);
  give_i32(&r, K);
  finish(&r, LENGTH / 64, up(N, 64), 1);
  for (int i = 0; i < IDS; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < K; k++)
        sum += (double)a[i / TOPK * K + k] * (double)b[((i * 5 + 1) % EXPERTS * N + j) * K + k];
      expected[i * N + j] = sum * (double)weight[i];
    }
  compare(&r, "fused_moe_f32", c, expected, IDS * N, 1e-5);
}

static void silu_on(const engine *on) {
  enum { ROWS = 2, COLUMNS = 1100 };
  static double expected[ROWS * COLUMNS];
  size_t n = ROWS * COLUMNS;
  fill(row_x, n);
  fill(row_r, n);
  for (size_t i = 0; i < n; i++) {
    double x = (double)(row_x[i] *= 10);
    expected[i] = x / (1 + exp(-x)) * (double)row_r[i];
  }
  run r;
  start(&r, on, "moe", "silu_mul_f32");
  GIVE(&r, row_x);
  GIVE(&r, row_r);
  GIVE(&r, row_y);
  give_i32(&r, ROWS);
  give_i32(&r, COLUMNS);
  finish(&r, ROWS, up(COLUMNS, 1024), 1);
  compare(&r, "silu_mul_f32", row_y, expected, n, 2e-6);
}

static void experts(void **state) {
  (void)state;
  on_all(topk_on);
  on_all(moe_on);
  on_all(silu_on);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors),      cmocka_unit_test(transposes),     cmocka_unit_test(softmaxes),
      cmocka_unit_test(norms),        cmocka_unit_test(norms_backward), cmocka_unit_test(attention),
      cmocka_unit_test(convolutions), cmocka_unit_test(reductions),     cmocka_unit_test(gathers),
      cmocka_unit_test(experts),      cmocka_unit_test(functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
