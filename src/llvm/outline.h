/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/outline.h: makes a function of its own, in another module, of some blocks of a function.
 *
 *        ▼                                ▼
 *      before ──► head … ──► after      before: call part(values, &results) ──► after
 *
 *                 part:   enter ──► head … ──► leave: store results; ret
 *
 * The blocks themselves are moved, so that whatever is said about their instructions stays.
 */
#ifndef TSR_LLVM_OUTLINE_H
#define TSR_LLVM_OUTLINE_H

#include "llvm/emit.h"

typedef struct outline_region {
  const LLVMBasicBlockRef *blocks; /* the first block of the function is not one of them */
  uint32_t n;
  LLVMBasicBlockRef head;  /* the only one that is come to from outside */
  LLVMBasicBlockRef after; /* the only one outside that is gone to; NULL: they end in returns */
  unsigned most_values;    /* that may go in */
} outline_region;

/* Moves the blocks to a function `name` of the module `to`, which is of the same LLVM context.
 * Returns the block that calls it, which stands for `head` from now on. NULL: it can't be done, or
 * takes too many values; the function does what it did before. */
LLVMBasicBlockRef outline(emit *e, const outline_region *r, LLVMModuleRef to, const char *name);

#endif
