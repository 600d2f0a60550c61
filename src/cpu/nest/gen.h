/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/gen.h: the value of an expression for the lanes of one iteration.
 *
 * Whatever evaluates an expression includes this header; how its parts are evaluated (loads,
 * buffers, linear values, lookups) is said in the headers of those files.
 */
#ifndef TSR_CPU_NEST_GEN_H
#define TSR_CPU_NEST_GEN_H

#include "cpu/nest/nest.h"

lane_value gen(nest *n, ir_value *v, const index_map *m);
/* The same, with as many lanes as the nest has. */
lane_value gen_lanes(nest *n, ir_value *v, const index_map *m);
/* From now on the value is this, at that index. */
void gen_remember(nest *n, ir_value *v, const index_map *m, lane_value is);

#endif
