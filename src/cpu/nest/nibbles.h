/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/nibbles.h: loads and stores of elements of 4 bits, of which two share a byte. Their
 * addresses count nibbles.
 */
#ifndef TSR_CPU_NEST_NIBBLES_H
#define TSR_CPU_NEST_NIBBLES_H

#include "cpu/nest/location.h"

/* The byte that has the nibble. */
llv nibbles_byte(lower *l, llv nibbles);
/* Elements as i8, wherever they are; the second where lanes are every other nibble. */
llv nibbles_load(nest *n, location *w, llv mask);
llv nibbles_load_pairs(nest *n, location *w);
void nibbles_store(nest *n, location *w, llv v, llv mask);
/* Do lanes take the same half of neighbouring bytes? The half, or -1; and then these elements. */
int nibbles_half(const nest *n, const access *a, const index_map *m, const location *w);
llv nibbles_load_half(nest *n, const access *a, const location *w, int half);

#endif
