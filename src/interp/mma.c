/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products. The language leaves the order of the additions open; this is ours:
 *
 *   result[i, j] = acc[i, j]
 *   for k ascending: result[i, j] = fma(lhs[i, k], rhs[k, j], result[i, j])
 *
 * in f32, or in f64 when the accumulator is. An f16 accumulator becomes f32 before the first step
 * and is rounded to nearest even after the last. Integers wrap. fast_acc changes nothing.
 */
#include "base/processor.h"
#include "interp/internal.h"
#include "ir/block/layouts.h"

typedef struct product {
  int64_t batches, m, n, k;
} product;

static product describe(const inst *i) {
  const ir_type *a = in_type(i, 0), *b = in_type(i, 1);
  unsigned r = a->rank;
  return (product){.batches = r == 3 ? a->shape[0] : 1,
                   .m = a->shape[r - 2],
                   .n = b->shape[r - 1],
                   .k = a->shape[r - 1]};
}

/* ---- multiplying and adding ----------------------------------------------------------------- */

/* c[m x n] += a[m x k] * b[k x n]. Each c[i, j] sees its k in order; which (i, j) comes first
 * matters to nobody, so rows of b are walked along. The blocks of constant length let the compiler
 * use vectors. */
#define MULTIPLY_ADD(T, FMA)                                                                       \
  for (int64_t i = 0; i < m; i++) {                                                                \
    for (int64_t l = 0; l < k; l++) {                                                              \
      T x = a[i * k + l];                                                                          \
      const T *restrict row = b + l * n;                                                           \
      T *restrict sum = c + i * n;                                                                 \
      int64_t j = 0;                                                                               \
      for (; j + 16 <= n; j += 16)                                                                 \
        for (int v = 0; v < 16; v++) sum[j + v] = FMA(x, row[j + v], sum[j + v]);                  \
      for (; j < n; j++) sum[j] = FMA(x, row[j], sum[j]);                                          \
    }                                                                                              \
  }

#define VARIANT(NAME, T, FMA, ATTRIBUTES)                                                          \
  ATTRIBUTES static void NAME(T *restrict c, const T *restrict a, const T *restrict b, int64_t m,  \
                              int64_t n, int64_t k) {                                              \
    MULTIPLY_ADD(T, FMA)                                                                           \
  }

VARIANT(multiply_f32, float, fmaf, )
VARIANT(multiply_f64, double, fma, )

/* The same with the instruction, where the host may have it; else fma is a call. */
#if defined(__x86_64__) && !defined(__FMA__)
VARIANT(multiply_f32_fma, float, fmaf, __attribute__((target("avx2,fma"))))
VARIANT(multiply_f64_fma, double, fma, __attribute__((target("avx2,fma"))))
static bool has_fma(void) {
  return processor_has(PROCESSOR_AVX2);
}
#else
#define multiply_f32_fma multiply_f32
#define multiply_f64_fma multiply_f64
static bool has_fma(void) {
  return false;
}
#endif

static void multiply_floats(const product *p, float *c, const float *a, const float *b) {
  bool fast = has_fma();
  for (int64_t batch = 0; batch < p->batches; batch++) {
    (fast ? multiply_f32_fma : multiply_f32)(c, a, b, p->m, p->n, p->k);
    a += p->m * p->k;
    b += p->k * p->n;
    c += p->m * p->n;
  }
}

static void multiply_doubles(const product *p, double *c, const double *a, const double *b) {
  bool fast = has_fma();
  for (int64_t batch = 0; batch < p->batches; batch++) {
    (fast ? multiply_f64_fma : multiply_f64)(c, a, b, p->m, p->n, p->k);
    a += p->m * p->k;
    b += p->k * p->n;
    c += p->m * p->n;
  }
}

/* ---- mmaf ----------------------------------------------------------------------------------- */

