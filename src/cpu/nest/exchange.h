/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/exchange.h: bits of the index of what is read trade places in registers.
 */
#ifndef TSR_CPU_NEST_EXCHANGE_H
#define TSR_CPU_NEST_EXCHANGE_H

#include "cpu/nest/nest.h"
#include "cpu/nest/roots.h"

/* The bits of the iteration that are to be copies of the body, where lanes are 2^lane_n bits
 * from lane_bit on and bytes are read whose neighbours lie along others; 0: there are none. */
uint32_t exchange_copies(lower *l, const group *g, unsigned lane_bit, unsigned lane_n);
/* In the exact version of such a nest, the lanes of a value that is read so, which all copies then
 * have; false where it isn't. */
bool gen_exchanged(nest *n, ir_value *v, const index_map *m, lane_value *out);

#endif
