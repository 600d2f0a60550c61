/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/mbarrier.h: barriers in shared memory, at addresses (i32). Each function is an
 * instruction that every thread executes which comes there, but where `who` (i1; NULL: all) says
 * which.
 */
#ifndef TSR_GPU_NVPTX_MBARRIER_H
#define TSR_GPU_NVPTX_MBARRIER_H

#include "gpu/gen.h"

void nvptx_mbarrier_init(gen *g, llv barrier, uint32_t count);
/* `remote`: the address is one of the cluster's shared memory. */
void nvptx_mbarrier_arrive(gen *g, llv barrier, uint32_t count, llv who, bool remote);
void nvptx_mbarrier_expect(gen *g, llv barrier, uint32_t bytes, bool remote);
void nvptx_mbarrier_arrive_expect(gen *g, llv barrier, uint32_t bytes, bool remote);
/* Tile blocks of the cluster see barriers that were initialised, once they have met. */
void nvptx_mbarrier_show(gen *g);
/* Arrives once all copies by cp.async are there that the thread has begun. */
void nvptx_mbarrier_arrive_behind_copies(gen *g, llv barrier);
/* Until the phase with this parity is over. `scope`: of those who arrive, "" for the block's own
 * threads and copies. */
void nvptx_mbarrier_wait(gen *g, llv barrier, llv parity, const char *scope);

#endif
