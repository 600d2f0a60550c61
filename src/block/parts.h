/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parts of shared memory: which indices of its allocation a value of type shared<…> covers.
 */
#ifndef TSR_BLOCK_PARTS_H
#define TSR_BLOCK_PARTS_H

#include <tessera/layout.h>

#include "block/lower.h"
#include "block/sums.h"

enum { PART_MAX_DEPTH = 4 /* parts of parts */ };

typedef struct part {
  ir_op *root; /* alloc_shared */
  unsigned rank;
  struct part_dim {
    int64_t whole, size;             /* of the allocation and of the part */
    ir_value *start[PART_MAX_DEPTH]; /* which add up to where it begins */
    unsigned n;
  } dim[TSR_LAYOUT_MAX_RANK]; /* of the allocation */
  /* The allocation's dimension that each one of the part is. Of the others it has one index. */
  uint8_t of[TSR_LAYOUT_MAX_RANK];
  unsigned own_rank;
} part;

/* False when the storage is handed on by control flow, or is a part of too many parts. */
bool part_of(const ir_value *storage, part *out);
/* Where it begins along a dimension of the allocation. */
sum part_start(const block_lowering *x, const part *p, unsigned d, uint64_t modulus);
/* A tile whose dimensions are those of one part, as a tile of another part's dimensions, where it
 * has as many elements. */
ir_value *part_turn(ir_module *m, ir_op *at, ir_value *tile, const part *from, const part *to,
                    const ir_type *type);
/* What a load reads, or a store or copy writes. */
ir_value *part_storage(const ir_op *access);

/* Whether every index of the allocation has a place of its own, also in the parts that are made of
 * it. Reports at the operation that is the reason. */
bool part_check(const block_lowering *x, const ir_op *op);

#endif
