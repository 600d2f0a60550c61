/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/lookup.h: functions of four bits, by looking them up.
 */
#ifndef TSR_CPU_NEST_LOOKUP_H
#define TSR_CPU_NEST_LOOKUP_H

#include "cpu/nest/nest.h"

/* A tile as a function of four bits of another one's elements, which has as many. */
typedef struct lookup {
  ir_value *from;    /* of i8 or of 4-bit elements; NULL: it is no such function */
  bool high;         /* of a byte's high half */
  uint32_t bits[16]; /* what comes out, as patterns of f32 */
} lookup;
/* Is the float tile such a function of a tile of bytes or of 4-bit elements? */
bool lookup_of(lower *l, ir_value *v, lookup *out);
/* The value of an element-wise operation as a lookup in a register; false when it is none. */
bool gen_lookup(nest *n, ir_op *op, const index_map *m, lane_value *out);

#endif
