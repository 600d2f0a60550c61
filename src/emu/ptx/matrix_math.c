/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sums of exact products, rounded once.
 *
 * Products of the narrow float types are exact as doubles. They are added in doubles with the
 * rounding error of every addition computed beside it (D. Knuth, TAOCP 4.2.2, theorem B: the error
 * of a + b is itself a double and costs six operations). When no addition had one, which is the
 * common case, the sum is exact and is rounded once. Otherwise it is made anew in fixed point.
 */
#include <float.h>

#include "emu/ptx/matrix.h"

enum { MAX_N = 256, MAX_K = 256, MAX_FLOAT_K = 64 };

/* ---- Fixed point over the whole range ------------------------------------------------------- */

/* Digits of 32 bits in signed 64-bit words, so that 2^31 terms can be added before carries must be
 * moved. The lowest bit is worth 2^LOWEST: products reach down to 2^-272 (two smallest tf32) with
 * 22 bits, terms up to 2^257. */
enum { DIGITS = 22, LOWEST = -384 };

typedef struct exact_sum {
  int64_t digit[DIGITS];
} exact_sum;

static void exact_add(exact_sum *s, double x) {
  if (x == 0) return;
  int exponent;
  int64_t mantissa = (int64_t)ldexp(frexp(x, &exponent), 53);
  bool negative = mantissa < 0;
  unsigned at = (unsigned)(exponent - 53 - LOWEST);
  unsigned __int128 wide = (unsigned __int128)(uint64_t)(negative ? -mantissa : mantissa)
                           << (at % 32);
  for (unsigned i = 0; i < 3; i++) {
    int64_t part = (int64_t)(uint32_t)(wide >> (32 * i));
    s->digit[at / 32 + i] += negative ? -part : part;
  }
}

/* The sum as a double rounded to odd: truncated to 53 bits, the last of which is set when bits were
 * lost. Rounding that to 51 bits or fewer gives what rounding the exact sum gives. */
static double exact_round_to_odd(exact_sum *s) {
  int64_t carry = 0;
  for (unsigned i = 0; i < DIGITS; i++) { /* to digits 0 .. 2^32-1 and a signed carry */
    int64_t v = s->digit[i] + carry;
    carry = v >> 32;
    s->digit[i] = (int64_t)(uint32_t)v;
  }
  bool negative = carry < 0;
  if (negative) { /* two's complement */
    carry = 1;
    for (unsigned i = 0; i < DIGITS; i++) {
      int64_t v = (int64_t)(uint32_t) ~(uint32_t)s->digit[i] + carry;
      carry = v >> 32;
      s->digit[i] = (int64_t)(uint32_t)v;
    }
  }
  int top = DIGITS - 1;
  while (top >= 0 && s->digit[top] == 0) top--;
  if (top < 0) return 0;
  unsigned __int128 wide = 0;
  for (int i = 0; i < 4; i++) wide = wide << 32 | (uint32_t)(top - i >= 0 ? s->digit[top - i] : 0);
  bool lost = false;
  for (int i = top - 4; i >= 0; i--) lost |= s->digit[i] != 0;
  /* wide's highest set bit is one of its upper 32: at least 97 significant bits. */
  unsigned length = 128 - (unsigned)__builtin_clzll((uint64_t)(wide >> 64)), drop = length - 53;
  lost |= (wide & (((unsigned __int128)1 << drop) - 1)) != 0;
  uint64_t kept = (uint64_t)(wide >> drop) | lost;
  double value = ldexp((double)kept, LOWEST + 32 * (top - 3) + (int)drop);
  return negative ? -value : value;
}

/* ---- Elements ------------------------------------------------------------------------------- */

static double decode(mma_type type, uint64_t bits) {
  switch (type) {
  case MMA_F16: return num_decode(&num_formats[TSR_F16], bits & 0xffff);
  case MMA_BF16: return num_f32_from_bits((uint32_t)(bits & 0xffff) << 16);
  case MMA_TF32: return num_f32_from_bits((uint32_t)bits & ~0x1fffu);
  case MMA_F32: return num_f32_from_bits((uint32_t)bits);
  case MMA_E4M3: return num_decode(&num_formats[TSR_F8E4M3FN], bits & 0xff);
  case MMA_E5M2: return num_decode(&num_formats[TSR_F8E5M2], bits & 0xff);
  default: return num_f64_from_bits(bits);
  }
}

static int64_t decode_integer(mma_type type, uint64_t bits) {
  switch (type) {
  case MMA_S8: return (int8_t)bits;
  case MMA_U8: return (uint8_t)bits;
  case MMA_S4: return (int64_t)(bits & 15) - (int64_t)(bits << 1 & 16);
  case MMA_U4: return (int64_t)(bits & 15);
  case MMA_B1: return (int64_t)(bits & 1);
  default: return (int32_t)bits;
  }
}

static uint64_t encode(mma_type type, bool satfinite, double value) {
  if (satfinite && value != value) return 0;
  if (satfinite && type == MMA_F16) value = fmin(fmax(value, -65504), 65504);
  if (satfinite && type == MMA_F32) value = fmin(fmax(value, -(double)FLT_MAX), (double)FLT_MAX);
  if (type == MMA_F16)
    return value != value ? 0x7fff : num_encode(&num_formats[TSR_F16], value, NUM_NEAREST_EVEN);
  return value != value ? 0x7fffffff : num_f32_bits((float)value);
}

