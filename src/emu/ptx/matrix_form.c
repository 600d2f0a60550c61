/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which matrix instructions there are, and where the elements of their operands lie.
 *
 * All fragments of mma.sync but those of m8n8k4.f16 follow one rule. With g = lane / 4, t = lane %
 * 4 and e = 32 / bits elements to a register (1 for f64):
 *
 *   A   register r, element i: row g + 8 (r % 2), column e t + i + 4 e (r / 2)   (m = 8: row g)
 *   B   register r, element i: row e t + i + 4 e r, column g
 *   C   pair p, element i:     row g + 8 p,         column 2 t + i
 */
#include "emu/ptx/matrix.h"

static const struct {
  const char *name;
  uint8_t bits;
} types[MMA_TYPE_COUNT] = {
    [MMA_NONE] = {"none", 0},  [MMA_F16] = {"f16", 16},  [MMA_BF16] = {"bf16", 16},
    [MMA_TF32] = {"tf32", 32}, [MMA_F32] = {"f32", 32},  [MMA_F64] = {"f64", 64},
    [MMA_E4M3] = {"e4m3", 8},  [MMA_E5M2] = {"e5m2", 8}, [MMA_S8] = {"s8", 8},
    [MMA_U8] = {"u8", 8},      [MMA_S4] = {"s4", 4},     [MMA_U4] = {"u4", 4},
    [MMA_B1] = {"b1", 1},      [MMA_S32] = {"s32", 32},
};

unsigned mma_type_bits(mma_type type) {
  return types[type].bits;
}
const char *mma_type_name(mma_type type) {
  return types[type].name;
}
mma_type mma_type_of(str suffix) {
  for (int t = MMA_NONE + 1; t < MMA_TYPE_COUNT; t++)
    if (str_is(suffix, types[t].name)) return (mma_type)t;
  return MMA_NONE;
}

/* ---- Which forms exist ----------------------------------------------------------------------- */

#define BIT(t)   (1u << (t))
#define ALL_F16  BIT(MMA_F16)
#define ALL_BF16 BIT(MMA_BF16)
#define ALL_TF32 BIT(MMA_TF32)
#define ALL_F64  BIT(MMA_F64)
#define ALL_FP8  (BIT(MMA_E4M3) | BIT(MMA_E5M2))
#define ALL_INT8 (BIT(MMA_S8) | BIT(MMA_U8))
#define ALL_INT4 (BIT(MMA_S4) | BIT(MMA_U4))
#define ALL_B1   BIT(MMA_B1)

enum family { DENSE, SPARSE, WMMA };

/* PTX ISA, the tables of "mma", "mma.sp" and "wmma.mma": element types of A and B, which need not
 * be equal within a row, shape, and the first target. */
static const struct {
  uint8_t family, sm;
  uint16_t m, n, k;
  uint32_t inputs;
} forms[] = {
    {DENSE, 70, 8, 8, 4, ALL_F16},      {DENSE, 80, 8, 8, 4, ALL_F64},
    {DENSE, 75, 8, 8, 16, ALL_INT8},    {DENSE, 75, 8, 8, 32, ALL_INT4},
    {DENSE, 75, 8, 8, 128, ALL_B1},     {DENSE, 80, 16, 8, 4, ALL_TF32},
    {DENSE, 90, 16, 8, 4, ALL_F64},     {DENSE, 75, 16, 8, 8, ALL_F16},
    {DENSE, 80, 16, 8, 8, ALL_BF16},    {DENSE, 80, 16, 8, 8, ALL_TF32},
    {DENSE, 90, 16, 8, 8, ALL_F64},     {DENSE, 80, 16, 8, 16, ALL_F16},
    {DENSE, 80, 16, 8, 16, ALL_BF16},   {DENSE, 80, 16, 8, 16, ALL_INT8},
    {DENSE, 89, 16, 8, 16, ALL_FP8},    {DENSE, 90, 16, 8, 16, ALL_F64},
    {DENSE, 80, 16, 8, 32, ALL_INT8},   {DENSE, 80, 16, 8, 32, ALL_INT4},
    {DENSE, 89, 16, 8, 32, ALL_FP8},    {DENSE, 80, 16, 8, 64, ALL_INT4},
    {DENSE, 80, 16, 8, 128, ALL_B1},    {DENSE, 80, 16, 8, 256, ALL_B1},
    {SPARSE, 80, 16, 8, 16, ALL_F16},   {SPARSE, 80, 16, 8, 16, ALL_BF16},
    {SPARSE, 80, 16, 8, 32, ALL_F16},   {SPARSE, 80, 16, 8, 32, ALL_BF16},
    {SPARSE, 80, 16, 8, 8, ALL_TF32},   {SPARSE, 80, 16, 8, 16, ALL_TF32},
    {SPARSE, 80, 16, 8, 32, ALL_INT8},  {SPARSE, 80, 16, 8, 64, ALL_INT8},
    {SPARSE, 89, 16, 8, 64, ALL_FP8},   {SPARSE, 80, 16, 8, 64, ALL_INT4},
    {SPARSE, 80, 16, 8, 128, ALL_INT4}, {WMMA, 70, 16, 16, 16, ALL_F16},
    {WMMA, 70, 32, 8, 16, ALL_F16},     {WMMA, 70, 8, 32, 16, ALL_F16},
    {WMMA, 80, 16, 16, 16, ALL_BF16},   {WMMA, 80, 32, 8, 16, ALL_BF16},
    {WMMA, 80, 8, 32, 16, ALL_BF16},    {WMMA, 72, 16, 16, 16, ALL_INT8},
    {WMMA, 72, 32, 8, 16, ALL_INT8},    {WMMA, 72, 8, 32, 16, ALL_INT8},
    {WMMA, 80, 16, 16, 8, ALL_TF32},    {WMMA, 80, 8, 8, 4, ALL_F64},
    {WMMA, 75, 8, 8, 32, ALL_INT4},     {WMMA, 75, 8, 8, 128, ALL_B1},
};

