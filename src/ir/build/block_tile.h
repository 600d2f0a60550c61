/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files behind tessera/block_tile.h share: operations are built as if where the caller of
 * a function stands had built them.
 */
#ifndef TSR_IR_BUILD_BLOCK_TILE_H
#define TSR_IR_BUILD_BLOCK_TILE_H

#include <tessera/block_tile.h>

#include "ir/build/internal.h"

typedef struct caller {
  const char *file;
  unsigned line;
  tsr_builder *b;
} caller;

#define CALLER ((caller){file, line, b})
/* As tsr_build_…, with `caller c` in sight. */
#define BUILD_VALUE(op, ...) tsr_build_value_at(c.file, c.line, #op, (TSR_ARGS_(op, __VA_ARGS__)))
#define BUILD_OP(op, ...)    tsr_build_args_at(c.file, c.line, #op, (TSR_ARGS_(op, __VA_ARGS__)))

/* Reports at the caller. */
void caller_error(caller c, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Whether nothing was wrong so far: what is left to do is worth it. */
static inline bool caller_goes_on(caller c) {
  return c.b && !tsr_builder_failed(c.b);
}
/* False, and reported, where the layout library said no. */
bool caller_accepts(caller c, const char *function, tsr_status s, const tsr_layout_error *e);

#endif
