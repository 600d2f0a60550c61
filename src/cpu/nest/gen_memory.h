/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/gen_memory.h: loads and stores of a nest's lanes from and to where the program has
 * them.
 */
#ifndef TSR_CPU_NEST_GEN_MEMORY_H
#define TSR_CPU_NEST_GEN_MEMORY_H

#include "cpu/nest/location.h"
#include "cpu/nest/nest.h"
#include "cpu/plan/access.h"

lane_value gen_load(nest *n, const access *a, const index_map *m);
/* Where a load's lanes are, which of them exist (mask.v NULL: all), and what the others get; all
 * are known in the location's level. */
void gen_load_place(nest *n, const access *a, const index_map *m, location *w, lane_value *mask,
                    lane_value *pad);
/* In the exact version, of a load for which access_takes_nibbles: the bytes of which lanes take
 * both halves, when m's lowest bit is 0 and lanes lie along the bits above it. */
lane_value gen_load_bytes(nest *n, const access *a, const index_map *m);
void gen_store(nest *n, const access *a, const index_map *m, llv v);
/* At the end of a body: the stores of which only the running kernel knows whether they are
 * non-temporal. */
void gen_late_stores(nest *n);
/* The address of each lane, and whether it exists (v NULL: yes). */
lane_value gen_address(nest *n, const access *a, const index_map *m);
lane_value gen_mask(nest *n, const access *a, const index_map *m);
/* With checks: whether the elements lie in the memory that they should be in. */
lane_value gen_range_mask(nest *n, const access *a, const index_map *m);
/* Does any lane of a store exist? NULL: one does. */
llv gen_any_exists(nest *n, const access *a, const index_map *m);

#endif
