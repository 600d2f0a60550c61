/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Barriers of the block level as cells in memory: mbarriers with arrivals, phases and bytes, and
 * the named barriers of the tile block. What arrives becomes loads and stores; what waits is a
 * condition, which the caller asks for where it waits.
 */
#ifndef TSR_BLOCK_BARRIERS_H
#define TSR_BLOCK_BARRIERS_H

#include "block/lower.h"

/* How often so many threads arrive at an mbarrier, and how many bytes they announce there. */
int64_t barrier_arrivals(const ir_op *op, int64_t threads);
int64_t barrier_bytes(const ir_op *op, int64_t threads);

typedef struct barriers {
  const block_lowering *x;
  ir_value *cells; /* those of all mbarriers */
  int64_t n_cells;
  map mbarriers;   /* alloc_mbarrier -> the number of its first cell */
  map threads;     /* barrier_wait -> how many threads execute it */
  ir_value *named; /* cells; NULL: there are no named barriers */
  /* Cells; NULL: nobody waits for the cluster. And how many tile blocks it has. */
  ir_value *cluster;
  uint32_t cluster_size;
} barriers;

/* Lowers all but alloc_mbarrier, mbarrier_wait, barrier_wait and cluster_wait. It asks which
 * threads execute an operation, so groups are still there. */
void barriers_lower(barriers *b);

/* Arrives where a barrier_wait does. The result says how often all had come before. */
ir_value *barriers_arrive(const barriers *b, ir_op *at, const ir_op *wait);
/* Whether a wait may go on: an i1 before `at`. `before` is what barriers_arrive gave. */
ir_value *barriers_passed(const barriers *b, ir_op *at, const ir_op *wait, ir_value *before);
/* Notes that a wait has gone on. */
void barriers_leave(const barriers *b, ir_op *at, const ir_op *wait);

#endif
