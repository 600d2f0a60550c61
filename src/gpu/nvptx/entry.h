/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/entry.h: a form of a kernel as PTX declares it, and what surrounds its program: the
 * producer, the way through several tile blocks, clusters.
 */
#ifndef TSR_GPU_NVPTX_ENTRY_H
#define TSR_GPU_NVPTX_ENTRY_H

#include "gpu/gen.h"
#include "gpu/nvptx/nvptx.h"

/* Fills `out` but for `op`. False after a message. */
bool nvptx_kernel(gen *g, const char *symbol, nvptx_entry *out);

/* As gpu_hooks has them. */
void nvptx_declare(gen *g, const char *symbol);
void nvptx_body(gen *g);
void nvptx_end(gen *g);
void nvptx_leave(gen *g);
llv nvptx_block_position(gen *g, unsigned dimension, bool is_grid);
void nvptx_grid_dependency(gen *g, bool waits);

#endif
