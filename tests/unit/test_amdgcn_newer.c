/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Conversions of floats of 8, 6 and 4 bits, scaled products, exchanges of lanes, loads to the LDS
 * and transposing ones, as clang uses them (tests/amdgcn/kernels/narrow.c, deep.c): results are
 * those of plain C, and the checks find nothing, but each wait that is left out.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "job.h"
#include "emu/amdgcn/scalar.h"

static uint64_t state = 1;
static uint32_t next(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 24);
}
static void fill(void *p, size_t bytes) {
  uint8_t *b = p;
  for (size_t k = 0; k < bytes; k++) b[k] = (uint8_t)next();
}

/* ---- formats ----------------------------------------------------------------------------------
 */

/* A small float with subnormal numbers; the caller knows of infinities and NaNs. */
static double small_float(unsigned v, unsigned exponent_bits, unsigned mantissa_bits, int bias) {
  unsigned m = v & ((1u << mantissa_bits) - 1);
  int e = (int)(v >> mantissa_bits & ((1u << exponent_bits) - 1));
  double x = ldexp(m + (e ? 1u << mantissa_bits : 0), MAX(e, 1) - bias - (int)mantissa_bits);
  return v >> (exponent_bits + mantissa_bits) & 1 ? -x : x;
}

/* fp8 and bf8; older: of gfx942. */
static double of_eight(unsigned v, bool bf8, bool older) {
  v &= 0xff;
  if (older) return v == 0x80 ? NAN : bf8 ? small_float(v, 5, 2, 16) : small_float(v, 4, 3, 8);
  if (!bf8) return (v & 0x7f) == 0x7f ? NAN : small_float(v, 4, 3, 7);
  if ((v & 0x7f) > 0x7c) return NAN;
  return (v & 0x7f) == 0x7c ? (v & 0x80 ? -INFINITY : INFINITY) : small_float(v, 5, 2, 15);
}
static double of_six(unsigned v, bool bf6) {
  return bf6 ? small_float(v, 3, 2, 3) : small_float(v, 2, 3, 1);
}
static double of_four(unsigned v) {
  return small_float(v, 2, 1, 1);
}

static bool same(double a, double b) {
  return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* ---- conversions ------------------------------------------------------------------------------
 */

typedef struct variant {
  const char *file;
  bool older;
} variant;
static const variant variants[] = {
    {"narrow", true}, {"gfx950/narrow", false}, {"gfx1200/narrow", false}};

static void run_checked(amdgcn_job *j) {
  job_filled(j);
  if (job_run(j, true) != TSR_OK) fail_msg("%s", j->fault.message);
  sbuf out = SBUF(&j->o->arena);
  if (j->found.n) findings_text(&j->found, false, &out);
  if (j->found.n) fail_msg("%s", out.data);
}
#define RESULT(type, k) ((type *)(void *)job_result(&j, k))

static void begin(amdgcn_object *o, amdgcn_job *j, const char *file, const char *kernel) {
  object_open(o, file);
  job_begin(j, o, kernel, 1, 64);
}
static void end(amdgcn_object *o, amdgcn_job *j) {
  job_end(j);
  object_close(o);
}

static void all_eights(const variant *v) {
  amdgcn_object o = {0};
  amdgcn_job j;
  begin(&o, &j, v->file, "from_eights");
  uint8_t *x = job_buffer(&j, 256);
  for (unsigned k = 0; k < 256; k++) x[k] = (uint8_t)k;
  for (unsigned k = 0; k < 3; k++) job_buffer(&j, 256 * 4);
  run_checked(&j);
  for (unsigned k = 0; k < 256; k++) {
    double fp8 = of_eight(k, false, v->older), bf8 = of_eight(k, true, v->older);
    double got[] = {(double)RESULT(float, 1)[k], (double)RESULT(float, 2)[k],
                    (double)RESULT(float, 3)[k]};
    if (!same(got[0], fp8) || !same(got[1], bf8) || !same(got[2], k % 4 < 2 ? fp8 : bf8))
      fail_msg("%s: 0x%02x is %g, %g, %g", v->file, k, got[0], got[1], got[2]);
  }
  end(&o, &j);
}

/* The pattern whose number is nearest, of two the even one; out of range what the format has. */
static unsigned nearest(double x, bool bf8, bool older) {
  unsigned best = 0, sign = signbit(x) ? 0x80 : 0;
  double most = of_eight(older ? 0x7f : bf8 ? 0x7b : 0x7e, bf8, older);
  double step = most - of_eight(older ? 0x7e : bf8 ? 0x7a : 0x7d, bf8, older);
  if (isnan(x) || fabs(x) >= most + step / 2)
    return older ? 0x80 : !bf8 ? 0x7f : isnan(x) ? 0x7e : sign | 0x7c;
  for (unsigned k = 0; k < 0x80; k++) {
    double d = fabs(fabs(x) - of_eight(k, bf8, older)),
           b = fabs(fabs(x) - of_eight(best, bf8, older));
    if (d < b || (d == b && k % 2 == 0)) best = k;
  }
  return older && !best ? 0 : sign | best;
}

static double number_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, 4);
  return (double)x;
}
static uint32_t bits_of(double x) {
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, 4);
  return bits;
}