/* ---- Products ------------------------------------------------------------------------------- */

/* The sum for one element of D from its terms, with infinities and NaNs. */
static double exact_element(const double *a, const uint8_t *k_of, unsigned stored, const double *b,
                            unsigned n, double c) {
  exact_sum sum = {{0}};
  double special = 0; /* adds up infinities and NaNs only */
  for (unsigned i = 0; i <= stored; i++) {
    double term = i == stored ? c : a[i] * b[(size_t)(k_of ? k_of[i] : i) * n];
    if (isfinite(term))
      exact_add(&sum, term);
    else
      special += term;
  }
  return special != 0 ? special : exact_round_to_odd(&sum); /* NaN != 0 holds */
}

/* One row of D. */
static void float_row(const mma_product *p, const double *a, const uint8_t *k_of, const double *b,
                      unsigned row) {
  double sum[MAX_N], error[MAX_N];
  for (unsigned j = 0; j < p->n; j++) {
    sum[j] = p->c ? decode(p->c_type, p->c[row * p->n + j]) : 0;
    error[j] = 0;
  }
  for (unsigned i = 0; i < p->stored; i++) {
    const double *b_row = b + (size_t)(k_of ? k_of[i] : i) * p->n;
    for (unsigned j = 0; j < p->n; j++) {
      double term = a[i] * b_row[j], t = sum[j] + term, part = t - sum[j];
      error[j] += fabs((sum[j] - (t - part)) + (term - part));
      sum[j] = t;
    }
  }
  for (unsigned j = 0; j < p->n; j++) {
    double value = sum[j];
    if (!(error[j] == 0)) { /* inexact, or not finite, which makes it NaN */
      double c = p->c ? decode(p->c_type, p->c[row * p->n + j]) : 0;
      value = exact_element(a, k_of, p->stored, b + j, p->n, c);
    }
    p->d[row * p->n + j] = encode(p->d_type, p->satfinite, value);
  }
}

static double fused(const mma_product *p, double a, double b, double c) {
  if (p->round == NUM_NEAREST_EVEN) return fma(a, b, c);
  return num_f64_from_bits(num_fma(&num_formats[TSR_F64], num_f64_bits(a), num_f64_bits(b),
                                   num_f64_bits(c), p->round, false));
}

/* f64: fused multiply-adds in the order of k. */
static void double_row(const mma_product *p, const double *a, const double *b, unsigned row) {
  for (unsigned j = 0; j < p->n; j++) {
    double sum = p->c ? num_f64_from_bits(p->c[row * p->n + j]) : 0;
    for (unsigned i = 0; i < p->stored; i++) sum = fused(p, a[i], b[(size_t)i * p->n + j], sum);
    p->d[row * p->n + j] = sum != sum ? UINT64_C(0x7ff8000000000000) : num_f64_bits(sum);
  }
}

static void multiply_floats(const mma_product *p) {
  double a[MAX_FLOAT_K], b[MAX_FLOAT_K * MAX_N];
  double sign_a = p->negate_a ? -1 : 1, sign_b = p->negate_b ? -1 : 1;
  for (unsigned i = 0; i < p->k * p->n; i++) b[i] = sign_b * decode(p->b_type, p->b[i]);
  for (unsigned row = 0; row < p->m; row++) {
    for (unsigned i = 0; i < p->stored; i++)
      a[i] = sign_a * decode(p->a_type, p->a[row * p->stored + i]);
    if (p->d_type == MMA_F64)
      double_row(p, a, b, row);
    else
      float_row(p, a, p->k_of ? p->k_of + row * p->stored : NULL, b, row);
  }
}

static int64_t integer_term(mma_op op, int64_t a, int64_t b) {
  return op == MMA_XOR_POPC ? a ^ b : a * b; /* .and.popc: the product of bits */
}

static void multiply_integers(const mma_product *p) {
  int16_t a[MAX_K], b[MAX_K * MAX_N];
  for (unsigned i = 0; i < p->k * p->n; i++) b[i] = (int16_t)decode_integer(p->b_type, p->b[i]);
  for (unsigned row = 0; row < p->m; row++) {
    const uint8_t *k_of = p->k_of ? p->k_of + row * p->stored : NULL;
    for (unsigned i = 0; i < p->stored; i++)
      a[i] = (int16_t)decode_integer(p->a_type, p->a[row * p->stored + i]);
    for (unsigned j = 0; j < p->n; j++) {
      int64_t sum = p->c ? (int32_t)p->c[row * p->n + j] : 0;
      for (unsigned i = 0; i < p->stored; i++)
        sum += integer_term(p->op, a[i], b[(size_t)(k_of ? k_of[i] : i) * p->n + j]);
      if (p->satfinite) sum = MIN(MAX(sum, INT32_MIN), INT32_MAX);
      p->d[row * p->n + j] = (uint32_t)sum;
    }
  }
}

void mma_multiply(const mma_product *p) {
  if (mma_type_is_integer(p->a_type))
    multiply_integers(p);
  else
    multiply_floats(p);
}