size_t mma_temp_bytes(const ir_op *op) {
  size_t elements = 0;
  for (uint32_t k = 0; k < 3; k++) elements += (size_t)ir_operand(op, k)->type->count;
  return elements * sizeof(double);
}

static void decode_floats(float *to, const void *from, const ir_type *t) {
  const num_format *format = num_format_of((tsr_elem)t->elem);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  if (t->elem == TSR_F32)
    memcpy(to, from, (size_t)t->count * sizeof *to);
  else
    for (int64_t k = 0; k < t->count; k++)
      to[k] = (float)num_decode(format, get_element(from, bits, k)); /* exact */
}

static void encode_floats(void *to, const float *from, const ir_type *t) {
  const num_format *format = num_format_of((tsr_elem)t->elem);
  for (int64_t k = 0; k < t->count; k++) {
    if (t->elem == TSR_F32)
      ((float *)to)[k] = from[k] != from[k] ? NAN : from[k];
    else
      set_element(to, tsr_elem_bits((tsr_elem)t->elem), k,
                  num_encode(format, from[k], NUM_NEAREST_EVEN));
  }
}

static void run_mmaf_f64(frame *f, const inst *i, const product *p) {
  double *c = at(f, i->out[0]);
  memcpy(c, at(f, i->in[2]), (size_t)i->count * sizeof *c);
  multiply_doubles(p, c, at(f, i->in[0]), at(f, i->in[1]));
  for (int64_t k = 0; k < i->count; k++)
    if (c[k] != c[k]) c[k] = NAN;
}

void run_mmaf(frame *f, const inst *i) {
  product p = describe(i);
  if (in_type(i, 0)->elem == TSR_F64) {
    run_mmaf_f64(f, i, &p);
    return;
  }
  float *a = at(f, i->temp), *b = a + in_type(i, 0)->count, *c = b + in_type(i, 1)->count;
  decode_floats(a, at(f, i->in[0]), in_type(i, 0));
  decode_floats(b, at(f, i->in[1]), in_type(i, 1));
  decode_floats(c, at(f, i->in[2]), in_type(i, 2));
  multiply_floats(&p, c, a, b);
  encode_floats(at(f, i->out[0]), c, out_type(i, 0));
}

/* ---- wgmma ---------------------------------------------------------------------------------- */

/* Shared memory, row by row. */
static void decode_shared(float *to, const shared_part *part, const ir_type *t) {
  const num_format *format = num_format_of((tsr_elem)t->elem);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  const void *memory = (const void *)(uintptr_t)part->base;
  for (int64_t row = 0; row < t->shape[0]; row++)
    for (int64_t column = 0; column < t->shape[1]; column++) {
      int64_t offset = part->offset + ir_memory_offset(t->memory, (int64_t[]){row, column});
      uint64_t pattern = get_element(memory, bits, ir_memory_swizzle(t->memory, offset));
      *to++ = (float)num_decode(format, pattern);
    }
}

static void decode_operand(float *to, const frame *f, const inst *i, uint32_t k) {
  const ir_type *t = in_type(i, k);
  if (t->kind == IR_SHARED)
    decode_shared(to, at(f, i->in[k]), t);
  else
    decode_floats(to, at(f, i->in[k]), t->kind == IR_ASYNC ? t->view : t);
}

void run_wgmma(frame *f, const inst *i) {
  product p = describe(i);
  float *a = at(f, i->temp), *b = a + in_type(i, 0)->count, *c = b + in_type(i, 1)->count;
  decode_operand(a, f, i, 0);
  decode_operand(b, f, i, 1);
  decode_operand(c, f, i, 2);
  multiply_floats(&p, c, a, b);
  encode_floats(at(f, i->out[0]), c, out_type(i, 0)->view);
}

/* ---- mmai ----------------------------------------------------------------------------------- */

static int32_t read_byte(const uint8_t *p, bool is_signed) {
  return is_signed ? (int32_t)(int8_t)*p : (int32_t)*p;
}

