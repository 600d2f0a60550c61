/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * norm in kernels that have the lines at hand (gemm_norm).
 */
#ifndef TSR_OPS_NORM_H
#define TSR_OPS_NORM_H

#include "ops/emit.h"

/* What a launch of it gets. */
void norm_pass(const ops_problem *p, ops_steps *steps, ops_step *s);
/* The kernel of whole lines, whose x is this tile: of the type that it computes in, with numbers
 * that do not matter behind the lines. */
void norm_build_given(ops_build *b, tsr_value x);

#endif
