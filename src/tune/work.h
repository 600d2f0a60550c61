/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * work: what a launch has to do at the least, without running it. The scalars of each tile block
 * are computed from the launch's arguments and its place in the grid, so that it is known which way
 * branches go and how often loops turn; tiles and memory are not known. What depends on those
 * counts as nothing, so that every number is a lower bound.
 */
#ifndef TSR_TUNE_WORK_H
#define TSR_TUNE_WORK_H

#include <tessera/runtime.h>

#include "ir/ir.h"

typedef struct work_count {
  double operations; /* of matrix products, a multiplication and an addition as two */
  double words;      /* the same, where operands narrower than 32 bits count as a part of one */
  double stored;     /* bytes that are written to global memory through views */
} work_count;

typedef struct launch_work {
  work_count total;          /* of all tile blocks */
  work_count largest, least; /* of one */
  uint64_t blocks;
} launch_work;

typedef struct work_options {
  /* A product counts whole, also where its operands reach beyond their views. Otherwise it counts
   * only in tile blocks where all that it multiplies is inside and all that is stored, too. */
  bool whole_tiles;
  const tsr_arg *args; /* as many as the entry has parameters */
  tsr_grid grid;
} work_options;

/* `entry` is of the verified module `m`, whose values it numbers. After some millions of operations
 * it stops: what is left counts as nothing. */
launch_work work_of(ir_module *m, ir_op *entry, const work_options *o, arena *a);
/* Of the kernel as it is compiled for a CPU or a card: what passes take away is not done. */
launch_work work_prepared(const ir_module *m, ir_op *entry, bool on_cpu, const tsr_arg *args,
                          tsr_grid grid);

#endif
