/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/gather.h: loads of lanes that lie anywhere, in a nest's innermost loop. Where indices of
 * two of them differ by one, as those of an interpolation between neighbours do, both elements are
 * gathered at once, as one of twice the width.
 */
#ifndef TSR_CPU_NEST_GATHER_H
#define TSR_CPU_NEST_GATHER_H

#include "cpu/nest/location.h"
#include "cpu/nest/roots.h"

/* Finds the pairs among what the group gathers. */
void gather_find_pairs(nest *n, const group *g);
/* Are the lanes of a load at `w` gathered in versions of their own, for when all of them exist or
 * with those of another load? Then they get `pad` where the mask (NULL: all exist) is false. */
bool gather_load(nest *n, const access *a, const index_map *m, location *w, lane_value mask,
                 lane_value pad, llv *out);

#endif
