/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * wgmma in every type, both majors, all swizzles and both sources of A, against integer arithmetic:
 * the operands are small integers, of which all sums are exact in every type. Where an element lies
 * in memory is computed a second time, from CuTe's canonical layouts.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include <tessera/layout.h>

#include "num/num.h"
#include "emu/ptx/wgmma.h"

static uint64_t state_ = 88172645463325252u;
static uint32_t rnd(void) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return (uint32_t)(state_ * 0x2545f4914f6cdd1dull >> 32);
}

static uint64_t encode(mma_type t, int v) {
  switch (t) {
  case MMA_F16: return num_from_i64(num_format_of(TSR_F16), v, NUM_NEAREST_EVEN);
  case MMA_BF16: return num_from_i64(num_format_of(TSR_BF16), v, NUM_NEAREST_EVEN);
  case MMA_TF32: return num_from_i64(num_format_of(TSR_TF32), v, NUM_NEAREST_EVEN);
  case MMA_F32: return num_from_i64(num_format_of(TSR_F32), v, NUM_NEAREST_EVEN);
  case MMA_E4M3: return num_from_i64(num_format_of(TSR_F8E4M3FN), v, NUM_NEAREST_EVEN);
  case MMA_E5M2: return num_from_i64(num_format_of(TSR_F8E5M2), v, NUM_NEAREST_EVEN);
  case MMA_S8: return (uint8_t)v;
  case MMA_S32: return (uint32_t)v;
  default: return (uint64_t)v;
  }
}
static int small(mma_type t) {
  if (t == MMA_B1) return rnd() & 1;
  return t == MMA_U8 ? (int)(rnd() % 5) : (int)(rnd() % 5) - 2;
}

/* The canonical layouts in units of T elements of 16 bytes, as CuTe writes them. */
static uint32_t canonical(const wgmma_descriptor *d, bool mn_major, unsigned bits, unsigned mn,
                          unsigned k) {
  unsigned t = 128 / bits;
  uint32_t bit; /* offset in bits */
  uint32_t lbo = d->leading * 8, sbo = d->stride * 8, unit = 128, w = d->swizzle / 16u;
  if (!mn_major) {
    /* ((8,m),(T,2)) : ((1T,SBO),(1,LBO)) or ((wT,SBO),(1,T)) */
    if (w == 0)
      bit = mn % 8 * unit + mn / 8 * sbo + k % t * bits + k / t * lbo;
    else
      bit = mn % 8 * w * unit + mn / 8 * sbo + k % (w * t) * bits + k / (w * t) * lbo;
  } else if (w == 0) {
    /* ((T,1,m),(8,k)) : ((1,T,SBO),(1T,LBO)) */
    bit = mn % t * bits + mn / t * sbo + k % 8 * unit + k / 8 * lbo;
  } else {
    /* ((T,w,m),(8,k)) : ((1,T,LBO),(wT,SBO)) */
    bit = mn % t * bits + mn / t % w * unit + mn / t / w * lbo + k % 8 * w * unit + k / 8 * sbo;
  }
  uint32_t at = d->start + bit / 8;
  if (w == 0) return at;
  return at ^ (at >> 3 & (w - 1) << 4); /* Swizzle<log2 w, 4, 3> */
}

enum { SHARED = 1 << 18 };
static uint8_t shared[SHARED];

static void store(uint32_t at, unsigned bits, unsigned bit, uint64_t v) {
  if (bits < 8)
    shared[at] = (uint8_t)((shared[at] & ~(1u << bit)) | v << bit);
  else
    memcpy(shared + at, &v, bits / 8);
}

typedef struct data {
  int a[64][256], b[256][256], c[64][256];
  bool present[64][256];
} data;
static data x;

