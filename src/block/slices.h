/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products that a loop computes slice by slice along k from shared memory, as kernels do that
 * multiply without a matrix instruction, become one product each: CPUs have patterns for these, and
 * share out registers and caches by themselves. The definition adds in order of k, so the result is
 * the same to the last bit.
 */
#ifndef TSR_BLOCK_SLICES_H
#define TSR_BLOCK_SLICES_H

#include "block/lower.h"

/* Of a kernel whose tiles have no layouts any more, and whose shared memory is still there. */
void slices_join(const block_lowering *x);

#endif
