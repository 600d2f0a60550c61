/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/product.h: products of bf16 that the processor adds up in pairs along k (emit_mma_dot),
 * and those that start from zero.
 */
#ifndef TSR_CPU_GEMM_PRODUCT_H
#define TSR_CPU_GEMM_PRODUCT_H

#include "cpu/plan/product.h"

/* Is this a product of pairs? The second: of more rows than are multiplied where b lies. */
bool pairs_fit(lower *l, const product *p);
bool product_in_pairs(lower *l, const product *p);
/* Is the value left operand of such products, and nothing else? */
bool pairs_only(lower *l, const ir_value *v);
/* The format and strides of a right operand of pairs, a tile of this type. */
void pairs_lay_out(buffer *b, const ir_type *t);
/* Can the micro-kernel take that row for what it adds to, since the accumulator is zero? */
bool product_starts_empty(lower *l, const product *p, const ir_value *acc);

#endif
