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
/* All lanes one after the other, without a mask: can they be loaded together? Then as registers
 * hold them, floats as f32. */
bool bits_are_run(const nest *n, const location *w, llv mask);
llv bits_load_run(nest *n, tsr_elem elem, const location *w);
/* The other bits of their bytes stay, whoever writes them at the same time. */
void bits_store(nest *n, unsigned width, location *w, llv v, llv mask);

#endif