/* Strides that keep tiles apart for this operand: the shape a program would choose. */
static wgmma_descriptor choose(const wgmma_form *f, mma_operand o, unsigned swizzle) {
  bool mn = o == MMA_A ? f->a_mn_major : f->b_mn_major;
  unsigned count = o == MMA_A ? 64 : f->n;
  wgmma_descriptor d = {.start = o == MMA_A ? 0 : 131072, .swizzle = (uint8_t)swizzle};
  if (!mn && swizzle == 0)
    d.stride = 128, d.leading = 128 * (count / 8);
  else if (!mn)
    d.stride = 8 * swizzle, d.leading = swizzle * count;
  else if (swizzle == 0)
    d.leading = 128, d.stride = 128 * f->k / 8;
  else
    d.stride = 8 * swizzle, d.leading = 8 * swizzle * (f->k / 8);
  return d;
}

static void fill_memory(const wgmma_form *f, mma_operand o, const wgmma_descriptor *d) {
  bool mn_major = o == MMA_A ? f->a_mn_major : f->b_mn_major;
  unsigned bits = mma_type_bits(f->a), count = o == MMA_A ? 64 : f->n;
  for (unsigned i = 0; i < count; i++) {
    unsigned at = 0;
    for (unsigned k = 0; k < f->k; k++) {
      if (o == MMA_A && !x.present[i][k]) continue;
      unsigned stored = o == MMA_A ? at++ : k;
      uint64_t v = o == MMA_A ? encode(f->a, x.a[i][k]) : encode(f->b, x.b[k][i]);
      store(canonical(d, mn_major, bits, i, stored), bits, stored % 8, v);
    }
  }
}

static void fetch(const wgmma_form *f, mma_operand o, const wgmma_descriptor *d, unsigned warp,
                  wgmma_unit *units) {
  static uint32_t address[WGMMA_MAX_UNITS];
  unsigned count = wgmma_units(f, o, d, warp, address);
  assert_true(count <= WGMMA_MAX_UNITS);
  for (unsigned i = 0; i < count; i++) {
    assert_int_equal(address[i] % 16, 0);
    memcpy(units[i], shared + address[i], 16);
  }
}

/* Two of four (or one of two) are there; the metadata as in test_ptxemu_matrix.c. */
static void choose_sparse(const wgmma_form *f, unsigned selector, uint32_t meta[4][32]) {
  memset(x.present, !f->sparse, sizeof x.present);
  if (!f->sparse) return;
  unsigned bits = mma_type_bits(f->a), chunk = bits == 32 ? 2 : 4, chunks = f->k / chunk;
  for (unsigned row = 0; row < 64; row++) {
    for (unsigned c = 0; c < chunks; c++) {
      unsigned first = rnd() % 3, second = first + 1 + rnd() % (3 - first), code;
      if (bits == 32) {
        first = second = rnd() & 1;
        code = first ? 14 : 4;
      } else {
        code = first | second << 2;
      }
      x.present[row][c * chunk + first] = x.present[row][c * chunk + second] = true;
      unsigned r = row % 16, lane = 4 * (r % 8), shift;
      if (chunks == 16)
        lane += r / 8 + c / 8 * 2, shift = c % 8 * 4;
      else
        lane += selector * 2 + c / 4, shift = r / 8 * 16 + c % 4 * 4;
      uint32_t *m = &meta[row / 16][lane];
      *m = (*m & ~(15u << shift)) | code << shift;
    }
  }
}

static void registers_of_a(const wgmma_form *f, unsigned warp, mma_register *a) {
  unsigned bits = mma_type_bits(f->a), per = 32 / bits;
  memset(a, 0, 4 * sizeof *a);
  for (unsigned row = 0; row < 16; row++) {
    unsigned at = 0;
    for (unsigned k = 0; k < f->k; k++) {
      if (!x.present[16 * warp + row][k]) continue;
      unsigned s = at++; /* column s of what is stored */
      unsigned lane = row % 8 * 4 + s / per % 4, reg = row / 8 + s / per / 4 * 2;
      a[reg][lane] |= encode(f->a, x.a[16 * warp + row][k]) << (s % per * bits);
    }
  }
}

static unsigned executed;

