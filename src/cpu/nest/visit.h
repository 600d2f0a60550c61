/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/visit.h: walks over the expressions of a group.
 */
#ifndef TSR_CPU_NEST_VISIT_H
#define TSR_CPU_NEST_VISIT_H

#include "cpu/nest/roots.h"

/* Gets a value and the index map that it is evaluated at. */
typedef bool (*visit_fn)(void *user, ir_value *v, const index_map *m);

/* Calls `fn` for every value of the expression below v that has a map; not behind tiles that lie
 * in buffers already. False when `fn` returned false. The maps of concatenated and inserted tiles
 * are conservative. */
bool visit_expression(lower *l, ir_value *v, const index_map *m, visit_fn fn, void *user);
/* The same of all that a root, or a group, needs. */
bool visit_root(lower *l, const root *r, visit_fn fn, void *user);
bool visit_group(lower *l, const group *g, visit_fn fn, void *user);
/* The same with the maps that halves of concatenated tiles have where they are evaluated. */
void visit_halves(lower *l, const group *g, visit_fn fn, void *user);
/* The same, but where `fn` returns false it goes no deeper, but on. */
void visit_from_top(lower *l, ir_value *v, const index_map *m, visit_fn fn, void *user);

#endif
