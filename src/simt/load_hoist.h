/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/load_hoist.h: which loads may be hoisted above the operations before them, as pipelines
 * and producers do it for later iterations. Accesses of a tile block are ordered by tokens
 * (opt/order.h), and two of one place of which one writes must be: so a load may pass a store that
 * its token does not lead back to, or that goes to another place for certain (opt/alias.h). Of the
 * first kind those are passed only that go to another of the kernel's memories (ir/roots.h), as
 * programs without tokens expect the order of the program in one memory.
 */
#ifndef TSR_SIMT_LOAD_HOIST_H
#define TSR_SIMT_LOAD_HOIST_H

#include "simt/plan.h"

/* Memory effects, by how much they restrict the hoisting of loads. */
typedef enum simt_effect {
  SIMT_ORDERS,    /* no load may be hoisted above it: it orders memory, reads it in an order,
                   or may end the tile block, as assertions, prints and fences */
  SIMT_STORES,    /* it has weak stores, too: loads may be hoisted that simt_may_pass allows */
  SIMT_NO_EFFECT, /* all loads may be hoisted */
} simt_effect;

/* The strongest effect of an operation and of those in its regions. */
simt_effect simt_effect_of(ir_op *op);

/* Whether a weak load in `loop` may pass all weak stores of the loop, of earlier iterations and of
 * its own. */
bool simt_may_pass(simt_plan *p, ir_op *load, ir_op *loop);

/* Whether a weak load may be executed where its only user, a matrix product in the same block with
 * nothing written in between, takes it: the product puts its operands into shared memory one after
 * the other, and only one lies in registers then. */
bool simt_may_defer(const ir_op *load);

#endif
