/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/memo.h: what a nest has emitted already, so that nothing is emitted twice.
 */
#ifndef TSR_CPU_NEST_MEMO_H
#define TSR_CPU_NEST_MEMO_H

#include "cpu/nest/nest.h"

/* What `key` (a value, say) gave at an index; NULL: it has not been emitted there. */
lane_value *memo_find(nest *n, const void *key, const index_map *m);
/* Remembers and returns v. */
lane_value memo_put(nest *n, const void *key, const index_map *m, lane_value v);

#endif
