/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/memory/streaming.h: non-temporal stores.
 */
#ifndef TSR_CPU_MEMORY_STREAMING_H
#define TSR_CPU_MEMORY_STREAMING_H

#include "cpu/nest/analysis.h"

enum { STREAM_BYTES = 32 << 20 }; /* of a launch, from which on stores are non-temporal */

/* An i1, whether the exact version's stores should be non-temporal; NULL: never. */
llv stream_condition(lower *l, group *g, const nest_analysis *s);
/* An i1: do tile blocks that store so many bytes each time they come there store much, so that it
 * is best stored by non-temporal stores? NULL: it is not. */
llv stream_is_much(lower *l, const ir_op *store, int64_t tile_bytes);
/* The same without regard to rows that are forwarded. may_read: of loops it counts only those that
 * store what the kernel doesn't read. */
llv stream_is_large(lower *l, const ir_op *store, int64_t tile_bytes, bool may_read);
/* An i1: do tile blocks that load or store so many bytes each time they come there take at least
 * `bytes` together? */
llv launch_takes(lower *l, const ir_op *op, int64_t tile_bytes, int64_t bytes, bool may_read);

#endif
