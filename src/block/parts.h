/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parts of shared memory: which indices of its allocation a value of type shared<…> covers.
 */
#ifndef TSR_BLOCK_PARTS_H
#define TSR_BLOCK_PARTS_H

#include <tessera/layout.h>

#include "block/lower.h"
#include "block/sums.h"

enum { PART_MAX_DEPTH = 4 /* subviews of subviews */ };

typedef struct part {
  ir_op *root; /* alloc_shared */
  unsigned rank;
  struct part_dim {
    int64_t whole, size;             /* of the allocation and of the part */
    ir_value *start[PART_MAX_DEPTH]; /* which add up to where it begins */
    unsigned n;
  } dim[TSR_LAYOUT_MAX_RANK]; /* of the allocation */
} part;

/* False when the storage is handed on by control flow, or is a part of too many parts. */
bool part_of(const ir_value *storage, part *out);
/* Where it begins along a dimension of the allocation. */
sum part_start(const block_lowering *x, const part *p, unsigned d, uint64_t modulus);
/* What a load reads, or a store or copy writes. */
ir_value *part_storage(const ir_op *access);

/* Whether every index of the allocation has a place of its own, also in the parts that are made of
 * it. Reports at the operation that is the reason. */
bool part_check(const block_lowering *x, const ir_op *op);

#endif
