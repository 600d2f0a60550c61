/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/reuse.h: what may stay from tile block to tile block of a thread, and the keys to it:
 * all numbers that decide what is in it, in memory behind a 1.
 */
#ifndef TSR_CPU_GEMM_REUSE_H
#define TSR_CPU_GEMM_REUSE_H

#include "cpu/core/core.h"

/* Bytes that may stay, and those of a key. */
enum { REUSE_BYTES = 7 << 18 /* 1.75 MB */, MAX_KEY = 12, KEY_BYTES = (MAX_KEY + 1) * 8 };
typedef struct key {
  lower *l;
  unsigned n;
  llv part[MAX_KEY]; /* i64 */
} key;
/* The key of an operand; false when what decides cannot be told. */
bool key_find(lower *l, ir_value *v, key *x);
/* Is the key there what it was? An i1. */
llv key_holds(lower *l, const key *x, llv at);
void key_write(lower *l, const key *x, llv at);
/* Does the same address hold the same whenever a block of this launch enters the loop? */
bool reads_are_stable(lower *l, ir_op *loop);

#endif