/* Random bits are added to the mantissa, then it is cut. */
static unsigned cut(double x, uint32_t seed, bool bf8, bool older) {
  uint32_t bits = bits_of(x) + (bf8 ? seed >> 11 : seed >> 12);
  double y = number_of(bits);
  unsigned best = 0;
  for (unsigned k = 0; k < 0x80; k++) {
    double v = of_eight(k, bf8, older);
    if (!isnan(v) && !isinf(v) && v <= fabs(y) && v >= of_eight(best, bf8, older)) best = k;
  }
  return older && !best ? 0 : (signbit(x) ? 0x80 : 0) | best;
}

static bool is_nan_pattern(unsigned v, bool bf8, bool older) {
  return isnan(of_eight(v, bf8, older));
}

static void expect_eight(const variant *v, const char *what, unsigned got, unsigned want,
                         bool bf8) {
  bool nan = is_nan_pattern(got, bf8, v->older) && is_nan_pattern(want, bf8, v->older);
  if ((got & 0xff) != want && !nan)
    fail_msg("%s: %s gives 0x%02x, not 0x%02x", v->file, what, got & 0xff, want);
}

static void rounded_to_eights(const variant *v) {
  amdgcn_object o = {0};
  amdgcn_job j;
  begin(&o, &j, v->file, "to_eights");
  float *x = job_buffer(&j, 256 * 4);
  for (unsigned k = 0; k < 256; k++)
    x[k] =
        k < 250 ? (float)ldexp((int)next(), (int)(next() % 28) - 50) : (float)(1 << (k - 240)) * 57;
  for (unsigned k = 0; k < 3; k++) job_buffer(&j, 64 * 4);
  run_checked(&j);
  for (unsigned k = 0; k < 256; k++) {
    float a = RESULT(float, 0)[k];
    unsigned shift = 8 * (k % 4);
    expect_eight(v, "fp8", RESULT(uint32_t, 1)[k / 4] >> shift, nearest((double)a, false, v->older),
                 false);
    expect_eight(v, "bf8", RESULT(uint32_t, 2)[k / 4] >> shift, nearest((double)a, true, v->older),
                 true);
  }
  for (uint32_t t = 0; t < 62; t++) {
    uint32_t r = RESULT(uint32_t, 3)[t], seed = t * 0x9e3779b9u;
    float a = RESULT(float, 0)[4 * t], b = RESULT(float, 0)[4 * t + 1];
    assert_int_equal(r & 0xffff00, 0x223300);
    if (fabs((double)a) < 200)
      expect_eight(v, "random fp8", r >> 24, cut((double)a, seed, false, v->older), false);
    if (fabs((double)b) < 200)
      expect_eight(v, "random bf8", r, cut((double)b, seed, true, v->older), true);
  }
  end(&o, &j);
}

static void eights_are_converted(void **unused) {
  (void)unused;
  for (size_t k = 0; k < ARRAY_LEN(variants); k++) {
    all_eights(&variants[k]);
    rounded_to_eights(&variants[k]);
  }
}

static uint32_t field(const void *words, unsigned bit, unsigned bits) {
  const uint32_t *w = words;
  uint64_t v = w[bit / 32] | (bit % 32 + bits > 32 ? (uint64_t)w[bit / 32 + 1] << 32 : 0);
  return (uint32_t)(v >> bit % 32 & ((UINT64_C(1) << bits) - 1));
}

