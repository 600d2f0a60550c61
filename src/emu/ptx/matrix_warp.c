/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * mma.sync and wmma.mma on the registers of a warp; ldmatrix, stmatrix and movmatrix.
 */
#include "emu/ptx/matrix.h"

/* The largest operand of mma.sync and wmma: A of m16n8k256. */
enum { MAX_ELEMENTS = 16 * 256 };

static mma_type operand_type(const mma_form *f, mma_operand o) {
  return o == MMA_A ? f->a : o == MMA_B ? f->b : o == MMA_C ? f->c : f->d;
}

static unsigned columns_of(const mma_form *f, mma_operand o) {
  if (o == MMA_A) return f->sparse ? f->k / 2u : f->k;
  return f->n;
}

/* Which lanes take part in product `part`: all, or a quad pair of m8n8k4.f16. */
static bool takes_part(bool quads, unsigned part, unsigned lane) {
  return !quads || lane % 16 / 4 == part;
}

static void gather(const mma_form *f, mma_operand o, bool quads, unsigned part,
                   const mma_register *reg, uint64_t *matrix) {
  unsigned bits = mma_type_bits(operand_type(f, o)), per = bits > 32 ? 1 : 32 / bits;
  unsigned count = mma_elements(f, o), columns = columns_of(f, o);
  uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
  for (unsigned lane = 0; lane < MMA_LANES; lane++) {
    if (!takes_part(quads, part, lane)) continue;
    for (unsigned i = 0; i < count; i++) {
      mma_place at = mma_element(f, o, lane, i);
      matrix[at.row * columns + at.col] = reg[i / per][lane] >> (i % per * bits % 64) & mask;
    }
  }
}

static void scatter(const mma_form *f, bool quads, unsigned part, const uint64_t *matrix,
                    mma_register *reg) {
  unsigned bits = mma_type_bits(f->d), per = bits > 32 ? 1 : 32 / bits;
  unsigned count = mma_elements(f, MMA_D);
  for (unsigned lane = 0; lane < MMA_LANES; lane++) {
    if (!takes_part(quads, part, lane)) continue;
    for (unsigned i = 0; i < count; i++) {
      mma_place at = mma_element(f, MMA_D, lane, i);
      if (i % per == 0) reg[i / per][lane] = 0;
      reg[i / per][lane] |= matrix[at.row * f->n + at.col] << (i % per * bits % 64);
    }
  }
}

bool mma_execute(const mma_form *f, const mma_register *a, const mma_register *b,
                 const mma_register *c, const uint32_t *meta, unsigned selector, mma_register *d) {
  uint64_t a_matrix[MAX_ELEMENTS], b_matrix[MAX_ELEMENTS], c_matrix[512];
  uint8_t k_of[16 * 64];
  bool good = true, quads = !f->wmma && f->m == 8 && f->a == MMA_F16;
  if (f->sparse) good = mma_sparse_columns(f->a, f->k, meta, selector, k_of);
  for (unsigned part = 0; part < (quads ? 4 : 1); part++) {
    gather(f, MMA_A, quads, part, a, a_matrix);
    gather(f, MMA_B, quads, part, b, b_matrix);
    gather(f, MMA_C, quads, part, c, c_matrix);
    mma_multiply(&(mma_product){.m = f->m,
                                .n = f->n,
                                .k = f->k,
                                .stored = columns_of(f, MMA_A),
                                .a_type = f->a,
                                .b_type = f->b,
                                .c_type = f->c,
                                .d_type = f->d,
                                .op = (mma_op)f->op,
                                .round = (num_rounding)f->round,
                                .satfinite = f->satfinite,
                                .a = a_matrix,
                                .b = b_matrix,
                                .c = c_matrix,
                                .k_of = f->sparse ? k_of : NULL,
                                .d = c_matrix});
    scatter(f, quads, part, c_matrix, d);
  }
  return good;
}

/* ---- Moves ---------------------------------------------------------------------------------- */

/* Of an 8 x 8 matrix of 16-bit elements lane l holds elements (l / 4, 2 (l % 4)) and its right
 * neighbour; transposed, (2 (l % 4), l / 4) and its lower neighbour. */
static uint8_t *element16(uint8_t (*rows)[16], bool transpose, unsigned lane, unsigned i) {
  unsigned outer = lane / 4, inner = 2 * (lane % 4) + i;
  return transpose ? &rows[inner][2 * outer] : &rows[outer][2 * inner];
}

void mma_load_rows(unsigned count, bool transpose, const uint8_t rows[32][16], mma_register *d) {
  for (unsigned j = 0; j < count; j++) {
    for (unsigned lane = 0; lane < MMA_LANES; lane++) {
      uint64_t value = 0;
      for (unsigned i = 0; i < 2; i++) {
        const uint8_t *e = element16((uint8_t(*)[16])rows + 8 * j, transpose, lane, i);
        value |= (uint64_t)(e[0] | e[1] << 8) << (16 * i);
      }
      d[j][lane] = value;
    }
  }
}

void mma_store_rows(unsigned count, bool transpose, const mma_register *s, uint8_t rows[32][16]) {
  for (unsigned j = 0; j < count; j++) {
    for (unsigned lane = 0; lane < MMA_LANES; lane++) {
      for (unsigned i = 0; i < 2; i++) {
        uint8_t *e = element16(rows + 8 * j, transpose, lane, i);
        e[0] = (uint8_t)(s[j][lane] >> (16 * i));
        e[1] = (uint8_t)(s[j][lane] >> (16 * i + 8));
      }
    }
  }
}

/* Register r of a matrix holds, transposed, column g + 8 r, rows 4 t .. 4 t + 3. */
void mma_load_rows_b8(unsigned count, const uint8_t rows[32][16], mma_register *d) {
  for (unsigned j = 0; j < count; j++) {
    for (unsigned r = 0; r < 2; r++) {
      for (unsigned lane = 0; lane < MMA_LANES; lane++) {
        uint64_t value = 0;
        for (unsigned i = 0; i < 4; i++)
          value |= (uint64_t)rows[16 * j + 4 * (lane % 4) + i][lane / 4 + 8 * r] << (8 * i);
        d[2 * j + r][lane] = value;
      }
    }
  }
}

void mma_transpose(const uint64_t s[MMA_LANES], uint64_t d[MMA_LANES]) {
  uint8_t rows[32][16];
  mma_register reg;
  memcpy(reg, s, sizeof reg);
  mma_store_rows(1, false, &reg, rows);
  mma_load_rows(1, true, (const uint8_t(*)[16])rows, &reg);
  memcpy(d, reg, sizeof reg);
}
