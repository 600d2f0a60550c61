/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/persistent.h: thread blocks that execute several tile blocks
 * (simt/nvidia/persistent.h).
 */
#ifndef TSR_GPU_NVPTX_PERSISTENT_H
#define TSR_GPU_NVPTX_PERSISTENT_H

#include "gpu/gen.h"

/* A persistent kernel's way through the tile blocks. */
typedef struct tile_walk {
  llv grid[3], id[3]; /* i32: of the program; of the tile block that is executed */
  llv position;       /* i32 */
  llblock head, next, done;
} tile_walk;

bool nvptx_is_persistent(const gen *g);
/* Parameters in front of tensor maps. */
uint32_t nvptx_words(const gen *g);
/* What is made between them is executed for each tile block, and ends with a jump to walk.next. */
void nvptx_walk_begin(gen *g);
void nvptx_walk_end(gen *g);

#endif