static bool is_f16_quad(const mma_form *f) {
  return !f->wmma && f->m == 8 && f->a == MMA_F16;
}

/* Accumulators that go with the inputs. */
static bool accumulates(const mma_form *f) {
  bool narrow = f->a == MMA_F16 || f->a == MMA_E4M3 || f->a == MMA_E5M2;
  bool c16 = f->c == MMA_F16, d16 = f->d == MMA_F16;
  if (f->a == MMA_F64) return f->c == MMA_F64 && f->d == MMA_F64;
  if (mma_type_is_integer(f->a)) return f->c == MMA_S32 && f->d == MMA_S32;
  if ((!c16 && f->c != MMA_F32) || (!d16 && f->d != MMA_F32)) return false;
  if (!narrow) return !c16 && !d16;
  return c16 == d16 || f->wmma || is_f16_quad(f);
}

const char *mma_form_problem(const mma_form *f, unsigned sm) {
  enum family family = f->wmma ? WMMA : f->sparse ? SPARSE : DENSE;
  bool shape = false, inputs = false;
  unsigned since = 0;
  for (unsigned i = 0; i < ARRAY_LEN(forms); i++) {
    if (forms[i].family != family || forms[i].m != f->m || forms[i].n != f->n || forms[i].k != f->k)
      continue;
    shape = true;
    if (!(forms[i].inputs & BIT(f->a)) || !(forms[i].inputs & BIT(f->b))) continue;
    inputs = true;
    since = forms[i].sm;
  }
  if (!shape) return "this instruction has no such shape; see the PTX ISA's table of shapes";
  if (!inputs) return "the types of A and B do not go with this shape, or with each other";
  if (sm < since) return "the target is too old for this shape and type";
  if (!accumulates(f)) return "the types of C and D do not go with those of A and B";
  if ((f->op != MMA_MULTIPLY) != (f->a == MMA_B1))
    return ".xor.popc and .and.popc go with .b1, and .b1 needs one of them";
  if (f->op == MMA_AND_POPC && sm < 80) return ".and.popc needs sm_80";
  if (f->satfinite && (!mma_type_is_integer(f->a) || f->a == MMA_B1) && !f->wmma)
    return ".satfinite goes with integers of 8 and 4 bits";
  if ((f->a_col || f->b_row) && !f->wmma && !is_f16_quad(f))
    return "this shape takes A by rows and B by columns: .row.col";
  return NULL;
}

/* ---- Where elements lie --------------------------------------------------------------------- */

static mma_type type_of(const mma_form *f, mma_operand o) {
  return o == MMA_A ? f->a : o == MMA_B ? f->b : o == MMA_C ? f->c : f->d;
}

static mma_place shape_of(const mma_form *f, mma_operand o) {
  if (o == MMA_A) return (mma_place){f->m, f->sparse ? f->k / 2 : f->k};
  if (o == MMA_B) return (mma_place){f->k, f->n};
  return (mma_place){f->m, f->n};
}

static unsigned per_register(mma_type type) {
  unsigned bits = mma_type_bits(type);
  return bits > 32 ? 1 : 32 / bits;
}

unsigned mma_elements(const mma_form *f, mma_operand o) {
  mma_place shape = shape_of(f, o);
  bool input = o == MMA_A || o == MMA_B;
  if (is_f16_quad(f)) return input ? 4 : 8; /* each quad pair multiplies on its own */
  if (f->wmma && f->a == MMA_F16 && input) return 16;
  return (unsigned)shape.row * shape.col / MMA_LANES;
}

