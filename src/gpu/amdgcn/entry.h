/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/entry.h: a kernel's function, and its place in the grid.
 */
#ifndef TSR_GPU_AMDGCN_ENTRY_H
#define TSR_GPU_AMDGCN_ENTRY_H

#include "gpu/amdgcn/amdgcn.h"
#include "gpu/gen.h"

void amdgcn_declare(gen *g, const char *symbol);
void amdgcn_body(gen *g);
llv amdgcn_block_position(gen *g, unsigned dimension, bool is_grid);

/* Lowers gen.entry to a function with this name, and says what a launcher must know; asserts go to
 * `out`. False after a message. */
bool amdgcn_kernel(gen *g, const char *symbol, amdgcn_result *out, amdgcn_entry *entry);

#endif