void run_mmai(frame *f, const inst *i) {
  product p = describe(i);
  bool a_signed = ir_int_attr(i->op, ATTR_signedness_lhs) == SIGN_SIGNED;
  bool b_signed = ir_int_attr(i->op, ATTR_signedness_rhs) == SIGN_SIGNED;
  const uint8_t *a = at(f, i->in[0]), *b = at(f, i->in[1]);
  uint32_t *c = at(f, i->out[0]);
  memcpy(c, at(f, i->in[2]), (size_t)i->count * sizeof *c);
  for (int64_t batch = 0; batch < p.batches; batch++) {
    for (int64_t row = 0; row < p.m; row++) {
      for (int64_t k = 0; k < p.k; k++) {
        int32_t x = read_byte(&a[row * p.k + k], a_signed);
        for (int64_t j = 0; j < p.n; j++)
          c[row * p.n + j] += (uint32_t)(x * read_byte(&b[k * p.n + j], b_signed));
      }
    }
    a += p.m * p.k;
    b += p.k * p.n;
    c += p.m * p.n;
  }
}

/* ---- mmaf_scaled ---------------------------------------------------------------------------- */

/* sum + x * y rounded to f32 once, where x and y are narrow floats times their scales: the product
 * is exact in double. The sum is rounded to odd first, which makes the second rounding harmless. */
static float add_product(float sum, double x, double y) {
  double term = x * y, s = sum + term;
  if (!isfinite(s)) return (float)s;
  double part = s - sum, error = (sum - (s - part)) + (term - part);
  uint64_t bits = num_f64_bits(s);
  if (error != 0 && (bits & 1) == 0) bits += (error < 0) == (s < 0) ? 1 : -1;
  return (float)num_f64_from_bits(bits);
}

/* A matrix of narrow floats, each times the scale of its block along k: element (x, y) of either
 * side, with the tile's row length and its scale's. */
static double scaled_element(const frame *f, const inst *i, uint32_t operand, int64_t index,
                             int64_t scale_index) {
  tsr_elem elem = (tsr_elem)in_type(i, operand)->elem;
  tsr_elem scale = (tsr_elem)in_type(i, operand + 3)->elem;
  uint64_t x = get_element(at(f, i->in[operand]), tsr_elem_bits(elem), index);
  uint64_t s = get_element(at(f, i->in[operand + 3]), tsr_elem_bits(scale), scale_index);
  return num_decode(num_format_of(elem), x) * num_decode(num_format_of(scale), s);
}

/* Both sides are scaled first, exactly, into doubles in the temporary room. */
void run_mmaf_scaled(frame *f, const inst *i) {
  product p = describe(i);
  const ir_type *scales = in_type(i, 3);
  int64_t blocks = scales->shape[scales->rank - 1], size = p.k / blocks;
  double *a = at(f, i->temp), *b = a + in_type(i, 0)->count;
  for (int64_t row = 0; row < p.batches * p.m; row++)
    for (int64_t k = 0; k < p.k; k++)
      a[row * p.k + k] = scaled_element(f, i, 0, row * p.k + k, row * blocks + k / size);
  for (int64_t batch = 0; batch < p.batches; batch++)
    for (int64_t k = 0; k < p.k; k++)
      for (int64_t j = 0; j < p.n; j++)
        b[(batch * p.k + k) * p.n + j] = scaled_element(f, i, 1, (batch * p.k + k) * p.n + j,
                                                        (batch * blocks + k / size) * p.n + j);
  const float *acc = at(f, i->in[2]);
  for (int64_t e = 0; e < i->count; e++) {
    int64_t row = e / p.n, j = e % p.n, batch = row / p.m;
    float sum = acc[e];
    for (int64_t k = 0; k < p.k; k++)
      sum = add_product(sum, a[row * p.k + k], b[(batch * p.k + k) * p.n + j]);
    ((float *)at(f, i->out[0]))[e] = sum != sum ? NAN : sum;
  }
}
