/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/family.h: accesses of one nest that differ by a few elements: the neighbours that a
 * stencil reads, the parts of pixels or of complex numbers. What they share is loaded once, and
 * what lies between each other is stored together.
 */
#ifndef TSR_CPU_NEST_FAMILY_H
#define TSR_CPU_NEST_FAMILY_H

#include "cpu/nest/location.h"
#include "cpu/nest/roots.h"

/* What is left of an address without the numbers that were added to it last, and their sum:
 * accesses of one family have roots that are alike. */
llv family_root(llv base, int64_t *offset);
/* Finds the families of what the group loads and stores through pointers. */
void families_find(nest *n, group *g);
/* The lanes of a load whose family has other members, from vectors that these share; NULL: there is
 * nothing to share. `step`: elements from lane to lane. */
llv family_load(nest *n, const access *a, const index_map *m, const location *w, LLVMTypeRef elem,
                int64_t step);
/* Stores those of the roots' values, as vectors, that fill memory together without a gap; `done`
 * gets which of them. */
void family_store(nest *n, const group *g, const index_map *m, const llv *v, bool *done);
/* Has a member of the access's family asked this before, in this copy of the body, whose elements
 * are in the same line or the next? `kind`: what for. */
bool family_asked(nest *n, const access *a, const index_map *m, unsigned kind);

#endif
