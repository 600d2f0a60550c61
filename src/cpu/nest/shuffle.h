/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/shuffle.h: lanes in another order than memory's.
 */
#ifndef TSR_CPU_NEST_SHUFFLE_H
#define TSR_CPU_NEST_SHUFFLE_H

#include "cpu/nest/nest.h"

/* In the exact version, the lanes of a value that is read from memory, picked from whole vectors;
 * false where it had better be read as other loads are. */
bool gen_shuffled(nest *n, ir_value *v, const index_map *m, lane_value *out);
/* Registers of a value whose lanes are about to trade places. Halves that have just been loaded,
 * and may not be for arithmetic only, do so as bits, since the conversion to float keeps of their
 * NaNs what arithmetic needs; true: they are lanes of i32 then, until shuffle_decoded. */
bool shuffle_as_bits(lower *l, const ir_value *v, llv *x, unsigned count);
llv shuffle_decoded(lower *l, llv bits);

#endif
