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
void nvptx_mbarrier_arrive(gen *g, llv barrier, uint32_t count, llv who);
void nvptx_mbarrier_expect(gen *g, llv barrier, uint32_t bytes);
void nvptx_mbarrier_arrive_expect(gen *g, llv barrier, uint32_t bytes);
/* Arrives once all copies by cp.async are there that the thread has begun. */
void nvptx_mbarrier_arrive_behind_copies(gen *g, llv barrier);
/* Until the phase with this parity is over. `scope`: of those who arrive, "" for the block's own
 * threads and copies. */
void nvptx_mbarrier_wait(gen *g, llv barrier, llv parity, const char *scope);

#endif
