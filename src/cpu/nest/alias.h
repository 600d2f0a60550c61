/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/alias.h: stores that may overlap the loads of their nest.
 */
#ifndef TSR_CPU_NEST_ALIAS_H
#define TSR_CPU_NEST_ALIAS_H

#include "cpu/nest/roots.h"

/* Loads that a copy, or the choice of one, would make slower: of single elements, or of elements
 * that lie backwards or a few apart. `if_apart`: an i1 that implies that none overlaps what the
 * group stores; NULL: there is none, or that cannot be told. alias_take has alias_separate take it
 * for granted, and alias_give_back makes all loads what they were before. */
typedef struct found_load {
  ir_value *v;
  bool identity; /* seen with the iteration's own index only */
  bool apart;    /* one of those */
  struct access *was;
} found_load;
typedef struct alias_loads {
  llv if_apart;
  VEC(found_load) all;
} alias_loads;
alias_loads alias_find(lower *l, group *g);
void alias_take(lower *l, const alias_loads *x);
void alias_give_back(lower *l, const alias_loads *x);
/* Is it a store of which alias_find_together can tell where it goes? */
bool alias_is_known_store(const struct access *a);
/* Of a group with several such stores: `if_apart` says that one nest does what a nest for each
 * does, in their order. Loads that it cannot tell anything about are copied, now. */
alias_loads alias_find_together(lower *l, group *g);
/* All loads of the group, of which nothing is said. */
alias_loads alias_find_all(lower *l, group *g);
/* Copies what the group loads, whatever it is; alias_give_back undoes that. */
void alias_copy_all(lower *l, const alias_loads *x);
/* Before the group's nest, makes sure that its stores do not disturb its loads. */
void alias_separate(lower *l, group *g);
/* Evaluates a lazy load into the buffer, in little code that assumes nothing about the load. */
void copy_load(lower *l, ir_value *v, buffer *b);
/* The same if an i1 says so. Returns the block in which that ends. */
llblock copy_when(lower *l, llv condition, ir_value *v, buffer *b);

#endif
