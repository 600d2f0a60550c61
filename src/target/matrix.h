/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * target/matrix.h: the matrix instructions of GPUs. The rows stand in matrix.def.
 */
#ifndef TSR_TARGET_MATRIX_H
#define TSR_TARGET_MATRIX_H

#include <tessera/elem.h>

#include "target/gpu.h"

typedef enum matrix_kind {
  MATRIX_WARP,  /* of one warp: operands and accumulator in registers, as fragments */
  MATRIX_GROUP, /* of several warps: operands in shared memory, A also in registers */
} matrix_kind;

typedef struct matrix_instruction {
  gpu_capability needs;
  matrix_kind kind;
  const char *mnemonic; /* "mma.sync.", "v_mfma_" */
  const char *name;     /* what follows: "m16n8k16", "f32_32x32x8_f16" */
  const char *fragment; /* of tsr_fragment, of one warp: "mma.m16n8k16", then ".A" …; NULL: none */
  /* PTX's types; i8's operand is NULL, since it depends on the operation's signedness. */
  const char *operand, *sum;
  uint8_t m, n, k; /* log2 */
  bool is_signed;  /* of integers: only signed ones */
  bool is_stated;  /* taken where layouts ask for it, but by no plan */
  tsr_elem from;   /* type of a product's operands */
  tsr_elem elem;   /* what they are converted to, exactly */
} matrix_instruction;

/* All rows, in the order of matrix.def; NULL past the last. */
const matrix_instruction *matrix_row_at(size_t index);
/* Those of a kind that a target has for products of a type, and whose fragments are known. */
const matrix_instruction *matrix_instruction_at(const gpu_target *gpu, matrix_kind kind,
                                                tsr_elem from, size_t index);

#endif
