/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix instructions in all shapes and types against MPFR and plain C, and the places of elements
 * against src/layout's fragments.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

#include <tessera/layout.h>

#include "num/num.h"
#include "emu/ptx/matrix.h"

static uint64_t state_ = 88172645463325252u;
static uint64_t rnd(void) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return state_ * 0x2545f4914f6cdd1dull >> 8;
}

typedef struct form_row {
  const char *ab, *cd;
  int m, n, k;
  bool sparse;
} form_row;

/* Written down from the ISA's tables once more; `ab` is a set of letters: h f16, b bf16, t tf32, d
 * f64, 8 fp8, i 8-bit, 4 4-bit, 1 bits. */
static const form_row rows[] = {
    {"h", "hf", 8, 8, 4, 0},   {"d", "d", 8, 8, 4, 0},    {"i", "s", 8, 8, 16, 0},
    {"4", "s", 8, 8, 32, 0},   {"1", "s", 8, 8, 128, 0},  {"t", "f", 16, 8, 4, 0},
    {"d", "d", 16, 8, 4, 0},   {"h", "hf", 16, 8, 8, 0},  {"b", "f", 16, 8, 8, 0},
    {"t", "f", 16, 8, 8, 0},   {"d", "d", 16, 8, 8, 0},   {"h", "hf", 16, 8, 16, 0},
    {"b", "f", 16, 8, 16, 0},  {"i", "s", 16, 8, 16, 0},  {"8", "hf", 16, 8, 16, 0},
    {"d", "d", 16, 8, 16, 0},  {"i", "s", 16, 8, 32, 0},  {"4", "s", 16, 8, 32, 0},
    {"8", "hf", 16, 8, 32, 0}, {"4", "s", 16, 8, 64, 0},  {"1", "s", 16, 8, 128, 0},
    {"1", "s", 16, 8, 256, 0}, {"h", "hf", 16, 8, 16, 1}, {"b", "f", 16, 8, 16, 1},
    {"h", "hf", 16, 8, 32, 1}, {"b", "f", 16, 8, 32, 1},  {"t", "f", 16, 8, 8, 1},
    {"t", "f", 16, 8, 16, 1},  {"i", "s", 16, 8, 32, 1},  {"i", "s", 16, 8, 64, 1},
    {"8", "hf", 16, 8, 64, 1}, {"4", "s", 16, 8, 64, 1},  {"4", "s", 16, 8, 128, 1},
};

static unsigned types_of(char c, mma_type out[2]) {
  switch (c) {
  case 'h': out[0] = MMA_F16; return 1;
  case 'f': out[0] = MMA_F32; return 1;
  case 'b': out[0] = MMA_BF16; return 1;
  case 't': out[0] = MMA_TF32; return 1;
  case 'd': out[0] = MMA_F64; return 1;
  case 's': out[0] = MMA_S32; return 1;
  case '1': out[0] = MMA_B1; return 1;
  case '8': out[0] = MMA_E4M3, out[1] = MMA_E5M2; return 2;
  case 'i': out[0] = MMA_S8, out[1] = MMA_U8; return 2;
  default: out[0] = MMA_S4, out[1] = MMA_U4; return 2;
  }
}

typedef void form_fn(const mma_form *f);

static void with_inputs(const form_row *r, mma_form f, form_fn *fn) {
  mma_type ab[2] = {0};
  unsigned count = types_of(r->ab[0], ab);
  for (unsigned i = 0; i < count; i++) {
    for (unsigned j = 0; j < count; j++) {
      f.a = ab[i], f.b = ab[j];
      for (unsigned order = 0; order < (f.m == 8 && f.a == MMA_F16 ? 4 : 1); order++) {
        f.a_col = order & 1, f.b_row = order >> 1;
        for (unsigned op = f.a == MMA_B1; op <= (f.a == MMA_B1 ? 2u : 0u); op++) {
          f.op = (uint8_t)op;
          fn(&f);
        }
      }
    }
  }
}

static void each_form(form_fn *fn) {
  for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
    const form_row *r = &rows[i];
    mma_form f = {
        .m = (uint16_t)r->m, .n = (uint16_t)r->n, .k = (uint16_t)r->k, .sparse = r->sparse};
    for (const char *c = r->cd; *c; c++) {
      mma_type acc[2];
      types_of(*c, acc);
      f.c = f.d = acc[0];
      with_inputs(r, f, fn);
    }
  }
}

