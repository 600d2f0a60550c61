/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * wgmma: forms, descriptors, and one warp's part of a product.
 */
#include "emu/ptx/wgmma.h"

enum { ROWS = 16 /* of a warp */, MAX_N = 256, MAX_K = 256 };

/* ---- forms ---------------------------------------------------------------------------------- */

/* A row of A as it is stored, and without sparsity a column of B, is two units long. */
static unsigned dense_k(const wgmma_form *f) {
  return 256 / mma_type_bits(f->a) * (f->sparse ? 2u : 1u);
}

static bool goes_with(mma_type a, mma_type b) {
  bool a8 = a == MMA_E4M3 || a == MMA_E5M2, b8 = b == MMA_E4M3 || b == MMA_E5M2;
  bool ai = a == MMA_S8 || a == MMA_U8, bi = b == MMA_S8 || b == MMA_U8;
  if (a8 || b8) return a8 && b8;
  if (ai || bi) return ai && bi;
  return a == b && (a == MMA_F16 || a == MMA_BF16 || a == MMA_TF32 || a == MMA_B1);
}

static bool accumulates(const wgmma_form *f) {
  if (mma_type_is_integer(f->a)) return f->d == MMA_S32;
  return f->d == MMA_F32 || (f->d == MMA_F16 && f->a != MMA_BF16 && f->a != MMA_TF32);
}

const char *wgmma_form_problem(const wgmma_form *f) {
  bool integer = mma_type_is_integer(f->a);
  if (!goes_with(f->a, f->b)) return "the types of A and B do not go with each other in wgmma";
  if (!accumulates(f)) return "the type of D does not go with those of A and B";
  if (f->sparse && f->a == MMA_B1) return "wgmma.sp has no .b1";
  if (f->k != dense_k(f)) return "k must be 256 bits of A's type, twice that for .sp";
  if (f->n < 8 || f->n > MAX_N || f->n % 8) return "n must be a multiple of 8 from 8 to 256";
  if (integer && f->n > 32 && f->n % 16) return "n above 32 must be a multiple of 16 for integers";
  if ((f->a_mn_major || f->b_mn_major) && mma_type_bits(f->a) != 16)
    return "only 16-bit types can be transposed: the others are K-major";
  if (f->a_mn_major && f->a_in_registers) return "A in registers cannot be transposed";
  if ((f->negate_a || f->negate_b) && integer) return "integers cannot be negated";
  if ((f->op == MMA_AND_POPC) != (f->a == MMA_B1)) return ".and.popc goes with .b1, and only that";
  if (f->satfinite && (!integer || f->a == MMA_B1)) return ".satfinite goes with 8-bit integers";
  return NULL;
}

unsigned wgmma_registers(const wgmma_form *f) {
  return f->d == MMA_F16 ? f->n / 4u : f->n / 2u;
}

/* ---- descriptors ---------------------------------------------------------------------------- */

#define RESERVED                                                                                   \
  ((UINT64_C(3) << 14) | (UINT64_C(3) << 30) | (UINT64_C(7) << 46) | (UINT64_C(0x3ff) << 52))

static const uint8_t swizzle_bytes[4] = {0, 128, 64, 32};

const char *wgmma_read_descriptor(uint64_t bits, wgmma_descriptor *out) {
  *out = (wgmma_descriptor){.start = (uint32_t)(bits & 0x3fff) << 4,
                            .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                            .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                            .base_offset = bits >> 49 & 7,
                            .swizzle = swizzle_bytes[bits >> 62]};
  if (bits & RESERVED)
    return "bits 14-15, 30-31, 46-48 and 52-61 of a matrix descriptor must be zero";
  if (out->base_offset && !out->swizzle)
    return "a matrix descriptor without swizzle must have the base offset 0 (bits 49-51)";
  return NULL;
}

uint64_t wgmma_write_descriptor(const wgmma_descriptor *d) {
  uint64_t mode = d->swizzle == 128 ? 1 : d->swizzle == 64 ? 2 : d->swizzle == 32 ? 3 : 0;
  return (uint64_t)(d->start >> 4 & 0x3fff) | (uint64_t)(d->leading >> 4 & 0x3fff) << 16 |
         (uint64_t)(d->stride >> 4 & 0x3fff) << 32 | (uint64_t)(d->base_offset & 7) << 49 |
         mode << 62;
}

/* Where a unit lies: unit `u` along the dimension that is contiguous, `v` along the other. */
static uint32_t unit_address(const wgmma_descriptor *d, bool mn_major, uint32_t u, uint32_t v) {
  uint32_t s = d->swizzle, r = s / 16, at = d->start;
  if (!s)
    at += 16 * (v % 8) + (mn_major ? d->leading : d->stride) * (v / 8) +
          (mn_major ? d->stride : d->leading) * u;
  else if (!mn_major)
    at += s * (v % 8) + d->stride * (v / 8) + 16 * (u % r) + d->leading * (u / r);
  else
    at += 16 * (u % r) + d->leading * (u / r) + s * (v % 8) + d->stride * (v / 8);
  if (s) at ^= (((at >> 7) - d->base_offset) & (r - 1)) << 4;
  return at & 0x3ffff; /* the reach of a descriptor */
}

/* Columns that A has in memory, or rows that B has. */
static unsigned depth(const wgmma_form *f, mma_operand o) {
  return o == MMA_A && f->sparse ? f->k / 2u : f->k;
}