/* Numbers that six bits have by the scale, so that they come back as they were. */
static void six_and_four_bits(void **unused) {
  (void)unused;
  amdgcn_object o = {0};
  amdgcn_job j;
  begin(&o, &j, "gfx950/deep", "six_and_four");
  float *x = job_buffer(&j, 64 * 128);
  for (unsigned k = 0; k < 64 * 32; k++)
    x[k] = k % 32 < 4 ? 2 * (float)of_four(next() & 15) : 4 * (float)of_six(next() & 63, false);
  job_buffer(&j, 64 * 128), job_buffer(&j, 64 * 32), job_buffer(&j, 64 * 16);
  run_checked(&j);
  for (unsigned k = 0; k < 64 * 32; k++) {
    unsigned t = k / 32, e = k % 32;
    float want = RESULT(float, 0)[k];
    assert_true(RESULT(float, 1)[k] == want);
    const uint8_t *six = job_result(&j, 2) + (size_t)t * 32;
    assert_true(4 * of_six(field(six, 6 * e, 6), false) == (double)want);
    if (e < 4) assert_true(RESULT(float, 3)[4 * t + e] == want);
  }
  end(&o, &j);
}

/* ---- scaled products --------------------------------------------------------------------------
 */

/* The k of a lane's slot: two runs of 16 of 8 bits, else one of 32. */
static unsigned k_of(unsigned group, unsigned slot, unsigned bits, unsigned groups) {
  if (bits != 8) return 32 * group + slot;
  return 16 * group + slot % 16 + (slot / 16) * 16 * groups;
}

typedef struct factor {
  double x[32][128]; /* [row of A, or column of B][k] */
} factor;

static double of_bits(uint32_t v, unsigned bits, bool other) {
  return bits == 8 ? of_eight(v, other, false) : bits == 6 ? of_six(v, other) : of_four(v);
}

static void read_factor(factor *f, const uint8_t *registers, const uint32_t *scales, unsigned rows,
                        unsigned bits, bool other, unsigned byte) {
  unsigned groups = 64 / rows;
  for (unsigned l = 0; l < 64; l++)
    for (unsigned s = 0; s < 32; s++) {
      unsigned k = k_of(l / rows, s, bits, groups);
      uint32_t scale = scales[l % rows + rows * (k / 32)] >> 8 * byte & 0xff;
      double x = of_bits(field(registers + (size_t)l * 32, s * bits, bits), bits, other);
      f->x[l % rows][k] = x * ldexp(1, (int)scale - 127);
    }
}

static double sum_of(const factor *a, const factor *b, unsigned row, unsigned column,
                     unsigned depth) {
  double sum = 0;
  for (unsigned k = 0; k < depth; k++) sum += a->x[row][k] * b->x[column][k];
  return sum;
}

static void fill_scaled(amdgcn_job *j, unsigned bits, bool words) {
  uint8_t *a = job_buffer(j, 64 * 32), *b = job_buffer(j, 64 * 32);
  fill(a, 64 * 32);
  fill(b, 64 * 32);
  for (unsigned k = 0; bits == 8 && k < 64 * 32; k++) /* no NaNs, and few bits */
    a[k] &= 0xb8;
  (void)words;
  uint32_t *scales = job_buffer(j, 128 * 4);
  for (unsigned k = 0; k < 128; k++) scales[k] = 0x7c7c7c7c + (next() & 0x07070707);
}

static factor first, second;

static void products_of_16_are_scaled(void **unused) {
  (void)unused;
  amdgcn_object o = {0};
  amdgcn_job j;
  begin(&o, &j, "gfx950/deep", "scaled_16");
  fill_scaled(&j, 8, true);
  job_buffer(&j, 64 * 16);
  run_checked(&j);
  const uint32_t *scales = RESULT(uint32_t, 2);
  read_factor(&first, job_result(&j, 0), scales, 16, 8, false, 1);
  read_factor(&second, job_result(&j, 1), scales + 64, 16, 4, false, 2);
  for (unsigned l = 0; l < 64; l++)
    for (unsigned s = 0; s < 4; s++) {
      double want = sum_of(&first, &second, l / 16 * 4 + s, l % 16, 128);
      assert_true(fabs((double)RESULT(float, 3)[l * 4 + s] - want) <= 1e-6 * fabs(want));
    }
  end(&o, &j);
}

