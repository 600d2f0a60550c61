/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/group.h: the open group: roots over the same iterations wait in it until something
 * needs one of them.
 *
 * What the rooms above this one do for a group (all of its code is made by lower/versions.c, which
 * knows memory/ and gemm/) they hand over as group_calls.
 */
#ifndef TSR_CPU_NEST_GROUP_H
#define TSR_CPU_NEST_GROUP_H

#include "cpu/nest/roots.h"

typedef struct group_calls {
  /* Makes the group's code. */
  void (*emit)(lower *l, group *g);
  /* May the second product share a nest with the first? */
  bool (*products_share)(lower *l, const root *a, const root *b);
  /* How the tile is kept for those who need it. */
  buffer_format (*materialised_format)(lower *l, const ir_value *v);
  /* Lowers operations that waited for a group, in their order, now that it has been emitted. */
  void (*lower_waiting)(lower *l, ir_op **ops, uint32_t n);
} group_calls;

typedef struct saved_value {
  ir_value *v;
  value was;
} saved_value;

typedef struct group_state {
  const group_calls *calls;
  group open;
  VEC(ir_value *) loads; /* lazy loads, in program order */
  VEC(ir_op *) waiting;  /* scalar arithmetic: until the open group has been emitted */
  bool together;         /* roots must share a nest: see materialise_all */
  VEC(saved_value) undo; /* when the block that is being lowered ends */
} group_state;

void group_begin(lower *l, const group_calls *calls);
void group_add(lower *l, const ir_type *shape, const root *r);
/* Would the open group take the root, with so many of its kind before it? */
bool group_takes(lower *l, const ir_type *shape, const root *r, unsigned before);
/* All code of the open group is made; what it makes is at hand then. */
void group_flush(lower *l);

/* The tile in a row-major buffer of this format, now. */
buffer *materialise(lower *l, ir_value *v, buffer_format format);
/* Makes the tile a root of the open group: it will be in a buffer when that is flushed. */
void materialise_later(lower *l, ir_value *v);
void materialise_into(lower *l, ir_value *v, buffer *to);
/* The next values of loop-carried tiles: all are evaluated before any is overwritten. */
void materialise_all(lower *l, unsigned count, ir_value **v, buffer **to);
/* Before a write at this position: loads that would be evaluated behind it are evaluated now. A
 * root there may still do so itself. */
void settle_loads(lower *l, uint32_t order);
/* Before a change of the value's state that holds only in the block that is being lowered. */
void value_changes(lower *l, ir_value *v);

#endif