unsigned mma_registers(const mma_form *f, mma_operand o) {
  unsigned per = per_register(type_of(f, o));
  return (mma_elements(f, o) + per - 1) / per;
}

/* m8n8k4 with f16: lanes 4q..4q+3 and 16+4q..16+4q+3 make product q of four. */
static mma_place quad_element(const mma_form *f, mma_operand o, unsigned lane, unsigned i) {
  unsigned half = lane < 16 ? 0 : 4, t = lane % 4;
  if (o == MMA_A && !f->a_col) return (mma_place){t + half, i};
  if (o == MMA_A) return (mma_place){i + half, t};
  if (o == MMA_B && f->b_row) return (mma_place){t, i + half};
  if (o == MMA_B) return (mma_place){i, t + half};
  if (type_of(f, o) == MMA_F16) return (mma_place){t + half, i};
  return (mma_place){(lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + (i & 1)};
}

mma_place mma_element(const mma_form *f, mma_operand o, unsigned lane, unsigned i) {
  if (f->wmma) {
    /* Opaque in PTX; here lane after lane, from the start again where lanes hold copies. */
    mma_place shape = shape_of(f, o);
    unsigned at = (lane * mma_elements(f, o) + i) % ((unsigned)shape.row * shape.col);
    return (mma_place){at / shape.col, at % shape.col};
  }
  if (is_f16_quad(f)) return quad_element(f, o, lane, i);
  unsigned g = lane / 4, t = lane % 4;
  if (o == MMA_C || o == MMA_D) return (mma_place){g + 8 * (i / 2), 2 * t + i % 2};
  unsigned e = per_register(type_of(f, o)), r = i / e, inner = e * t + i % e;
  if (o == MMA_B) return (mma_place){inner + 4 * e * r, g};
  if (f->m == 8) return (mma_place){g, inner + 4 * e * r};
  return (mma_place){g + 8 * (r % 2), inner + 4 * e * (r / 2)};
}

/* ---- Sparse A ------------------------------------------------------------------------------- */

/* Four bits of metadata describe a chunk of A's row. A row's chunks lie, in registers of the lanes
 * of its quad (PTX ISA, "Sparse matrix storage" and the metadata figures of each shape):
 *
 *   4 chunks                     lane `selector`; row g in bits 0-15, row g + 8 in bits 16-31
 *   8 chunks of 16 or 32 bits    lanes 2s, 2s+1 take 4 chunks each; rows as before
 *   8 chunks of 8 or 4 bits      lane 2s has row g, lane 2s+1 row g + 8
 *   16 chunks                    lanes 0, 1: chunks 0-7 of rows g, g + 8; lanes 2, 3: chunks 8-15
 */
static unsigned chunk_bits(bool wide, unsigned chunks, const uint32_t *meta, unsigned selector,
                           unsigned row, unsigned chunk) {
  unsigned g = row % 8, high = row / 8, lane, shift;
  if (chunks == 4)
    lane = selector % 4, shift = 16 * high + 4 * chunk;
  else if (chunks == 8 && wide)
    lane = 2 * (selector % 2) + chunk / 4, shift = 16 * high + 4 * (chunk % 4);
  else if (chunks == 8)
    lane = 2 * (selector % 2) + high, shift = 4 * chunk;
  else
    lane = high + 2 * (chunk / 8), shift = 4 * (chunk % 8);
  return meta[4 * g + lane] >> shift & 15;
}

bool mma_sparse_columns(mma_type a, unsigned k, const uint32_t meta[MMA_LANES], unsigned selector,
                        uint8_t *k_of) {
  unsigned bits = mma_type_bits(a), stored = k / 2;
  unsigned chunk = bits == 32 ? 2 : bits == 4 ? 8 : 4, chunks = k / chunk;
  bool good = true;
  for (unsigned row = 0; row < 16; row++) {
    for (unsigned c = 0; c < chunks; c++) {
      unsigned m = chunk_bits(bits >= 16, chunks, meta, selector, row, c);
      unsigned first = m & 3, second = m >> 2, base = c * chunk;
      uint8_t *out = k_of + row * stored + c * chunk / 2;
      if (bits == 32) { /* one of two: 0b0100 is the first, 0b1110 the second */
        good &= m == 4 || m == 14;
        out[0] = (uint8_t)(base + (m >> 1 & 1));
        continue;
      }
      good &= first < second;
      if (bits == 4) { /* two of four pairs */
        out[0] = (uint8_t)(base + 2 * first), out[1] = (uint8_t)(base + 2 * first + 1);
        out[2] = (uint8_t)(base + 2 * second), out[3] = (uint8_t)(base + 2 * second + 1);
      } else {
        out[0] = (uint8_t)(base + first), out[1] = (uint8_t)(base + second);
      }
    }
  }
  return good;
}