static void check(wgmma_form f, unsigned swizzle_a, unsigned swizzle_b, bool scale_d,
                  unsigned selector) {
  const char *problem = wgmma_form_problem(&f);
  if (problem) fail_msg("%s", problem);
  static uint32_t meta[4][32];
  static wgmma_unit a_units[WGMMA_MAX_UNITS], b_units[WGMMA_MAX_UNITS];
  static mma_register d[4][WGMMA_MAX_REGISTERS];
  executed++;
  for (unsigned i = 0; i < 128; i++) meta[i / 32][i % 32] = 0x44444444;
  for (unsigned i = 0; i < 64; i++)
    for (unsigned k = 0; k < f.k; k++) x.a[i][k] = small(f.a);
  for (unsigned k = 0; k < f.k; k++)
    for (unsigned j = 0; j < f.n; j++) x.b[k][j] = small(f.b);
  choose_sparse(&f, selector, meta);
  wgmma_descriptor da = choose(&f, MMA_A, swizzle_a), db = choose(&f, MMA_B, swizzle_b), back;
  assert_null(wgmma_read_descriptor(wgmma_write_descriptor(&da), &back));
  assert_memory_equal(&back, &da, sizeof da);
  if (!f.a_in_registers) fill_memory(&f, MMA_A, &da);
  fill_memory(&f, MMA_B, &db);

  char name[48];
  snprintf(name, sizeof name, "wgmma.m64n%uk16.C", f.n);
  tsr_layout l;
  assert_true(tsr_fragment(&l, name, strlen(name)));
  bool half = f.d == MMA_F16;
  memset(d, 0, sizeof d);
  for (int32_t t = 0; t < 128; t++) {
    for (int32_t i = 0; i < f.n / 2; i++) {
      int32_t at[2];
      tsr_layout_get_global(&l, t, i, at);
      x.c[at[0]][at[1]] = small(MMA_S8);
      d[t / 32][half ? i / 2 : i][t % 32] |= encode(f.d, x.c[at[0]][at[1]])
                                             << (half ? i % 2 * 16 : 0);
    }
  }
  for (unsigned warp = 0; warp < 4; warp++) {
    mma_register a[4];
    registers_of_a(&f, warp, a);
    if (!f.a_in_registers) fetch(&f, MMA_A, &da, warp, a_units);
    fetch(&f, MMA_B, &db, warp, b_units);
    assert_true(wgmma_execute(&f, f.a_in_registers ? a : NULL, a_units, b_units, scale_d,
                              meta[warp], selector, d[warp]));
  }
  for (int32_t t = 0; t < 128; t++) {
    for (int32_t i = 0; i < f.n / 2; i++) {
      int32_t at[2];
      tsr_layout_get_global(&l, t, i, at);
      int sum = scale_d ? x.c[at[0]][at[1]] : 0, sign = f.negate_a == f.negate_b ? 1 : -1;
      for (unsigned k = 0; k < f.k; k++)
        if (x.present[at[0]][k]) sum += sign * x.a[at[0]][k] * x.b[k][at[1]];
      uint64_t got = d[t / 32][half ? i / 2 : i][t % 32] >> (half ? i % 2 * 16 : 0);
      if ((got & (half ? 0xffff : 0xffffffff)) != encode(f.d, sum))
        fail_msg("n%u k%u %s: (%d, %d) is %llx, should be %d", f.n, f.k, mma_type_name(f.a), at[0],
                 at[1], (unsigned long long)got, sum);
    }
  }
}

static const struct {
  mma_type a, b, d;
} types[] = {
    {MMA_F16, MMA_F16, MMA_F32},   {MMA_F16, MMA_F16, MMA_F16},   {MMA_BF16, MMA_BF16, MMA_F32},
    {MMA_TF32, MMA_TF32, MMA_F32}, {MMA_E4M3, MMA_E4M3, MMA_F32}, {MMA_E4M3, MMA_E5M2, MMA_F16},
    {MMA_E5M2, MMA_E4M3, MMA_F32}, {MMA_S8, MMA_S8, MMA_S32},     {MMA_S8, MMA_U8, MMA_S32},
    {MMA_U8, MMA_U8, MMA_S32},     {MMA_B1, MMA_B1, MMA_S32},
};

