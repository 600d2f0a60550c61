/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/reduce.h: reduce: accumulators in the lanes and copies of a nest.
 */
#ifndef TSR_CPU_NEST_REDUCE_H
#define TSR_CPU_NEST_REDUCE_H

#include "cpu/nest/nest.h"
#include "cpu/nest/roots.h"

void lower_reduce(lower *l, ir_op *op);

/* The accumulators of a reduce root in a nest. */
typedef struct reduction {
  nest *n;
  root *r;
  unsigned count, copies; /* operands, unrolled copies */
  unsigned level;         /* of the loop over the reduced dimension; n_levels: there is none */
  bool neutral;           /* the identities change nothing, so every accumulator may start there */
  llv acc[MAX_UNROLL][MAX_REDUCED];
  llv phi[MAX_UNROLL][MAX_REDUCED];
  /* Where the nest repeats its last iteration: what it took, and what it gave. */
  llv taken[MAX_UNROLL][MAX_REDUCED], given[MAX_UNROLL][MAX_REDUCED];
} reduction;
/* Makes copies of up to four rows that read the same, which `shared` says: bits of the iteration
 * that the reduction keeps. What is read for one row serves the others then, each has accumulators
 * of its own, and memory is read as several streams, of which a processor fetches more by itself
 * than of one. The parts of a row behind the lanes that no loop goes over are copies as well. */
void reduce_take_rows(nest *n, const ir_op *op, uint32_t shared);
/* Are there such copies, on a processor that fetches streams well? NULL: no reduction. */
bool reduce_has_rows(const nest *n, const ir_op *op);
/* What accumulators of a neutral reduction start from. */
void reduce_starts(lower *l, const ir_op *op, unsigned lanes, llv *out);
void reduce_begin(reduction *x, nest *n, root *r, unsigned level);
void reduce_step(reduction *x, unsigned copy, const index_map *m);
/* In the loop of nest_repeat, what the last iteration took once more. `changes`: an i1 in each
 * lane, to which it adds where an accumulator changes; NULL: none so far. */
llv reduce_repeat(reduction *x, llv changes);
/* A reduce to one element leaves its lanes in the root's `scalars`; reduce_finish, behind all
 * versions of the nest, makes them one. */
void reduce_end(reduction *x);
void reduce_finish(lower *l, root *r);

#endif