/* ---- values --------------------------------------------------------------------------------- */

static double value_of(mma_type t, uint64_t bits) {
  switch (t) {
  case MMA_F16: return num_decode(num_format_of(TSR_F16), bits);
  case MMA_BF16: return num_decode(num_format_of(TSR_BF16), bits);
  case MMA_TF32: return num_decode(num_format_of(TSR_TF32), bits & 0xffffe000);
  case MMA_F32: return num_decode(num_format_of(TSR_F32), bits);
  case MMA_E4M3: return num_decode(num_format_of(TSR_F8E4M3FN), bits);
  case MMA_E5M2: return num_decode(num_format_of(TSR_F8E5M2), bits);
  case MMA_F64: return num_f64_from_bits(bits);
  case MMA_S8: return (int8_t)bits;
  case MMA_S4: return (int8_t)(bits << 4) >> 4;
  case MMA_S32: return (int32_t)bits;
  default: return (double)bits;
  }
}

/* style 0: moderate numbers; 1: any finite pattern; 2: any pattern. */
static uint64_t pattern(mma_type t, unsigned style) {
  unsigned bits = mma_type_bits(t);
  for (;;) {
    uint64_t p = rnd() << 32 ^ rnd();
    p &= bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    if (mma_type_is_integer(t)) return p;
    double v = value_of(t, p);
    if (style == 0 && !(fabs(v) < 1e3 && fabs(v) > 1e-3)) continue;
    if (style == 1 && !isfinite(v)) continue;
    return p;
  }
}

/* ---- the reference -------------------------------------------------------------------------- */

enum { MAX_ELEMENTS = 16 * 256 };

typedef struct matrices {
  uint64_t a[MAX_ELEMENTS], b[MAX_ELEMENTS], c[256], d[256]; /* patterns, row-major, A dense */
  bool present[MAX_ELEMENTS];                                /* of A: stored */
} matrices;

