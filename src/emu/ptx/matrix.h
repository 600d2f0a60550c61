/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * matrix: what the warp-wide matrix instructions compute, on registers as arrays of bits.
 *
 * Nothing here knows a machine, a warp's state or memory: a caller hands over the registers of all
 * 32 lanes and gets registers back. Where an element of a matrix lies in the registers is said
 * once, by mma_element, after the fragment tables of the PTX ISA ("Matrix Fragments for
 * mma.m16n8k16 ..." and its siblings); tests hold it against src/layout's fragments, which were
 * written independently.
 *
 * Arithmetic. PTX promises for floating-point matrix instructions only that products are made with
 * at least the precision of single, and leaves order, rounding and the handling of subnormals
 * inside the sum open. What is modelled here is the one result that does not depend on any order:
 * all products of an instruction are exact, they and C are added exactly, and the sum is rounded
 * once to D's type, to nearest even. Hardware truncates terms to a few bits more than D's mantissa
 * below the largest term, so it may differ in the last bits (docs/ptx-checks.md gives the bound).
 * f64 is a chain of fused multiply-adds in the order of k, as the ISA describes. NaN results have
 * the canonical patterns 0x7fffffff and 0x7fff. Integers are exact: they wrap, or clamp with
 * .satfinite.
 *
 * Functions do not allocate, keep no state, and may be called from any thread in the default
 * floating-point environment (num_env_enter).
 */
#ifndef TSR_EMU_PTX_MATRIX_H
#define TSR_EMU_PTX_MATRIX_H

#include "base/base.h"
#include "num/num.h"

typedef enum mma_type {
  MMA_NONE = 0,
  MMA_F16,
  MMA_BF16,
  MMA_TF32,
  MMA_F32,
  MMA_F64,
  MMA_E4M3,
  MMA_E5M2,
  MMA_S8,
  MMA_U8,
  MMA_S4,
  MMA_U4,
  MMA_B1,
  MMA_S32,
  MMA_TYPE_COUNT
} mma_type;

/* Bits of one element in a register; tf32 takes 32. */
unsigned mma_type_bits(mma_type type);
const char *mma_type_name(mma_type type); /* "f16" */
/* The type of a PTX suffix without its dot ("bf16"), MMA_NONE when it is none. */
mma_type mma_type_of(str suffix);
static inline bool mma_type_is_integer(mma_type t) {
  return t >= MMA_S8 && t <= MMA_S32;
}

typedef enum mma_operand { MMA_A, MMA_B, MMA_C, MMA_D } mma_operand;
typedef enum mma_op { MMA_MULTIPLY, MMA_XOR_POPC, MMA_AND_POPC } mma_op;

/* One instruction form. D = A * B + C with A of m x k, B of k x n. */
typedef struct mma_form {
  mma_type a, b, c, d;
  uint16_t m, n, k;
  uint8_t op;        /* mma_op */
  uint8_t round;     /* num_rounding, of f64 */
  bool sparse;       /* .sp: of every four elements of a row of A two are there */
  bool satfinite;    /* integers clamp; wmma's floats become finite, NaN +0 */
  bool a_col, b_row; /* orders other than .row.col: m8n8k4 with f16, and wmma */
  bool wmma;         /* the older instructions, whose fragments are opaque */
} mma_form;

/* Most 32-bit registers (64-bit ones for f64) that an operand of mma.sync or wmma takes. */
enum { MMA_MAX_REGISTERS = 8, MMA_LANES = 32 };

/* The registers of an operand: reg[i][lane]. Only the low 32 bits count, all 64 for f64. */
typedef uint64_t mma_register[MMA_LANES];

/* Why a form is none: a sentence saying what was expected, or NULL when the form exists on `sm` (80
 * for sm_80). Everything below requires a form that passed. */
const char *mma_form_problem(const mma_form *form, unsigned sm);

/* Elements of an operand that a lane holds, and the registers they take. Of a sparse A: what is
 * stored. */
unsigned mma_elements(const mma_form *form, mma_operand operand);
unsigned mma_registers(const mma_form *form, mma_operand operand);

typedef struct mma_place {
  uint16_t row, col;
} mma_place;
/* Where a lane's element lies in the operand's matrix. Of a sparse A, `col` counts stored elements.
 */
mma_place mma_element(const mma_form *form, mma_operand operand, unsigned lane, unsigned element);

/* Executes the instruction. `meta` and `selector` count for sparse forms only. False when the
 * metadata is none: positions out of order, or a pair pattern that does not exist (undefined in
 * PTX); D is then computed with the positions as they are written. d may be c. */
bool mma_execute(const mma_form *form, const mma_register *a, const mma_register *b,
                 const mma_register *c, const uint32_t *meta, unsigned selector, mma_register *d);

/* Floating-point operations, or integer ones, of an instruction: 2 m n k; the dense count also for
 * sparse forms, as vendors count them. */
static inline uint64_t mma_operations(const mma_form *form) {
  return 2 * (uint64_t)form->m * form->n * form->k;
}

/* ---- Moves between registers and rows of memory ---------------------------------------------- */

/* ldmatrix and stmatrix: `count` (1, 2, 4) matrices of 8 rows of 16 bytes, row r of matrix j at
 * rows[8 * j + r], the row whose address lane 8 * j + r gives. Elements are 16 bits wide. */
void mma_load_rows(unsigned count, bool transpose, const uint8_t rows[32][16], mma_register *d);
void mma_store_rows(unsigned count, bool transpose, const mma_register *s, uint8_t rows[32][16]);
/* ldmatrix.m16n16.trans.b8 (sm_100 on): `count` (1, 2) matrices of 16 rows of 16 bytes, row r of
 * matrix j at rows[16 * j + r]; two registers a matrix. */
void mma_load_rows_b8(unsigned count, const uint8_t rows[32][16], mma_register *d);
/* movmatrix.m8n8.trans.b16. d may be s. */
void mma_transpose(const uint64_t s[MMA_LANES], uint64_t d[MMA_LANES]);

/* ---- What the asynchronous warp group instructions share with these ------------------------- */

/* A product on whole matrices, row-major patterns: a is m x k, b is k x n, c and d are m x n. c may
 * be NULL (zero) or d. negate_a and negate_b as in wgmma. For sparse A (k_of not NULL) a has
 * `stored` columns and k_of[row * stored + i] is the column that stored element i stands for.
 * Limits: m <= 64, n <= 256, k <= 256, of floats k <= 64. */
typedef struct mma_product {
  unsigned m, n, k, stored;
  mma_type a_type, b_type, c_type, d_type;
  mma_op op;
  num_rounding round; /* of f64 */
  bool satfinite, negate_a, negate_b;
  const uint64_t *a, *b, *c;
  const uint8_t *k_of;
  uint64_t *d;
} mma_product;
void mma_multiply(const mma_product *p);

/* The columns that the stored elements of a sparse A stand for, from the metadata registers of one
 * warp: k_of[row * k / 2 + i] for 16 rows. False as in mma_execute. */
bool mma_sparse_columns(mma_type a, unsigned k, const uint32_t meta[MMA_LANES], unsigned selector,
                        uint8_t *k_of);

#endif
