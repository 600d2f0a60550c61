/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products as CPUs have patterns for them. Kernels that multiply with matrix instructions put the
 * columns of the right operand and of the accumulator in an order that gives threads neighbouring
 * elements, and repeat a single row until it fills a fragment. Neither changes what is computed, so
 * columns are put in order behind the product, and rows are repeated there.
 */
#ifndef TSR_BLOCK_PRODUCTS_H
#define TSR_BLOCK_PRODUCTS_H

#include "block/lower.h"

/* Of a kernel whose tiles have no layouts any more. */
void products_simplify(const block_lowering *x);

#endif
