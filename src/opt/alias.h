/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * alias: whether two accesses to memory can meet. Two are apart
 *
 * - in different memories, as ir/roots.h finds them, of which neither is one that the host may have
 *   handed over twice: two allocas, an alloca and a parameter or a global, two globals;
 * - through one pointer with offsets whose difference is a range without 0: `base + i * 128 + iota`
 *   and `base + i * 128 + 128 + iota`. Ranges come from constants, `iota` and facts.h (so from
 *   `assume`, loop bounds and the grid); what is the same value on both sides cancels out;
 * - through one view in tiles whose indices differ in some dimension by such a range, where the
 *   view's strides give every element an address of its own.
 *
 * It describes a kernel as it was when alias_compute saw it: operations may be moved and erased
 * after that and uses replaced by values that existed, but of pointers, views and integers that
 * were made later nothing is known.
 */
#ifndef TSR_OPT_ALIAS_H
#define TSR_OPT_ALIAS_H

#include "ir/roots.h"
#include "opt/facts.h"

typedef struct alias {
  const facts *known;
  ir_roots roots;
} alias;

/* Of one entry of a module. Numbers its values. Lives in `a`; `known` must live as long. */
alias alias_compute(const ir_module *m, ir_op *entry, const facts *known, arena *a);

/* Of a load, store or atomic on pointers or views: whether no byte that `a` touches is touched by
 * `b`. Values that are defined in `varying` or below it (NULL: none) may be others when `b` runs
 * than they were when `a` ran, as in another iteration of a loop. */
bool alias_apart(const alias *x, const ir_op *a, const ir_op *b, const ir_block *varying);

/* Whether both go to the same places: through one pointer, or one view at one index. Masks are not
 * looked at. */
bool alias_same_place(const ir_op *a, const ir_op *b);

/* Whether each element of a tile of a view is known to lie inside of the tensor view. */
bool alias_is_inside(const alias *x, const ir_op *access);

#endif