static uint64_t expected_float(const mma_form *f, const matrices *m, unsigned i, unsigned j) {
  mpfr_t sum, term;
  mpfr_inits2(2200, sum, term, (mpfr_ptr)0);
  mpfr_set_d(sum, value_of(f->c, m->c[i * f->n + j]), MPFR_RNDN);
  for (unsigned k = 0; k < f->k; k++) {
    if (!m->present[i * f->k + k]) continue;
    mpfr_set_d(term, value_of(f->a, m->a[i * f->k + k]), MPFR_RNDN);
    mpfr_mul_d(term, term, value_of(f->b, m->b[k * f->n + j]), MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
  }
  uint64_t out;
  if (mpfr_nan_p(sum)) {
    out = f->d == MMA_F16 ? 0x7fff : 0x7fffffff;
  } else {
    /* Rounding to odd at 53 bits first, then once more to at most 24, is one rounding. */
    mpfr_t head;
    mpfr_init2(head, 53);
    int inexact = mpfr_set(head, sum, MPFR_RNDZ);
    uint64_t bits = num_f64_bits(mpfr_get_d(head, MPFR_RNDZ)) | (inexact != 0);
    const num_format *format = num_format_of(f->d == MMA_F16 ? TSR_F16 : TSR_F32);
    out = num_convert(format, num_format_of(TSR_F64), bits, NUM_NEAREST_EVEN);
    mpfr_clear(head);
  }
  mpfr_clears(sum, term, (mpfr_ptr)0);
  return out;
}

static uint64_t expected_double(const mma_form *f, const matrices *m, unsigned i, unsigned j) {
  double sum = value_of(MMA_F64, m->c[i * f->n + j]);
  for (unsigned k = 0; k < f->k; k++)
    sum = fma(value_of(MMA_F64, m->a[i * f->k + k]), value_of(MMA_F64, m->b[k * f->n + j]), sum);
  return num_f64_bits(sum);
}

static uint64_t expected_integer(const mma_form *f, const matrices *m, unsigned i, unsigned j) {
  int64_t sum = (int32_t)m->c[i * f->n + j];
  for (unsigned k = 0; k < f->k; k++) {
    if (!m->present[i * f->k + k]) continue;
    int64_t a = (int64_t)value_of(f->a, m->a[i * f->k + k]);
    int64_t b = (int64_t)value_of(f->b, m->b[k * f->n + j]);
    sum += f->op == MMA_XOR_POPC ? (a != b) : f->op == MMA_AND_POPC ? (a && b) : a * b;
  }
  if (f->satfinite) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  return (uint32_t)sum;
}

static uint64_t expected(const mma_form *f, const matrices *m, unsigned i, unsigned j) {
  if (mma_type_is_integer(f->a)) return expected_integer(f, m, i, j);
  return f->a == MMA_F64 ? expected_double(f, m, i, j) : expected_float(f, m, i, j);
}

/* ---- registers ------------------------------------------------------------------------------ */

static void put(const mma_form *f, mma_operand o, mma_type t, unsigned lane, unsigned i,
                uint64_t bits, mma_register *reg) {
  (void)f;
  (void)o;
  unsigned width = mma_type_bits(t), per = width >= 32 ? 1 : 32 / width;
  reg[i / per][lane] |= bits << (i % per * width % 64);
}

/* Metadata of a random choice of what is stored; k_of as the test wants it. */
static void choose_sparse(const mma_form *f, unsigned selector, uint32_t meta[32], uint8_t *k_of) {
  unsigned bits = mma_type_bits(f->a), chunk = bits == 32 ? 2 : bits == 4 ? 8 : 4;
  unsigned chunks = f->k / chunk, stored = f->k / 2;
  for (unsigned row = 0; row < 16; row++) {
    for (unsigned c = 0; c < chunks; c++) {
      unsigned code, base = c * chunk;
      uint8_t *out = k_of + row * stored + c * chunk / 2;
      if (bits == 32) {
        code = rnd() & 1 ? 14 : 4;
        out[0] = (uint8_t)(base + (code == 14));
      } else {
        unsigned first = rnd() % 3, second = first + 1 + rnd() % (3 - first);
        code = first | second << 2;
        for (unsigned i = 0; i < chunk / 4; i++) {
          out[i] = (uint8_t)(base + first * (chunk / 4) + i);
          out[chunk / 4 + i] = (uint8_t)(base + second * (chunk / 4) + i);
        }
      }
      /* The quad of row r holds 32 bits a lane; see the figures of the ISA. */
      unsigned lane = 4 * (row % 8), shift;
      if (chunks == 4)
        lane += selector, shift = row / 8 * 16 + c * 4;
      else if (chunks == 16)
        lane += row / 8 + c / 8 * 2, shift = c % 8 * 4;
      else if (bits >= 16)
        lane += selector * 2 + c / 4, shift = row / 8 * 16 + c % 4 * 4;
      else
        lane += selector * 2 + row / 8, shift = c * 4;
      meta[lane] = (meta[lane] & ~(15u << shift)) | code << shift;
    }
  }
}

static unsigned selectors(const mma_form *f) {
  unsigned bits = mma_type_bits(f->a), chunk = bits == 32 ? 2 : bits == 4 ? 8 : 4;
  return f->k / chunk == 4 ? 4 : f->k / chunk == 8 ? 2 : 1;
}

static void check_once(const mma_form *f, unsigned style, unsigned selector) {
  static matrices m[4];
  mma_register a[8] = {{0}}, b[8] = {{0}}, c[8] = {{0}}, d[8];
  uint32_t meta[32];
  uint8_t k_of[16 * 64];
  bool quads = f->m == 8 && f->a == MMA_F16;
  for (unsigned i = 0; i < 32; i++) meta[i] = (uint32_t)rnd();
  if (f->sparse) choose_sparse(f, selector, meta, k_of);
  for (unsigned q = 0; q < 4; q++) memset(m[q].present, !f->sparse, sizeof m[q].present);
  for (unsigned lane = 0; lane < 32; lane++) {
    matrices *x = &m[quads ? lane % 16 / 4 : 0];
    for (unsigned i = 0; i < mma_elements(f, MMA_A); i++) {
      mma_place at = mma_element(f, MMA_A, lane, i);
      unsigned col = f->sparse ? k_of[at.row * f->k / 2 + at.col] : at.col;
      x->a[at.row * f->k + col] = pattern(f->a, style);
      x->present[at.row * f->k + col] = true;
      put(f, MMA_A, f->a, lane, i, x->a[at.row * f->k + col], a);
    }
    for (unsigned i = 0; i < mma_elements(f, MMA_B); i++) {
      mma_place at = mma_element(f, MMA_B, lane, i);
      x->b[at.row * f->n + at.col] = pattern(f->b, style);
      put(f, MMA_B, f->b, lane, i, x->b[at.row * f->n + at.col], b);
    }
    for (unsigned i = 0; i < mma_elements(f, MMA_C); i++) {
      mma_place at = mma_element(f, MMA_C, lane, i);
      x->c[at.row * f->n + at.col] = pattern(f->c, style);
      put(f, MMA_C, f->c, lane, i, x->c[at.row * f->n + at.col], c);
    }
  }
  assert_true(mma_execute(f, a, b, c, meta, selector, d));
  unsigned width = mma_type_bits(f->d), per = width >= 32 ? 1 : 32 / width;
  for (unsigned lane = 0; lane < 32; lane++) {
    const matrices *x = &m[quads ? lane % 16 / 4 : 0];
    for (unsigned i = 0; i < mma_elements(f, MMA_D); i++) {
      mma_place at = mma_element(f, MMA_D, lane, i);
      uint64_t got = d[i / per][lane] >> (i % per * width % 64);
      got &= width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
      uint64_t want = expected(f, x, at.row, at.col);
      if (got != want)
        fail_msg("m%un%uk%u %s x %s -> %s sparse %d style %u: (%u, %u) is %llx, not %llx", f->m,
                 f->n, f->k, mma_type_name(f->a), mma_type_name(f->b), mma_type_name(f->d),
                 f->sparse, style, at.row, at.col, (unsigned long long)got,
                 (unsigned long long)want);
    }
  }
}

static unsigned executed;
static void check_form(const mma_form *f) {
  assert_null(mma_form_problem(f, 90));
  mma_form g = *f;
  for (unsigned saturate = 0; saturate <= (mma_type_is_integer(f->a) && f->a != MMA_B1);
       saturate++) {
    g.satfinite = saturate;
    for (unsigned style = 0; style < (f->a == MMA_F64 ? 1 : 3); style++)
      for (unsigned s = 0; s < (f->sparse ? selectors(f) : 1); s++, executed++)
        check_once(&g, style, s);
  }
}

static void test_all_forms(void **state) {
  (void)state;
  each_form(check_form);
  assert_int_equal(executed, 502);
}

/* Every element of every operand is somewhere, and just once (but for m8n8k4.f16's four products).
 */
static void check_places(const mma_form *f) {
  for (mma_operand o = MMA_A; o <= MMA_D; o++) {
    unsigned rows_ = o == MMA_B ? f->k : f->m, cols = o == MMA_A ? f->k : f->n;
    if (o == MMA_A && f->sparse) cols /= 2;
    unsigned copies = f->m == 8 && f->a == MMA_F16 ? 4 : 1;
    unsigned *seen = calloc(rows_ * cols, sizeof *seen);
    for (unsigned lane = 0; lane < 32; lane++) {
      for (unsigned i = 0; i < mma_elements(f, o); i++) {
        mma_place at = mma_element(f, o, lane, i);
        assert_true(at.row < rows_ && at.col < cols);
        seen[at.row * cols + at.col]++;
      }
    }
    for (unsigned i = 0; i < rows_ * cols; i++) assert_int_equal(seen[i], copies);
    free(seen);
  }
}

static void test_places(void **state) {
  (void)state;
  each_form(check_places);
}

/* The layout module's fragments say the same. */
static void test_against_layout(void **state) {
  (void)state;
  static const struct {
    const char *name;
    mma_form f;
    mma_operand o;
  } cases[] = {
#define CASE(text, T, M, N, K, ACC)                                                                \
  {"mma." text ".A", {.a = T, .b = T, .c = ACC, .d = ACC, .m = M, .n = N, .k = K}, MMA_A},         \
      {"mma." text ".B", {.a = T, .b = T, .c = ACC, .d = ACC, .m = M, .n = N, .k = K}, MMA_B},     \
      {"mma." text ".C", {.a = T, .b = T, .c = ACC, .d = ACC, .m = M, .n = N, .k = K}, MMA_C}
      CASE("m16n8k16", MMA_F16, 16, 8, 16, MMA_F32),
      CASE("m16n8k8", MMA_BF16, 16, 8, 8, MMA_F32),
      CASE("m16n8k4.tf32", MMA_TF32, 16, 8, 4, MMA_F32),
      CASE("m16n8k8.tf32", MMA_TF32, 16, 8, 8, MMA_F32),
      CASE("m8n8k16.i8", MMA_S8, 8, 8, 16, MMA_S32),
      CASE("m16n8k16.i8", MMA_S8, 16, 8, 16, MMA_S32),
      CASE("m16n8k32.i8", MMA_U8, 16, 8, 32, MMA_S32),
      CASE("m16n8k32.f8", MMA_E4M3, 16, 8, 32, MMA_F32),
      CASE("m16n8k32.i4", MMA_S4, 16, 8, 32, MMA_S32),
      CASE("m16n8k64.i4", MMA_U4, 16, 8, 64, MMA_S32),
      CASE("m8n8k4.f64", MMA_F64, 8, 8, 4, MMA_F64),
#undef CASE
  };
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    tsr_layout l;
    if (!tsr_fragment(&l, cases[i].name, strlen(cases[i].name))) fail_msg("%s", cases[i].name);
    unsigned count = mma_elements(&cases[i].f, cases[i].o);
    assert_int_equal(tsr_layout_local_size(&l), count);
    for (unsigned lane = 0; lane < 32; lane++) {
      for (unsigned e = 0; e < count; e++) {
        int32_t index[2];
        tsr_layout_get_global(&l, (int32_t)lane, (int32_t)e, index);
        mma_place at = mma_element(&cases[i].f, cases[i].o, lane, e);
        if (index[0] != at.row || index[1] != at.col)
          fail_msg("%s lane %u element %u: (%d, %d), here (%u, %u)", cases[i].name, lane, e,
                   index[0], index[1], at.row, at.col);
      }
    }
  }
}

