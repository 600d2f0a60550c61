/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * wgmma: what wgmma.mma_async computes, and what its matrix descriptors mean.
 *
 * Four warps multiply A (64 x k) by B (k x n); warp w makes rows 16 w .. 16 w + 15 of D, which is
 * how it is computed here, a warp at a time. A lies in registers or, as B does, in shared memory
 * where a descriptor says. Arithmetic is that of matrix.h.
 *
 * A descriptor (PTX ISA, "Matrix Descriptor Format") has these fields, addresses and offsets
 * without their low four bits:
 *
 *   0-13 start address    16-29 leading dimension offset (LBO)    32-45 stride offset (SBO)
 *   49-51 base offset     62-63 swizzle: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes
 *
 * Memory is made of units of 16 bytes. With T elements to a unit, S bytes of swizzle (R = S / 16
 * units to a row) and mn the index along M or N, element (mn, k) lies at the start plus
 *
 *   K-major,  none      16 (mn % 8) + SBO (mn / 8) + LBO (k / T)         + its place in the unit
 *   K-major,  swizzled   S (mn % 8) + SBO (mn / 8) + 16 (k / T)
 *                       (when the 64 bytes of a sparse B's column exceed S = 32: + LBO for the
 * rest) MN-major, none      SBO (mn / 8) + 16 (k % 8) + LBO (k / 8) MN-major, swizzled  16 (mn / 8
 * % R) + LBO (mn / 8 / R) + S (k % 8) + SBO (k / 8)
 *
 * and then, if swizzled, bits 4 up to 4 + log2 R of the address are xored with those from bit 7 on,
 * the latter counted from the base offset. Sources: the ISA's section "Strides", and the canonical
 * layouts in the documentation of CUTLASS (mma_sm90_desc).
 *
 * Functions neither allocate nor keep state.
 */
#ifndef TSR_EMU_PTX_WGMMA_H
#define TSR_EMU_PTX_WGMMA_H

#include "emu/ptx/matrix.h"

enum {
  WGMMA_MAX_UNITS = 1024,   /* of an operand that one warp reads */
  WGMMA_MAX_REGISTERS = 128 /* of the accumulator */
};

typedef struct wgmma_form {
  mma_type a, b, d;
  uint16_t n, k; /* m is 64 */
  uint8_t op;    /* mma_op */
  bool sparse, satfinite;
  bool a_in_registers;
  bool a_mn_major, b_mn_major; /* the "transposed" operands, of 16-bit types only */
  bool negate_a, negate_b;
} wgmma_form;

/* Why a form is none on sm_90a: a sentence, or NULL. Everything below requires one that passed. */
const char *wgmma_form_problem(const wgmma_form *form);

typedef struct wgmma_descriptor {
  uint32_t start, leading, stride; /* bytes */
  uint8_t base_offset;             /* 0-7 */
  uint8_t swizzle;                 /* 0, 32, 64 or 128 bytes */
} wgmma_descriptor;
/* Reads a descriptor; NULL, or a sentence on what is wrong with it. */
const char *wgmma_read_descriptor(uint64_t bits, wgmma_descriptor *out);
/* And back. */
uint64_t wgmma_write_descriptor(const wgmma_descriptor *d);

/* Registers of the accumulator and of A, 32 bits each, for a lane. */
unsigned wgmma_registers(const wgmma_form *form);
enum { WGMMA_A_REGISTERS = 4 };

/* The shared-memory addresses of the 16-byte units of an operand: A's rows 16 warp .. +15 (MMA_A),
 * or all of B (MMA_B). Returns how many. */
unsigned wgmma_units(const wgmma_form *form, mma_operand operand, const wgmma_descriptor *d,
                     unsigned warp, uint32_t address[WGMMA_MAX_UNITS]);

/* One warp's part. `a` are its registers (NULL when A is in memory: then a_units are the bytes of
 * wgmma_units in the same order), b_units those of B. With scale_d false D = A * B. False when the
 * metadata of a sparse form is none, see mma_execute. */
typedef uint8_t wgmma_unit[16];
bool wgmma_execute(const wgmma_form *form, const mma_register *a, const wgmma_unit *a_units,
                   const wgmma_unit *b_units, bool scale_d, const uint32_t *meta, unsigned selector,
                   mma_register *d);

#endif
