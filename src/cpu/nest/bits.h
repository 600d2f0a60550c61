/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/bits.h: loads and stores of elements of 2, 3, 5, 6 and 7 bits, which begin at any bit of
 * a byte. Their addresses count bits.
 */
#ifndef TSR_CPU_NEST_BITS_H
#define TSR_CPU_NEST_BITS_H

#include "cpu/nest/location.h"

/* Patterns as i8, wherever they are. */
llv bits_load(nest *n, unsigned width, location *w, llv mask);
/* The other bits of their bytes stay, whoever writes them at the same time. */
void bits_store(nest *n, unsigned width, location *w, llv v, llv mask);

#endif