static void test_wmma(void **state) {
  (void)state;
  static const struct {
    mma_type in, acc;
    uint16_t m, n, k;
    uint8_t a, b, c; /* registers, as nvcc writes them */
  } cases[] = {
      {MMA_F16, MMA_F32, 16, 16, 16, 8, 8, 8}, {MMA_F16, MMA_F16, 32, 8, 16, 8, 8, 4},
      {MMA_F16, MMA_F32, 8, 32, 16, 8, 8, 8},  {MMA_BF16, MMA_F32, 16, 16, 16, 4, 4, 8},
      {MMA_BF16, MMA_F32, 32, 8, 16, 8, 2, 8}, {MMA_BF16, MMA_F32, 8, 32, 16, 2, 8, 8},
      {MMA_S8, MMA_S32, 16, 16, 16, 2, 2, 8},  {MMA_U8, MMA_S32, 32, 8, 16, 4, 1, 8},
      {MMA_S8, MMA_S32, 8, 32, 16, 1, 4, 8},   {MMA_TF32, MMA_F32, 16, 16, 8, 4, 4, 8},
      {MMA_F64, MMA_F64, 8, 8, 4, 1, 1, 2},    {MMA_S4, MMA_S32, 8, 8, 32, 1, 1, 2},
      {MMA_B1, MMA_S32, 8, 8, 128, 1, 1, 2},
  };
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    mma_form f = {.a = cases[i].in,
                  .b = cases[i].in,
                  .c = cases[i].acc,
                  .d = cases[i].acc,
                  .m = cases[i].m,
                  .n = cases[i].n,
                  .k = cases[i].k,
                  .wmma = true,
                  .op = cases[i].in == MMA_B1 ? MMA_XOR_POPC : MMA_MULTIPLY};
    assert_null(mma_form_problem(&f, 80));
    assert_int_equal(mma_registers(&f, MMA_A), cases[i].a);
    assert_int_equal(mma_registers(&f, MMA_B), cases[i].b);
    assert_int_equal(mma_registers(&f, MMA_C), cases[i].c);
    /* A is a constant matrix of ones, B too: every element of D is k (or the xor of ones: 0). */
    uint64_t one = f.a == MMA_F16    ? 0x3c003c00
                   : f.a == MMA_BF16 ? 0x3f803f80
                   : f.a == MMA_TF32 ? 0x3f800000
                   : f.a == MMA_F64  ? UINT64_C(0x3ff0000000000000)
                   : f.a == MMA_S4   ? 0x11111111
                   : f.a == MMA_B1   ? 0xffffffff
                                     : 0x01010101;
    mma_register a[8], b[8], c[8] = {{0}}, d[8];
    for (unsigned r = 0; r < 8; r++)
      for (unsigned lane = 0; lane < 32; lane++) a[r][lane] = b[r][lane] = one;
    assert_true(mma_execute(&f, a, b, c, NULL, 0, d));
    for (unsigned r = 0; r < mma_registers(&f, MMA_D); r++)
      for (unsigned lane = 0; lane < 32; lane++) {
        double got = value_of(f.d, f.d == MMA_F16 ? d[r][lane] >> 16 : d[r][lane]);
        assert_true(got == (f.a == MMA_B1 ? 0 : f.k));
      }
  }
}