unsigned wgmma_units(const wgmma_form *f, mma_operand o, const wgmma_descriptor *d, unsigned warp,
                     uint32_t address[WGMMA_MAX_UNITS]) {
  bool mn_major = o == MMA_A ? f->a_mn_major : f->b_mn_major;
  unsigned first = o == MMA_A ? ROWS * warp : 0, count = o == MMA_A ? ROWS : f->n, units = 0;
  unsigned k = depth(f, o);
  if (mn_major) {
    for (unsigned i = 0; i < k; i++)
      for (unsigned u = 0; u < count / 8; u++)
        address[units++] = unit_address(d, true, first / 8 + u, i);
  } else {
    unsigned row_units = k * mma_type_bits(f->a) / 128;
    for (unsigned i = 0; i < count; i++)
      for (unsigned u = 0; u < row_units; u++)
        address[units++] = unit_address(d, false, u, first + i);
  }
  return units;
}

/* ---- execution ------------------------------------------------------------------------------ */

static uint64_t unit_element(const wgmma_unit *units, unsigned index, unsigned bits) {
  unsigned per = 128 / bits, at = index % per * bits;
  const uint8_t *byte = units[index / per] + at / 8;
  uint32_t value = byte[0];
  for (unsigned i = 1; i < bits / 8; i++) value |= (uint32_t)byte[i] << (8 * i);
  return bits < 8 ? value >> (at % 8) & ((1u << bits) - 1) : value;
}

/* The operand as a row-major matrix: A is 16 x depth, B is depth x n. */
static void read_units(const wgmma_form *f, mma_operand o, const wgmma_unit *units, uint64_t *out) {
  bool mn_major = o == MMA_A ? f->a_mn_major : f->b_mn_major;
  unsigned bits = mma_type_bits(f->a), count = o == MMA_A ? ROWS : f->n, k = depth(f, o);
  for (unsigned mn = 0; mn < count; mn++) {
    for (unsigned i = 0; i < k; i++) {
      uint64_t value = unit_element(units, mn_major ? i * count + mn : mn * k + i, bits);
      out[o == MMA_A ? mn * k + i : i * count + mn] = value;
    }
  }
}

static void read_registers(const wgmma_form *f, const mma_register *a, uint64_t *out) {
  mma_form g = {.a = f->a, .b = f->b, .m = ROWS, .n = 8, .k = f->k, .sparse = f->sparse};
  unsigned bits = mma_type_bits(f->a), per = 32 / bits, k = depth(f, MMA_A);
  uint64_t mask = (UINT64_C(1) << bits) - 1;
  for (unsigned lane = 0; lane < MMA_LANES; lane++) {
    for (unsigned i = 0; i < WGMMA_A_REGISTERS * per; i++) {
      mma_place at = mma_element(&g, MMA_A, lane, i);
      out[at.row * k + at.col] = a[i / per][lane] >> (i % per * bits) & mask;
    }
  }
}

/* The accumulator of a warp: element i of a lane is (g + 8 (i / 2 % 2), 8 (i / 4) + 2 t + i % 2).
 */
static void move_accumulator(const wgmma_form *f, bool to_registers, uint64_t *matrix,
                             mma_register *d) {
  bool half = f->d == MMA_F16;
  for (unsigned lane = 0; lane < MMA_LANES; lane++) {
    for (unsigned i = 0; i < f->n / 2u; i++) {
      unsigned row = lane / 4 + 8 * (i / 2 % 2), col = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
      uint64_t *element = &matrix[row * f->n + col];
      uint64_t *reg = &d[half ? i / 2 : i][lane];
      unsigned shift = half ? 16 * (i % 2) : 0;
      if (!to_registers)
        *element = half ? *reg >> shift & 0xffff : *reg & 0xffffffff;
      else
        *reg = (shift ? *reg & 0xffff : 0) | *element << shift;
    }
  }
}

bool wgmma_execute(const wgmma_form *f, const mma_register *a, const wgmma_unit *a_units,
                   const wgmma_unit *b_units, bool scale_d, const uint32_t *meta, unsigned selector,
                   mma_register *d) {
  uint64_t a_matrix[ROWS * MAX_K], b_matrix[MAX_K * MAX_N], c[ROWS * MAX_N];
  uint8_t k_of[ROWS * 64];
  bool good = true;
  if (f->sparse) good = mma_sparse_columns(f->a, f->k, meta, selector, k_of);
  if (f->a_in_registers)
    read_registers(f, a, a_matrix);
  else
    read_units(f, MMA_A, a_units, a_matrix);
  read_units(f, MMA_B, b_units, b_matrix);
  if (scale_d) move_accumulator(f, false, c, d);
  mma_multiply(&(mma_product){.m = ROWS,
                              .n = f->n,
                              .k = f->k,
                              .stored = depth(f, MMA_A),
                              .a_type = f->a,
                              .b_type = f->b,
                              .c_type = f->d,
                              .d_type = f->d,
                              .op = (mma_op)f->op,
                              .satfinite = f->satfinite,
                              .negate_a = f->negate_a,
                              .negate_b = f->negate_b,
                              .a = a_matrix,
                              .b = b_matrix,
                              .c = scale_d ? c : NULL,
                              .k_of = f->sparse ? k_of : NULL,
                              .d = c});
  move_accumulator(f, true, c, d);
  return good;
}
