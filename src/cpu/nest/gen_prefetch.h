/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/gen_prefetch.h: what a nest fetches into a cache for later, beside what it loads.
 */
#ifndef TSR_CPU_NEST_GEN_PREFETCH_H
#define TSR_CPU_NEST_GEN_PREFETCH_H

#include "cpu/nest/location.h"

/* At a load: fetches what n->prefetch says. */
void gen_prefetch(nest *n, const access *a, const index_map *m, const location *w);
/* In the exact version: fetches where elements will be stored (nest.upcoming). */
void gen_write_prefetch(nest *n, const index_map *m);

#endif
