/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Results of benchmarks, too many to expect from the interpreter: some of them, computed again in
 * double from what the operands held before the launch. `verify KIND NUMBER…`:
 *
 *   gemm A B C M N K RTOL                 C = A * B, row-major
 *   gemm_nt A B C M N K RTOL              the same, B stored N x K
 *   int4 A W S C M N K RTOL               kernels/gemm_weight_only.mlir, gemm_i4
 *   attention Q K V O TOKENS KEYS HEADS GROUP WIDTH CAUSAL ATOL
 *   softmax X Y ROWS COLUMNS ATOL
 *   rmsnorm X W Y ROWS COLUMNS EPSILON ATOL
 *   layernorm X W B Y ROWS COLUMNS EPSILON ATOL
 *   axpy X Y ALPHA COUNT                  y = alpha x + y, in place
 *   transpose X Y ROWS COLUMNS
 *   copy X Y COUNT
 *
 * The letters are numbers of parameters. RTOL is of the sum of the magnitudes of what is added.
 */
#include "gpu/gpu_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 64 };

typedef struct check {
  const test_case *c;
  const void *result;
  const char *result_elem;
  char *what;
  size_t size;
} check;

static size_t sample(size_t of, unsigned i) {
  uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  return (size_t)((z ^ z >> 27) % of);
}

static double operand(const check *k, double index, size_t at) {
  const param *p = &k->c->params[(int)index];
  return elem_value(p->elem, p->host, at);
}

static bool near(const check *k, size_t at, double expected, double tolerance) {
  double got = elem_value(k->result_elem, k->result, at);
  if (fabs(got - expected) <= tolerance) return true;
  snprintf(k->what, k->size, "element %zu is %.9g, expected %.9g within %.2g", at, got, expected,
           tolerance);
  return false;
}

/* ---- products ------------------------------------------------------------------------------- */

static bool verify_product(const check *k, bool transposed) {
  const double *n = k->c->numbers;
  size_t rows = (size_t)n[3], columns = (size_t)n[4], depth = (size_t)n[5];
  for (unsigned s = 0; s < SAMPLES; s++) {
    size_t i = sample(rows, 2 * s), j = sample(columns, 2 * s + 1);
    double sum = 0, magnitude = 0;
    for (size_t l = 0; l < depth; l++) {
      size_t b = transposed ? j * depth + l : l * columns + j;
      double x = operand(k, n[0], i * depth + l) * operand(k, n[1], b);
      sum += x;
      magnitude += fabs(x);
    }
    if (!near(k, i * columns + j, sum, n[6] * magnitude)) return false;
  }
  return true;
}

static bool verify_gemm(const check *k) {
  return verify_product(k, false);
}

static bool verify_gemm_nt(const check *k) {
  return verify_product(k, true);
}

/* Byte j of a row holds column j in its low bits and column N / 2 + j in its high bits. */
static double weight(const check *k, double index, size_t row, size_t column, size_t columns) {
  const int8_t *data = k->c->params[(int)index].host;
  size_t half = columns / 2;
  int8_t byte = data[row * half + column % half];
  return column < half ? (int8_t)(uint8_t)(byte << 4) >> 4 : byte >> 4;
}

static bool verify_int4(const check *k) {
  const double *n = k->c->numbers;
  size_t rows = (size_t)n[4], columns = (size_t)n[5], depth = (size_t)n[6];
  for (unsigned s = 0; s < SAMPLES; s++) {
    size_t i = sample(rows, 2 * s), j = sample(columns, 2 * s + 1);
    double sum = 0, magnitude = 0, scale = operand(k, n[2], j);
    for (size_t l = 0; l < depth; l++) {
      double x = operand(k, n[0], i * depth + l) * weight(k, n[1], l, j, columns) * scale;
      sum += x;
      magnitude += fabs(x);
    }
    if (!near(k, i * columns + j, sum, n[7] * magnitude)) return false;
  }
  return true;
}

/* One row of the scores, made probabilities in place. */
static void make_probabilities(double *p, size_t visible) {
  double most = -(double)INFINITY, sum = 0;
  for (size_t j = 0; j < visible; j++) most = fmax(most, p[j]);
  for (size_t j = 0; j < visible; j++) sum += p[j] = exp(p[j] - most);
  for (size_t j = 0; j < visible; j++) p[j] /= sum;
}