static void test_problems(void **state) {
  (void)state;
  mma_form f = {.a = MMA_F16, .b = MMA_F16, .c = MMA_F32, .d = MMA_F32, .m = 16, .n = 8, .k = 16};
  assert_null(mma_form_problem(&f, 80));
  assert_non_null(mma_form_problem(&f, 75));
  mma_form g = f;
  g.k = 12;
  assert_non_null(strstr(mma_form_problem(&g, 90), "no such shape"));
  g = f, g.b = MMA_BF16;
  assert_non_null(strstr(mma_form_problem(&g, 90), "types of A and B"));
  g = f, g.d = MMA_F16;
  assert_non_null(strstr(mma_form_problem(&g, 90), "types of C and D"));
  g = f, g.a_col = true;
  assert_non_null(strstr(mma_form_problem(&g, 90), ".row.col"));
  g = f, g.satfinite = true;
  assert_non_null(strstr(mma_form_problem(&g, 90), ".satfinite"));
  g = f, g.op = MMA_AND_POPC;
  assert_non_null(strstr(mma_form_problem(&g, 90), "popc"));
  /* Metadata with positions out of order. */
  uint32_t meta[32] = {0};
  uint8_t k_of[16 * 8];
  assert_false(mma_sparse_columns(MMA_F16, 16, meta, 0, k_of));
  for (unsigned i = 0; i < 32; i++) meta[i] = 0x44444444;
  assert_true(mma_sparse_columns(MMA_F16, 16, meta, 0, k_of));
  assert_true(mma_sparse_columns(MMA_TF32, 8, meta, 0, k_of));
  for (unsigned i = 0; i < 32; i++) meta[i] = 0x88888888;
  assert_false(mma_sparse_columns(MMA_TF32, 8, meta, 0, k_of));
}

