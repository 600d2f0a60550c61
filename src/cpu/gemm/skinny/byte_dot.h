/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/skinny/byte_dot.h: sums of products of bytes.
 */
#ifndef TSR_CPU_GEMM_SKINNY_BYTE_DOT_H
#define TSR_CPU_GEMM_SKINNY_BYTE_DOT_H

#include "cpu/gemm/skinny/fixed_point.h"

enum {
  BYTE_DOT_GROUP = 4,
  BYTE_DOT_MOST = 64
}; /* bytes of b along k that are one lane; of a vector */
/* Where the left operand is in digits, and in the exact version: all of the group. */
void byte_dot_multiply(fixed_point *d);

#endif
