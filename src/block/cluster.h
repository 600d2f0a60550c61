/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tile blocks of a cluster become one. Whatever the kernel has it then has once for each of
 * them, so that another one's shared memory and mbarriers are allocations as its own are. It is
 * executed by the first tile block of each cluster; the others return at once.
 *
 * Behind this, cluster_arrive and cluster_wait have an operand, which their rows in the table do
 * not say: the rank of the tile block that executes them, a constant.
 */
#ifndef TSR_BLOCK_CLUSTER_H
#define TSR_BLOCK_CLUSTER_H

#include "block/lower.h"

typedef enum cluster_form {
  /* Each operation is followed by those of the other tile blocks; loops and groups that all of them
   * execute alike are there once. It is the same program only if no wait has to wait. */
  CLUSTER_IN_STEP,
  /* Each tile block is a group of threads. */
  CLUSTER_AS_GROUPS,
} cluster_form;

/* Once, before cluster_unite: operations on several tile blocks become those on one. False after a
 * message. */
bool cluster_prepare(block_lowering *x);
/* False: the kernel has no such form (CLUSTER_IN_STEP), and is as it was. */
bool cluster_unite(const block_lowering *x, cluster_form form);
/* At the end: tile blocks that are not the first of their cluster return. */
void cluster_skip_others(const block_lowering *x);

/* The rank of the tile block that executes a cluster_arrive or cluster_wait. */
uint32_t cluster_rank_of(const ir_op *op);

#endif
