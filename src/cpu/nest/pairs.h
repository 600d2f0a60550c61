/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/pairs.h: right operands of products in pairs of bf16.
 */
#ifndef TSR_CPU_NEST_PAIRS_H
#define TSR_CPU_NEST_PAIRS_H

#include "cpu/nest/nest.h"
#include "cpu/nest/roots.h"

/* Evaluates and stores the root of a nest whose copies are pairs: a copy and the next one. */
void gen_pairs(nest *n, const root *r);

/* Are they rounded at once? Then more copies share a test. */
bool gen_rounds_pairs(nest *n, const root *r);

#endif