static bool verify_attention(const check *k) {
  const double *n = k->c->numbers;
  size_t tokens = (size_t)n[4], keys = (size_t)n[5], heads = (size_t)n[6], group = (size_t)n[7];
  size_t width = (size_t)n[8];
  bool good = true;
  double *p = malloc(keys * sizeof *p);
  for (unsigned s = 0; s < SAMPLES / 4 && p && good; s++) {
    size_t head = sample(heads, 2 * s), i = sample(tokens, 2 * s + 1), shared = head / group;
    size_t visible = (n[9] > 0) ? i + keys - tokens + 1 : keys;
    for (size_t j = 0; j < visible; j++) {
      p[j] = 0;
      for (size_t d = 0; d < width; d++)
        p[j] += operand(k, n[0], (head * tokens + i) * width + d) *
                operand(k, n[1], (shared * keys + j) * width + d);
      p[j] /= sqrt((double)width);
    }
    make_probabilities(p, visible);
    for (size_t d = 0; d < width && good; d += 17) {
      double o = 0;
      for (size_t j = 0; j < visible; j++)
        o += p[j] * operand(k, n[2], (shared * keys + j) * width + d);
      good = near(k, (head * tokens + i) * width + d, o, n[10]);
    }
  }
  free(p);
  return good && p;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static bool verify_softmax(const check *k) {
  const double *n = k->c->numbers;
  size_t rows = (size_t)n[2], columns = (size_t)n[3];
  double *p = malloc(columns * sizeof *p);
  bool good = p != NULL;
  for (unsigned s = 0; s < SAMPLES && good; s++) {
    size_t i = sample(rows, s);
    for (size_t j = 0; j < columns; j++) p[j] = operand(k, n[0], i * columns + j);
    make_probabilities(p, columns);
    for (size_t j = 0; j < columns && good; j += 7) good = near(k, i * columns + j, p[j], n[4]);
  }
  free(p);
  return good;
}

/* `centred`: layer normalisation, which has a bias too. */
static bool verify_norm(const check *k, bool centred) {
  const double *n = k->c->numbers;
  const double *size = n + (centred ? 4 : 3);
  size_t rows = (size_t)size[0], columns = (size_t)size[1];
  for (unsigned s = 0; s < SAMPLES; s++) {
    size_t i = sample(rows, s);
    double mean = 0, square = 0;
    for (size_t j = 0; j < columns && centred; j++)
      mean += operand(k, n[0], i * columns + j) / (double)columns;
    for (size_t j = 0; j < columns; j++) {
      double x = operand(k, n[0], i * columns + j) - mean;
      square += x * x / (double)columns;
    }
    for (size_t j = 0; j < columns; j += 7) {
      double x = (operand(k, n[0], i * columns + j) - mean) / sqrt(square + size[2]);
      double y = x * operand(k, n[1], j) + (centred ? operand(k, n[2], j) : 0);
      if (!near(k, i * columns + j, y, size[3])) return false;
    }
  }
  return true;
}

static bool verify_rmsnorm(const check *k) {
  return verify_norm(k, false);
}
static bool verify_layernorm(const check *k) {
  return verify_norm(k, true);
}

/* ---- element by element --------------------------------------------------------------------- */

static bool verify_axpy(const check *k) {
  const double *n = k->c->numbers;
  for (unsigned s = 0; s < 16 * SAMPLES; s++) {
    size_t i = sample((size_t)n[3], s);
    double y = n[2] * operand(k, n[0], i) + operand(k, n[1], i);
    if (!near(k, i, y, 1e-6 * (fabs(y) + 1))) return false;
  }
  return true;
}

static bool verify_transpose(const check *k) {
  const double *n = k->c->numbers;
  size_t rows = (size_t)n[2], columns = (size_t)n[3];
  for (unsigned s = 0; s < 16 * SAMPLES; s++) {
    size_t i = sample(rows, 2 * s), j = sample(columns, 2 * s + 1);
    if (!near(k, j * rows + i, operand(k, n[0], i * columns + j), 0)) return false;
  }
  return true;
}

static bool verify_copy(const check *k) {
  const double *n = k->c->numbers;
  for (unsigned s = 0; s < 16 * SAMPLES; s++) {
    size_t i = sample((size_t)n[2], s);
    if (!near(k, i, operand(k, n[0], i), 0)) return false;
  }
  return true;
}

/* ---- which ---------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  unsigned numbers, result; /* how many; which of them is the result's parameter */
  bool (*run)(const check *k);
} kinds[] = {{"gemm", 7, 2, verify_gemm},           {"gemm_nt", 7, 2, verify_gemm_nt},
             {"int4", 8, 3, verify_int4},           {"attention", 11, 3, verify_attention},
             {"softmax", 5, 1, verify_softmax},     {"rmsnorm", 7, 2, verify_rmsnorm},
             {"layernorm", 8, 3, verify_layernorm}, {"axpy", 4, 1, verify_axpy},
             {"transpose", 4, 1, verify_transpose}, {"copy", 3, 1, verify_copy}};

bool verify(gpu *g, const test_case *c, char *what, size_t size) {
  for (size_t i = 0; i < COUNT_OF(kinds); i++) {
    if (strcmp(kinds[i].name, c->verify) != 0) continue;
    if (c->n_numbers != kinds[i].numbers) break;
    unsigned result = (unsigned)c->numbers[kinds[i].result];
    if (result >= c->n_params) break;
    void *data = case_read(g, c, result);
    if (!data) {
      snprintf(what, size, "its result cannot be read");
      return false;
    }
    check k = {c, data, c->params[result].elem, what, size};
    bool good = kinds[i].run(&k);
    free(data);
    return good;
  }
  snprintf(what, size, "the manifest's 'verify %s' is wrong", c->verify);
  return false;
}