static void products_of_32_are_scaled(void **unused) {
  (void)unused;
  amdgcn_object o = {0};
  amdgcn_job j;
  begin(&o, &j, "gfx950/deep", "scaled_32");
  fill_scaled(&j, 6, false);
  job_buffer(&j, 64 * 64);
  run_checked(&j);
  static uint32_t ones[128];
  for (unsigned k = 0; k < 128; k++) ones[k] = 0x7f;
  const uint32_t *scales = RESULT(uint32_t, 2);
  for (unsigned l = 0; l < 64; l++)
    for (unsigned s = 0; s < 16; s++) {
      unsigned row = s / 4 * 8 + l / 32 * 4 + s % 4;
      read_factor(&first, job_result(&j, 0), scales, 32, 6, true, 0);
      read_factor(&second, job_result(&j, 1), scales + 64, 32, 6, false, 3);
      double want = sum_of(&first, &second, row, l % 32, 64);
      read_factor(&first, job_result(&j, 0), ones, 32, 6, true, 0);
      read_factor(&second, job_result(&j, 1), ones, 32, 6, false, 0);
      want += sum_of(&first, &second, row, l % 32, 64);
      double got = (double)RESULT(float, 3)[l * 16 + s];
      if (fabs(got - want) > 1e-5 * fabs(want))
        fail_msg("lane %u, %u: %g, not %g", l, s, got, want);
    }
  end(&o, &j);
}

/* ---- lanes and the LDS ------------------------------------------------------------------------
 */

static void rows_are_exchanged(void **unused) {
  (void)unused;
  amdgcn_object o = {0};
  amdgcn_job j;
  begin(&o, &j, "gfx950/deep", "exchanged");
  fill(job_buffer(&j, 128 * 4), 128 * 4);
  job_buffer(&j, 5 * 64 * 4);
  run_checked(&j);
  const uint32_t *x = RESULT(uint32_t, 0), *y = x + 64, *r = RESULT(uint32_t, 1);
  for (unsigned l = 0; l < 64; l++) {
    assert_int_equal(r[l], l & 16 ? y[l ^ 16] : x[l]);
    assert_int_equal(r[64 + l], l & 16 ? y[l] : x[l ^ 16]);
    assert_int_equal(r[128 + l], l & 32 ? y[l ^ 32] : x[l]);
    assert_int_equal(r[192 + l], l & 32 ? y[l] : x[l ^ 32]);
    assert_int_equal(r[256 + l], x[l] << 1 ^ (x[l] >> 31 ? 197 : 0));
  }
  end(&o, &j);
}

static void columns_are_loaded(void **unused) {
  (void)unused;
  amdgcn_object o = {0};
  amdgcn_job j;
  begin(&o, &j, "gfx950/deep", "transposed");
  fill(job_buffer(&j, 512), 512);
  job_buffer(&j, 512);
  run_checked(&j);
  for (unsigned l = 0; l < 64; l++)
    for (unsigned s = 0; s < 4; s++)
      assert_int_equal(RESULT(uint16_t, 1)[l * 4 + s],
                       RESULT(uint16_t, 0)[l / 16 * 64 + s * 16 + l % 16]);
  end(&o, &j);
}

/* Without the wait the barrier is passed while data may be on its way. */
static void waits_for_the_lds_are_missed(void **unused) {
  (void)unused;
  amdgcn_object o = {0};
  amdgcn_job j;
  begin(&o, &j, "gfx950/deep", "past_registers");
  fill(job_buffer(&j, 1024), 1024);
  job_buffer(&j, 1024);
  run_checked(&j);
  for (unsigned k = 0; k < 256; k++)
    assert_int_equal(RESULT(uint32_t, 1)[k], RESULT(uint32_t, 0)[k ^ 4]);
  unsigned found = 0;
  for (uint32_t k = 0; k < o.image->n_insns; k++) {
    gcn_insn *i = &o.image->insns[k];
    if (!i->row || i->row->run != gcn_run_wait || i->limit[GCN_COUNT_VECTOR]) continue;
    i->limit[GCN_COUNT_VECTOR] = GCN_NO_LIMIT;
    job_run(&j, true);
    found += findings_have(&j.found, FINDING_MISSING_WAIT);
    i->limit[GCN_COUNT_VECTOR] = 0;
  }
  assert_true(found > 0);
  end(&o, &j);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eights_are_converted),         cmocka_unit_test(six_and_four_bits),
      cmocka_unit_test(products_of_16_are_scaled),    cmocka_unit_test(products_of_32_are_scaled),
      cmocka_unit_test(rows_are_exchanged),           cmocka_unit_test(columns_are_loaded),
      cmocka_unit_test(waits_for_the_lds_are_missed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