/* ldmatrix by the layout's fragment, and back; the transposed form against movmatrix. */
static void test_moves(void **state) {
  (void)state;
  for (unsigned count = 1; count <= 4; count *= 2) {
    for (unsigned trans = 0; trans < 2; trans++) {
      uint8_t rows_[32][16], back[32][16];
      for (unsigned i = 0; i < sizeof rows_; i++) rows_[i / 16][i % 16] = (uint8_t)rnd();
      mma_register d[4];
      mma_load_rows(count, trans, (const uint8_t(*)[16])rows_, d);
      char name[32];
      snprintf(name, sizeof name, "ldmatrix.x%u%s", count, trans ? ".trans" : "");
      tsr_layout l;
      assert_true(tsr_fragment(&l, name, strlen(name)));
      for (unsigned lane = 0; lane < 32; lane++) {
        for (unsigned e = 0; e < 2 * count; e++) {
          int32_t at[3];
          tsr_layout_get_global(&l, (int32_t)lane, (int32_t)e, at);
          uint16_t want;
          memcpy(&want, &rows_[8 * at[0] + at[1]][2 * at[2]], 2);
          assert_int_equal(d[e / 2][lane] >> (16 * (e % 2)) & 0xffff, want);
        }
      }
      mma_store_rows(count, trans, d, back);
      assert_memory_equal(back, rows_, 128 * count);
      mma_register plain[4];
      mma_load_rows(count, !trans, (const uint8_t(*)[16])rows_, plain);
      mma_transpose(plain[0], plain[0]);
      assert_memory_equal(plain[0], d[0], sizeof d[0]);
    }
  }
  uint8_t bytes[32][16];
  for (unsigned i = 0; i < sizeof bytes; i++) bytes[i / 16][i % 16] = (uint8_t)rnd();
  mma_register d[4];
  mma_load_rows_b8(2, (const uint8_t(*)[16])bytes, d);
  /* Transposed: lane's column of the matrix, four rows to a register. */
  assert_int_equal(d[0][5] & 0xff, bytes[4][1]);
  assert_int_equal(d[1][5] >> 24, bytes[7][9]);
  assert_int_equal(d[3][31] >> 24, bytes[31][15]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_forms),      cmocka_unit_test(test_places),
      cmocka_unit_test(test_against_layout), cmocka_unit_test(test_wmma),
      cmocka_unit_test(test_problems),       cmocka_unit_test(test_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
