/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What copy engines and matrix units do, done by threads: a tensor map is its view, a copy of boxes
 * is a cp_async or loads and stores, a product is an mmaf of what it loads. They are done where
 * they begin, so commits and waits have nothing left to do. That the bytes of a copy count at its
 * mbarrier is said by an mbarrier_expect of as many bytes below zero.
 */
#ifndef TSR_BLOCK_ENGINES_H
#define TSR_BLOCK_ENGINES_H

#include "block/lower.h"

/* Every tensor map comes from a make_tensor_map. A tensor_reduce stays, of a tile to a view. */
void engines_lower(const block_lowering *x);

#endif
