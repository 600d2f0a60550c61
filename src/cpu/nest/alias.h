/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/alias.h: stores that may overlap the loads of their nest.
 */
#ifndef TSR_CPU_NEST_ALIAS_H
#define TSR_CPU_NEST_ALIAS_H

#include "cpu/nest/roots.h"

/* Before the group's nest, makes sure that its stores do not disturb its loads. */
void alias_separate(lower *l, group *g);
/* Evaluates a lazy load into the buffer, in little code that assumes nothing about the load. */
void copy_load(lower *l, ir_value *v, buffer *b);
/* The same if an i1 says so. Returns the block in which that ends. */
llblock copy_when(lower *l, llv condition, ir_value *v, buffer *b);

#endif
