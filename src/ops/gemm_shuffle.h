/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Orders in which the matrix instructions of AMD's cards take weights and scales of groups, each as
 * blocks of lines (columns of b, rows of a) and elements along k, and a block as what its 64 lanes
 * hold. There is room for whole blocks; what lies outside of the matrix is any finite number.
 *
 *   weights, 32 lines of 2 x V elements: [lines / 32, k / (2 V), 2, 32, V]
 *            16 lines of 4 x V elements: [lines / 16, k / (4 V), 4, 16, V]
 *            where V elements have 16 bytes
 *   scales,  32 lines of 8 groups along k: [lines / 32, groups / 8, 4, 16, 2, 2], where line
 *            16 x + y and group 4 u + v of a block are at [v, y, u, x]
 */
#ifndef TSR_OPS_GEMM_SHUFFLE_H
#define TSR_OPS_GEMM_SHUFFLE_H

#include "ops/emit.h"

enum { GEMM_SHUFFLE_RANK = 6 };

/* Dimensions, from the outermost: each is a part of a line's number or of that of an element along
 * k, which counts `unit` of them. */
typedef struct gemm_order {
  unsigned rank;
  int64_t size[GEMM_SHUFFLE_RANK]; /* of the first of lines and of k: 0, all that are left */
  int64_t unit[GEMM_SHUFFLE_RANK];
  bool along_k[GEMM_SHUFFLE_RANK];
  int64_t lines, depth; /* of a block */
} gemm_order;

gemm_order gemm_order_of_weights(ops_type type, int64_t lines);
gemm_order gemm_order_of_scales(void);
/* Whether elements of such a type have an order. */
bool gemm_has_order(ops_type type);
/* Adds the dimensions of a matrix; returns how many elements it has. */
int64_t gemm_order_dims(const gemm_order *o, ops_operand *out, int64_t lines, int64_t depth);
/* Where an element lies. */
int64_t gemm_order_at(const gemm_order *o, int64_t all_depth, int64_t line, int64_t k);

/* Such a matrix as tiles of lines x depth, powers of two. */
typedef struct gemm_shuffled {
  gemm_order order;
  ops_tiles tiles;
  int64_t lines, depth;
} gemm_shuffled;
gemm_shuffled gemm_shuffled_view(ops_build *b, const gemm_order *o, ops_type type, tsr_value base,
                                 tsr_value all_lines, tsr_value all_depth, int64_t lines,
                                 int64_t depth);
/* Tile (i, j), depth x lines or lines x depth; and what stores one of lines x depth. */
tsr_value gemm_shuffled_load(ops_build *b, const gemm_shuffled *s, tsr_value i, tsr_value j,
                             bool by_depth);
void gemm_shuffled_store(ops_build *b, const gemm_shuffled *s, tsr_value tile, tsr_value i,
                         tsr_value j);

#endif
