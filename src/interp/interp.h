/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * interp: the reference interpreter, the definition of what a program means.
 *
 * It executes one tile block at a time, operation by operation, over whole tiles in row-major
 * order, exact in every rounding mode and element type, without cleverness. The other engines are
 * compared with it. docs/numerics.md says where the language leaves freedom.
 */
#ifndef TSR_INTERP_INTERP_H
#define TSR_INTERP_INTERP_H

#include "ir/ir.h"
#include "exec/block.h"

typedef struct interp_program interp_program;

/* When asynchronous copies arrive. */
typedef enum interp_copies {
  INTERP_COPIES_EAGER, /* at once */
  INTERP_COPIES_LATE,  /* when somebody waits for them */
  INTERP_COPIES_RANDOM
} interp_copies;

typedef struct interp_options {
  bool watched; /* see interp/watch.h */
  interp_copies copies;
  uint64_t seed; /* of what is random */
} interp_options;

/* Prepares a kernel of a verified module. The module must stay. Reports and returns NULL when the
 * tiles that are in use at once take more than 4 GiB, or regions nest deeper than 256. Jumps to the
 * guard when memory runs out. */
interp_program *interp_prepare(ir_module *m, ir_op *entry);
interp_program *interp_prepare_with(ir_module *m, ir_op *entry, const interp_options *options);
void interp_destroy(interp_program *p);

/* Executes one tile block, or the cluster whose first tile block it is. Uses only block->args,
 * globals, hooks, launch, id and grid; both hooks `print` and `assert_failed` must be there.
 * Returns false when it had to give up (out of memory, or interp_is_stuck), after reporting.
 * Several threads may execute blocks of one program at the same time, if the context's allocator
 * allows that. */
bool interp_run_block(interp_program *p, rt_block *block);
/* Whether a tile block was given up because all of its threads wait for each other. */
bool interp_is_stuck(const interp_program *p);

/* A tile block that gives others a turn when it waits for them: when an ordered load or an atomic
 * has seen the same in the same place many times in a row. interp_run_block would never return from
 * such a block, if what it waits for is the work of one that has not run.
 *
 *   interp_running *r = interp_start(p, &block, NULL);
 *   while (interp_continue(r) == INTERP_WAITS) …others…
 *
 * `block` is copied. `watcher` may be NULL (interp/watch.h). interp_start returns NULL when memory
 * ran out, after reporting. What interp_continue returns anything but INTERP_WAITS for is gone;
 * interp_drop gives up a tile block that still waits. */
typedef struct interp_running interp_running;
typedef enum interp_state { INTERP_DONE, INTERP_WAITS, INTERP_FAILED } interp_state;
struct interp_watcher;
interp_running *interp_start(interp_program *p, const rt_block *block,
                             struct interp_watcher *watcher);
interp_state interp_continue(interp_running *r);
void interp_drop(interp_running *r);
const rt_block *interp_running_block(const interp_running *r);
/* What a tile block that waits does again and again, and where it looks; NULL: not known. */
const ir_op *interp_waiting_op(const interp_running *r, uint64_t *address);

#endif
