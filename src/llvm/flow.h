/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/flow.h: what a function's blocks mean to each other: which must be passed on the way to
 * which, and which are loops. LLVM knows, but not through its C interface.
 */
#ifndef TSR_LLVM_FLOW_H
#define TSR_LLVM_FLOW_H

#include <llvm-c/Core.h>

#include "base/base.h"

enum { FLOW_BLOCKS = 2048 /* at most */ };
static const uint32_t FLOW_NONE = UINT32_MAX;

/* To each node, the nodes to[first[i]] to to[first[i + 1] - 1]. */
typedef struct flow_edges {
  uint32_t *first, *to;
} flow_edges;

/* Nodes are the blocks in the order in which they stand, and after them one that all returns go
 * to. */
typedef struct flow {
  uint32_t n_blocks, exit; /* exit: that last one */
  LLVMBasicBlockRef *block;
  map number; /* of a block */
  flow_edges next, before;
  uint32_t *dominator;     /* the last node on all ways from the start; NONE of the first block */
  uint32_t *postdominator; /* the first on all ways to the exit; NONE of it, and where none leads */
  uint32_t *place, *size;  /* nodes that i dominates have places from its own on, so many */
  uint32_t *loop;          /* the innermost loop, as the number of its first block; NONE */
  uint32_t *outer;         /* of a loop's first block: the loop around that; NONE */
} flow;

/* False when there is nothing to be said: too many blocks, some that are never reached, loops that
 * have several entries, no return. */
bool flow_of(arena *a, LLVMValueRef function, flow *out);

static inline bool flow_dominates(const flow *f, uint32_t a, uint32_t b) {
  return f->place[b] >= f->place[a] && f->place[b] - f->place[a] < f->size[a];
}

#endif
