/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/mma.h: mma.sync, which multiplies fragments in the registers of a warp; ldmatrix and
 * stmatrix, which load them from shared memory and store them there.
 */
#ifndef TSR_GPU_NVPTX_MMA_H
#define TSR_GPU_NVPTX_MMA_H

#include "gpu/gen.h"

/* An instruction of MATRIX_WARP as inline assembly, of so many registers each. */
typedef struct mma {
  const char *text, *constraints;
  LLVMTypeRef result;
  unsigned n_sum, n_a, n_b;
} mma;
/* `op` says whether bytes have a sign. */
mma nvptx_mma_of(gen *g, const ir_op *op, const matrix_instruction *x);
/* sum += a * b for one block. Operands are words, of f64 doubles; so is `sum` of its type. */
void nvptx_mma(gen *g, const mma *m, const llv *a, const llv *b, llv *sum);

/* The words of 1, 2 or 4 matrices of eight rows of 16 bytes, whose addresses the warp's lanes have
 * in turn: `address`, i64 or i32, and `offset`. */
void nvptx_load_matrices(gen *g, llv address, uint32_t offset, unsigned n, bool transposed,
                         llv *out);
/* The same of stmatrix. */
void nvptx_store_matrices(gen *g, llv address, uint32_t offset, unsigned n, bool transposed,
                          const llv *words);

#endif