/* All types, swizzles, majors, sources of A; n runs through its values on the way. */
static void test_forms(void **state) {
  (void)state;
  static const unsigned swizzles[] = {0, 32, 64, 128};
  unsigned n = 0;
  for (unsigned t = 0; t < ARRAY_LEN(types); t++) {
    for (unsigned sparse = 0; sparse < (types[t].a == MMA_B1 ? 1 : 2); sparse++) {
      wgmma_form f = {.a = types[t].a, .b = types[t].b, .d = types[t].d, .sparse = sparse};
      f.k = (uint16_t)(256 / mma_type_bits(f.a) << sparse);
      f.op = f.a == MMA_B1 ? MMA_AND_POPC : MMA_MULTIPLY;
      bool wide = mma_type_bits(f.a) == 16;
      for (unsigned mode = 0; mode < 8; mode++) {
        f.a_in_registers = mode & 1, f.a_mn_major = mode & 2, f.b_mn_major = mode & 4;
        if ((f.a_mn_major || f.b_mn_major) && !wide) continue;
        if (f.a_mn_major && f.a_in_registers) continue;
        for (unsigned s = 0; s < 4; s++) {
          n = n % 16 + 1;
          f.n = (uint16_t)(16 * n);
          if (f.b_mn_major)
            f.n = (uint16_t)(64 * (n % 4 + 1)); /* whole rows of the widest swizzle */
          if (f.a == MMA_B1) f.n = 32;
          check(f, swizzles[s], swizzles[(s + mode) % 4], s % 2,
                sparse && f.k * mma_type_bits(f.a) == 512 && mma_type_bits(f.a) >= 16 ? s % 2 : 0);
        }
      }
    }
  }
  assert_int_equal(executed, 264);
}

static void test_every_n(void **state) {
  (void)state;
  wgmma_form f = {.a = MMA_BF16, .b = MMA_BF16, .d = MMA_F32, .k = 16};
  for (f.n = 8; f.n <= 256; f.n += 8) check(f, 128, 128, true, 0);
  f.n = 64;
  f.negate_a = true;
  check(f, 128, 64, true, 0);
  f.negate_b = true;
  check(f, 0, 64, true, 0);
}

static void test_problems(void **state) {
  (void)state;
  wgmma_form good = {.a = MMA_F16, .b = MMA_F16, .d = MMA_F32, .n = 64, .k = 16}, f = good;
  assert_null(wgmma_form_problem(&f));
  f.n = 260;
  assert_non_null(strstr(wgmma_form_problem(&f), "multiple of 8"));
  f = good, f.k = 32;
  assert_non_null(strstr(wgmma_form_problem(&f), "256 bits"));
  f = good, f.b = MMA_BF16;
  assert_non_null(strstr(wgmma_form_problem(&f), "types of A and B"));
  f = good, f.a = f.b = MMA_BF16, f.d = MMA_F16;
  assert_non_null(strstr(wgmma_form_problem(&f), "type of D"));
  f = good, f.a = f.b = MMA_E4M3, f.k = 32, f.b_mn_major = true;
  assert_non_null(strstr(wgmma_form_problem(&f), "transposed"));
  f = good, f.a = f.b = MMA_S8, f.d = MMA_S32, f.k = 32, f.n = 40;
  assert_non_null(strstr(wgmma_form_problem(&f), "multiple of 16"));
  wgmma_descriptor d;
  assert_non_null(strstr(wgmma_read_descriptor(UINT64_C(1) << 52, &d), "must be zero"));
  assert_non_null(strstr(wgmma_read_descriptor(UINT64_C(1) << 49, &d), "base offset"));
  assert_null(wgmma_read_descriptor(UINT64_C(1) << 49 | UINT64_C(1) << 62, &d));
  assert_int_equal(d.swizzle, 128);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forms),
      cmocka_unit_test(test_every_n),
      cmocka_unit_test(test_problems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
